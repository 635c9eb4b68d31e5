package fleet

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do carries out one of the screen's actions.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if body.Steer(s.table, id, 1) {
		return nil
	}
	switch id {
	case action.Open, action.ShowLog:
		if row, ok := s.table.Cursor(); ok {
			open := screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: row.Node.UUID}}
			if id == action.ShowLog {
				open.Then = id
			}
			return screen.Wish(open)
		}
	case action.Mark:
		s.table.ToggleMark()
	case action.MarkRange:
		s.table.MarkRange()
	case action.MarkAll:
		s.table.MarkAll()
	case action.ClearMarks:
		s.table.ClearMarks()
	case action.Filter:
		s.beginTyping()
	case action.ClearFilter:
		return s.setFilter(models.Filter{})
	case action.Sort:
		return screen.Wish(screen.Ask{Overlay: s.sortChoice()})
	case action.Wide:
		s.wide = !s.wide
		s.setColumns()
	default: // of another screen
	}
	return nil
}

// Widen drops the filter, and then the marks.
func (s *Screen) Widen() (tea.Cmd, bool) {
	switch {
	case !s.filter.IsZero():
		return s.setFilter(models.Filter{}), true
	case len(s.table.Marked()) > 0:
		s.table.ClearMarks()
		return nil, true
	}
	return nil, false
}

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	_, some := s.table.Cursor()
	switch id {
	case action.Open, action.ShowLog, action.Mark, action.MarkAll, action.MarkRange:
		if !some {
			return "no node is shown"
		}
	case action.ClearMarks:
		if len(s.table.Marked()) == 0 {
			return "nothing is marked"
		}
	case action.ClearFilter:
		if s.filter.IsZero() {
			return "no filter is set"
		}
	default:
	}
	return ""
}

// sortOrder is what was chosen of the columns to sort by.
type sortOrder struct{ key string }

// sortChoice lists every column; the one that is sorted by turns around when it is
// chosen again.
func (s *Screen) sortChoice() screen.Overlay {
	var items []overlay.Item
	for _, c := range explain.Columns() {
		note := ""
		if c.Key == s.by.Key {
			note = map[bool]string{false: "sorted by it; again turns it around", true: "sorted by it, downwards"}[s.descending]
		}
		items = append(items, overlay.Item{ID: c.Key, Title: c.Key, Note: note})
	}
	return overlay.NewPick("Sort by", items, func(key string) tea.Cmd { return screen.Wish(sortOrder{key}) })
}

// sortBy takes the order that was chosen.
func (s *Screen) sortBy(key string) tea.Cmd {
	c, err := explain.FindColumn(key)
	if err != nil {
		return nil
	}
	s.descending = c.Key == s.by.Key && !s.descending
	s.by = c
	s.table.SetSort(c.Key, s.descending)
	if c.Field != "" {
		s.env.Session.Need(c.Field)
	}
	return s.refresh()
}
