package deploy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/screentest"
)

// TestChecksQueryTheBMCOnce verifies that a change to the plan does not make the checks contact the BMC again, and
// that Review reads everything again.
func TestChecksQueryTheBMCOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		for range 5 {
			w.do(action.Down, action.Open, action.Up, action.Open)
		}
		for _, what := range []string{"validate", "drivers", "list", "node"} {
			if n := w.ironic.count(what); n != 1 {
				t.Errorf("%s was asked %d times", what, n)
			}
		}
		w.page(5)
		for _, what := range []string{"validate", "drivers", "list", "node"} {
			if n := w.ironic.count(what); n != 2 {
				t.Errorf("on Review %s was asked %d times", what, n)
			}
		}
	})
}

// TestLateAnswersAreDropped changes the plan several times and verifies that only the last change is checked: running
// checks are canceled, and late responses are dropped.
func TestLateAnswersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		first := w.s.Do(action.Open)
		second := w.s.Do(action.HintsDrop)
		if msgs := screentest.Run(first); len(msgs) != 0 {
			t.Errorf("given up, but %v", msgs)
		}
		w.shows("checking")
		w.Do(w.s, second)
		w.shows("root-device no hints and 2 suitable disks:")
	})
}

func TestSlowAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.s = deploy.New(w.Env, screentest.UUID(1))
		t.Cleanup(w.s.Close)
		cmd := w.s.Shown()
		w.s.Do(action.NextTab) // the command does not run, so no response arrives
		w.shows("◐ checking", "Loading disks…", "Loading…")
		w.Deliver(w.s, w.Pass(7*time.Second))
		w.shows("◐ checking for 7s")
		for range 3 {
			w.s.Do(action.NextTab)
		}
		if why := w.s.DisabledReason(action.DeployGo); why != "checks are running" {
			t.Errorf("%q", why)
		}
		if why := w.s.DisabledReason(action.StepAdd); why != "the node is not loaded yet" {
			t.Errorf("%q", why)
		}
		screentest.Golden(t, w.s, "slow")
		screentest.Run(cmd)
	})
}

func TestLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		w.do(action.Open)
		plan := w.plan()
		w.ironic.err = &models.Fault{Kind: models.FaultUnreachable, Op: "get node", Message: "connection refused", Hint: "is it running?"}
		w.page(5)
		instanceGolden(t, w.s, "gone")
		w.shows("connection refused", "The plan is unchanged", "connection lost")
		if why := w.s.DisabledReason(action.DeployGo); !strings.Contains(why, "checks failed to run") {
			t.Errorf("%q", why)
		}
		if w.plan() != plan {
			t.Errorf("%s", w.plan())
		}
		// As soon as Ironic answers again, the checks run again.
		w.ironic.err = nil
		w.Env.Status.Connected = true
		w.Deliver(w.s, screen.FleetChanged{})
		if why := w.s.DisabledReason(action.DeployGo); why != "" {
			t.Errorf("%q", why)
		}
	})
}

func TestNoConnectionFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.ironic.err = errors.New("no route to host")
		w.open()
		for n := 1; n <= 5; n++ {
			w.page(n)
			whole(t, w.s)
			w.shows("no route to host")
		}
		w.ironic.err = nil
		w.Deliver(w.s, screen.Reload{})
		w.shows("updated just now")
	})
}

func TestNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.Env.Session = nil
		w.open()
		whole(t, w.s)
		w.shows("not connected")
	})
}

func TestChangedNodeIsCheckedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		w.do(action.Open)
		w.page(5)
		if why := w.s.DisabledReason(action.DeployGo); why != "" {
			t.Fatalf("%q", why)
		}
		news := w.Change(screentest.UUID(1), func(n *models.Node) {
			changed := machine(t, 1, "r7-n01", `{"provision_state": "deploying"}`)
			*n = changed
		})
		w.Deliver(w.s, news)
		if why := w.s.DisabledReason(action.DeployGo); !strings.Contains(why, `not possible in state "deploying"`) {
			t.Errorf("%q", why)
		}
	})
}

func TestDraftSurvivesLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(1)
		w.do(action.Down, action.Down)
		w.write("http://10.0.0.3/other.iso")
		w.page(2)
		w.do(action.Down, action.Open)
		w.page(4)
		w.write("testdata/host.bu")
		plan := w.plan()
		for _, want := range []string{"iso: http://10.0.0.3/other.iso", "wwn: 0x5002538en0a1", "user_data_file: testdata/host.bu"} {
			if !strings.Contains(plan, want) {
				t.Errorf("no %q in\n%s", want, plan)
			}
		}
		w.do(action.PrevTab, action.PrevTab, action.PrevTab)
		w.shows("http://10.0.0.3/other.iso")
		w.page(4)
		w.s.Close()
		w.open()
		if w.plan() != plan {
			t.Errorf("%s\nwas\n%s", w.plan(), plan)
		}
		w.shows("[✓ First boot]", "host.bu")
		w.page(1)
		w.shows("http://10.0.0.3/other.iso")
		// The draft of one node does not appear in the wizard for another node.
		other := deploy.New(w.Env, screentest.UUID(7))
		t.Cleanup(other.Close)
		screentest.Lacks(t, other, 200, 46, "other.iso")
	})
}

func TestTooMany(t *testing.T) {
	if why := deploy.TooMany(deploy.NodesAtMost); why != "" {
		t.Errorf("%q", why)
	}
	if why, want := deploy.TooMany(10_000), "10000 nodes selected, at most 200"; !strings.Contains(why, want) {
		t.Errorf("%q", why)
	}
}

func TestTwoHundredNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := make([]models.Node, deploy.NodesAtMost)
		for i := range nodes {
			nodes[i] = machine(t, i+1, fmt.Sprintf("n%03d", i), "")
		}
		w := opened(t, nodes...)
		w.page(5)
		w.shows("200 nodes: 0 to deploy, 200 skipped", "0 ready, 200 refused")
		whole(t, w.s)
	})
}
