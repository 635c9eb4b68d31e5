// Package compare implements the screen that compares machines. One tab compares their BIOS settings with those of a
// golden node, and the other shows their firmware versions by model.
package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	textNotHere     = " Recordings contain no BIOS or firmware data."
	textSame        = "No differences from %s."
	textNoFirmware  = "No firmware data: Ironic reads it during cleaning and inspection, if the firmware interface supports it."
	textGoldenTitle = "Golden node"
	textGoldenHelp  = "name or UUID; the other nodes are compared with it"
	textNothing     = "no setting to copy"
)

const (
	biosTab = iota
	firmwareTab
	tabCount
)

var titles = []string{"BIOS", "Firmware"}

// Screen compares the machines of several nodes.
type Screen struct {
	screen.Base
	env    *screen.Env
	api    provision.HardwareAPI // nil without a live Ironic
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

// ID returns the ID of the screen that compares the given nodes. The first node is the golden one.
func ID(nodes []models.NodeRef) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return strings.Join(ids, ",")
}

// New returns the screen that compares the nodes listed in id; see [ID].
func New(env *screen.Env, id string) *Screen {
	s := &Screen{env: env, drifts: driftTable(), versions: versionTable()}
	for uuid := range strings.SplitSeq(id, ",") {
		s.nodes = append(s.nodes, env.Node(uuid))
	}
	title := "compare " + models.Counted(len(s.nodes), "node")
	s.Base = screen.NewBase(screen.Ref{Kind: screen.KindCompare, ID: id}, title, action.Compare, action.List)
	s.golden = s.nodes[0]
	if env.Session == nil || env.Session.Hardware == nil {
		return s
	}
	s.api = env.Session.Hardware
	nodes := slices.Clone(s.nodes)
	s.firmware = fetch.New(func(ctx context.Context) ([]provision.FirmwareVersion, error) {
		return provision.ReadFirmwareMatrix(ctx, s.api, nodes)
	}).Then(s.versions.SetRows)
	s.compareWith(s.golden)
	return s
}

// compareWith replaces the golden node, with which all other nodes are compared.
func (s *Screen) compareWith(golden models.NodeRef) {
	s.drift.Close()
	s.golden = golden
	api := s.api
	others := slices.DeleteFunc(slices.Clone(s.nodes), func(n models.NodeRef) bool { return n.UUID == golden.UUID })
	s.drift = fetch.New(func(ctx context.Context) ([]provision.NodeDrift, error) {
		return provision.BIOSDrift(ctx, api, golden, others)
	}).Then(func(list []provision.NodeDrift) { s.drifts.SetRows(rowsOf(list)) })
	s.drifts.SetRows(nil)
}

// Shown fetches the data of the current tab, unless it is recent.
func (s *Screen) Shown() tea.Cmd { return s.source().Renew() }

func (s *Screen) source() fetch.Requests {
	if s.tab == firmwareTab {
		return s.firmware
	}
	return s.drift
}

func (s *Screen) rows() body.Table {
	if s.tab == firmwareTab {
		return s.versions
	}
	return s.drifts
}

// Close cancels running requests.
func (s *Screen) Close() {
	s.drift.Close()
	s.firmware.Close()
}

// Update stores the results of requests, and continues dialogs.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Reload:
		return s.source().Get()
	case screen.Later:
		return msg.Run(s)
	}
	return fetch.Handle(msg, s.drift, s.firmware)
}

// Targets returns the node of the row at the cursor. On the firmware tab, whose rows are not nodes, it returns nil.
func (s *Screen) Targets() []models.NodeRef {
	if row, ok := s.drifts.Cursor(); ok && s.tab == biosTab {
		return []models.NodeRef{row.node}
	}
	return nil
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.HardwareApply, action.HardwareGolden:
		switch {
		case s.api == nil:
			return strings.TrimSpace(textNotHere)
		case s.tab != biosTab:
			return "only BIOS settings are copied"
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

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab, action.PrevTab:
		s.tab = (s.tab + 1) % tabCount
		return s.Shown()
	case action.HardwareGolden:
		return s.askGolden()
	case action.HardwareApply:
		return s.copyGolden()
	case action.Open:
		if targets := s.Targets(); len(targets) == 1 {
			return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindHardware, ID: targets[0].UUID}, Then: action.ShowBIOS})
		}
	default:
		body.Steer(s.rows(), id, 1)
	}
	return nil
}

// askGolden asks for a new golden node. The previous one is then compared like any other node.
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
			return nil, "golden", "no node has this name or UUID"
		}
		return screen.SendLater(s, func() tea.Cmd {
			s.compareWith(row.Node.Ref())
			return s.Shown()
		}), "", ""
	})})
}

// differing returns the nodes that differ from the golden node in settings that can be copied.
func (s *Screen) differing() []models.NodeRef {
	list, _ := s.drift.Value()
	var nodes []models.NodeRef
	for i := range list {
		if len(bios.Copied(list[i].Differences)) > 0 {
			nodes = append(nodes, list[i].Node)
		}
	}
	return nodes
}

// copyGolden copies the golden node's settings to all nodes that differ, after checks and a confirmation.
func (s *Screen) copyGolden() tea.Cmd {
	nodes := s.differing()
	words := []string{"bios", "copy", s.golden.Label()}
	for _, n := range nodes {
		words = append(words, n.Label())
	}
	return screen.Send(screen.StartAction{ID: action.HardwareApply, Nodes: nodes, CommandLine: words, Action: provision.CopyBIOS(s.api, s.golden, nil)})
}

// Click selects the tab or the row that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if s.tabs.Click(x, y, &s.tab) {
		return false, s.Shown()
	}
	return s.rows().Click(x, y-s.listAt).WasCurrent && s.tab == biosTab, nil
}

// Copies returns the row at the cursor and a command line that compares the same nodes.
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

// summary names the golden node and counts the nodes that differ from it. It returns "" until the settings are known.
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
	return fmt.Sprintf("golden node %s; %d of %s differ", s.golden.Label(), differ, models.Counted(len(list), "node"))
}
