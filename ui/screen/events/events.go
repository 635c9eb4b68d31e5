// Package events implements the screen that lists the events since the console started, newest last.
package events

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// row holds an event and its cached text. The number of a row does not change when older events are dropped.
type row struct {
	number int
	id     string // the number as text, which is the row's key in the table
	event  models.Event
	text   string
}

// Screen lists the events. It reads only new events from the log, so that the cost of an event does not grow with
// their number.
type Screen struct {
	screen.Base
	env   *screen.Env
	table *table.Table[*row]

	roomy bool
	all   []*row // in order of arrival, without the events that the log has dropped
	shown []*row // the rows that match the filter
	next  int    // the number of the next event to read

	filter filter.EventFilter
	prompt body.Prompt

	// paused reports whether the list has stopped following the newest event. since is the number of the first event
	// that arrived after the pause started.
	paused bool
	since  int
}

var _ screen.Narrowed = (*Screen)(nil)

// New returns the screen that lists the events.
func New(env *screen.Env) screen.Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindEvents}, "events", action.List, action.Filtered, action.Events),
		env:  env, table: table.New(func(r *row) string { return r.id }),
	}
	s.setColumns(false)
	return s
}

// setColumns sets the columns of the table. On a roomy screen, the node column is wide enough for UUIDs.
func (s *Screen) setColumns(roomy bool) {
	s.roomy = roomy
	label := 20
	if roomy {
		label = 40
	}
	s.table.SetColumns([]table.Column[*row]{
		{Key: "time", Title: "TIME", Min: 8, Max: 8, Role: theme.Muted, Text: func(r *row) string { return r.event.Time.Local().Format(time.TimeOnly) }},
		{Key: "node", Title: "NODE", Min: 8, Max: label, Text: func(r *row) string { return r.event.Node.Label() }},
		{Key: "what", Title: "CHANGE", Min: 12, Grow: 1, Cell: func(r *row) table.Cell {
			return table.Cell{Text: r.text, Role: screen.EventRole(&r.event)}
		}},
	})
}

// Shown reads the events that arrived since the screen was last shown.
func (s *Screen) Shown() tea.Cmd {
	s.readLog()
	return nil
}

// Update reads new events from the log, and handles keys in the filter.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case screen.FleetChanged:
		s.readLog()
	case tea.KeyPressMsg, tea.PasteMsg:
		s.typed(msg)
	}
	return nil
}

// Typing reports whether the filter is being edited.
func (s *Screen) Typing() bool { return s.prompt.Typing() }

// Copies returns the event at the cursor as a row, followed by the result of [screen.NodeCopies] for its node.
func (s *Screen) Copies() []screen.Copyable {
	r, ok := s.table.Cursor()
	if !ok {
		return nil
	}
	at := r.event.Time.UTC().Format(time.RFC3339)
	line := strings.Join([]string{at, r.event.Node.Label(), r.text}, "\t")
	return append([]screen.Copyable{{Name: "event", Text: line, Shape: screen.Row}},
		screen.NodeCopies(s.env, &models.Node{UUID: r.event.Node.UUID, Name: r.event.Node.Name})...)
}

// readLog reads new events from the log, and drops the events that the log has dropped.
func (s *Screen) readLog() {
	first := s.env.Events.First()
	fresh, next := s.env.Events.Since(s.next)
	if next == s.next && (len(s.all) == 0 || s.all[0].number >= first) {
		return
	}
	for i, e := range fresh {
		number := next - len(fresh) + i
		r := &row{number: number, id: strconv.Itoa(number), event: e, text: e.Text()}
		s.all = append(s.all, r)
		if s.filter.Match(&r.event, r.text) {
			s.shown = append(s.shown, r)
		}
	}
	s.next = next
	s.all, s.shown = dropBefore(s.all, first), dropBefore(s.shown, first)
	s.show()
}

// dropBefore returns the rows whose number is at least the given number. It does not clear the dropped elements,
// because the table still uses the slice and reads the row at its cursor.
func dropBefore(rows []*row, number int) []*row {
	n := 0
	for n < len(rows) && rows[n].number < number {
		n++
	}
	return rows[n:]
}

// show updates the table. Unless paused, it moves the cursor to the newest event.
func (s *Screen) show() {
	s.table.SetRows(s.shown)
	if !s.paused {
		s.table.Bottom()
	}
}
