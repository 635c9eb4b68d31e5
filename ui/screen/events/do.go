package events

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open, action.Explain:
		if r, ok := s.table.Cursor(); ok {
			return screen.SendOpen(id, r.event.Node)
		}
	case action.Pause:
		s.pause(!s.paused)
	case action.Filter:
		s.prompt.Begin(s.filter.String())
	case action.ClearFilter:
		s.setFilter(filter.EventFilter{})
	default:
		s.steer(id)
	}
	return nil
}

// Widen clears the filter.
func (s *Screen) Widen() (tea.Cmd, bool) {
	did := !s.filter.IsZero()
	if did {
		s.setFilter(filter.EventFilter{})
	}
	return nil, did
}

// steer moves the cursor. Leaving the last event pauses following; returning to it resumes following.
func (s *Screen) steer(id action.ID) {
	if !body.Steer(s.table, id, 1) {
		return
	}
	last := s.table.Index() >= len(s.shown)-1
	switch id {
	case action.Up, action.PageUp, action.Top:
		s.pause(s.paused || !last)
	case action.Down, action.PageDown, action.Bottom:
		s.pause(s.paused && !last)
	default:
	}
}

// Click selects the event that was clicked. As with keys, leaving the last event pauses following.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	hit := s.table.Click(x, y-body.PageTop)
	if hit.Row {
		s.pause(s.paused || s.table.Index() < len(s.shown)-1)
	}
	return hit.WasCurrent, nil
}

func (s *Screen) pause(paused bool) {
	if paused && !s.paused {
		s.since = s.next
	}
	s.paused = paused
	if !paused {
		s.table.Bottom()
	}
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.Explain:
		r, ok := s.table.Cursor()
		switch {
		case !ok:
			return "no events yet"
		case s.env.Session == nil:
			return "not connected"
		}
		if _, _, there := s.env.Session.Store.Get(r.event.Node.UUID); !there {
			return "the node no longer exists"
		}
	case action.ClearFilter:
		if s.filter.IsZero() {
			return "no filter is set"
		}
	case action.Sort:
		return "events are always in order of arrival"
	case action.Wide:
		return "all columns are already shown"
	default:
	}
	return ""
}

// typed handles a key in the filter. While the text is invalid, the last valid filter remains in effect.
func (s *Screen) typed(msg tea.Msg) {
	switch s.prompt.Update(msg) {
	case body.Changed:
		f, err := filter.ParseEventFilter(s.prompt.Text())
		s.prompt.Wrong = err
		if err == nil && f.String() != s.filter.String() {
			s.setFilter(f)
		}
	case body.Abandoned:
		s.setFilter(filter.EventFilter{})
	case body.Accepted, body.Ignored:
	}
}

func (s *Screen) setFilter(f filter.EventFilter) {
	s.filter = f
	s.shown = make([]*row, 0, len(s.all))
	for _, r := range s.all {
		if f.Match(&r.event, r.text) {
			s.shown = append(s.shown, r)
		}
	}
	s.show()
}
