package deploy_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// started returns the deployment that a message in wishes requests, or nil if there is none.
func started(wishes []tea.Msg) *screen.StartDeployment {
	for _, w := range wishes {
		if msg, is := w.(screen.StartDeployment); is {
			return &msg
		}
	}
	return nil
}

// ready opens the wizard, picks a disk for each node, and switches to Review.
func ready(t *testing.T, nodes ...models.Node) *table {
	t.Helper()
	w := opened(t, nodes...)
	w.page(2)
	for range nodes {
		w.do(action.Open, action.DeployNodeNext)
	}
	w.page(5)
	return w
}

func TestStartHasActionPlanAndCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ready(t, machine(t, 1, "r7-n01", ""))
		msg := started(w.do(action.DeployGo))
		if msg == nil {
			t.Fatal("nothing is started")
		}
		if !msg.Action.CheckedBy(w.Env.Session.Checks) || len(msg.Plan.Legal()) != 1 || msg.Plan.Action != msg.Action {
			t.Errorf("%+v", msg)
		}
		if want := []string{"deploy", "r7-n01", "--root-device", `{"wwn":"0x5002538en0a0"}`}; !slices.Equal(msg.Command, want) {
			t.Errorf("%q", msg.Command)
		}
		if requests := msg.Action.Requests(&w.API.Nodes[0]); len(requests) != 5 {
			t.Errorf("%v", requests)
		}
	})
}

func TestStartOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ready(t, machine(t, 1, "r7-n01", ""), machine(t, 2, "r7-n02", `{"maintenance": true}`), machine(t, 3, "r7-n03", ""))
		instanceGolden(t, w.s, "review-several")
		w.shows("3 nodes: 2 to deploy, 1 skipped", "r7-n02  maintenance: ")
		msg := started(w.do(action.DeployGo))
		if msg == nil || len(msg.Nodes) != 2 || len(msg.Plan.Items) != 3 {
			t.Fatalf("%+v", msg)
		}
		if want := []string{"deploy", "r7-n01", "r7-n03", "-f", "PLAN.yaml"}; !slices.Equal(msg.Command, want) {
			t.Errorf("%q", msg.Command)
		}
		// Each node's requests name that node's disk.
		for i, wwn := range map[int]string{0: "n0a0", 2: "n2a0"} {
			if text := msg.Action.Requests(&w.API.Nodes[i])[1].String(); !strings.Contains(text, wwn) {
				t.Errorf("%s: %s", w.API.Nodes[i].Name, text)
			}
		}
	})
}

func TestOldChecksRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ready(t, machine(t, 1, "r7-n01", ""))
		w.Pass(3 * time.Minute)
		asked := w.ironic.count("validate")
		wishes := w.do(action.DeployGo)
		if !strings.Contains(said(wishes), "3m00 old; checks run again") || w.ironic.count("validate") != asked+1 {
			t.Errorf("%q", said(wishes))
		}
		if started(w.do(action.DeployGo)) == nil {
			t.Error("it does not start")
		}
	})
}

func TestFailedChecksPreventTheStart(t *testing.T) {
	for name, fields := range map[string]string{
		"state": `{"provision_state": "manageable"}`, "maintenance": `{"maintenance": true}`, "retired": `{"retired": true}`,
		"data-disk": `{"extra": {"data_disks": ["N0A0"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := ready(t, machine(t, 1, "r7-n01", fields))
				if why := w.s.DisabledReason(action.DeployGo); !strings.HasPrefix(why, "check "+name+" failed: ") {
					t.Errorf("%q", why)
				}
				if w.s.Do(action.DeployGo) != nil {
					t.Error("it asks")
				}
			})
		})
	}
}

func TestOverride(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", `{"retired": true}`), machine(t, 2, "r7-n02", `{"retired": true}`))
		w.page(2)
		w.do(action.Open, action.DeployNodeNext, action.Open, action.DeployNodeNext)
		w.page(5)
		w.do(action.CheckOverride)
		if shown := w.dialog().Draw(themed(), 100, 30); !strings.Contains(shown, "failed: retired: ") || !strings.Contains(shown, "Type the node name") {
			t.Errorf("%s", shown)
		}
		w.confirm("r7-n02")
		w.shows("2 nodes: 0 to deploy")
		w.do(action.CheckOverride)
		w.confirm("r7-n01")
		w.shows("2 nodes: 1 to deploy, 1 skipped", "retired (overridden)")
		msg := started(w.do(action.DeployGo))
		if msg == nil || strings.Join(msg.Command, " ") != "deploy r7-n01 --root-device {\"wwn\":\"0x5002538en0a0\"} --confirm r7-n01 --override retired" {
			t.Fatalf("%+v", msg)
		}
		// A change to the plan drops the overrides.
		w.page(2)
		w.do(action.Down, action.Open)
		w.page(5)
		w.shows("2 nodes: 0 to deploy")
	})
}

func TestSomeChecksCannotBeOverridden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ready(t, machine(t, 1, "r7-n01", `{"maintenance": true}`))
		if why := w.s.DisabledReason(action.CheckOverride); !strings.Contains(why, "cannot be overridden") {
			t.Errorf("%q", why)
		}
		w = ready(t, machine(t, 1, "r7-n01", ""))
		if why := w.s.DisabledReason(action.CheckOverride); why != "no failed checks for r7-n01" {
			t.Errorf("%q", why)
		}
	})
}

func TestReviewSkipsPagesWithoutFailedChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", `{"properties": {"root_device": {"serial": "N0A1"}}}`))
		w.open()
		w.do(action.DeployNext)
		if got := pages(w.s); got[0] != 5 {
			t.Errorf("page %v", got)
		}
		w.do(action.DeployNext)
		if got := pages(w.s); got[0] != 5 {
			t.Errorf("page %v", got)
		}
	})
}

// TestReviewShowsTheRefusedNode checks that the key for the next page first shows the node with a failed check, and
// only then Review.
func TestReviewShowsTheRefusedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hints := func(serial string) string { return `{"properties": {"root_device": {"serial": "` + serial + `"}}}` }
		w := opened(t, machine(t, 1, "r7-n01", hints("N0A1")), machine(t, 2, "r7-n02", hints("nowhere")), machine(t, 3, "r7-n03", hints("N2A0")))
		w.do(action.DeployNext)
		w.shows("[✖ Root disk]", "3 nodes  < 2 > r7-n02")
		w.do(action.Open, action.DeployNext)
		w.shows("Review]", "3 nodes: 3 to deploy, 0 skipped")
	})
}
