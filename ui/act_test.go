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
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

// sent fails where something else was sent than what is wanted.
func (r *rig) sent(want ...string) {
	r.t.Helper()
	if got := r.ironic.said(); !slices.Equal(got, want) {
		r.t.Errorf("sent %q, want %q\n%s", got, want, r.text())
	}
}

func TestWhatCostsNothingIsSentAtOnce(t *testing.T) {
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

func TestWhatMayEraseIsAskedFor(t *testing.T) {
	keys := map[string]struct {
		press []string
		sent  []string
	}{
		"y":                {[]string{"y"}, []string{"undeploy r7-n05"}},
		"enter is no":      {[]string{"enter", "esc"}, nil},
		"n":                {[]string{"n"}, nil},
		"esc":              {[]string{"esc"}, nil},
		"the verb's key":   {[]string{"U", "esc"}, nil},
		"other keys first": {[]string{"x", "space", "y"}, []string{"undeploy r7-n05"}},
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

// Keys that were typed for the list must not confirm a dialog that opens meanwhile.
func TestADialogTakesNoKeyTooEarly(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("U", "y", "y", "y")
		r.sent()
		r.shows("One moment: read first.")
		for range 3 { // typing goes on: the grace does too
			<-time.After(300 * time.Millisecond)
			r.press("y")
		}
		r.sent()
		r.answer("y") // a pause, and it listens
		r.sent("undeploy r7-n05")
	})
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("U")
		for range 8 { // who never stops typing is heard after a while all the same
			<-time.After(200 * time.Millisecond)
			r.press("x")
		}
		r.press("y")
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

func TestSeveralHaveToBeTyped(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.mark("r7-n05", "r7-n02", "r7-n04")
		r.press("U")
		r.shows("undeploy 2 nodes? Type their number to go on.", "more lines")
		r.answer("y")
		r.press("enter")
		r.shows("That is not it.")
		r.press("backspace")
		r.write("3")
		r.press("enter")
		r.sent()
		r.press("backspace")
		r.write("2")
		r.press("enter")
		r.pass(3 * time.Second)
		got := r.ironic.said()
		slices.Sort(got)
		if !slices.Equal(got, []string{"undeploy r7-n02", "undeploy r7-n05"}) {
			t.Errorf("sent %q", got)
		}
		r.shows("undeploy: 1 refused, 2 done")
	})
}

func TestMarksOutliveFilterAndRefresh(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.mark("r7-n04", "r7-n05")
		r.press("/")
		r.write("n02")
		r.press("enter")
		r.shows("2 marked · 1 of 9")
		r.ironic.change(func() { r.ironic.nodes = slices.Delete(r.ironic.nodes, 4, 5) }) // n05 is deleted
		r.pass(70 * time.Second)
		r.shows("1 marked")
		r.press("esc")
		r.shows("1 marked · 8")
		r.press("esc")
		r.lacks("marked")
	})
}

func TestRefusedIsSaidAndNothingSent(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("P")
		r.shows(`provide: not possible in state "available"`)
		r.mark("r7-n04", "r7-n05")
		r.press("P")
		r.shows("none of the 2 marked nodes")
		r.sent()
	})
}

func TestRetryIsForThoseThatFailed(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.ironic.change(func() {
			r.ironic.nodes[8].fails = "Failed to get power state: 401"
			r.ironic.nodes[7].Name = "r7-n08"
		})
		r.pass(6 * time.Second)
		r.mark("r7-n08", "r7-n09")
		r.press("M")
		r.answer("y")
		r.pass(4 * time.Second)
		r.shows("manage: 1 failed, 1 done (task 1 has the reasons")
		r.press("5", "enter")
		r.shows("Failed to get power state: 401")
		before := len(r.ironic.said())
		r.press("r")
		r.shows("manage r7-n09 again?")
		r.answer("y")
		r.pass(4 * time.Second)
		if got := r.ironic.said()[before:]; !slices.Equal(got, []string{"manage r7-n09"}) {
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

func TestTasksCanBeLeft(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M", "5", "enter", "X")
		r.pass(time.Second)
		r.shows("interrupted while waiting; the node goes on by itself")
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
		fill   []string // texts, one for each field
		shows  string
		sent   []string
		answer bool
	}{
		"maintenance":  {"r7-n04", "maintenance-on", []string{"a fan"}, "done", []string{"maintenance true r7-n04"}, false},
		"set":          {"r7-n04", "set", []string{`description="two words" properties.x=1`}, "done", []string{"add /description,add /properties/x r7-n04"}, false},
		"set nothing":  {"r7-n04", "set", []string{`  `}, "Settings", nil, false},
		"set badly":    {"r7-n04", "set", []string{`uuid=1`}, "uuid", nil, false},
		"set unclosed": {"r7-n04", "set", []string{`a="b`}, "not closed", nil, false},
		"boot device":  {"r7-n04", "boot-device", nil, "done", []string{"boot-device disk r7-n04"}, false},
		"bad step":     {"r7-n04", "clean", []string{"erase"}, "INTERFACE.STEP", nil, false},
		"clean":        {"r7-n04", "clean", []string{"deploy.erase_devices"}, "erase_devices", []string{"clean r7-n04"}, true},
		"no such file": {"r7-n04", "deploy", []string{"/nowhere/host.bu"}, "/nowhere/host.bu", nil, false},
		"no hints":     {"r7-n04", "deploy", []string{"", "{}"}, "there are no hints", nil, false},
		"bad hints":    {"r7-n04", "deploy", []string{"", "{"}, "root device hints", nil, false},
		"no user data": {"r7-n04", "deploy", []string{empty}, "is empty", nil, false},
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
				for i, text := range tt.fill {
					if i > 0 {
						r.press("tab")
					}
					r.write(text)
				}
				r.press("enter")
				r.pass(time.Second)
				r.shows(tt.shows)
				if tt.answer {
					r.sent()
					r.press("y")
				}
				r.sent(tt.sent...)
			})
		})
	}
}

// TestCommandsThatDoTheSame are what a task offers for a shell.
func TestCommandsThatDoTheSame(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		id   action.ID
		args arguments
		want string
	}{
		"verb":             {"manage", nil, "manage n1 n2"},
		"power":            {action.PowerOff, nil, "power off n1 n2"},
		"soft":             {action.SoftReboot, nil, "power soft-reboot n1 n2"},
		"maintenance":      {action.MaintenanceOn, arguments{fieldReason: "a fan"}, "maintenance on n1 n2 --reason 'a fan'"},
		"boot device":      {action.BootDevice, arguments{fieldDevice: "pxe", fieldPersistent: yes}, "boot-device pxe n1 n2 --persistent"},
		"steps":            {"clean", arguments{fieldSteps: "deploy.a  raid.b", fieldNoRamdisk: yes}, "clean n1 n2 --step deploy.a --step raid.b --disable-ramdisk"},
		"steps, JSON":      {"clean", arguments{fieldSteps: `[{"interface":"deploy"}]`}, `clean n1 n2 --steps '[{"interface":"deploy"}]'`},
		"a secret":         {"rescue", arguments{fieldPassword: "hunter2"}, "rescue n1 n2 --password-file -"},
		"a file":           {"deploy", arguments{fieldUserData: "/tmp/h.bu", fieldHints: `{"serial":"S1"}`}, `deploy n1 n2 --user-data /tmp/h.bu --root-device '{"serial":"S1"}'`},
		"settings":         {action.Set, arguments{fieldSettings: `description="two words" owner-`}, "set n1 n2 'description=two words' owner-"},
		"a secret setting": {action.Set, arguments{fieldSettings: `driver_info.redfish_password="hunter 2" owner-`}, "set n1 n2 'driver_info.redfish_password=******' owner-"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quoted []string
			for _, w := range words(tt.id, tt.args, []string{"n1", "n2"}) {
				quoted = append(quoted, screen.Quoted(w))
			}
			if got := strings.Join(quoted, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestEveryActionOnNodesCanBeBuilt: none of the list is without its provision.Action.
func TestEveryActionOnNodesCanBeBuilt(t *testing.T) {
	t.Parallel()
	for _, a := range action.In(action.Nodes) {
		if !a.Changes {
			continue
		}
		o := order{id: a.ID, args: arguments{fieldSettings: "owner=x"}, session: &screen.Session{}}
		act, err := o.action()
		if err != nil || act == nil {
			t.Errorf("%s: %v", a.ID, err)
			continue
		}
		if a.Form != (formFields(a.ID) != nil) {
			t.Errorf("%s: Form is %v, but its fields are %v", a.ID, a.Form, formFields(a.ID))
		}
	}
}

func TestLocksAreToldWhileTheyAreWaitedFor(t *testing.T) {
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

// TestTenThousand: marks, filters and cards of a large fleet.
func TestTenThousand(t *testing.T) {
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
		r.shows("undeploy 10000 nodes? Type their number to go on.", "Type 10000 and press enter")
		r.press("esc")
		r.sent()
	})
}

// TestWhyNot: what cannot be done to a node says why, on the list and in the node alike.
func TestWhyNot(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		wants := map[string]map[action.ID]string{
			"r7-n03": { // wait call-back
				action.Verb(models.VerbAbort): "", action.Verb(models.VerbManage): `not possible in state "wait call-back"`,
				action.Verb(models.VerbUnhold): "not possible", action.PowerOff: "", action.Protect: "not possible in state",
				action.MaintenanceOn: "", action.MaintenanceOff: "not in maintenance", action.NodeVerbs: "",
				action.Set: "Ironic changes nothing while",
			},
			"r7-n04": {action.Unprotect: "not protected", action.Unretire: "not retired", action.Set: ""},
			"r7-n01": {action.Retire: "Ironic changes nothing while"}, // locked
			"r7-n06": {action.MaintenanceOff: "", action.Verb(models.VerbClean): "maintenance"},
		}
		for name, want := range wants {
			r.press("1")
			r.choose(name)
			for _, place := range []string{"list", "node"} {
				for id, text := range want {
					a, _ := action.Find(id)
					if got := r.c.why(a); !strings.Contains(got, text) || text == "" && got != "" {
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
		if r.c.why(off) == "" || r.c.why(verbs) != "" {
			t.Error("read-only is not what it should be")
		}
	})
}
