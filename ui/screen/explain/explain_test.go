package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

var node1 = screentest.UUID(1)

const noDisk = "Deploy step deploy.install_coreos failed on node " +
	"00000001-0000-4000-8000-000000000000. No suitable device was found for deployment using these hints {'wwn': '0xdead'}"

func failed() models.Node {
	return models.Node{
		UUID: node1, Name: "r7-n02", ProvisionState: models.StateDeployFailed, TargetProvisionState: models.StateActive, PowerState: models.PowerOff,
		LastError: noDisk, DeployInterface: "direct", Properties: map[string]any{"root_device": map[string]any{"wwn": "0xdead"}}, Internal: &models.Internal{},
	}
}

// rig is a test rig for the screen. The function found returns the explanations, and asked counts the requests for
// them.
type rig struct {
	*screentest.Rig
	asked int
	err   error
	found func() *provision.Explained
}

// explained returns a rig with node n. It explains the node in the same way as the program.
func explained(t *testing.T, n models.Node) *rig {
	t.Helper()
	r := &rig{Rig: screentest.New(t, n)}
	r.Env.Session.Options = []string{"--context", "rack7"}
	api := r.API
	r.found = func() *provision.Explained {
		x := provision.NewExplainer(api, provision.ExplainSources{})
		found, err := x.Explain(t.Context(), n.UUID)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	r.Env.Session.Explain = func(context.Context, string, *explain.BMCFacts) (*provision.Explained, error) {
		r.asked++
		if r.err != nil {
			return nil, r.err
		}
		return r.found(), nil
	}
	r.Sync()
	return r
}

// several returns explanations from three different rules, one for each level of confidence.
func several() *provision.Explained {
	one := func(rule explain.RuleID, c explain.Confidence, verdict, key string) explain.Explanation {
		return explain.Explanation{
			Rule: rule, Verdict: verdict, Confidence: c, Evidence: []models.Observation{{Field: "heartbeat", Value: "none", AgeSeconds: 130}, {Field: "bmc", Value: "10.0.0.1"}},
			Not: []string{"a step that hangs: none has begun"}, Next: explain.Next{Text: "Do " + string(rule) + ".", Key: key, Command: "ironworks x " + string(rule)}, Source: "ironic/x.py",
		}
	}
	return &provision.Explained{
		Node: models.NodeRef{UUID: node1, Name: "r7-n02"}, State: models.StateDeployFailed,
		Explanations: []explain.Explanation{
			one("never-booted", explain.ConfidenceHigh, "The ramdisk never called back", "manage"),
			one("callback-timeout", explain.ConfidenceMedium, "It did not call back in time", "log"),
			one("no-hints", explain.ConfidenceLow, "There are no root device hints", "set"),
		},
		Missing: []error{errors.New("conductors: no answer for 12s")},
	}
}

func (r *rig) open(t *testing.T) *Screen {
	t.Helper()
	s := New(r.Env, node1).(*Screen)
	r.Open(s)
	_ = screentest.Text(s, 80, 20)
	return s
}

func TestGoldens(t *testing.T) {
	fine := models.Node{UUID: node1, Name: "r7-n02", ProvisionState: models.StateActive, PowerState: models.PowerOn, InstanceUUID: "x"}
	for name, tt := range map[string]struct {
		node  models.Node
		found func() *provision.Explained
		err   error
		keys  []action.ID
	}{
		"one":         {node: failed()},
		"fine":        {node: fine},
		"several":     {node: failed(), found: several},
		"other":       {node: failed(), found: several, keys: []action.ID{action.Down, action.Open}},
		"not read":    {node: failed(), err: &models.Fault{Kind: models.FaultTimeout, Op: "get node r7-n02", Message: "no answer for 12s", Hint: "is the API overloaded?"}},
		"unknown":     {node: func() models.Node { n := failed(); n.LastError = "The goat ate the cable"; return n }()},
		"maintenance": {node: func() models.Node { n := fine; n.Maintenance, n.MaintenanceReason = true, "fan 3"; return n }()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := explained(t, tt.node)
				r.err = tt.err
				if tt.found != nil {
					r.found = tt.found
				}
				s := r.open(t)
				for _, k := range tt.keys {
					r.Do(s, s.Do(k))
				}
				screentest.CheckSizes(t, s)
				screentest.Golden(t, s, strings.ReplaceAll(name, " ", "-"))
			})
		})
	}
}

// TestEveryRule checks for each rule that its explanation can be drawn and that the enter key has an effect.
func TestEveryRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, rule := range explain.Rules() {
			r := explained(t, failed())
			e := explain.Explanation{Rule: rule.ID, Verdict: rule.Verdict, Confidence: rule.Confidence, NoProblem: rule.NoProblem, Not: rule.Not, Next: rule.Next, Source: rule.Source}
			r.found = func() *provision.Explained { return &provision.Explained{Explanations: []explain.Explanation{e}} }
			s := r.open(t)
			screentest.CheckSizes(t, s)
			if got := r.Do(s, s.Do(action.Open)); len(got) != 1 {
				t.Errorf("%s: enter wishes for %v", rule.ID, got)
			}
		}
	})
}

func TestEnterRunsTheSuggestedAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for key, want := range map[string]tea.Msg{
			"manage":     screen.Press{ID: "manage"},
			"set":        screen.Press{ID: "set", Settings: "driver_info.redfish_password="},
			"conductors": screen.Press{ID: "conductors"},
			"disks":      screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: node1}, Then: action.ShowDisks},
			"log":        screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: node1}, Then: action.ShowLog},
			"":           screen.CopyText{Copyable: screen.Copyable{Name: "next command", Text: "ironworks x never-booted --context rack7"}},
		} {
			r := explained(t, failed())
			r.found = func() *provision.Explained {
				found := several()
				found.Explanations[0].Next.Key = key
				if key == "set" {
					found.Explanations[0].Next.Command = "ironworks set r7-n02 driver_info.redfish_password=PASSWORD"
				}
				return found
			}
			s := r.open(t)
			got := r.Do(s, s.Do(action.Open))
			if len(got) != 1 || got[0] != want {
				t.Errorf("%q: %v, want %v", key, got, want)
			}
			if targets := s.Targets(); len(targets) != 1 || targets[0].UUID != node1 {
				t.Errorf("it would be done to %v", targets)
			}
		}
	})
}

func TestOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		r.found = several
		s := r.open(t)
		do := func(ids ...action.ID) {
			for _, id := range ids {
				r.Do(s, s.Do(id))
				_ = screentest.Text(s, 80, 20)
			}
		}
		do(action.Down, action.Down)
		screentest.Shows(t, s, 80, 20, "❯ ○ low     There are no root device hints")
		do(action.Open)
		screentest.Shows(t, s, 80, 20, "3 of 3 explanations", "? There are no root device hints", "Do no-hints.", "● high    The ramdisk never called back")
		r.found = func() *provision.Explained { // moves the shown explanation to another index
			found := several()
			found.Explanations = found.Explanations[1:]
			return found
		}
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "2 of 2 explanations", "Do no-hints.")
		if _, did := s.Widen(); !did {
			t.Error("esc does not go back to the best")
		}
		screentest.Shows(t, s, 80, 20, "Do callback-timeout.")
		if _, did := s.Widen(); did {
			t.Error("esc stays")
		}
		do(action.Down, action.Open)
		r.found = func() *provision.Explained { // drops the shown explanation
			found := several()
			found.Explanations = found.Explanations[:1]
			return found
		}
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "✖ The ramdisk never called back", "Do never-booted.")
		screentest.Lacks(t, s, 80, 20, "alternative", "explanations")
	})
}

func TestReadsAgainWhenTheNodeChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		s := r.open(t)
		if r.asked != 1 {
			t.Fatalf("asked %d times", r.asked)
		}
		r.Deliver(s, r.Sync())
		r.Deliver(s, r.Pass(time.Hour))
		if r.asked != 1 {
			t.Error("nothing changed, and it was read again")
		}
		screentest.Shows(t, s, 80, 20, "updated 1h00 ago")
		r.Deliver(s, r.Change(node1, func(n *models.Node) { n.ProvisionState = models.StateDeployWait }))
		screentest.Shows(t, s, 80, 20, "wait call-back", "updated just now")
		if r.asked != 2 {
			t.Errorf("asked %d times", r.asked)
		}
		r.Deliver(s, r.Pass(29*time.Second))
		r.Deliver(s, r.Pass(time.Second))
		if r.asked != 3 {
			t.Errorf("of work that goes on asked %d times", r.asked)
		}
		// A new boot stage in the ramdisk's log leads to a new explanation; another line of the log does not.
		for _, text := range []string{"Linux version 6", "one more line", "and one more"} {
			r.Pass(time.Second)
			r.Env.Session.Store.AddLogLines([]models.LogLine{{
				Node: models.NodeRef{UUID: node1}, Source: models.LogPush, Received: r.Env.ServerNow(), Boot: "b", Unit: "kernel", Text: text,
			}}, 0)
			r.Deliver(s, r.Sync())
		}
		if r.asked != 4 {
			t.Errorf("of a ramdisk that boots asked %d times", r.asked)
		}
		r.err = errors.New("no answer")
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "✖ no answer", "refresh failed", "next")
		r.err = nil
		r.Pass(patience)
		r.Deliver(s, r.Sync())
		screentest.Lacks(t, s, 80, 20, "no answer")
		r.API.Nodes = nil
		gone := &models.Fault{Kind: models.FaultNotFound, Op: "get node", Status: 404, Message: "gone"}
		r.err = gone
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "deleted", "This node was deleted", "next")
		if s.DisabledReason(action.Verb(models.VerbManage)) == "" || len(r.Looked) == 0 {
			t.Error("a deleted node can be acted on, or the list does not hear of it")
		}
		screentest.CheckSizes(t, s)
		s.Close()
		if len(r.Watched) != 0 {
			t.Error("it is still watched")
		}
	})
}

func TestNoExplanation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		gone := &models.Fault{Kind: models.FaultNotFound, Op: "get node", Status: 404, Message: "gone"}
		r.err = gone
		s := New(r.Env, "nobody").(*Screen)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "Ironic has no node nobody.")
		if s.DisabledReason(action.Open) == "" || s.Do(action.Open) != nil || len(s.Targets()) != 0 {
			t.Error("enter does something")
		}
		for _, id := range []action.ID{action.Up, action.Down, action.PageUp, action.PageDown, action.Top, action.Bottom} {
			r.Do(s, s.Do(id))
		}
		screentest.CheckSizes(t, s)
		r.Env.Session.Explain = nil
		s = New(r.Env, node1).(*Screen)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "Explanations are not available here.")
		r.Env.Session = nil
		s = New(r.Env, node1).(*Screen)
		r.Open(s)
		r.Deliver(s, r.Pass(time.Minute))
		screentest.Shows(t, s, 80, 20, "No context is open")
		screentest.CheckSizes(t, s)
	})
}

// TestLong checks that explanations longer than the screen can be scrolled through, and that the effect of the enter
// key stays visible.
func TestLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		r.found = func() *provision.Explained {
			found := several()
			for i := range found.Explanations {
				e := &found.Explanations[i]
				e.Verdict += strings.Repeat(" verdict", 40)
				e.Evidence = nil
				for j := range 30 {
					e.Evidence = append(e.Evidence, models.Observation{Field: fmt.Sprint("field", j), Value: strings.Repeat("value ", 100)})
				}
			}
			return found
		}
		s := r.open(t)
		seen := map[string]bool{}
		look := func() {
			text := screentest.Text(s, 80, 20)
			if !strings.Contains(text, "❯") {
				t.Fatalf("what enter does is not in sight:\n%s", text)
			}
			for _, line := range strings.Split(text, "\n") {
				seen[line] = true
			}
		}
		for range 400 {
			look()
			r.Do(s, s.Do(action.Down))
		}
		if s.cursor != 2 {
			t.Errorf("the cursor is on %d", s.cursor)
		}
		all := s.lay(80)
		for i, line := range all.lines {
			text := ""
			for _, span := range line {
				text += span.Text
			}
			if text = strings.TrimRight(text, " "); !seen[text] && !strings.Contains(text, "❯") {
				t.Errorf("line %d was never in sight: %q", i, text)
			}
		}
		for range 400 {
			r.Do(s, s.Do(action.Up))
		}
		if s.cursor != 0 || s.top != 0 {
			t.Errorf("at %d, line %d", s.cursor, s.top)
		}
		r.Do(s, s.Do(action.Bottom))
		look()
		r.Do(s, s.Do(action.PageUp))
		r.Do(s, s.Do(action.PageDown))
		look()
		r.Do(s, s.Do(action.Top))
		look()
		screentest.CheckSizes(t, s)
	})
}

func TestHostile(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := failed()
				n.Name, n.LastError, n.MaintenanceReason = text, text, text
				n.Maintenance, n.Fault = true, text
				n.DeployStep = &models.Step{Interface: text, Step: text}
				r := explained(t, n)
				r.API.Entries = []models.HistoryEntry{{Event: text, Severity: "ERROR"}}
				s := r.open(t)
				screentest.CheckSizes(t, s)
				r.err = errors.New(text)
				r.Deliver(s, screen.Reload{})
				screentest.CheckSizes(t, s)
				for _, c := range s.Copies() {
					if strings.ContainsAny(strings.ReplaceAll(c.Printable(), "\n", ""), "\x1b\x07\u202e") {
						t.Errorf("%s holds what a terminal obeys: %q", c.Name, c.Text)
					}
				}
			})
		})
	}
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		r.found = several
		s := r.open(t)
		got := s.Copies()
		if got[0].Text != "ironworks x never-booted --context rack7" || !strings.Contains(got[2].Text, "heartbeat = none (2m ago)") {
			t.Errorf("%+v", got)
		}
		if strings.Contains(got[2].Text, "❯") {
			t.Error("the cursor is copied, too")
		}
	})
}

func TestSettingsOfACommand(t *testing.T) {
	for command, want := range map[string]string{
		"ironworks set n1 driver_info.deploy_iso=URL":                    "driver_info.deploy_iso=",
		"ironworks set n1 properties.capabilities=boot_mode:MODE":        "properties.capabilities=boot_mode:",
		"ironworks set n1 properties.capabilities=boot_mode:bios":        "properties.capabilities=boot_mode:bios",
		"ironworks set n1 driver_info.redfish_verify_ca=/path/of/ca.pem": "driver_info.redfish_verify_ca=",
		"ironworks set n1 boot_interface=ipxe":                           "boot_interface=ipxe",
		"ironworks logs n1":                                              "", "ironworks set n1": "", "": "",
	} {
		if got := settings(command); got != want {
			t.Errorf("%q fills in %q, want %q", command, got, want)
		}
	}
}
