package node_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
)

func TestTabsAndScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		want := []action.Scope{action.Reading, action.List, action.List, action.List, action.List, action.Reading, action.Reading, action.List, action.Reading}
		tabs := []string{"Overview", "Timeline", "Steps", "Disks", "Network", "BMC", "Log", "History", "Raw"}
		for i, scope := range want {
			if got := s.Scopes()[0]; got != scope {
				t.Errorf("tab %d has scope %s, want %s", i, got, scope)
			}
			for _, id := range []action.ID{action.Down, action.Bottom, action.PageUp, action.ScrollRight, action.Top, action.Open} {
				if tabs[i] != "Timeline" || id != action.Open { // enter opens the log on the timeline
					r.Do(s, s.Do(id))
				}
			}
			screentest.CheckSizes(t, s)
			tab(t, r, s, 1)
		}
		if s.Scopes()[0] != action.Reading {
			t.Error("not back at the first tab")
		}
		s.Do(action.PrevTab)
		screentest.Shows(t, s, 80, 20, "[Raw]")
	})
}

func TestHistoryNeedsItsVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := deploying(t)
		r := screentest.New(t, n)
		r.API.Minor = 72
		r.Sync()
		s := node.New(r.Env, n.UUID)
		r.Open(s)
		to(t, r, s, "History")
		screentest.Shows(t, s, 80, 20, "node history needs API 1.78; this Ironic has 1.72")
		for _, what := range r.API.Asked {
			if what == "history" {
				t.Error("asked for it")
			}
		}
		r.Deliver(s, screen.Reload{})
	})
}

func TestNoSteps(t *testing.T) {
	for _, tc := range []struct {
		name  string
		state models.ProvisionState
		agent string
		want  string
	}{
		{"waits for the ramdisk", models.StateDeployWait, "", "Waiting for the ramdisk"},
		{"called back", models.StateCleanWait, "https://10.0.0.1:9999", "not built the step list"},
		{"inspection", models.StateInspecting, "", "Nodes have no steps in state inspecting"},
		{"rests", models.StateAvailable, "", "No steps."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := models.Node{UUID: screentest.UUID(1), Name: "n", ProvisionState: tc.state, Internal: &models.Internal{AgentURL: tc.agent}}
				r, s := opened(t, n)
				to(t, r, s, "Steps")
				screentest.Shows(t, s, 80, 20, tc.want)
			})
		})
	}
}

func TestStepsOfADoneOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := deploying(t)
		r, s := opened(t, n)
		r.Deliver(s, r.Change(n.UUID, func(n *models.Node) {
			n.ProvisionState, n.DeployStep, n.TargetProvisionState, n.Internal, n.Raw = models.StateActive, nil, "", &models.Internal{}, nil
		}))
		to(t, r, s, "Steps")
		screentest.Shows(t, s, 80, 20, "operation (done)", "✓ done")
		screentest.Lacks(t, s, 80, 20, "pending", "running")
	})
}

func TestRawDiff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := deploying(t)
		r, s := opened(t, n)
		to(t, r, s, "Raw")
		screentest.Shows(t, s, 80, 20, "the next fetch marks changes")
		if s.DisabledReason(action.Diff) == "" {
			t.Error("a difference after one fetch")
		}
		r.Pass(time.Minute)
		r.Deliver(s, r.Change(n.UUID, func(n *models.Node) {
			n.Owner = "somebody"
			n.Raw = json.RawMessage(strings.Replace(string(n.Raw), "team-storage", "somebody", 1))
		}))
		for range 4 {
			s.Do(action.PageDown)
		}
		for i := 0; i < 60 && !strings.Contains(screentest.Text(s, 80, 20), " - owner"); i++ {
			s.Do(action.Up)
		}
		screentest.Shows(t, s, 80, 20, " - owner: team-storage\n + owner: somebody", "+1 -1 lines since")
		s.Do(action.Diff)
		screentest.Lacks(t, s, 80, 20, "team-storage")
		screentest.Shows(t, s, 80, 20, "   owner: somebody", "= marks changes")
		if a, ok := action.ForKey("=", append(s.Scopes(), action.Everywhere)...); !ok || a.ID != action.Diff {
			t.Errorf("= is not %s but %v", action.Diff, a)
		}
		r.Deliver(s, screen.Reload{})
		s.Do(action.Diff)
		screentest.Shows(t, s, 80, 20, " - owner: team-storage")
	})
}

func TestRawSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		to(t, r, s, "Raw")
		s.Do(action.Search)
		r.Type(s, "redfish_pass")
		screentest.Shows(t, s, 80, 20, " / redfish_pass", `redfish_password: '******'`)
		r.Type(s, "zz")
		screentest.Shows(t, s, 80, 20, "not found")
		r.Deliver(s, screentest.Press("backspace"))
		r.Deliver(s, screentest.Press("backspace"))
		r.Deliver(s, screentest.Press("enter"))
		if s.Typing() {
			t.Fatal("still typing")
		}
		if s.DisabledReason(action.NextMatch) != "" {
			t.Error("no next match")
		}
		s.Do(action.NextMatch)
		s.Do(action.PrevMatch)
		s.Do(action.WrapLines)
		screentest.CheckSizes(t, s)
		narrowed := s.(screen.Narrowed)
		if _, did := narrowed.Widen(); !did {
			t.Error("the search was not dropped")
		}
		if _, did := narrowed.Widen(); did {
			t.Error("dropped twice")
		}
		s.Do(action.Search)
		r.Deliver(s, screentest.Press("esc"))
		if s.Typing() {
			t.Error("still typing")
		}
	})
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		r.API.Found = rackDisks()
		want := map[int]string{1: "phases", 2: "step", 3: "disk", 4: "address", 5: "BMC address", 7: "event", 8: "yaml"}
		for i := range 9 {
			copies := map[string]string{}
			for _, c := range s.Copies() {
				copies[c.Name] = c.Text
			}
			for _, name := range []string{"name", "uuid", "row", "request", "command", want[i]} {
				if name != "" && copies[name] == "" {
					t.Errorf("tab %d: no %q in %v", i, name, copies)
				}
			}
			if n := strings.Count(copies["row"], "\t"); n < 10 {
				t.Errorf("row: %q", copies["row"])
			}
			tab(t, r, s, 1)
		}
	})
}
