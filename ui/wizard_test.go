package ui

import (
	"errors"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// TestWizardDeploys checks a deployment with the wizard, from the key press that opens it to the requests that are
// sent.
func TestWizardDeploys(t *testing.T) {
	for name, way := range map[string]func(r *rig){
		"its key":     func(r *rig) { r.press("d") },
		"the palette": func(r *rig) { r.press(":"); r.write("deploy-wizard"); r.press("enter") },
		"on the node": func(r *rig) { r.press("enter", "d") },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				r.deployable("r7-n04")
				r.hints("r7-n04", map[string]any{"serial": "none"})
				r.choose("r7-n04")
				way(r)
				r.pass(time.Second)
				r.shows("› deploy r7-n04", "[✖ Root disk]", "no disk matches the hints")
				r.press("enter")
				r.pass(time.Second)
				r.press("r")
				r.pass(time.Second)
				r.shows("Review]", "overwrites")
				r.press("D")
				r.pass(time.Second)
				r.press("y", "enter")
				r.sent()
				r.shows("No match.")
				r.press("backspace")
				r.write("r7-n04")
				r.press("enter")
				r.sent("add /instance_uuid r7-n04", "add /instance_info/root_device r7-n04", "deploy r7-n04")
				r.pass(3 * time.Second)
				r.shows("deploy r7-n04: done, now active")
				r.press("1")
				r.pass(time.Second)
				r.choose("r7-n04")
				r.press("d")
				r.shows(`not possible in state "active"`)
			})
		})
	}
}

func TestWizardSaysWhyItIsDisabled(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("d")
		r.shows(`deploy-wizard: not possible in state "active", only in "available"`)
		// Read-only mode allows preparing a deployment. Only the last step is refused.
		r.press("1")
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.press("ctrl+o", "d")
		r.pass(time.Second)
		r.press("r")
		r.pass(time.Second)
		r.shows("Review]", "overwrites")
		r.press("D")
		r.shows("deploy-start: read-only mode; ctrl+o turns it off")
		r.sent()
	})
}

// TestWizardWithoutAnEditor checks that the plan is unchanged if no editor can be started.
func TestWizardWithoutAnEditor(t *testing.T) {
	for name, editor := range map[string]func(string) (Command, error){
		"no editor configured; set $VISUAL or $EDITOR": nil, "$EDITOR names nobody": func(string) (Command, error) { return nil, errors.New("$EDITOR names nobody") },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), func(_ *rig, o *Options) { o.Editor = editor }, func(r *rig) {
				r.deployable("r7-n04")
				r.choose("r7-n04")
				r.press("d")
				r.pass(time.Second)
				r.press("Y")
				r.shows("edit: "+name+"; plan unchanged", "› deploy r7-n04")
			})
		})
	}
}

func TestWizardRefusesTooManyNodes(t *testing.T) {
	nodes := make([]models.Node, 10_000)
	for i := range nodes {
		nodes[i] = models.Node{UUID: printable.Line(string(rune('a'+i%26))) + time.Duration(i).String(), ProvisionState: models.StateAvailable}
	}
	inBubble(t, nodes, nil, func(r *rig) {
		r.press("*", "d")
		r.shows("10000 nodes selected, at most 200 allowed", "mark fewer")
		r.lacks("› deploy")
	})
}

func TestWizardKeepsItsPlan(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.press("d")
		r.pass(time.Second)
		r.shows("[▲ First boot]")
		r.press("shift+tab", "shift+tab", "shift+tab", "down", "down", "enter")
		r.write("http://10.0.7.9/other.iso")
		r.press("enter", "esc")
		r.shows("› fleet")
		r.press("2", "1", "d")
		r.pass(time.Second)
		r.shows("http://10.0.7.9/other.iso")
		r.press("tab")
		r.golden("wizard")
	})
}
