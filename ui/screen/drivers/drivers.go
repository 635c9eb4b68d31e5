// Package drivers implements the screen that shows conductors, hardware types and their interfaces.
package drivers

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

const (
	conductorsTab = iota
	driversTab
	tabCount
)

// Screen lists the conductors on one tab and the hardware types on the other.
type Screen struct {
	screen.Base
	env  *screen.Env
	tab  int
	tabs body.TabLine
	// listAt is the line of the screen at which the table was drawn.
	listAt int

	conductors *fetch.Source[[]models.Conductor]
	drivers    *fetch.Source[[]models.Driver]

	hosts *table.Table[models.Conductor]
	types *table.Table[models.Driver]
}

// New returns the screen that lists conductors and drivers.
func New(env *screen.Env) screen.Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindConductors}, "conductors & drivers", action.List, action.Conductors),
		env:  env, hosts: hostTable(env), types: typeTable(),
	}
	if env.Session == nil {
		return s
	}
	api := env.Session.API
	s.conductors = fetch.New(api.Conductors).Then(s.hosts.SetRows)
	s.drivers = fetch.New(api.Drivers).Then(s.types.SetRows)
	return s
}

func hostTable(env *screen.Env) *table.Table[models.Conductor] {
	t := table.New(func(c models.Conductor) string { return c.Hostname })
	t.SetColumns([]table.Column[models.Conductor]{
		{Key: "host", Title: "CONDUCTOR", Min: 14, Max: 50, Role: theme.Strong, Text: func(c models.Conductor) string { return c.Hostname }},
		{Key: "alive", Title: "ALIVE", Min: 7, Max: 7, Cell: func(c models.Conductor) table.Cell {
			if c.Alive {
				return table.Cell{Glyph: theme.GlyphActive, GlyphRole: theme.Good, Text: "alive"}
			}
			return table.Cell{Glyph: theme.GlyphFailed, GlyphRole: theme.Bad, Text: "dead", Role: theme.Bad}
		}},
		{Key: "seen", Title: "LAST SEEN", Min: 9, Max: 10, Role: theme.Muted, Text: func(c models.Conductor) string { return body.Ago(env.ServerNow(), c.UpdatedAt.Time) }},
		{Key: "group", Title: "GROUP", Min: 6, Max: 24, Drop: 1, Text: func(c models.Conductor) string { return c.Group }},
		{Key: "drivers", Title: "HARDWARE TYPES", Min: 14, Grow: 1, Text: func(c models.Conductor) string { return strings.Join(c.Drivers, ", ") }},
	})
	return t
}

func typeTable() *table.Table[models.Driver] {
	t := table.New(func(d models.Driver) string { return d.Name })
	t.SetColumns([]table.Column[models.Driver]{
		{Key: "name", Title: "HARDWARE TYPE", Min: 14, Max: 40, Role: theme.Strong, Text: func(d models.Driver) string { return d.Name }},
		{Key: "hosts", Title: "ON CONDUCTORS", Min: 14, Grow: 1, Cell: func(d models.Driver) table.Cell {
			if len(d.Hosts) == 0 {
				return table.Cell{Text: "none: nodes of this type cannot be managed", Role: theme.Warn}
			}
			return table.Cell{Text: strings.Join(d.Hosts, ", ")}
		}},
	})
	return t
}

// Start fetches both lists.
func (s *Screen) Start() tea.Cmd { return s.get() }

// Shown fetches both lists again if they are old.
func (s *Screen) Shown() tea.Cmd {
	if again := s.conductors.Renew(); again != nil {
		return tea.Batch(again, s.drivers.Get())
	}
	return nil
}

func (s *Screen) get() tea.Cmd { return tea.Batch(s.conductors.Get(), s.drivers.Get()) }

// Update stores fetched lists. It fetches them again when the operator requests it, or after a connection error.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.conductors == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return s.get()
	case screen.FleetChanged:
		// After an error, fetch the lists again as soon as the connection is back.
		if msg.Update.Status.Connected && (failed(s.conductors.Err(), s.conductors.At()) || failed(s.drivers.Err(), s.drivers.At())) {
			return s.get()
		}
		return nil
	}
	return fetch.Handle(msg, s.conductors, s.drivers)
}

// failed reports whether err, received at the given time, is not nil and old enough for an automatic retry.
func failed(err error, at time.Time) bool { return err != nil && time.Since(at) > 10*time.Second }

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if id == action.NextTab {
		s.tab = (s.tab + 1) % tabCount
		return nil
	}
	body.Steer(s.rows(), id, 1)
	return nil
}

func (s *Screen) rows() body.Table {
	if s.tab == conductorsTab {
		return s.hosts
	}
	return s.types
}

// Click selects the tab or the row that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if !s.tabs.Click(x, y, &s.tab) {
		s.rows().Click(x, y-s.listAt)
	}
	return false, nil
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	if id == action.Open {
		return "no further details"
	}
	return ""
}

// Copies returns the name and the row at the cursor, and the request and the command line for the list.
func (s *Screen) Copies() []screen.Copyable {
	if s.env.Session == nil {
		return nil
	}
	var copies []screen.Copyable
	add := func(name string, row ...string) {
		copies = append(copies, screen.Copyable{Name: name, Text: row[0]}, screen.Copyable{Name: "row", Text: strings.Join(row, "\t"), Shape: screen.Row})
	}
	path, command := "/v1/conductors?detail=true", "conductors"
	if s.tab == conductorsTab {
		if c, ok := s.hosts.Cursor(); ok {
			add("hostname", c.Hostname, c.Group, c.UpdatedAt.UTC().Format(time.RFC3339), strings.Join(c.Drivers, ","))
		}
	} else {
		path, command = "/v1/drivers?detail=true", "drivers"
		if d, ok := s.types.Cursor(); ok {
			add("hardware type", d.Name, strings.Join(d.Hosts, ","))
		}
	}
	return append(copies, screen.Copyable{Name: "request", Text: s.env.Request(path)},
		screen.Copyable{Name: "command", Text: s.env.CommandLine(command)})
}

// Close cancels running requests.
func (s *Screen) Close() {
	s.conductors.Close()
	s.drivers.Close()
}
