// Package compare is the screen that compares machines: BIOS settings with a golden node's, and firmware versions by
// model.
package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

const (
	biosTab = iota
	firmwareTab
	tabCount
)

var titles = []string{"BIOS", "Firmware"}

// freshFor is the maximum age of data that is reused when the screen is shown again.
const freshFor = 30 * time.Second

// Screen compares the machines of several nodes.
type Screen struct {
	env    *screen.Env
	api    provision.HardwareAPI // nil without a live Ironic
	id     string
	golden models.NodeRef
	nodes  []models.NodeRef
	tab    int
	tabs   body.TabLine
	listAt int

	drift    *fetch.Source[[]provision.NodeDrift]
	firmware *fetch.Source[[]provision.FirmwareVersion]
	drifts   *table.Table[driftRow]
	versions *table.Table[provision.FirmwareVersion]
}

var _ screen.Screen = (*Screen)(nil)

// ID identifies the screen of some nodes; the first is the golden one.
func ID(nodes []models.NodeRef) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return strings.Join(ids, ",")
}

// New returns the screen of nodes by [ID].
func New(env *screen.Env, id string) *Screen {
	s := &Screen{env: env, id: id, drifts: driftTable(), versions: versionTable()}
	for uuid := range strings.SplitSeq(id, ",") {
		s.nodes = append(s.nodes, env.Node(uuid))
	}
	s.golden = s.nodes[0]
	if env.Session == nil || env.Session.Hardware == nil {
		return s
	}
	s.api = env.Session.Hardware
	nodes := slices.Clone(s.nodes)
	s.firmware = fetch.New(func(ctx context.Context) ([]provision.FirmwareVersion, error) {
		return provision.ReadFirmwareMatrix(ctx, s.api, nodes)
	})
	s.compareWith(s.golden)
	return s
}

// compareWith compares all other nodes with a golden one.
func (s *Screen) compareWith(golden models.NodeRef) {
	if s.drift != nil {
		s.drift.Close()
	}
	s.golden = golden
	api := s.api
	var others []models.Node
	for _, n := range s.nodes {
		if n.UUID != golden.UUID {
			others = append(others, models.Node{UUID: n.UUID, Name: n.Name})
		}
	}
	s.drift = fetch.New(func(ctx context.Context) ([]provision.NodeDrift, error) {
		return provision.BIOSDrift(ctx, api, &models.Node{UUID: golden.UUID, Name: golden.Name}, others)
	})
	s.drifts.SetRows(nil)
}

// Ref identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindCompare, ID: s.id} }

// Title returns the text for the header.
func (s *Screen) Title() string { return "compare " + models.Counted(len(s.nodes), "node") }

// Start reads the data of the tab.
func (s *Screen) Start() tea.Cmd { return s.renew(0) }

// Shown rereads old data.
func (s *Screen) Shown() tea.Cmd { return s.renew(freshFor) }

func (s *Screen) renew(limit time.Duration) tea.Cmd {
	if s.api == nil {
		return nil
	}
	from := s.source()
	if from.Busy() || from.Tried() && time.Since(from.At()) < limit {
		return nil
	}
	return from.Get()
}

// source is the part of fetch.Source that does not depend on its type.
type source interface {
	Get() tea.Cmd
	Err() error
	At() time.Time
	Asked() time.Time
	Busy() bool
	Tried() bool
}

func (s *Screen) source() source {
	if s.tab == firmwareTab {
		return s.firmware
	}
	return s.drift
}

// Close cancels running requests.
func (s *Screen) Close() {
	if s.api != nil {
		s.drift.Close()
		s.firmware.Close()
	}
}

// chosen is the message with the golden node that the operator entered.
type chosen struct {
	of     *Screen
	golden models.NodeRef
}

// Update handles a message.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.api == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return s.source().Get()
	case chosen:
		if msg.of != s {
			return nil
		}
		s.compareWith(msg.golden)
		return s.renew(0)
	}
	if mine, next := s.drift.Handle(msg); mine {
		list, _ := s.drift.Value()
		s.drifts.SetRows(rowsOf(list))
		return next
	}
	if mine, next := s.firmware.Handle(msg); mine {
		list, _ := s.firmware.Value()
		s.versions.SetRows(list)
		return next
	}
	return nil
}

// Scopes returns the groups of actions.
func (s *Screen) Scopes() []action.Scope { return []action.Scope{action.Compare, action.List} }

// Typing always returns false.
func (s *Screen) Typing() bool { return false }

// Targets returns the node of the row at the cursor.
func (s *Screen) Targets() []models.NodeRef {
	if row, ok := s.drifts.Cursor(); ok && s.tab == biosTab {
		return []models.NodeRef{row.node}
	}
	return nil
}

// DisabledReason returns why an action is disabled, "" if it is not.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.HardwareApply, action.HardwareGolden:
		switch {
		case s.api == nil:
			return strings.TrimSpace(textNotHere)
		case s.tab != biosTab:
			return textOnlyBIOS
		case id == action.HardwareApply && len(s.differing()) == 0:
			return textNothing
		}
	case action.Open:
		if len(s.Targets()) == 0 {
			return textNothing
		}
	default:
	}
	return ""
}

// Do runs an action of the screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab, action.PrevTab:
		s.tab = (s.tab + 1) % tabCount
		return s.renew(freshFor)
	case action.HardwareGolden:
		return s.askGolden()
	case action.HardwareApply:
		return s.copyGolden()
	case action.Open:
		if targets := s.Targets(); len(targets) == 1 {
			return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindHardware, ID: targets[0].UUID}, Then: action.ShowBIOS})
		}
	default:
		if s.tab == biosTab {
			body.Steer(s.drifts, id, 1)
		} else {
			body.Steer(s.versions, id, 1)
		}
	}
	return nil
}

// askGolden asks for another golden node; the former one is compared like the others.
func (s *Screen) askGolden() tea.Cmd {
	store := s.env.Session.Store
	var names []string
	for _, n := range s.nodes {
		names = append(names, n.Label())
	}
	fields := []form.Field{{Key: "golden", Label: "Node", Required: true, Value: s.golden.Label(), Suggestions: names, Help: textGoldenHelp}}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textGoldenTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		row, _, known := store.Get(strings.TrimSpace(v["golden"]))
		if !known {
			return nil, "golden", textNoSuchNode
		}
		return screen.Send(chosen{of: s, golden: row.Node.Ref()}), "", ""
	})})
}

// differing returns the nodes with settings that can be copied.
func (s *Screen) differing() []models.NodeRef {
	if s.drift == nil {
		return nil
	}
	list, _ := s.drift.Value()
	var nodes []models.NodeRef
	for i := range list {
		if len(bios.Copied(list[i].Differences)) > 0 {
			nodes = append(nodes, list[i].Node)
		}
	}
	return nodes
}

// copyGolden gives all differing nodes the settings of the golden node, after checks and a confirmation.
func (s *Screen) copyGolden() tea.Cmd {
	nodes := s.differing()
	words := []string{"bios", "copy", s.golden.Label()}
	for _, n := range nodes {
		words = append(words, n.Label())
	}
	return screen.Send(screen.ChangeHardware{ID: action.HardwareApply, Nodes: nodes, CommandLine: words, Action: provision.CopyBIOSOf(s.api, s.golden)})
}

// Click selects a tab or a row.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if y == 1 {
		if tab := s.tabs.At(x); tab >= 0 {
			s.tab = tab
		}
		return false, s.renew(freshFor)
	}
	if s.tab == biosTab {
		return s.drifts.Click(x, y-s.listAt).WasCurrent, nil
	}
	s.versions.Click(x, y-s.listAt)
	return false, nil
}

// Copies returns the row at the cursor and the command.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	var copies []screen.Copyable
	if row, ok := s.drifts.Cursor(); ok && s.tab == biosTab {
		copies = append(copies, screen.Copyable{Name: "row", Text: strings.Join([]string{row.node.Label(), row.Name, row.Golden, row.Value, row.Note}, "\t"), Shape: screen.Row})
	}
	words := []string{"bios", "compare", s.golden.Label()}
	for _, n := range s.nodes {
		if n.UUID != s.golden.UUID {
			words = append(words, n.Label())
		}
	}
	if s.tab == firmwareTab {
		words = []string{"firmware", "matrix"}
	}
	return append(copies, screen.Copyable{Name: "command", Text: s.env.CommandLine(words...)})
}

// summary returns the number of nodes that differ.
func (s *Screen) summary() string {
	list, known := s.drift.Value()
	if !known {
		return ""
	}
	differ := 0
	for i := range list {
		if len(list[i].Differences) > 0 {
			differ++
		}
	}
	return fmt.Sprintf(textDrift, s.golden.Label(), fmt.Sprintf("%d of %s differ", differ, models.Counted(len(list), "node")))
}
