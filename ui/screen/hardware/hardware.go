// Package hardware implements the screen that shows a machine's inspection, BIOS settings, firmware and RAID. It
// collects the operator's changes and shows them before they are applied.
package hardware

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
)

// page is the content of a tab.
type page interface {
	// source returns the source of the page's data.
	source() fetch.Requests
	// heading returns the part of the heading that follows the node's name. content draws the page; errors are shown
	// above it.
	heading() []body.Span
	content(t *theme.Theme, w, h int) string
	disabledReason(id action.ID) string
	do(id action.ID) tea.Cmd
	mover() body.Mover
	copies() []screen.Copyable
}

// Screen shows the hardware of one node, with a page for each kind of data.
type Screen struct {
	screen.Base
	env  *screen.Env
	api  provision.HardwareAPI // nil without a live Ironic
	uuid string

	pages []page
	tab   int
	tabs  body.TabLine
	// contentAt is the line of the screen at which the page was drawn.
	contentAt int
	// busy reports whether an operation was running on the node when the fleet last changed.
	busy bool

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var (
	_ screen.Screen   = (*Screen)(nil)
	_ screen.Narrowed = (*Screen)(nil)
)

// tabActions lists the actions that open the tabs, in the order of the tabs.
var tabActions = []action.ID{action.ShowInspection, action.ShowBIOS, action.ShowFirmware, action.ShowRAID}

// pageActions lists the actions that the pages run.
var pageActions = []action.ID{
	action.Open, action.HardwareAdd, action.HardwareRemove, action.HardwareApply, action.HardwareGolden, action.HardwareDrives,
	action.HardwareReset, action.Filter, action.ClearFilter,
}

// biosTab is the index of the BIOS tab, the only one with a filter.
const biosTab = 1

var titles = []string{"Inspection", "BIOS", "Firmware", "RAID"}

// Shows reports whether the action opens a tab of this screen.
func Shows(id action.ID) bool { return slices.Contains(tabActions, id) }

// New returns the screen for the node with the given UUID.
func New(env *screen.Env, uuid string) *Screen {
	// Start fetches nothing, because the action that opens the screen also selects a tab.
	base := screen.NewBase(screen.Ref{Kind: screen.KindHardware, ID: uuid}, "", action.Hardware, action.List, action.Nodes)
	s := &Screen{Base: base, env: env, uuid: uuid}
	s.life, s.finish = context.WithCancel(context.Background())
	if env.Session == nil || env.Session.Hardware == nil {
		return s
	}
	s.api = env.Session.Hardware
	s.pages = []page{newInspection(s), newBIOS(s), newFirmware(s), newRAID(s)}
	return s
}

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string { return "hardware " + cell.Cut(s.node().Label(), 52) }

func (s *Screen) node() models.NodeRef { return s.env.Node(s.uuid) }

// Shown fetches the data of the current tab, unless it is recent.
func (s *Screen) Shown() tea.Cmd {
	if s.api == nil {
		return nil
	}
	return s.pages[s.tab].source().Renew()
}

// Close cancels running requests.
func (s *Screen) Close() {
	s.finish()
	for _, p := range s.pages {
		p.source().Close()
	}
}

// Update stores fetched data, and handles keys in the filter. It reloads the current tab when the operator requests
// it, and after an operation.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.api == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return s.pages[s.tab].source().Get()
	case screen.FleetChanged:
		return s.fetchAfterOperation()
	case screen.Later:
		return msg.Run(s)
	case tea.KeyPressMsg, tea.PasteMsg:
		if s.tab == biosTab {
			s.bios().typed(msg)
		}
		return nil
	}
	for _, p := range s.pages {
		if mine, next := p.source().Handle(msg); mine {
			return next
		}
	}
	return nil
}

func fail(err error) tea.Cmd {
	return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(err)})
}

// fetchAfterOperation fetches again after an operation, in which Ironic may have read the machine.
func (s *Screen) fetchAfterOperation() tea.Cmd {
	row, _, ok := s.env.Session.Store.Get(s.uuid)
	was := s.busy
	s.busy = ok && !row.Node.ProvisionState.Resting()
	if from := s.pages[s.tab].source(); was && !s.busy && !from.Busy() {
		return from.Get()
	}
	return nil
}

// change asks the root to check, confirm and make a change. words is the command line that does the same, without the
// program name.
func (s *Screen) change(id action.ID, act provision.Action, words ...string) tea.Cmd {
	return screen.Send(screen.StartAction{ID: id, Nodes: []models.NodeRef{s.node()}, Action: act, CommandLine: words})
}

// Typing reports whether the filter of the BIOS tab is being edited.
func (s *Screen) Typing() bool { return s.api != nil && s.tab == biosTab && s.bios().prompt.Typing() }

func (s *Screen) bios() *biosPage { return s.pages[biosTab].(*biosPage) } //nolint:forcetypeassert // New sets it

// Widen clears the filter of the BIOS tab.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.api == nil || s.tab != biosTab {
		return nil, false
	}
	return nil, s.bios().widen()
}

// Targets returns the node whose hardware is shown.
func (s *Screen) Targets() []models.NodeRef { return []models.NodeRef{s.node()} }

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch {
	case !slices.Contains(pageActions, id):
		return ""
	case s.api == nil:
		return strings.TrimSpace(textNotHere)
	}
	return s.pages[s.tab].disabledReason(id)
}

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if s.api == nil {
		return nil
	}
	switch {
	case id == action.NextTab:
		return s.open((s.tab + 1) % len(s.pages))
	case id == action.PrevTab:
		return s.open((s.tab + len(s.pages) - 1) % len(s.pages))
	case Shows(id):
		return s.open(slices.Index(tabActions, id))
	case slices.Contains(pageActions, id):
		return s.pages[s.tab].do(id)
	}
	body.Steer(s.pages[s.tab].mover(), id, 1)
	return nil
}

func (s *Screen) open(tab int) tea.Cmd {
	s.tab = tab
	return s.Shown()
}

// Click selects the tab or the row that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if s.api == nil {
		return false, nil
	}
	if y == 1 {
		if tab := s.tabs.At(x); tab >= 0 {
			return false, s.open(tab)
		}
		return false, nil
	}
	list, ok := s.pages[s.tab].mover().(body.Table)
	return ok && list.Click(x, y-s.contentAt).WasCurrent, nil
}

// Copies returns what the current tab offers for copying, including the request for the tab's data and the command
// line that prints the data.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	return s.pages[s.tab].copies()
}

// origin returns the request for data below the node's path, and the command that prints the data.
func (s *Screen) origin(path string, command ...string) []screen.Copyable {
	return []screen.Copyable{
		{Name: "request", Text: s.env.Request("/v1/nodes/" + s.uuid + path)},
		{Name: "command", Text: s.env.CommandLine(append(command, s.node().Label())...)},
	}
}

// Draw draws the current tab.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	left := []body.Span{body.S(theme.Strong, " Hardware "), body.S(theme.Plain, s.node().Label())}
	if s.api == nil {
		return body.Page(t, w, h, body.Line(t, w, left, nil), t.Rule(w), func(h int) string {
			return cell.Block([]string{"", t.Paint(theme.Muted, textNotHere)}, w, h)
		})
	}
	p := s.pages[s.tab]
	from := p.source()
	heading := body.Line(t, w, append(left, p.heading()...), []body.Span{body.FreshnessOf(from)})
	rule := s.tabs.Draw(t, titles, s.tab, "", w)
	if b := s.bios(); s.tab == biosTab && (b.prompt.Typing() || b.filter != "") {
		rule = b.prompt.Draw(t, w, b.filter)
	}
	return body.Page(t, w, h, heading, rule, func(h int) string {
		head := body.FaultAbove(t, from.Err(), w)
		s.contentAt = body.PageTop + len(head)
		return cell.Block(append(head, body.Split(p.content(t, w, max(h-len(head), 0)))...), w, h)
	})
}
