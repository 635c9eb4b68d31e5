package events

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do carries out one of the screen's actions.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open, action.Explain:
		if r, ok := s.table.Cursor(); ok {
			kind := screen.KindNode
			if id == action.Explain {
				kind = screen.KindExplain
			}
			return screen.Wish(screen.Open{Ref: screen.Ref{Kind: kind, ID: r.event.Node.UUID}})
		}
	case action.Pause:
		s.pause(!s.paused)
	case action.Filter:
		s.prompt.Begin(s.filter.String())
	case action.ClearFilter:
		s.setFilter(models.EventFilter{})
	default:
		s.steer(id)
	}
	return nil
}

// Widen drops the filter, before anybody goes back.
func (s *Screen) Widen() (tea.Cmd, bool) {
	did := !s.filter.IsZero()
	if did {
		s.setFilter(models.EventFilter{})
	}
	return nil, did
}

// steer moves the cursor. Who leaves the newest stops following it, who goes to the end
// follows again.
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
	default: // sideways
	}
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

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	switch id {
	case action.Open, action.Explain:
		r, ok := s.table.Cursor()
		switch {
		case !ok:
			return "nothing happened yet"
		case s.env.Session == nil:
			return "there is no connection"
		}
		if _, _, there := s.env.Session.Store.Get(r.event.Node.UUID); !there {
			return "the node is no longer there"
		}
	case action.ClearFilter:
		if s.filter.IsZero() {
			return "no filter is set"
		}
	case action.Sort:
		return "events stay in the order in which they came"
	case action.Wide:
		return "all columns are shown"
	default:
	}
	return ""
}

// typed takes a key of the filter's line. The filter holds as it is written; what cannot
// be understood yet leaves the last one in force.
func (s *Screen) typed(msg tea.Msg) {
	switch s.prompt.Update(msg) {
	case body.Changed:
		f, err := models.ParseEventFilter(s.prompt.Text())
		s.prompt.Wrong = err
		if err == nil && f.String() != s.filter.String() {
			s.setFilter(f)
		}
	case body.Abandoned:
		s.setFilter(models.EventFilter{})
	case body.Taken, body.Ignored:
	}
}

func (s *Screen) setFilter(f models.EventFilter) {
	s.filter = f
	s.shown = make([]*row, 0, len(s.all))
	for _, r := range s.all {
		if f.Match(&r.event, r.text) {
			s.shown = append(s.shown, r)
		}
	}
	s.show()
}
