package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

// TestKeysAreUniquePerScreen checks for every screen and tab that no key runs two actions.
func TestKeysAreUniquePerScreen(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.someTasks()
		for _, keys := range [][]string{
			{"1"},
			{"2"},
			{"3"},
			{"3", "tab"},
			{"4"},
			{"5"},
			{"5", "enter"},
			{"1", "enter"},
			{"1", "enter", "tab"},
			{"1", "enter", "tab", "tab"},
			{"1", "enter", "shift+tab"},
		} {
			r.press(keys...)
			pressed := map[string]action.ID{}
			for _, a := range action.In(r.c.scopes()...) {
				for _, k := range a.Keys {
					if other, taken := pressed[k]; taken {
						t.Errorf("after %v the key %q is both %s and %s", keys, k, other, a.ID)
					}
					pressed[k] = a.ID
				}
			}
		}
	})
}

// TestEveryKeyOnEveryScreen presses every key on every screen, and checks that nothing panics, that every drawing has
// the right size, and that esc closes what the key opened.
func TestEveryKeyOnEveryScreen(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.someTasks()
		r.press("5", "enter") // opens a task, which has its own keys
		for _, place := range [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"5", "enter"}, {"1", "enter"}} {
			for _, a := range action.All() {
				for _, k := range a.Keys {
					if a.ID == action.Quit || a.ID == action.Suspend {
						continue
					}
					r.press(place...)
					r.press(k)
					screentest.Check(t, r.c.View().Content, r.c.width, r.c.height)
					r.press("esc", "esc", "esc")
				}
			}
		}
		if r.quit || r.c.crash != nil {
			t.Errorf("it ended: %v", r.c.crash)
		}
	})
}

func TestDrawsAtAnySize(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		for _, open := range [][]string{nil, {"?"}, {":"}, {"U"}, {"4"}, {"enter"}, {"2"}} {
			r.press("1")
			r.press(open...)
			for _, size := range [][2]int{{1, 1}, {5, 3}, {20, 5}, {29, 40}, {30, 7}, {40, 10}, {33, 8}, {80, 24}, {81, 25}, {120, 29}, {200, 50}, {400, 100}} {
				r.resize(size[0], size[1])
				screentest.Check(t, r.c.View().Content, size[0], size[1])
			}
			r.press("esc", "esc")
		}
		r.resize(20, 5)
		r.shows("ironworks", "too small")
		r.press("q")
		if !r.quit {
			t.Error("q does not quit where nothing fits")
		}
	})
}

func TestASCIIModeDrawsOnlyASCII(t *testing.T) {
	inBubble(t, rack(), func(_ *rig, o *Options) { o.ASCII = true }, func(r *rig) {
		r.someTasks()
		for _, keys := range [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"5", "enter"}, {"1", "enter"}, {"1", "?"}, {"1", "U"}} {
			r.press(keys...)
			for _, c := range r.text() {
				if c > 0x7e {
					t.Errorf("after %v there is %q", keys, c)
					break
				}
			}
			r.press("esc", "esc")
		}
	})
}

func TestHostileNamesAreHarmless(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			n := models.Node{
				UUID: screentest.UUID(1), Name: text, ProvisionState: models.StateDeployFailed, LastError: text, Owner: text,
				ResourceClass: text, Driver: text, Reservation: text, MaintenanceReason: text, Maintenance: true, InstanceUUID: text,
			}
			inBubble(t, []models.Node{n}, nil, func(r *rig) {
				r.ironic.change(func() { r.ironic.nodes[0].ProvisionState = models.StateManageable })
				r.pass(6 * time.Second)
				for _, keys := range [][]string{{"1"}, {"w"}, {"y"}, {"esc", ":"}, {"esc", "a"}, {"esc", "P"}, {"esc", "2"}, {"1", "enter"}, {"shift+tab"}} {
					r.press(keys...)
					r.pass(time.Second)
					for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 50}} {
						r.resize(size[0], size[1])
						screentest.Check(t, r.c.View().Content, size[0], size[1])
					}
				}
			})
		})
	}
}

func TestPastePressesNoKeys(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		before := r.text()
		r.deliver(tea.PasteMsg{Content: strings.Repeat("MUq", 400_000)})
		r.settle()
		if r.quit || len(r.ironic.requests()) > 0 || r.text() != before {
			t.Errorf("a paste did something: %v\n%s", r.ironic.requests(), r.text())
		}
		r.press("/")
		r.deliver(tea.PasteMsg{Content: "r7-n02\r"})
		r.settle()
		r.shows("1 of 9")
		r.deliver(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
		r.settle()
		r.shows("0 of 9")
	})
}

func TestReadOnly(t *testing.T) {
	inBubble(t, rack(), func(_ *rig, o *Options) { o.ReadOnly = true }, func(r *rig) {
		r.shows("[read-only]")
		r.choose("r7-n04")
		r.press("M")
		r.shows("read-only mode; ctrl+o turns it off")
		r.press("ctrl+o")
		r.lacks("[read-only]")
		r.press("M")
		r.pass(3 * time.Second)
		if said := r.ironic.requests(); !slices.Equal(said, []string{"manage r7-n04"}) {
			t.Errorf("sent %q", said)
		}
	})
}

func TestReadOnlyByConfigurationStays(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.c.env.Session.Context.ReadOnly = true
		r.c.env.ReadOnly = true
		r.press("ctrl+o")
		r.shows("configured read-only")
		r.choose("r7-n04")
		r.press("M")
		r.pass(time.Second)
		if said := r.ironic.requests(); len(said) > 0 {
			t.Errorf("sent %q", said)
		}
	})
}

func TestContexts(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		first := r.c.live
		r.press(":")
		r.write("context lab")
		r.press("enter")
		r.shows("ironworks  lab › fleet")
		if first.ctx.Err() == nil {
			t.Error("the session before is still polled")
		}
		r.press("4")
		r.write("jj") // the next line chooses the broken context, no matter where the cursor is
		r.press("home", "down", "down", "enter")
		r.shows("cacert: no such file")
		r.refused = errors.New("cacert /x.pem: no such file")
		r.press(":")
		r.write("context rack7")
		r.press("enter")
		r.shows("cacert /x.pem: no such file", "lab")
	})
}

func TestHealthOfContexts(t *testing.T) {
	probe := func(_ context.Context, name string) (screen.Health, error) {
		if name == "lab" {
			return screen.Health{}, &models.Fault{Kind: models.FaultRefused, Op: "list nodes", Message: "connection refused by 10.0.0.9:6385", Hint: "check that the API is running"}
		}
		return screen.Health{Version: models.APIVersion{Minor: 82}, Latency: 41 * time.Millisecond}, nil
	}
	change := func(_ *rig, o *Options) {
		o.Probe = probe
		o.Contexts = append(o.Contexts, screen.Context{Name: "rack8", Endpoint: "http://10.8.0.1:6385"})
	}
	inBubble(t, rack(), change, func(r *rig) {
		r.press("4")
		r.shows("not open")
		r.press("c")
		r.shows("✖ refused", "● answers", "✖ unusable", "● connected")
		r.press("home")
		r.shows("connection refused by 10.0.0.9:6385", "check that the API is running")
		r.press("end")
		r.shows("Answered", "API 1.82, 41ms")
	})
}

func TestHistory(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		at := func() screen.Kind { return r.c.history.front().Ref().Kind }
		r.press("enter", "2")
		for _, step := range []struct {
			key  string
			want screen.Kind
		}{
			{"esc", screen.KindNode},
			{"esc", screen.KindFleet},
			{"esc", screen.KindFleet},
			{"]", screen.KindNode},
			{"]", screen.KindEvents},
			{"[", screen.KindNode},
			{"1", screen.KindFleet},
		} {
			if r.press(step.key); at() != step.want {
				t.Errorf("after %s at %s, want %s", step.key, at(), step.want)
			}
		}
		// Visit far more screens than the history keeps.
		for range 3 * maxHistory {
			r.press("1", "down", "enter", "2")
		}
		if n := len(r.c.history.visited); n > maxHistory {
			t.Errorf("%d screens are kept", n)
		}
		if r.c.history.visited[0].Ref().Kind != screen.KindFleet {
			t.Error("home is gone")
		}
	})
}

func TestCopy(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		want := map[string]string{
			"uuid": "00000004-0000-4000-8000-000000000000", "name": "r7-n04",
			"request": "curl -H 'X-OpenStack-Ironic-API-Version: 1.115' https://ironic.rack7.example:6385/v1/nodes/00000004-0000-4000-8000-000000000000",
			"command": "ironworks node r7-n04 --context rack7",
		}
		for _, c := range r.c.history.front().Copies() {
			if w, ok := want[c.Name]; ok && c.Text != w {
				t.Errorf("%s is %q, want %q", c.Name, c.Text, w)
			}
			delete(want, c.Name)
		}
		if len(want) > 0 {
			t.Errorf("cannot be copied: %v", want)
		}
		r.press("y", "enter")
		r.shows("copied the uuid: 00000004")
		r.deliver(screen.CopyText{Copyable: screen.Copyable{Name: "novel", Text: strings.Repeat("x", maxCopy+1)}})
		r.shows("novel is too long for the clipboard (74001 bytes")
	})
}

func TestPanicsEndTheConsole(t *testing.T) {
	tests := map[string]func(r *rig){
		"in a command": func(r *rig) { r.run(guard(func() tea.Msg { panic("boom") })) },
		"in a batch": func(r *rig) {
			r.run(guard(tea.Batch(nil, func() tea.Msg { return nil }, func() tea.Msg { panic("boom") })))
		},
		"in the update":         func(r *rig) { r.deliver(screen.Ask{Overlay: bomb{update: true}}); r.press("x") },
		"in the view":           func(r *rig) { r.deliver(screen.Ask{Overlay: bomb{}}); r.pass(time.Second) },
		"where nodes are acted": func(r *rig) { r.c.env.Session.Runner.API = nil; r.choose("r7-n04"); r.press("M") },
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				do(r)
				r.settle()
				if !r.quit || r.c.crash == nil || len(r.c.crash.Stack) == 0 {
					t.Errorf("quit %v, crash %v", r.quit, r.c.crash)
				}
			})
		})
	}
}

// bomb is a dialog that panics.
type bomb struct{ update bool }

func (b bomb) Update(tea.Msg) (bool, tea.Cmd) {
	if b.update {
		panic("boom")
	}
	return false, nil
}

func (b bomb) Draw(*theme.Theme, int, int) string {
	if !b.update {
		panic("boom")
	}
	return "x"
}
func (b bomb) Keys() []screen.Hint { return nil }

func TestAuditRecordsRequests(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("M")
		r.pass(3 * time.Second)
		var got []audit.Result
		for _, rec := range r.audit.records {
			got = append(got, rec.Result)
		}
		if !slices.Equal(got, []audit.Result{audit.Sending, audit.Accepted}) {
			t.Errorf("audit: %v", got)
		}
	})
}
