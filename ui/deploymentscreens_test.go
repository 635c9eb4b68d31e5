package ui

import (
	"strings"
	"testing"
	"time"
)

// TestScreensOfDeployments compares the deployment dialogs with their golden files.
func TestScreensOfDeployments(t *testing.T) {
	file := userData(t)
	one := func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
	}
	tests := map[string]func(r *rig){
		"deploy-checking": func(r *rig) {
			r.deployable("r7-n02", "r7-n04")
			r.mark("r7-n02", "r7-n04")
			r.press("D")
			r.ironic.change(func() { r.ironic.slow = time.Minute })
			r.press("enter")
		},
		"deploy-review": func(r *rig) { one(r); r.order("D", file) },
		"deploy-refused": func(r *rig) {
			one(r)
			r.hints("r7-n04", map[string]any{"serial": "none"})
			r.order("D")
		},
		"deploy-overridable": func(r *rig) {
			one(r)
			r.hints("r7-n04", map[string]any{"serial": "none"})
			r.order("D", "", "", "deploy.erase_devices_metadata@90")
			r.press("O")
		},
		"deploy-override": func(r *rig) {
			one(r)
			r.hints("r7-n04", map[string]any{"serial": "none"})
			r.order("D")
			r.press("O", "enter")
			r.pass(time.Second)
		},
		"deploy-several": func(r *rig) {
			r.deployable("r7-n02", "r7-n04")
			r.mark("r7-n02", "r7-n04")
			r.order("D")
		},
		"rebuild-review": func(r *rig) {
			r.deployable("r7-n05")
			r.choose("r7-n05")
			r.order("B")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				prepare(r)
				r.golden(name)
			})
		})
	}
}

// TestReviewScrolls checks that the whole review can be read on a small screen, page by page, and that paging back
// returns to its start.
func TestReviewScrolls(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D", userData(t))
		r.answer()
		seen := r.text()
		for range 6 {
			r.press("pgdown")
			seen += r.text()
		}
		for _, want := range []string{
			"uuid ", "overwrites", "other disks", "step-offered", "1  deploy.deploy@100", "core: ssh-ed25519", "/states/provision", "baremetal node validate",
			"CONFIGDRIVE.json", "↑ back to the top",
		} {
			if !strings.Contains(seen, want) {
				t.Errorf("%q is on none of the pages:\n%s", want, seen)
			}
		}
		for range 6 {
			r.press("pgup")
		}
		r.shows("uuid ")
		r.sent()
	})
}
