package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/viewstate"
)

// previewed returns nodes with different previews: a failed one, a waiting one, one in maintenance, one in use, and
// one whose fields contain hostile text.
func previewed() []models.Node {
	step := &models.Step{Interface: "deploy", Step: "install_coreos"}
	node := func(i int, name string, state models.ProvisionState, n models.Node) models.Node {
		n.UUID, n.Name, n.ProvisionState, n.Driver, n.PowerState = screentest.UUID(i), name, state, "redfish", models.PowerOn
		return n
	}
	return []models.Node{
		node(1, "failed", models.StateDeployFailed, models.Node{LastError: "Deploy step deploy.install_coreos failed: No suitable device was found"}),
		node(2, "waits", models.StateDeployWait, models.Node{TargetProvisionState: models.StateActive}),
		node(3, "kept", models.StateManageable, models.Node{
			Maintenance: true, MaintenanceReason: "replace DIMM A3", BootInterface: "ipxe", DeployInterface: "direct", ResourceClass: "gp-2x",
			DriverInfo: map[string]any{"redfish_address": "https://10.0.7.3"},
			Properties: map[string]any{"root_device": map[string]any{"serial": "PHLJ1"}, "local_gb": 894},
		}),
		node(4, "used", models.StateActive, models.Node{InstanceUUID: "7b0f6f0e-5a3c-4d55-8d0f-8f6a1c0a7a11", Owner: "team-blue", DeployStep: step}),
		node(5, "hostile\x1b]0;x\a", models.StateEnroll, models.Node{LastError: "\x1b[2Jred\u202e\n\n\nlines " + strings.Repeat("long ", 2000), ResourceClass: "a\tb"}),
	}
}

func TestPreview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, needed := opened(t, screen.Defaults{Sort: "name"}, previewed()...)
		aside := func(name string, w int) string {
			t.Helper()
			for s.Do(action.Top); ; s.Do(action.Down) {
				if n, _ := s.NodeAtCursor(); strings.HasPrefix(n.Name, name) {
					break
				}
			}
			var right []string
			for _, line := range strings.Split(screentest.Text(s, w, 40), "\n") {
				if _, after, ok := strings.Cut(line, "│"); ok {
					right = append(right, strings.TrimSpace(after))
				}
			}
			return strings.Join(strings.Fields(strings.Join(right, " ")), " ")
		}
		if got := aside("failed", previewFrom-1); got != "" || len(*needed) > 0 {
			t.Errorf("at %d columns: %q, requested %v", previewFrom-1, got, *needed)
		}
		aside("kept", previewFrom)
		r.Deliver(s, r.Sync())
		asked := len(r.API.Asked)
		for name, want := range map[string][]string{
			"failed":  {"failed " + screentest.UUID(1) + " ✖ deploy failed", "Deploy step deploy.install_coreos failed: No suitable device was found", "power on", "driver redfish"},
			"waits":   {"◌ wait call-back → active", "for the ramdisk"},
			"kept":    {"▲ manageable", "In maintenance: replace DIMM A3", "interfaces boot ipxe, deploy direct", "bmc https://10.0.7.3", "class gp-2x", "disk PHLJ1 894G"},
			"used":    {"● active", "instance 7b0f6f0e-5a3c-4d55-8d0f- 8f6a1c0a7a11", "owner team-blue"},
			"hostile": {"red", "lines long long"},
		} {
			for _, w := range []int{previewFrom, 200, 260} {
				got := aside(name, w)
				for _, text := range want {
					if !strings.Contains(got, text) && w == 200 { // at other widths, lines break differently
						t.Errorf("%s at %d: no %q in %q", name, w, text, got)
					}
				}
				if got == "" {
					t.Errorf("%s at %d columns: no preview", name, w)
				}
			}
		}
		if got := r.API.Asked[asked:]; len(got) > 0 {
			t.Errorf("cursor moves asked %v", got)
		}
		if !slices.Equal(*needed, previewFields()) {
			t.Errorf("requested %v", *needed)
		}
		screentest.CheckSizes(t, s)
	})
}

// TestPreviewOfALargeFleet checks that the preview does not increase the size of the listings of a large fleet.
func TestPreviewOfALargeFleet(t *testing.T) {
	for nodes, want := range map[int]int{previewFieldsUpTo: len(previewFields()), previewFieldsUpTo + 1: 0} {
		synctest.Test(t, func(t *testing.T) {
			var fleet []models.Node
			for i := range nodes {
				fleet = append(fleet, models.Node{UUID: screentest.UUID(i + 1), Name: fmt.Sprintf("n%04d", i), ProvisionState: models.StateActive, Owner: "team-blue"})
			}
			r, s, needed := opened(t, screen.Defaults{Sort: "name"}, fleet...)
			r.Env.Status.Complete = true // the rig has listed one page of several
			screentest.Shows(t, s, 200, 40, "owner        team-blue")
			if len(*needed) != want {
				t.Errorf("%d nodes: requested %v", nodes, *needed)
			}
		})
	}
}

func TestPreviewToggles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, previewed()...)
		screentest.Shows(t, s, 200, 40, "│")
		if v := s.View(); v.NoPreview {
			t.Errorf("%+v", v)
		}
		s.Do(action.Preview)
		screentest.Lacks(t, s, 200, 40, "│")
		if s.DisabledReason(action.Preview) != "" {
			t.Error(s.DisabledReason(action.Preview))
		}
		s.plain = false
		s.Do(action.Wide)
		screentest.Lacks(t, s, 200, 40, "│")
		s.Do(action.Wide)
		s.plain = true
		r.Env.Session.View = s.View()
		restored := New(r.Env)
		if !restored.plain {
			t.Error("shown after a restart")
		}
		s.Do(action.Preview)
		screentest.Shows(t, s, 200, 40, "│")
		screentest.Lacks(t, s, previewFrom-1, 40, "│")
		if why := s.DisabledReason(action.Preview); why != "needs a terminal of 140 columns" {
			t.Error(why)
		}
		r.Env.Session.View = viewstate.State{}
	})
}

func TestPreviewOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, _ := opened(t, screen.Defaults{})
		screentest.Shows(t, s, 200, 40, "No nodes yet.")
		screentest.CheckSizes(t, s)
	})
}

// TestPreviewFollowsItsNode checks that the preview shows the node as it is in the Store, because the row of the list
// may be older.
func TestPreviewFollowsItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, previewed()[2])
		screentest.Shows(t, s, 200, 40, "replace DIMM A3")
		r.Pass(time.Second)
		r.Deliver(s, r.Change(screentest.UUID(3), func(n *models.Node) { n.Maintenance, n.MaintenanceReason = false, "" }))
		screentest.Lacks(t, s, 200, 40, "replace DIMM A3")
	})
}
