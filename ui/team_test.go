package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ironworks/presence"
)

// onServer runs a test with a console on a server where anna is connected, too.
func onServer(t *testing.T, test func(r *rig, anna *presence.Seat)) {
	t.Helper()
	room := presence.NewRoom()
	anna := room.Enter(presence.Person{User: "anna", Role: "admin"}, func() {})
	inBubble(t, rack(), func(_ *rig, o *Options) {
		o.Team = &Team{Enter: func(told func()) *presence.Seat {
			return room.Enter(presence.Person{User: "ben", Role: "operator"}, told)
		}}
	}, func(r *rig) { test(r, anna) })
}

// TestFollowingOnlyWatches: while a session follows another one, keys, pastes and the mouse change neither.
func TestFollowingOnlyWatches(t *testing.T) {
	onServer(t, func(r *rig, anna *presence.Seat) {
		cursor := r.cursor()
		r.press("/")
		r.deliver(followPerson{anna.Me().ID})
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
