package events_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/events"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func event(n int, name string, kind models.EventKind, from, to, reason string) models.Event {
	return models.Event{
		Time: screentest.Began.Add(time.Duration(n) * time.Second), Node: models.NodeRef{UUID: screentest.UUID(n % 7), Name: name},
		Kind: kind, From: from, To: to, Reason: reason,
	}
}

func some() []models.Event {
	return []models.Event{
		event(1, "r7-n01", models.EventProvisionState, "available", "deploying", ""),
		event(2, "r7-n01", models.EventPower, "power off", "power on", ""),
		event(3, "r7-n02", models.EventProvisionState, "deploying", "deploy failed",
			"Agent returned error for deploy step: No suitable device was found for deployment using these hints {'wwn': 's== 0x5000c500a1b2c3d4'}"),
		event(4, "r7-n03", models.EventMaintenance, "off", "on", "fan 3"),
		event(5, "", models.EventAgent, "", "https://10.0.0.31:9999", ""),
		event(6, "r7-n01", models.EventProvisionState, "deploying", "active", ""),
	}
}

func opened(t *testing.T, list []models.Event) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t, models.Node{UUID: screentest.UUID(6), Name: "r7-n01", ProvisionState: models.StateActive})
	r.Sync()
	r.Env.Events.Add(list)
	s := events.New(r.Env)
	r.Open(s)
	return r, s
}

// TestResetEmptiesTheScreen checks that no events of the previous playback are shown after a recording is restarted.
func TestResetEmptiesTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, some())
		screentest.Shows(t, s, 80, 20, "r7-n02")
		r.Env.Events.Reset()
		r.Deliver(s, screen.FleetChanged{})
		if text := screentest.Text(s, 80, 20); strings.Contains(text, "r7-n0") {
			t.Error(text)
		}
	})
}

func add(r *screentest.Rig, s screen.Screen, list ...models.Event) {
	r.Env.Events.Add(list)
	r.Deliver(s, screen.FleetChanged{})
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, some())
		screentest.Golden(t, s, "events")
		s.Do(action.Top)
		add(r, s, event(7, "r7-n09", models.EventRemoved, "available", "", ""))
		s.Do(action.Down)
		s.Do(action.Down)
		screentest.Golden(t, s, "paused")
		s.Do(action.Filter)
		r.Type(s, `kind:state !node:n02`)
		screentest.Golden(t, s, "filtering")
		_, empty := opened(t, nil)
		screentest.Golden(t, empty, "empty")
	})
}

func TestFollowsAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, some())
		following := func(want bool) {
			t.Helper()
			if got := strings.Contains(screentest.Text(s, 80, 20), "following"); got != want {
				t.Errorf("following %v, want %v", got, want)
			}
		}
		following(true)
		s.Do(action.Up)
		following(false)
		add(r, s, event(8, "late", models.EventPower, "a", "b", ""))
		screentest.Shows(t, s, 80, 20, "paused, 1 new below", "7 events since 14:00:00")
		s.Do(action.Bottom)
		following(true)
		s.Do(action.Pause)
		following(false)
		s.Do(action.Pause)
		following(true)
		s.Do(action.PageUp)
		following(false)
		s.Do(action.PageDown)
		following(true)
	})
}

func TestOneEventStaysFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, some()[:1])
		s.Do(action.Up)
		screentest.Shows(t, s, 80, 20, "following")
	})
}

func TestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, some())
		if why := s.DisabledReason(action.Open); why != "" {
			t.Error(why)
		}
		wishes := r.Do(s, s.Do(action.Open))
		if len(wishes) != 1 || wishes[0] != (screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: screentest.UUID(6)}}) {
			t.Errorf("%v", wishes)
		}
		s.Do(action.Up)
		if why := s.DisabledReason(action.Open); why != "the node no longer exists" {
			t.Error(why)
		}
		_, empty := opened(t, nil)
		if empty.DisabledReason(action.Open) == "" || empty.Do(action.Open) != nil || empty.Copies() != nil {
			t.Error("something opens where there is nothing")
		}
		for id, want := range map[action.ID]bool{action.ClearFilter: false, action.Sort: false, action.Filter: true, action.Pause: true} {
			if (s.DisabledReason(id) == "") != want {
				t.Errorf("%s: %q", id, s.DisabledReason(id))
			}
		}
	})
}

func TestFilter(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []string
		not  []string
	}{
		{"N02", []string{"r7-n02", "1 of 6"}, []string{"r7-n01"}},
		{"node:n01", []string{"r7-n01", "3 of 6"}, []string{"r7-n02"}},
		{"node:n01,n03", []string{"4 of 6"}, nil},
		{"kind:power", []string{"power on", "1 of 6"}, nil},
		{"kind:provision !node:n02", []string{"2 of 6"}, []string{"deploy failed"}},
		{`"suitable device"`, []string{"r7-n02", "1 of 6"}, nil},
		{`"10.0.0.31:9999"`, []string{"1 of 6"}, nil},
		{"node:00000005", []string{"1 of 6"}, nil},
		{"nonsense", []string{"No events match", "0 of 6"}, nil},
		{"!maintenance", []string{"5 of 6"}, nil},
	} {
		t.Run(tc.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := opened(t, some())
				s.Do(action.Filter)
				r.Type(s, tc.line)
				r.Deliver(s, screentest.Press("enter"))
				if s.Typing() {
					t.Error("still typing")
				}
				screentest.Shows(t, s, 80, 20, tc.want...)
				screentest.Lacks(t, s, 80, 20, tc.not...)
				if _, did := s.(screen.Narrowed).Widen(); !did {
					t.Error("nothing to drop")
				}
				screentest.Shows(t, s, 80, 20, " 6 events since")
			})
		})
	}
}

func TestInvalidFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for line, remedy := range map[string]string{`"open`: "unclosed quote", "state:active": "unknown filter key", "!": "empty search text"} {
			r, s := opened(t, some())
			s.Do(action.Filter)
			r.Type(s, line)
			r.Deliver(s, screentest.Press("enter"))
			screentest.Shows(t, s, 80, 20, line, remedy)
			if !s.Typing() {
				t.Errorf("%s was accepted", line)
			}
			r.Deliver(s, screentest.Press("esc"))
			screentest.Shows(t, s, 80, 20, " 6 events since")
		}
	})
}

func TestFilterAppliesToNewEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, some())
		s.Do(action.Filter)
		r.Type(s, "n02")
		add(r, s, event(9, "other", models.EventPower, "a", "b", ""), event(10, "r7-n02", models.EventPower, "a", "b", ""))
		screentest.Shows(t, s, 80, 20, "2 of 8")
	})
}

// many returns n events whose numbers start at from and increase by 1.
func many(from, n int) []models.Event {
	list := make([]models.Event, n)
	for i := range list {
		k := from + i
		list[i] = event(k, fmt.Sprintf("node-%05d", k), models.EventPower, "power off", fmt.Sprintf("state %d", k), "")
	}
	return list
}

func TestOldEventsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, many(0, 9_990))
		s.Do(action.Up)
		for range 20 {
			s.Do(action.PageUp)
		}
		before := cursorLine(s)
		for i := range 30 {
			add(r, s, many(9_990+i*10, 10)...)
		}
		screentest.Shows(t, s, 120, 20, "10000 events since", "290 older events dropped", "300 new below")
		if after := cursorLine(s); after != before {
			t.Errorf("the cursor moved from %q to %q", before, after)
		}
		s.Do(action.Bottom)
		screentest.Shows(t, s, 120, 20, "state 10289")
		s.Do(action.Top)
		screentest.Shows(t, s, 120, 20, "node-00290")
		// More events arrive than fit into the log, so that all rows are replaced at once.
		add(r, s, many(20_000, 12_000)...)
		screentest.Shows(t, s, 120, 20, "10000 events since", "12290 older events")
		screentest.CheckSizes(t, s)
	})
}

func cursorLine(s screen.Screen) string {
	for line := range strings.SplitSeq(screentest.Text(s, 80, 20), "\n") {
		if strings.HasPrefix(line, theme.GlyphCursor) {
			return line
		}
	}
	return ""
}

func TestHostileNames(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := opened(t, []models.Event{event(1, text, models.EventError, text, text, text), event(2, text, models.EventKind(text), text, text, text)})
				screentest.CheckSizes(t, s)
				s.Do(action.Filter)
				r.Deliver(s, screentest.Press("x"))
				screentest.CheckSizes(t, s)
				for _, c := range s.Copies() {
					if strings.ContainsAny(c.Printable(), "\x1b\n") {
						t.Errorf("%q", c.Text)
					}
				}
			})
		})
	}
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, some())
		got := s.Copies()
		if len(got) < 3 || got[0].Text != "2026-03-14T14:00:06Z\tr7-n01\tdeploying → active" {
			t.Errorf("%+v", got)
		}
	})
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.Env.Session = nil
		r.Env.Events.Add(some())
		s := events.New(r.Env)
		r.Open(s)
		screentest.CheckSizes(t, s)
		if s.DisabledReason(action.Open) == "" || len(s.Copies()) == 0 {
			t.Error("without a connection")
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	r := screentest.New(b)
	r.Env.Events.Add(many(0, 10_000))
	s := events.New(r.Env)
	r.Open(s)
	th := theme.New(theme.Options{})
	for i := 0; b.Loop(); i++ {
		r.Env.Events.Add(many(10_000+i, 1))
		s.Update(screen.FleetChanged{})
		s.Draw(th, 200, 46)
	}
}

func BenchmarkFilter(b *testing.B) {
	r := screentest.New(b)
	r.Env.Events.Add(many(0, 10_000))
	s := events.New(r.Env)
	r.Open(s)
	s.Do(action.Filter)
	for b.Loop() {
		s.Update(screentest.Press("7"))
		s.Update(screentest.Press("backspace"))
	}
}
