package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/presence"
)

// onServer calls test with a console on a server. Another user, anna, is connected to the server too.
func onServer(t *testing.T, test func(r *rig, anna *presence.Seat)) {
	t.Helper()
	room := presence.NewRoom()
	anna := room.Enter(presence.Session{User: "anna", Role: "admin"}, func() {})
	inBubble(t, rack(), func(_ *rig, o *Options) {
		o.Team = &Team{Enter: func(told func()) *presence.Seat {
			return room.Enter(presence.Session{User: "ben", Role: "operator"}, told)
		}}
	}, func(r *rig) { test(r, anna) })
}

// TestFollowingOnlyWatches checks that keys, pasted text and the mouse change neither session while one follows the
// other.
func TestFollowingOnlyWatches(t *testing.T) {
	onServer(t, func(r *rig, anna *presence.Seat) {
		cursor := r.cursor()
		r.press("/")
		r.deliver(followPerson{anna.Self().ID})
		r.settle()
		anna.Show(presence.Frame{Content: "anna's screen", Width: r.c.width, Height: r.c.height})
		r.settle()
		r.shows("Following anna", "anna's screen")
		r.press("x")
		r.deliver(tea.PasteMsg{Content: "pasted"})
		r.wheel(tea.MouseWheelDown)
		r.clickAt(8, 9)
		r.press("esc")
		r.lacks("Following anna", "pasted", "/ x")
		r.press("enter")
		if got := r.cursor(); got != cursor {
			t.Errorf("the cursor moved from %q to %q", cursor, got)
		}
	})
}

// TestRestingConsoleIgnoresPollsWithoutNews checks that an idle console on a server does not draw again if nothing
// has changed. The console must still draw every kind of change and, while keys are being pressed, every poll.
func TestRestingConsoleIgnoresPollsWithoutNews(t *testing.T) {
	onServer(t, func(r *rig, _ *presence.Seat) {
		known := func() fleet.Update { return fleet.Update{Revision: r.c.live.revision, Status: r.c.env.Status} }
		poll := func(u fleet.Update, notices ...string) (drawn bool) {
			_, _ = r.c.Update(polled{r.c.live.number, sessionReport{&u, notices}})
			return !r.c.unchanged
		}
		r.press("down")
		if !poll(known()) {
			t.Error("not drawn though a key was just pressed")
		}
		r.pass(restAfter)
		if poll(known()) {
			t.Error("a poll without news was drawn")
		}
		for name, change := range map[string]func(u *fleet.Update){
			"another revision": func(u *fleet.Update) { u.Revision++ },
			"an event":         func(u *fleet.Update) { u.Events = []models.Event{{To: "active"}} },
			"an operation":     func(u *fleet.Update) { u.Works = []models.Work{{}} },
			"rewound":          func(u *fleet.Update) { u.Rewound = true },
			"a fault":          func(u *fleet.Update) { u.Status.Connected = false },
			"an answer":        func(u *fleet.Update) { u.Status.Connected = true }, // after the fault
			"more to read":     func(u *fleet.Update) { u.Status.Behind = !u.Status.Behind },
			"another total":    func(u *fleet.Update) { u.Status.Total++ },
		} {
			before := r.c.env.Status
			if name == "an answer" {
				r.c.env.Status.Connected = false
			}
			u := known()
			if change(&u); !poll(u) {
				t.Errorf("%s: not drawn", name)
			}
			r.c.env.Status = before
		}
		if !poll(known(), "a notice") {
			t.Error("a notice: not drawn")
		}
		r.press("down")
		if !poll(known()) {
			t.Error("not drawn after a key")
		}
	})
}
