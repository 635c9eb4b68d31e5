// Package tasks implements two screens. One lists all tasks. The other shows one task with the progress of each node.
package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// List lists all tasks, newest first.
type List struct {
	screen.Base
	env   *screen.Env
	table *table.Table[*screen.Task]
}

// New returns the screen that lists the tasks.
func New(env *screen.Env) screen.Screen {
	s := &List{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindTasks}, "tasks", action.List, action.Tasks),
		env:  env, table: table.New(func(t *screen.Task) string { return strconv.Itoa(t.Number) }),
	}
	s.table.Empty = "No tasks yet. Actions on nodes appear here with a result for each node."
	columns := []table.Column[*screen.Task]{
		{Key: "number", Title: "#", Min: 3, Right: true, Text: func(t *screen.Task) string { return strconv.Itoa(t.Number) }},
		{Key: "action", Title: "ACTION", Min: 10, Max: 30, Role: theme.Strong, Text: name},
		{Key: "nodes", Title: "NODES", Min: 8, Max: 50, Text: nodes},
		{Key: "state", Title: "STATE", Min: 16, Grow: 1, Cell: stateCell},
		{Key: "owner", Title: "USER", Min: 4, Max: 20, Drop: 3, Role: theme.Muted, Text: func(t *screen.Task) string { return t.Owner }},
		{Key: "began", Title: "STARTED", Min: 8, Max: 8, Drop: 1, Role: theme.Muted, Text: func(t *screen.Task) string { return t.Began.Local().Format(time.TimeOnly) }},
		{Key: "took", Title: "TOOK", Min: 5, Max: 6, Right: true, Text: func(t *screen.Task) string { return models.Age(duration(t, time.Now())) }},
		{Key: "context", Title: "CONTEXT", Min: 8, Max: 24, Drop: 2, Role: theme.Muted, Text: func(t *screen.Task) string { return t.Context }},
	}
	if env.Seat == nil {
		columns = slices.DeleteFunc(columns, func(c table.Column[*screen.Task]) bool { return c.Key == "owner" })
	}
	s.table.SetColumns(columns)
	return s
}

func name(t *screen.Task) string {
	if t.Plan.Action == nil {
		return "?"
	}
	return t.Plan.Action.Name()
}

func nodes(t *screen.Task) string { return review.Names(t.Plan.Items) }

// duration returns the time that the task took. A running task is measured up to now.
func duration(t *screen.Task, now time.Time) time.Duration {
	if t.Ended.IsZero() {
		return now.Sub(t.Began)
	}
	return t.Ended.Sub(t.Began)
}

func stateCell(t *screen.Task) table.Cell {
	glyph, word, role := state(t)
	return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
}

// Shown updates the list, because tasks may have changed since the last visit.
func (s *List) Shown() tea.Cmd {
	s.refresh()
	return nil
}

// Update updates the list if tasks have changed.
func (s *List) Update(msg tea.Msg) tea.Cmd {
	if _, changed := msg.(screen.TasksChanged); changed {
		s.refresh()
	}
	return nil
}

func (s *List) refresh() {
	rows := s.env.Tasks.All()
	slices.Reverse(rows)
	s.table.SetRows(rows)
}

// Draw draws the list below a heading with the number of tasks.
func (s *List) Draw(t *theme.Theme, w, h int) string {
	left := []body.Span{body.S(theme.Strong, " Tasks")}
	if n := s.env.Tasks.Running(); n > 0 {
		left = append(left, body.S(theme.Busy, fmt.Sprintf("  %s %d running", theme.GlyphWorking, n)))
	}
	heading := body.Line(t, w, left, []body.Span{body.S(theme.Muted, models.Counted(s.table.Len(), "task"))})
	return body.Page(t, w, h, heading, t.Rule(w), func(h int) string {
		s.table.Resize(w, h)
		return s.table.Draw(t)
	})
}

// Do runs the screen's action with the given ID.
func (s *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if t, ok := s.table.Cursor(); ok {
			return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindTask, ID: strconv.Itoa(t.Number)}})
		}
	default:
		body.Steer(s.table, id, 1)
	}
	return nil
}

// Click selects the task at the given position. open reports whether to open it, because it was already selected.
func (s *List) Click(x, y int) (open bool, cmd tea.Cmd) {
	return s.table.Click(x, y-body.PageTop).WasCurrent, nil
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *List) DisabledReason(id action.ID) string {
	if _, some := s.table.Cursor(); id == action.Open && !some {
		return "no tasks yet"
	}
	return ""
}

// Copies returns the command line that would run the task at the cursor again.
func (s *List) Copies() []screen.Copyable {
	t, ok := s.table.Cursor()
	if !ok || t.Command == "" {
		return nil
	}
	return []screen.Copyable{{Name: "command", Text: t.Command}}
}
