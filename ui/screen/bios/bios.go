// Package bios is the screen of a node's BIOS settings: what each accepts, and changes before they are applied.
package bios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// freshFor is the maximum age of the settings when the screen is shown again.
const freshFor = 30 * time.Second

// row is a setting, with its new value if that is going to change.
type row struct {
	setting models.BIOSSetting
	change  string
	changed bool
}

// Screen is the table of settings.
type Screen struct {
	env  *screen.Env
	api  provision.HardwareAPI // nil without a live Ironic
	uuid string

	source *fetch.Source[[]models.BIOSSetting]
	list   *table.Table[*row]
	rows   []*row
	// changes are the new values by setting; they survive a reload.
	changes map[string]string

	// busy: the node was in an operation when the fleet changed last.
	busy bool

	filter string
	prompt body.Prompt

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var (
	_ screen.Screen   = (*Screen)(nil)
	_ screen.Narrowed = (*Screen)(nil)
)

// New returns the screen of a node.
func New(env *screen.Env, uuid string) *Screen {
	s := &Screen{env: env, uuid: uuid, list: table.New(func(r *row) string { return r.setting.Name }), changes: map[string]string{}}
	s.life, s.finish = context.WithCancel(context.Background())
	s.list.SetColumns([]table.Column[*row]{
		{Key: "setting", Title: "SETTING", Min: 18, Max: 40, Role: theme.Strong, Text: func(r *row) string { return r.setting.Name }},
		{Key: "value", Title: "VALUE", Min: 12, Max: 30, Text: func(r *row) string { return r.setting.Value }},
		{Key: "new", Title: "NEW", Min: 12, Max: 30, Cell: func(r *row) table.Cell {
			return table.Cell{Text: r.change, Role: theme.Hold}
		}},
		{Key: "allowed", Title: "ALLOWED", Min: 10, Grow: 1, Role: theme.Muted, Text: func(r *row) string { return bios.Allowed(r.setting) }},
		{Key: "notes", Title: "NOTES", Min: 10, Max: 24, Role: theme.Muted, Text: func(r *row) string { return strings.Join(bios.Notes(r.setting), ", ") }},
	})
	if env.Session == nil || env.Session.Hardware == nil {
		return s
	}
	s.api = env.Session.Hardware
	s.source = fetch.New(func(ctx context.Context) ([]models.BIOSSetting, error) { return s.api.BIOS(ctx, uuid) })
	return s
}

// Ref identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindBIOS, ID: s.uuid} }

// Title is shown in the header.
func (s *Screen) Title() string { return s.node().Label() + " · bios" }

func (s *Screen) node() models.NodeRef { return s.env.Node(s.uuid) }

// Start fetches the settings.
func (s *Screen) Start() tea.Cmd { return s.get() }

// Shown fetches the settings again if they are old.
func (s *Screen) Shown() tea.Cmd {
	if s.source == nil || s.source.Busy() || time.Since(s.source.At()) < freshFor {
		return nil
	}
	return s.get()
}

func (s *Screen) get() tea.Cmd {
	if s.source == nil {
		return nil
	}
	return s.source.Get()
}

// Close cancels running requests.
func (s *Screen) Close() {
	s.finish()
	if s.source != nil {
		s.source.Close()
	}
}

// Update handles a message.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.source == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return s.get()
	case screen.FleetChanged:
		return s.settled()
	case edited:
		if msg.of == s {
			s.change(msg.name, msg.value)
			s.show()
		}
		return nil
	case goldenAsked:
		if msg.of != s {
			return nil
		}
		return s.compare(msg.name)
	case compared:
		if msg.of != s {
			return nil
		}
		return s.copyFrom(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		s.typed(msg)
		return nil
	}
	if mine, next := s.source.Handle(msg); mine {
		s.show()
		return next
	}
	return nil
}

// settled fetches the settings when an operation of the node has ended: Ironic reads them then.
func (s *Screen) settled() tea.Cmd {
	row, _, ok := s.env.Session.Store.Get(s.uuid)
	was := s.busy
	if s.busy = ok && !row.Node.ProvisionState.Resting(); was && !s.busy {
		return s.get()
	}
	return nil
}

// show fills the table with the settings that match the filter, changed ones first.
func (s *Screen) show() {
	settings, _ := s.source.Value()
	s.rows = nil
	for _, setting := range settings {
		r := &row{setting: setting}
		if r.change, r.changed = s.changes[setting.Name]; r.changed && r.change == setting.Value { // applied
			delete(s.changes, setting.Name)
			r.change, r.changed = "", false
		}
		if s.filter == "" || strings.Contains(strings.ToLower(setting.Name+"="+setting.Value), strings.ToLower(s.filter)) {
			s.rows = append(s.rows, r)
		}
	}
	slices.SortStableFunc(s.rows, func(a, b *row) int {
		switch {
		case a.changed == b.changed:
			return strings.Compare(a.setting.Name, b.setting.Name)
		case a.changed:
			return -1
		}
		return 1
	})
	s.list.SetRows(s.rows)
}

// change records a new value; the current value of the setting drops the change.
func (s *Screen) change(name, value string) {
	settings, _ := s.source.Value()
	i := slices.IndexFunc(settings, func(o models.BIOSSetting) bool { return o.Name == name })
	if i >= 0 && settings[i].Value == value {
		delete(s.changes, name)
		return
	}
	s.changes[name] = value
}

// typed handles a key in the filter.
func (s *Screen) typed(msg tea.Msg) {
	switch s.prompt.Update(msg) {
	case body.Changed:
		s.filter = s.prompt.Text()
		s.show()
	case body.Abandoned:
		s.Widen()
	case body.Taken, body.Ignored:
	}
}

// Widen clears the filter.
func (s *Screen) Widen() (tea.Cmd, bool) {
	did := s.filter != ""
	s.filter = ""
	if did {
		s.show()
	}
	return nil, did
}

// Scopes returns the groups of actions.
func (s *Screen) Scopes() []action.Scope {
	return []action.Scope{action.Hardware, action.List, action.Nodes}
}

// Typing reports whether the filter is being edited.
func (s *Screen) Typing() bool { return s.prompt.Typing() }

// Targets is the node.
func (s *Screen) Targets() []models.NodeRef { return []models.NodeRef{s.node()} }

// Why returns why an action is disabled, "" if it is not.
func (s *Screen) Why(id action.ID) string {
	switch id {
	case action.Open, action.HardwareApply, action.HardwareGolden, action.HardwareReset:
		if s.api == nil {
			return strings.TrimSpace(textNotHere)
		}
		return s.whyNotNow(id)
	case action.ClearFilter:
		if s.filter == "" {
			return textNoFilter
		}
	default:
	}
	return ""
}

func (s *Screen) whyNotNow(id action.ID) string {
	r, ok := s.list.Cursor()
	switch {
	case id == action.Open && !ok:
		return textNoSetting
	case id == action.Open && slices.Contains(bios.Notes(r.setting), "read-only"):
		return textReadOnly
	case id == action.HardwareApply && len(s.changes) == 0:
		return s.env.Keys.Text(textNoChanges)
	}
	return ""
}

// Do runs an action of the screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return s.edit()
	case action.HardwareGolden:
		return s.askGolden()
	case action.HardwareApply:
		return s.apply()
	case action.HardwareReset:
		return screen.Send(screen.ChangeHardware{
			ID: action.HardwareReset, Node: s.node(), Action: provision.ResetBIOS(), Words: []string{"bios", "reset", s.node().Label()},
		})
	case action.Filter:
		s.prompt.Begin(s.filter)
	case action.ClearFilter:
		s.Widen()
	default:
		body.Steer(s.list, id, 1)
	}
	return nil
}

// apply sends the changes, after their checks and a confirmation.
func (s *Screen) apply() tea.Cmd {
	var changes []bios.Change
	words := []string{"bios", "set", s.node().Label()}
	for _, name := range slices.Sorted(maps.Keys(s.changes)) {
		changes = append(changes, bios.Change{Name: name, Value: s.changes[name]})
		words = append(words, name+"="+s.changes[name])
	}
	return screen.Send(screen.ChangeHardware{
		ID: action.HardwareApply, Node: s.node(), Action: provision.SetBIOS(s.api, changes), Words: words,
	})
}

// Click selects a row.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	return s.list.Click(x, y-body.PageTop).Again, nil
}

// Copies are the setting at the cursor, the request and the command.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	var copies []screen.Copyable
	if r, ok := s.list.Cursor(); ok {
		copies = append(copies, screen.Copyable{Name: "setting", Text: r.setting.Name + "=" + r.setting.Value})
	}
	return append(copies, screen.Copyable{Name: "request", Text: s.env.Request(fmt.Sprintf("/v1/nodes/%s/bios?detail=true", s.uuid))},
		screen.Copyable{Name: "command", Text: s.env.CommandLine("bios", "show", s.node().Label())})
}
