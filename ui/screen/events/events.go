// Package events is the screen of everything that happened since the console was opened,
// the newest last.
package events

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// row is an event with what is asked of it again and again. Its number stays its own
// however many older ones are forgotten.
type row struct {
	number int
	id     string // the number, as the table asks for it
	event  models.Event
	text   string // Event.Text
}

// Screen is the list of events. It takes only new events out of the log, so that an
// event costs the same however many there were.
type Screen struct {
	env   *screen.Env
	table *table.Table[*row]

	roomy bool
	all   []*row // in order, those that the log still has
	shown []*row // those that match the filter
	next  int    // the number of the first event that was not taken yet

	filter models.EventFilter
	prompt body.Prompt

	// paused says that the newest is not followed; since is the first number that came
	// meanwhile.
	paused bool
	since  int
}

var (
	_ screen.Screen   = (*Screen)(nil)
	_ screen.Narrowed = (*Screen)(nil)
)

// New makes the screen.
func New(env *screen.Env) screen.Screen {
	s := &Screen{env: env, table: table.New(func(r *row) string { return r.id })}
	s.setColumns(false)
	return s
}

// setColumns has uuids stand in full where there is room.
func (s *Screen) setColumns(roomy bool) {
	s.roomy = roomy
	label := 20
	if roomy {
		label = 40
	}
	text := func(key, title string, least, most int, get func(r *row) table.Cell) table.Column[*row] {
		return table.Column[*row]{Key: key, Title: title, Min: least, Max: most, Cell: get}
	}
	what := text("what", "WHAT", 12, 0, func(r *row) table.Cell {
		return table.Cell{Text: r.text, Role: screen.EventRole(&r.event)}
	})
	what.Grow = 1
	s.table.SetColumns([]table.Column[*row]{
		text("time", "TIME", 8, 8, func(r *row) table.Cell {
			return table.Cell{Text: r.event.Time.Local().Format(time.TimeOnly), Role: theme.Muted}
		}),
		text("node", "NODE", 8, label, func(r *row) table.Cell {
			return table.Cell{Text: models.Printable(r.event.Node.Label())}
		}),
		what,
	})
}

// Ref names the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindEvents} }

// Title is its crumb.
func (s *Screen) Title() string { return "events" }

// Start takes in what there is.
func (s *Screen) Start() tea.Cmd {
	s.take()
	return nil
}

// Shown takes in what came while another screen was in front.
func (s *Screen) Shown() tea.Cmd {
	s.take()
	return nil
}

// Update takes a fact or a typed key in.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case screen.FleetChanged:
		s.take()
	case tea.KeyPressMsg, tea.PasteMsg:
		s.typed(msg)
	}
	return nil
}

// Typing says that the filter is being written.
func (s *Screen) Typing() bool { return s.prompt.Typing() }

// Targets are none: what happened once is no place to act from.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Scopes are its actions.
func (s *Screen) Scopes() []action.Scope {
	return []action.Scope{action.List, action.Filtered, action.Events}
}

// Copies are the event's line and what can be copied of its node.
func (s *Screen) Copies() []screen.Copyable {
	r, ok := s.table.Cursor()
	if !ok {
		return nil
	}
	at := r.event.Time.UTC().Format(time.RFC3339)
	line := strings.Join([]string{at, models.Printable(r.event.Node.Label()), r.text}, "\t")
	return append([]screen.Copyable{{Name: "event", Text: line}},
		screen.NodeCopies(s.env, &models.Node{UUID: r.event.Node.UUID, Name: r.event.Node.Name})...)
}

// Close has nothing to end.
func (s *Screen) Close() {}

// take takes the new events out of the log, and forgets those that the log forgot.
func (s *Screen) take() {
	log := s.env.Events
	first := log.First()
	total := first + len(log.Last(1<<31-1))
	if total == s.next {
		return
	}
	fresh := log.Last(min(total-s.next, total-first))
	from := total - len(fresh)
	for i := range fresh {
		r := newRow(from+i, &fresh[i])
		s.all = append(s.all, r)
		if s.filter.Match(&r.event, r.text) {
			s.shown = append(s.shown, r)
		}
	}
	s.next = total
	s.all, s.shown = since(s.all, first), since(s.shown, first)
	s.show()
}

func newRow(number int, e *models.Event) *row {
	return &row{number: number, id: strconv.Itoa(number), event: *e, text: e.Text()}
}

// since drops the rows before a number. What is left is copied when as many were
// dropped as are left, so that what was dropped is given back.
func since(rows []*row, number int) []*row {
	n := 0
	for n < len(rows) && rows[n].number < number {
		rows[n] = nil
		n++
	}
	return rows[n:]
}

// show gives the rows to the table, and follows the newest.
func (s *Screen) show() {
	s.table.SetRows(s.shown)
	if !s.paused {
		s.table.Bottom()
	}
}
