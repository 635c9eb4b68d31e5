package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen/screentest"
)

// sent fails the test unless exactly the requests in want were sent.
func (r *rig) sent(want ...string) {
	r.t.Helper()
	if got := r.ironic.requests(); !slices.Equal(got, want) {
		r.t.Errorf("sent %q, want %q\n%s", got, want, r.text())
	}
}

func TestHarmlessActionsNeedNoConfirmation(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M")
		r.sent("manage r7-n04")
		r.shows("1 task", "sending")
		r.pass(3 * time.Second)
		r.shows("manage r7-n04: done, now manageable · req-0001")
		r.press("5")
		r.shows("manage", "r7-n04", "✓ done")
	})
}

func TestErasingActionsNeedConfirmation(t *testing.T) {
	keys := map[string]struct {
		press []string
		sent  []string
	}{
		"the name":       {[]string{"r", "7", "-", "n", "0", "5", "enter"}, []string{"undeploy r7-n05"}},
		"y":              {[]string{"y", "enter", "esc"}, nil},
		"another name":   {[]string{"r", "7", "enter", "esc"}, nil},
		"enter is no":    {[]string{"enter", "esc"}, nil},
		"n":              {[]string{"n", "enter", "esc"}, nil},
		"esc":            {[]string{"esc"}, nil},
		"the verb's key": {[]string{"U", "esc"}, nil},
	}
	for name, tt := range keys {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				r.choose("r7-n05")
				r.press("U")
				r.sent()
				r.shows("disk may be erased", "serial 7XK2", "/dev/nvme0n1", "https://10.0.7.5", "team-blue")
				r.answer(tt.press...)
				r.sent(tt.sent...)
				r.lacks("undeploy r7-n05?")
			})
		})
	}
}

// TestDialogIgnoresEarlyKeys checks that keys typed for the list do not confirm a dialog that opens meanwhile.
func TestDialogIgnoresEarlyKeys(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("U", "y", "y", "y")
		r.sent()
		r.shows("Read first: keys work in a moment.")
		for range 3 { // each key extends the grace period
			<-time.After(300 * time.Millisecond)
			r.press("y")
		}
		r.sent()
		r.answer("r", "7", "-", "n", "0", "5", "enter") // after a pause, the dialog accepts keys
		r.sent("undeploy r7-n05")
	})
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("U")
		for range 8 { // the grace period is bounded, even with constant typing
			<-time.After(200 * time.Millisecond)
			r.press("down")
		}
		r.write("r7-n05")
		r.press("enter")
		r.sent("undeploy r7-n05")
	})
}

func (r *rig) mark(names ...string) {
	r.t.Helper()
	for _, n := range names {
		r.choose(n)
		r.press("space")
	}
}

func TestSeveralNodesNeedTheirNumberTyped(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.mark("r7-n05", "r7-n02", "r7-n04")
		r.press("U")
		r.shows("undeploy 2 nodes? Type the number of nodes to confirm.", "more lines")
		r.answer("y")
		r.press("enter")
		r.shows("No match.")
		r.press("backspace")
		r.write("3")
		r.press("enter")
		r.sent()
		r.press("backspace")
		r.write("2")
		r.press("enter")
		r.pass(3 * time.Second)
		got := r.ironic.requests()
		slices.Sort(got)
		if !slices.Equal(got, []string{"undeploy r7-n02", "undeploy r7-n05"}) {
			t.Errorf("sent %q", got)
		}
		r.shows("undeploy: 1 refused, 2 done")
	})
}

func TestMarksSurviveFilterAndRefresh(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.mark("r7-n04", "r7-n05")
		r.press("/")
		r.write("n02")
		r.press("enter")
		r.shows("2 marked · 1 of 9")
		r.ironic.change(func() { r.ironic.nodes = slices.Delete(r.ironic.nodes, 4, 5) })
		r.pass(70 * time.Second)
		r.shows("1 marked")
		r.press("esc")
		r.shows("1 marked · 8")
		r.press("esc")
		r.lacks("marked")
	})
}

func TestRefusedActionSendsNothing(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("P")
		r.shows(`provide: not possible in state "available"`)
		r.mark("r7-n04", "r7-n05")
		r.press("P")
		r.shows("not possible on any of the 2 marked nodes")
		r.sent()
	})
}

func TestRetryActsOnFailedNodesOnly(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.ironic.change(func() {
			r.ironic.nodes[8].fails = "Failed to get power state: 401"
			r.ironic.nodes[7].Name = "r7-n08"
		})
		r.pass(6 * time.Second)
		r.mark("r7-n08", "r7-n09")
		r.press("M")
		r.pass(4 * time.Second)
		r.shows("manage: 1 failed, 1 done (5 shows task 1 and the reasons")
		r.press("5", "enter")
		r.shows("Failed to get power state: 401")
		before := len(r.ironic.requests())
		r.press("r")
		r.pass(4 * time.Second)
		if got := r.ironic.requests()[before:]; !slices.Equal(got, []string{"manage r7-n09"}) {
			t.Errorf("the second try sent %q", got)
		}
		r.shows("Task 2", "✓ done")
		r.press("r")
		r.shows("retry-failed: ")
	})
}

func TestQuittingAsksWhileATaskRuns(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M", "q")
		r.shows("Stop following 1 task?")
		r.press("esc")
		if r.quit {
			t.Fatal("it quit")
		}
		r.press("q")
		r.answer("y")
		if !r.quit {
			t.Error("y does not quit")
		}
	})
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M", "ctrl+c", "ctrl+c")
		if !r.quit {
			t.Error("a second ctrl+c does not quit")
		}
	})
}

func TestFollowingATaskCanBeStopped(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M", "5", "enter", "X")
		r.pass(time.Second)
		r.shows("interrupted while waiting; the operation continues")
	})
}

func TestForms(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "host.bu")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		node   string
		action string
		fill   []string // the text for each field of the form
		shows  string
		sent   []string
		// answer is the text that confirms the action, or "" if the console asks for no confirmation.
		answer string
	}{
		"maintenance":  {"r7-n04", "maintenance-on", []string{"a fan"}, "ignores heartbeats", []string{"maintenance true r7-n04"}, "y"},
		"set":          {"r7-n04", "set", []string{`description="two words" properties.x=1`}, "done", []string{"add /description,add /properties/x r7-n04"}, ""},
		"set nothing":  {"r7-n04", "set", []string{`  `}, "Settings", nil, ""},
		"set badly":    {"r7-n04", "set", []string{`uuid=1`}, "uuid", nil, ""},
		"set unclosed": {"r7-n04", "set", []string{`a="b`}, "unclosed quote", nil, ""},
		"boot device":  {"r7-n04", "boot-device", nil, "done", []string{"boot-device disk r7-n04"}, ""},
		"bad step":     {"r7-n04", "clean", []string{"erase"}, "INTERFACE.STEP", nil, ""},
		"clean":        {"r7-n04", "clean", []string{"deploy.erase_devices"}, "erase_devices", []string{"clean r7-n04"}, "r7-n04"},
		"no such file": {"r7-n04", "deploy", []string{"/nowhere/host.bu"}, "/nowhere/host.bu", nil, ""},
		"no hints":     {"r7-n04", "deploy", []string{"", "{}"}, "no hints given", nil, ""},
		"bad hints":    {"r7-n04", "deploy", []string{"", "{"}, "root device hints", nil, ""},
		"no user data": {"r7-n04", "deploy", []string{empty}, "is empty", nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				if tt.action == "clean" {
					r.ironic.change(func() { r.ironic.nodes[3].ProvisionState = models.StateManageable })
					r.pass(6 * time.Second)
				}
				r.choose(tt.node)
				r.press(":")
				r.write(tt.action)
				r.press("enter")
				if tt.action == "clean" {
					r.press("enter") // chooses the form for several steps
				}
				for i, text := range tt.fill {
					if i > 0 {
						r.press("tab")
					}
					r.write(text)
				}
				r.press("enter")
				r.pass(time.Second)
				r.shows(tt.shows)
				if tt.answer != "" {
					r.sent()
					r.write(tt.answer)
					if tt.answer != "y" {
						r.press("enter")
					}
				}
				r.sent(tt.sent...)
			})
		})
	}
}

func TestTaskShowsTheLockItWaitsFor(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.ironic.change(func() {
			r.ironic.refuse["r7-n04"] = &models.Fault{Kind: models.FaultConflict, Op: "manage node r7-n04", Status: 409, Message: "Node is associated", RequestID: "req-77"}
		})
		r.choose("r7-n04")
		r.press("M")
		r.pass(2 * time.Second)
		r.shows("Node is associated")
		r.press("5", "enter")
		r.shows("✖ failed", "req-77")
	})
}

// TestTenThousandNodes checks marks, filters and confirmations with a large fleet.
func TestTenThousandNodes(t *testing.T) {
	nodes := make([]models.Node, 10_000)
	for i := range nodes {
		nodes[i] = models.Node{UUID: screentest.UUID(i), Name: "n" + screentest.UUID(i)[:8], ProvisionState: models.StateActive, PowerState: models.PowerOn}
	}
	inBubble(t, nodes, nil, func(r *rig) {
		r.shows("● 10000 active")
		r.press("*")
		r.shows("10000 marked · 10000")
		r.press("U")
		r.pass(2 * time.Second)
		r.shows("undeploy 10000 nodes? Type the number of nodes to confirm.", "Type 10000 and press enter")
		r.press("esc")
		r.sent()
	})
}

// TestDisabledActionsSayWhy checks the reasons shown for disabled actions, in the list and on the node's screen.
func TestDisabledActionsSayWhy(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		wants := map[string]map[action.ID]string{
			"r7-n03": { // deploy wait
				action.Verb(models.VerbAbort): "", action.Verb(models.VerbManage): `not possible in state "wait call-back"`,
				action.Verb(models.VerbUnhold): "not possible", action.PowerOff: "", action.Protect: "not possible in state",
				action.MaintenanceOn: "", action.MaintenanceOff: "not in maintenance", action.NodeVerbs: "",
				action.Set: "Ironic refuses changes while",
			},
			"r7-n04": {action.Unprotect: "not protected", action.Unretire: "not retired", action.Set: ""},
			"r7-n01": {action.Retire: "Ironic refuses changes while"}, // locked
			"r7-n06": {action.MaintenanceOff: "", action.Verb(models.VerbClean): "maintenance"},
		}
		for name, want := range wants {
			r.press("1")
			r.choose(name)
			for _, place := range []string{"list", "node"} {
				for id, text := range want {
					a, _ := action.Find(id)
					if got := r.c.disabledReason(a); !strings.Contains(got, text) || text == "" && got != "" {
						t.Errorf("%s in the %s, %s: %q, want %q", name, place, id, got, text)
					}
				}
				r.press("enter")
			}
			r.press("1")
		}
		r.choose("r7-n03")
		r.c.env.ReadOnly = true
		off, _ := action.Find(action.PowerOff)
		verbs, _ := action.Find(action.NodeVerbs)
		if r.c.disabledReason(off) == "" || r.c.disabledReason(verbs) != "" {
			t.Error("read-only is not what it should be")
		}
	})
}
