package fleet

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if body.Steer(s.table, id, 1) {
		return nil
	}
	switch id {
	case action.Open, action.ShowLog:
		if g := s.pointedGroup(); g != nil && id == action.Open {
			s.fold(g)
		}
		if row, ok := s.pointed(); ok {
			open := screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: row.Node.UUID}}
			if id == action.ShowLog {
				open.Then = id
			}
			return screen.Send(open)
		}
	case action.Mark:
		s.toggleMark()
	case action.MarkRange:
		s.table.MarkRange()
	case action.MarkAll:
		s.markRows(s.picture.rows) // marks the nodes in folded groups, too
	case action.ClearMarks:
		s.table.ClearMarks()
	case action.Filter:
		s.typing, s.inputErr = true, nil
		s.input.SetValue(s.filter.String())
		s.input.CursorEnd()
	case action.ClearFilter:
		return s.setFilter(filter.Filter{})
	case action.Sort:
		return screen.Send(screen.Ask{Overlay: s.sortChoice()})
	case action.SortLeft:
		return s.sortBeside(-1)
	case action.SortRight:
		return s.sortBeside(1)
	case action.SortReverse:
		return s.sortBy(s.sortColumn.Key)
	case action.Wide:
		s.wide = !s.wide
		s.setColumns()
	case action.Group:
		return s.group()
	case action.Preview:
		s.plain = !s.plain
	default: // the action belongs to another screen
	}
	return nil
}

// Click selects the row that was clicked, or sorts by the column whose title was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	hit := s.table.Click(x, y-s.listAt)
	if hit.Column != "" {
		return false, s.sortBy(hit.Column)
	}
	return hit.WasCurrent, nil
}

// Widen clears the filter or, if no filter is set, the marks.
func (s *Screen) Widen() (tea.Cmd, bool) {
	switch {
	case !s.filter.IsZero():
		return s.setFilter(filter.Filter{}), true
	case len(s.table.Marked()) > 0:
		s.table.ClearMarks()
		return nil, true
	}
	return nil, false
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	_, some := s.table.Cursor()
	switch id {
	case action.Open, action.ShowLog, action.Mark, action.MarkAll, action.MarkRange:
		if !some {
			return "no nodes shown"
		}
		if id == action.ShowLog && s.pointedGroup() != nil {
			return "the cursor is on a group"
		}
	case action.ClearMarks:
		if len(s.table.Marked()) == 0 {
			return "no nodes marked"
		}
	case action.ClearFilter:
		if s.filter.IsZero() {
			return "no filter is set"
		}
	case action.Preview:
		if s.window < previewFrom {
			return fmt.Sprintf("needs a terminal of %d columns", previewFrom)
		}
	default:
	}
	return ""
}

// SortBy is a message that asks the screen to sort by the column with this key. If the list is already sorted by that
// column, the order is reversed.
type SortBy string

// sortChoice returns a dialog with all columns to sort by. Choosing the current one reverses the order.
func (s *Screen) sortChoice() screen.Overlay {
	var items []overlay.Item
	for _, c := range explain.Columns() {
		note := ""
		if c.Key == s.sortColumn.Key {
			note = map[bool]string{false: "current; select again to reverse", true: "current, descending"}[s.descending]
		}
		items = append(items, overlay.Item{ID: c.Key, Title: c.Key, Note: note})
	}
	return overlay.NewPick("Sort by", items, func(key string) tea.Cmd { return screen.Send(SortBy(key)) })
}

// sortBy sorts by the column with the given key, or reverses the order if the list is already sorted by it.
func (s *Screen) sortBy(key string) tea.Cmd {
	c, err := explain.FindColumn(key)
	if err != nil {
		return nil
	}
	s.descending = c.Key == s.sortColumn.Key && !s.descending
	s.sortColumn = c
	s.table.SetSort(c.Key, s.descending)
	s.needFields(c.Field)
	return s.refresh()
}

// sortBeside sorts by the visible column step positions to the right of the sort column, or to its left if step is
// negative. It wraps around.
func (s *Screen) sortBeside(step int) tea.Cmd {
	shown := s.table.Shown()
	if len(shown) == 0 {
		return nil
	}
	at := slices.Index(shown, s.sortColumn.Key)
	switch {
	case at >= 0:
		at = (at + step + len(shown)) % len(shown)
	case step < 0:
		at = len(shown) - 1
	default:
		at = 0
	}
	return s.sortBy(shown[at])
}

// typed handles a key in the filter line. The filter takes effect while it is typed. While it is incomplete, the last
// valid filter stays in effect.
func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			s.typing = s.inputErr != nil
			if s.typing {
				return nil
			}
			s.input.Remember(s.filter.String())
			return s.settle()
		case "esc":
			s.typing, s.inputErr = false, nil
			return s.setFilter(filter.Filter{})
		case "tab":
			s.input.Complete()
			msg = nil
		case "pgdown", "pgup":
			s.table.Page(map[string]int{"pgdown": 1, "pgup": -1}[key.String()])
			return nil
		}
	}
	if msg != nil {
		s.input.Update(msg)
	}
	s.suggest()
	f, err := s.parse(s.input.Value())
	s.inputErr = err
	if err != nil || f.String() == s.filter.String() {
		return nil
	}
	return s.setFilter(f)
}

func (s *Screen) setFilter(f filter.Filter) tea.Cmd {
	s.reading()
	s.filter, s.unreadInventories = f, nil
	s.needFields(f.Fields()...)
	return s.refresh()
}
