package fleet

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// refresh requests a picture. Requests that arrive while one is composed lead to a single one afterwards.
func (s *Screen) refresh() tea.Cmd {
	if s.env.Session == nil {
		return nil
	}
	if s.composing {
		s.composeAgain = true
		return nil
	}
	s.composing = true
	compose := s.compose()
	return func() tea.Msg { return compose() }
}

// settle is called when a filter has been typed. It shows the filtered list before any other key is handled. This
// way, keys that were typed ahead act on a filtered node, not on the node that was at the cursor before.
func (s *Screen) settle() tea.Cmd {
	if !s.composing {
		return nil
	}
	s.composeAgain = false
	return s.showPicture(s.compose()())
}

// compose returns a function, for any goroutine, that composes a picture with the current settings.
func (s *Screen) compose() func() picture {
	now := s.env.ServerNow()
	s.lastRequest = time.Now()
	s.viewsRequested++
	number, store, f, by := s.viewsRequested, s.env.Session.Store, s.filter.At(now), s.sortColumn.At(now)
	descending, groupBy := s.descending, s.groupBy
	return func() picture {
		p := picture{number: number, revision: store.Revision()}
		p.rows, p.unknown = store.Select(f, by, descending)
		p.unseen = unseen(p.rows)
		p.groups = grouped(p.rows, groupBy)
		p.counts = store.Counts()
		return p
	}
}

// orderEvery is the interval at which the order is computed again even if no node has changed.
const orderEvery = 10 * time.Second

// unseen returns the UUIDs of the nodes that auto-discovery may have enrolled, and whose inventory has not been read.
func unseen(rows []*models.Row) []string {
	var uuids []string
	for _, r := range rows {
		if r.Node.MayBeDiscovered() && r.Hardware == nil && r.Discovered() == models.Unknown {
			uuids = append(uuids, r.Node.UUID)
		}
	}
	return uuids
}

// dueOrder requests a new picture if the order may have changed because an agent fell silent.
func (s *Screen) dueOrder(now time.Time) tea.Cmd {
	if s.sortColumn.Key != "state" || now.Sub(s.lastRequest) < orderEvery {
		return nil
	}
	for state, n := range s.picture.counts.States {
		if n > 0 && state.Class() == models.ClassWait {
			return s.refresh()
		}
	}
	return nil
}

// showPicture shows a composed picture, unless a newer one was requested.
func (s *Screen) showPicture(p picture) tea.Cmd {
	if p.number != s.viewsRequested {
		return nil
	}
	s.composing = false
	s.picture = p
	s.showRows()
	if store := s.env.Session.Store; s.env.Status.Complete && len(s.table.Marked()) > 0 {
		s.table.Prune(func(uuid string) bool {
			_, _, known := store.Get(uuid)
			return known
		})
	}
	if s.composeAgain {
		s.composeAgain = false
		return s.refresh()
	}
	return s.readInventories()
}

// roomyWidth is the minimum width of the list, in cells, at which the roomy columns leave enough room for the STEP
// column.
const roomyWidth = 150

// keys returns the keys of the columns that are currently shown. If the configuration does not name the columns, these
// are the most important ones, or more of them on a large terminal. The Wide action adds others.
func (s *Screen) keys() []string {
	keys := s.columns
	switch {
	case len(keys) > 0:
	case s.width >= roomyWidth:
		keys = []string{"name", "state", "step", "power", "class", "driver", "owner", "instance", "age"}
	default:
		keys = []string{"name", "state", "step", "power", "class", "age"}
	}
	if s.wide {
		more := []string{"disk", "driver", "owner", "instance", "reservation", "fault", "maintenance", "uuid"}
		return slices.Concat(keys, slices.DeleteFunc(more, func(key string) bool { return slices.Contains(keys, key) }))
	}
	return keys
}

// resize sets the width of the list, and the columns, which depend on it.
func (s *Screen) resize(w int) {
	was := s.width >= roomyWidth
	s.width = w
	if was != (w >= roomyWidth) {
		s.setColumns()
	}
}

func (s *Screen) setColumns() {
	var cols []table.Column[item]
	var fields []string
	for i, key := range s.keys() {
		c, err := explain.FindColumn(key)
		if err != nil {
			continue // reported when the configuration was read
		}
		if c.Field != "" {
			fields = append(fields, c.Field)
		}
		col := s.column(c)
		if i == 0 {
			col.Drop = 0
		}
		cols = append(cols, col)
	}
	s.table.SetColumns(cols)
	s.table.SetWide(s.wide)
	s.table.SetSort(s.sortColumn.Key, s.descending)
	s.needFields(fields...)
}

// column returns the table column that shows c, a column of package models.
func (s *Screen) column(c models.Column) table.Column[item] {
	col := table.Column[item]{Key: c.Key, Title: c.Title, Min: 6, Max: 36, Drop: 5, Cell: func(r item) table.Cell {
		return table.Cell{Text: c.Text(r.Row, s.env.ServerNow()), Role: theme.Plain}
	}}
	switch c.Key {
	case "name":
		if col.Min, col.Max, col.Drop = 10, 40, 0; s.env.Seat != nil {
			col.Min = 16 // leaves room for the name of a user
		}
		col.Cell = func(r item) table.Cell {
			return table.Cell{Text: r.Node.Label() + s.userMarks[r.Node.UUID], Role: theme.Plain}
		}
	case "state":
		col.Min, col.Max, col.Drop = 16, 30, 0
		col.Cell = nodeCell(stateCell)
	case "step":
		col.Min, col.Max, col.Grow, col.Drop = 26, 0, 1, 1
		col.Cell = nodeCell(s.stepCell)
	case "error", "description":
		col.Min, col.Max, col.Grow = 14, 0, 1
	case "power":
		col.Min, col.Drop = 5, 3
		col.Cell = nodeCell(powerCell)
	case "age":
		col.Min, col.Max, col.Right, col.Drop = 8, 10, true, 2
		col.Cell = func(r item) table.Cell {
			return table.Cell{Text: models.AgeInState(r.Row, s.env.ServerNow()), Role: theme.Muted}
		}
	case "uuid", "instance":
		col.Min, col.Max = 36, 36
	}
	return col
}

func stateCell(r *models.Row) table.Cell {
	glyph, role := theme.Node(&r.Node)
	text := string(r.Node.ProvisionState)
	if r.Node.Maintenance && glyph != theme.GlyphMaint {
		text += " " + theme.GlyphMaint // the glyph shows that the node failed, which matters more
	}
	if r.Discovered() == models.Yes {
		text += " " + theme.GlyphFound
	}
	return table.Cell{Text: text, Role: role, Glyph: glyph, GlyphRole: role}
}

// urgency returns the role of a text about a node, which shows whether the node needs attention.
func urgency(r *models.Row, now time.Time) theme.Role {
	switch {
	case r.Node.Troubled():
		return theme.Bad
	case r.Node.Maintenance, r.Overdue(now):
		return theme.Warn
	}
	return theme.Plain
}

// stepCell returns the cell of the STEP column. Its color shows whether the node needs attention.
func (s *Screen) stepCell(r *models.Row) table.Cell {
	now := s.env.ServerNow()
	role := urgency(r, now)
	if role == theme.Plain && !r.Node.ProvisionState.Busy() {
		role = theme.Muted
	}
	if r.Node.Troubled() && s.env.Session != nil && s.env.Session.Changes != nil {
		changed := *r // the Store's row is shared
		changed.Changes = s.env.Session.Changes(r.Node.UUID, now)
		r = &changed
	}
	return table.Cell{Text: explain.StepLine(r, now, s.env.Conductors), Role: role}
}

func powerCell(r *models.Row) table.Cell {
	n := &r.Node
	text := n.PowerState.Short()
	role := theme.Plain
	switch {
	case n.TargetPowerState != "":
		text, role = "→ "+n.TargetPowerState.Short(), theme.Busy
	case n.PowerState == models.PowerOff:
		role = theme.Muted
	case n.PowerState == models.PowerError:
		role = theme.Bad
	}
	return table.Cell{Text: text, Role: role}
}
