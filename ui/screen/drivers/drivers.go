// Package drivers is the screen of the conductors, and of the hardware types with the
// interfaces that a node of each may use.
package drivers

import (
	"context"
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

// The two views.
const (
	conductorsTab = iota
	driversTab
	tabCount
)

// freshFor is how old the picture may be when somebody comes back to the screen.
const freshFor = 30 * time.Second

// Screen shows what Ironic itself is made of.
type Screen struct {
	env *screen.Env
	tab int

	conductors *fetch.Source[[]models.Conductor]
	drivers    *fetch.Source[[]models.Driver]

	hosts *table.Table[models.Conductor]
	types *table.Table[models.Driver]
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen.
func New(env *screen.Env) screen.Screen {
	s := &Screen{env: env, hosts: hostTable(env), types: typeTable()}
	if env.Session == nil {
		return s
	}
	api := env.Session.API
	s.conductors = fetch.New(env.Clock.Now, func(ctx context.Context) ([]models.Conductor, error) { return api.Conductors(ctx) })
	s.drivers = fetch.New(env.Clock.Now, func(ctx context.Context) ([]models.Driver, error) { return api.Drivers(ctx) })
	return s
}

func hostTable(env *screen.Env) *table.Table[models.Conductor] {
	t := table.New(func(c models.Conductor) string { return c.Hostname })
	t.SetColumns([]table.Column[models.Conductor]{
		{Key: "host", Title: "CONDUCTOR", Min: 14, Max: 50, Cell: func(c models.Conductor) table.Cell {
			return table.Cell{Text: models.Printable(c.Hostname), Role: theme.Strong}
		}},
		{Key: "alive", Title: "ALIVE", Min: 7, Max: 7, Cell: func(c models.Conductor) table.Cell {
			if c.Alive {
				return table.Cell{Glyph: theme.GlyphActive, GlyphRole: theme.Good, Text: "alive"}
			}
			return table.Cell{Glyph: theme.GlyphFailed, GlyphRole: theme.Bad, Text: "gone", Role: theme.Bad}
		}},
		{Key: "seen", Title: "SEEN", Min: 9, Max: 10, Cell: func(c models.Conductor) table.Cell {
			return table.Cell{Text: body.Ago(env.ServerNow(), c.UpdatedAt.Time), Role: theme.Muted}
		}},
		{Key: "group", Title: "GROUP", Min: 6, Max: 24, Drop: 1, Cell: func(c models.Conductor) table.Cell {
			return table.Cell{Text: models.Printable(c.Group)}
		}},
		{Key: "drivers", Title: "HARDWARE TYPES", Min: 14, Grow: 1, Cell: func(c models.Conductor) table.Cell {
			return table.Cell{Text: models.Printable(strings.Join(c.Drivers, ", "))}
		}},
	})
	return t
}

func typeTable() *table.Table[models.Driver] {
	t := table.New(func(d models.Driver) string { return d.Name })
	t.SetColumns([]table.Column[models.Driver]{
		{Key: "name", Title: "HARDWARE TYPE", Min: 14, Max: 40, Cell: func(d models.Driver) table.Cell {
			return table.Cell{Text: models.Printable(d.Name), Role: theme.Strong}
		}},
		{Key: "hosts", Title: "ON CONDUCTORS", Min: 14, Grow: 1, Cell: func(d models.Driver) table.Cell {
			if len(d.Hosts) == 0 {
				return table.Cell{Text: "none: nodes of this type cannot be driven", Role: theme.Warn}
			}
			return table.Cell{Text: models.Printable(strings.Join(d.Hosts, ", "))}
		}},
	})
	return t
}

// Ref names the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindConductors} }

// Title is its crumb.
func (s *Screen) Title() string { return "conductors & drivers" }

// Start fetches both.
func (s *Screen) Start() tea.Cmd { return s.get() }

// Shown fetches both again when they have grown old meanwhile.
func (s *Screen) Shown() tea.Cmd {
	if s.conductors == nil || s.conductors.Busy() || s.env.Clock.Now().Sub(s.conductors.At()) < freshFor {
		return nil
	}
	return s.get()
}

func (s *Screen) get() tea.Cmd {
	if s.conductors == nil {
		return nil
	}
	return tea.Batch(s.conductors.Get(), s.drivers.Get())
}

// Update takes a fact or an answer in.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.conductors == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return s.get()
	case screen.FleetChanged:
		// What failed for want of a connection is asked for again once there is one.
		if msg.Update.Status.Connected && (s.failed(s.conductors.Err()) || s.failed(s.drivers.Err())) {
			return s.get()
		}
		return nil
	}
	if mine, next := s.conductors.Take(msg); mine {
		list, _ := s.conductors.Value()
		s.hosts.SetRows(list)
		return next
	}
	if mine, next := s.drivers.Take(msg); mine {
		list, _ := s.drivers.Value()
		s.types.SetRows(list)
		return next
	}
	return nil
}

// failed says that an error is worth another try by itself: a while ago, and one of the
// connection.
func (s *Screen) failed(err error) bool {
	return err != nil && s.env.Clock.Now().Sub(s.conductors.At()) > freshFor/3
}

// Scopes are its actions.
func (s *Screen) Scopes() []action.Scope { return []action.Scope{action.List, action.Conductors} }

// Do carries out one of the screen's actions.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if id == action.NextTab {
		s.tab = (s.tab + 1) % tabCount
		return nil
	}
	if s.tab == conductorsTab {
		body.Steer(s.hosts, id, 1)
	} else {
		body.Steer(s.types, id, 1)
	}
	return nil
}

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	if id == action.Open {
		return "there is no more to it than what is shown"
	}
	return ""
}

// Typing is never the case.
func (s *Screen) Typing() bool { return false }

// Targets are none.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Copies are the name at the cursor, its row, and the request that gives it.
func (s *Screen) Copies() []screen.Copyable {
	if s.env.Session == nil {
		return nil
	}
	var copies []screen.Copyable
	add := func(name string, row ...string) {
		for i := range row {
			row[i] = models.Printable(row[i])
		}
		copies = append(copies, screen.Copyable{Name: name, Text: row[0]}, screen.Copyable{Name: "row", Text: strings.Join(row, "\t")})
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

// Close ends what is under way.
func (s *Screen) Close() {
	if s.conductors != nil {
		s.conductors.Close()
		s.drivers.Close()
	}
}
