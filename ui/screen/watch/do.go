package watch

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab:
		if s.DisabledReason(id) == "" {
			s.reading = !s.reading
		}
		return nil
	case action.Open:
		if r, ok := s.table.Cursor(); ok {
			return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: r.ref.UUID}})
		}
	case action.DropEnded:
		if s.DisabledReason(id) == "" {
			s.dropEnded()
		}
	default:
		if s.reading {
			return s.log.Do(id)
		}
		body.Steer(s.table, id, 1)
	}
	return nil
}

// Click selects the node at the given position. open reports whether to open it, because it was already selected.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	return s.table.Click(x, y-body.PageTop).WasCurrent, nil
}

func (s *Screen) dropEnded() {
	rest := map[string]bool{}
	for _, r := range s.rows {
		rest[r.ref.UUID] = r.isFinished()
	}
	s.env.Watching.Drop(func(n models.NodeRef) bool { return rest[n.UUID] })
	s.readStore()
}

// isFinished reports whether no operation is running on the node or waiting for it.
func (r *row) isFinished() bool {
	s := r.node.Node.ProvisionState
	return !r.waiting && (!r.inStore || s.Resting() && s.Class() != models.ClassHold)
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	if a, ok := action.Find(id); ok && a.Scope == action.Nodes {
		if s.session == nil {
			return "not connected"
		}
		return ""
	}
	if s.reading {
		if why := s.log.DisabledReason(id); why != "" {
			return why
		}
	}
	switch id {
	case action.NextTab:
		if !s.hasLog() {
			return "logs are not available here"
		}
	case action.Open:
		r, ok := s.table.Cursor()
		switch {
		case !ok:
			return "no nodes watched"
		case !r.inStore:
			return "the node no longer exists"
		}
	case action.DropEnded:
		for _, r := range s.rows {
			if r.isFinished() {
				return ""
			}
		}
		return "no node has finished"
	default:
	}
	return ""
}
