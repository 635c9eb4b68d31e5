// Package connect implements the screen that lists the contexts and shows the state of the connection to the current
// one. The console opens it if the first session cannot be opened, or if requests fail and Ironic has never
// responded, for example because the URL is wrong. So it works without a connection.
package connect

import (
	"context"
	"slices"

	"al.essio.dev/pkg/shellescape"
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// Screen lists the contexts.
type Screen struct {
	screen.Base
	env   *screen.Env
	table *table.Table[screen.Context]

	// swatches caches a sample of each accent color. The samples are painted with the theme options in looks.
	swatches map[string]string
	looks    theme.Options

	// probes holds the connection tests by context name.
	probes map[string]*fetch.Source[screen.Health]
}

// New returns the screen that lists the contexts.
func New(env *screen.Env) screen.Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindConnect}, "connect", action.List, action.Connect),
		env:  env, table: table.New(func(c screen.Context) string { return c.Name }),
		probes: map[string]*fetch.Source[screen.Health]{}, swatches: map[string]string{},
	}
	s.table.Empty = "No contexts. Pass --url http://HOST:6385, or add contexts to the configuration file; " +
		env.Program + " config paths shows its location."
	s.table.SetColumns([]table.Column[screen.Context]{
		{Key: "name", Title: "CONTEXT", Min: 10, Max: 30, Cell: s.nameCell},
		{Key: "accent", Title: "ACCENT", Min: 10, Max: 10, Drop: 2, Cell: s.accentCell},
		{Key: "state", Title: "STATE", Min: 12, Max: 16, Cell: s.stateCell},
		{Key: "endpoint", Title: "ENDPOINT", Min: 18, Max: 60, Text: func(c screen.Context) string { return c.Endpoint }},
		{Key: "auth", Title: "AUTH", Min: 10, Drop: 1, Text: func(c screen.Context) string { return c.Auth }},
		{Key: "mode", Title: "CHANGES", Min: 9, Max: 9, Drop: 4, Cell: s.modeCell},
		{Key: "source", Title: "FROM", Min: 10, Grow: 1, Drop: 3, Text: func(c screen.Context) string { return c.Source }},
	})
	return s
}

// Start fills the table and moves the cursor to the current context.
func (s *Screen) Start() tea.Cmd {
	s.refresh()
	s.table.Select(s.current().Name)
	return nil
}

// Shown updates the table with the changes since the screen was last shown.
func (s *Screen) Shown() tea.Cmd {
	s.refresh()
	return nil
}

// Update stores results of connection tests. It updates the table after every message.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	for _, p := range s.probes {
		if mine, next := p.Handle(msg); mine {
			s.refresh()
			return next
		}
	}
	s.refresh()
	return nil
}

// check tests the connection of every usable context except the current one.
func (s *Screen) check() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range s.table.Rows() {
		if c.Err != nil || s.isCurrent(c) {
			continue
		}
		p := s.probes[c.Name]
		if p == nil {
			probe, name := s.env.Probe, c.Name
			p = fetch.New(func(ctx context.Context) (screen.Health, error) { return probe(ctx, name) })
			s.probes[c.Name] = p
		}
		cmds = append(cmds, p.Get())
	}
	s.refresh()
	return tea.Batch(cmds...)
}

// refresh fills the table with the configured contexts. If the session uses another context, for example because of
// --url, refresh adds that one at the top.
func (s *Screen) refresh() {
	contexts := s.env.Contexts
	if here := s.env.Session; here != nil && !slices.ContainsFunc(contexts, s.isCurrent) {
		contexts = append([]screen.Context{here.Context}, contexts...)
	}
	s.table.SetRows(contexts)
}

// current returns the current context, or the zero Context if there is none.
func (s *Screen) current() screen.Context {
	if s.env.Session != nil {
		return s.env.Session.Context
	}
	for _, c := range s.env.Contexts {
		if c.Current {
			return c
		}
	}
	return screen.Context{}
}

func (s *Screen) isCurrent(c screen.Context) bool {
	return s.env.Session != nil && s.env.Session.Context.Name == c.Name
}

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if c, ok := s.table.Cursor(); ok && s.DisabledReason(id) == "" {
			return screen.Send(screen.Switch{Context: c.Name})
		}
	case action.Check:
		return s.check()
	default:
		body.Steer(s.table, id, 1)
	}
	return nil
}

// Click selects the context that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	return s.table.Click(x, y-body.PageTop).WasCurrent, nil
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	if id == action.Check && s.env.Probe == nil {
		return "connection tests are not available here"
	}
	if id != action.Open {
		return ""
	}
	c, ok := s.table.Cursor()
	switch {
	case !ok:
		return "no contexts"
	case c.Err != nil:
		return "unusable: " + body.Short(c.Err)
	case s.isCurrent(c):
		return s.env.Keys.Text("current context; {refresh} refreshes")
	}
	return ""
}

// Copies returns facts about the context at the cursor, such as its name and endpoint.
func (s *Screen) Copies() []screen.Copyable {
	c, ok := s.table.Cursor()
	if !ok {
		return nil
	}
	copies := []screen.Copyable{{Name: "name", Text: c.Name}}
	if c.Endpoint != "" {
		copies = append(copies, screen.Copyable{Name: "endpoint", Text: c.Endpoint})
	}
	copies = append(copies, screen.Copyable{Name: "source", Text: c.Source})
	if c.Err != nil {
		copies = append(copies, screen.Copyable{Name: "error", Text: models.OnScreen(c.Err), Shape: screen.Lines})
	}
	if s.isCurrent(c) {
		copies = append(copies, screen.Copyable{Name: "request", Text: s.env.Request("/v1/nodes")})
		if f := s.env.Status.Fault; f != nil {
			copies = append(copies, screen.Copyable{Name: "fault", Text: models.OnScreen(f)})
		}
	}
	command := s.env.Program + " nodes --context " + shellescape.Quote(c.Name)
	if s.isCurrent(c) {
		command = s.env.CommandLine("nodes")
	}
	return append(copies, screen.Copyable{Name: "command", Text: command})
}

// Close cancels running connection tests.
func (s *Screen) Close() {
	for _, p := range s.probes {
		p.Close()
	}
}
