package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// GroupBy is a message that asks the screen to group the nodes by this field, one of [GroupFields].
type GroupBy string

// GroupFields returns the fields by which nodes can be grouped. Each is also the key of a column.
func GroupFields() []string { return []string{"state", "class", "conductor", "owner", "lessee"} }

// group holds the nodes with the same value in the field by which the list is grouped, in the order of the list.
type group struct {
	value string
	rows  []*models.Row
}

// item is a line of the list: a node, or the heading of a group.
type item struct {
	*models.Row
	group *group
}

// itemID returns the item's key in the table. The key of a group cannot be mistaken for a UUID.
func itemID(i item) string {
	if i.group != nil {
		return "group " + i.group.value
	}
	return i.Node.UUID
}

// nodeCell makes a column's function from a function of the node. Headings have no columns.
func nodeCell(of func(*models.Row) table.Cell) func(item) table.Cell {
	return func(i item) table.Cell { return of(i.Row) }
}

// grouped groups the rows by the value of the given field. Within a group, the rows keep their order. Groups by state
// are sorted by how urgently they need attention, and other groups by their values. The group of nodes without a
// value comes last. If the field is empty or unknown, grouped returns nil.
func grouped(rows []*models.Row, field string) []*group {
	column, err := explain.FindColumn(field)
	if field == "" || err != nil {
		return nil
	}
	byValue := map[string]*group{}
	for _, r := range rows {
		value := column.Text(r, time.Time{})
		if field == "state" {
			value = string(r.Node.ProvisionState) // without the target state
		}
		g := byValue[value]
		if g == nil {
			g = &group{value: value}
			byValue[value] = g
		}
		g.rows = append(g.rows, r)
	}
	place := func(g *group) int {
		switch {
		case g.value == "":
			return 1000
		case field == "state":
			return rank(models.ProvisionState(g.value))
		}
		return 0
	}
	return slices.SortedFunc(maps.Values(byValue), func(a, b *group) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.value, b.value))
	})
}

// showRows fills the list with the nodes of the picture: each group below its heading, unless it is folded.
func (s *Screen) showRows() {
	items := make([]item, 0, len(s.picture.rows)+len(s.picture.groups))
	if s.picture.groups == nil {
		for _, r := range s.picture.rows {
			items = append(items, item{Row: r})
		}
	}
	for _, g := range s.picture.groups {
		items = append(items, item{group: g})
		if s.folded[g.value] {
			continue
		}
		for _, r := range g.rows {
			items = append(items, item{Row: r})
		}
	}
	s.table.SetRows(items)
}

// groupHeading returns a group's heading: its value and the numbers of its nodes and marked nodes.
func (s *Screen) groupHeading(i item) (table.Cell, bool) {
	g := i.group
	if g == nil {
		return table.Cell{}, false
	}
	c := table.Cell{Glyph: theme.GlyphDown, GlyphRole: theme.Muted, Role: theme.Strong, Text: g.value}
	if s.folded[g.value] {
		c.Glyph = theme.GlyphFolded
	}
	switch {
	case g.value == "":
		c.Text, c.Role = fmt.Sprintf("no %s", s.groupBy), theme.Muted
	case s.groupBy == "state":
		_, c.Role = theme.State(models.ProvisionState(g.value))
	}
	c.Text += "  " + models.Counted(len(g.rows), "node")
	if n := s.markedOf(g); n > 0 {
		c.Text += fmt.Sprintf(", %d marked", n)
	}
	return c, true
}

func (s *Screen) markedOf(g *group) int {
	n := 0
	if s.table.HasMarks() {
		for _, r := range g.rows {
			if s.table.IsMarked(r.Node.UUID) {
				n++
			}
		}
	}
	return n
}

func (s *Screen) pointedGroup() *group {
	i, _ := s.table.Cursor()
	return i.group
}

// fold hides the nodes of the group, or shows them again if they are hidden.
func (s *Screen) fold(g *group) {
	if s.folded == nil {
		s.folded = map[string]bool{}
	}
	s.folded[g.value] = !s.folded[g.value]
	s.showRows()
}

// toggleMark marks the node at the cursor, or all nodes of the group at the cursor. If they are marked already, it
// removes the marks.
func (s *Screen) toggleMark() {
	g := s.pointedGroup()
	if g == nil {
		s.table.ToggleMark()
		return
	}
	if s.markedOf(g) == len(g.rows) {
		in := make(map[string]bool, len(g.rows))
		for _, r := range g.rows {
			in[r.Node.UUID] = true
		}
		s.table.Prune(func(uuid string) bool { return !in[uuid] })
	} else {
		s.markRows(g.rows)
	}
	s.table.Move(1)
}

func (s *Screen) markRows(rows []*models.Row) {
	for _, r := range rows {
		s.table.Mark(r.Node.UUID)
	}
}

// group ends the grouping if the nodes are grouped. Otherwise it asks for the field to group them by.
func (s *Screen) group() tea.Cmd {
	if s.groupBy != "" {
		return s.setGroup("")
	}
	var items []overlay.Item
	for _, field := range GroupFields() {
		items = append(items, overlay.Item{ID: field, Title: field})
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick(textGroupTitle, items, func(field string) tea.Cmd { return screen.Send(GroupBy(field)) })})
}

// setGroup groups the nodes by one of [GroupFields] and unfolds all groups, or else ends the grouping.
func (s *Screen) setGroup(field string) tea.Cmd {
	if !slices.Contains(GroupFields(), field) {
		field = ""
	}
	s.groupBy, s.folded = field, nil
	s.needGroupField()
	return s.refresh()
}

func (s *Screen) needGroupField() {
	if c, err := explain.FindColumn(s.groupBy); err == nil {
		s.needFields(c.Field)
	}
}

// foldedValues returns the sorted values of the folded groups that are printable, and so can be stored.
func (s *Screen) foldedValues() []string {
	var values []string
	for value, folded := range s.folded {
		if folded && printable.Line(value) == value {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}
