package compare

import (
	"fmt"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

const namesAtMost = 10

// driftRow is a setting in which a node differs from the golden node, or the error in reading the node's settings.
type driftRow struct {
	bios.Difference
	node models.NodeRef
	err  error
}

func rowsOf(list []provision.NodeDrift) []driftRow {
	var rows []driftRow
	for i := range list {
		d := &list[i]
		if d.Err != nil {
			rows = append(rows, driftRow{node: d.Node, err: d.Err})
		}
		for _, x := range d.Differences {
			rows = append(rows, driftRow{Difference: x, node: d.Node})
		}
	}
	return rows
}

func driftTable() *table.Table[driftRow] {
	t := table.New(func(r driftRow) string { return r.node.UUID + " " + r.Name })
	t.SetColumns([]table.Column[driftRow]{
		{Key: "node", Title: "NODE", Min: 8, Max: 30, Role: theme.Strong, Text: func(r driftRow) string { return r.node.Label() }},
		{Key: "setting", Title: "SETTING", Min: 14, Max: 40, Cell: func(r driftRow) table.Cell {
			if r.err != nil {
				return table.Cell{Text: models.OnScreen(r.err), Role: theme.Bad}
			}
			return table.Cell{Text: r.Name}
		}},
		{Key: "golden", Title: "GOLDEN", Min: 10, Max: 30, Text: func(r driftRow) string { return r.Golden }},
		{Key: "value", Title: "VALUE", Min: 10, Max: 30, Cell: func(r driftRow) table.Cell { return table.Cell{Text: r.Value, Role: theme.Hold} }},
		{Key: "note", Title: "NOTE", Min: 10, Grow: 1, Role: theme.Muted, Text: func(r driftRow) string { return r.Note }},
	})
	return t
}

func versionTable() *table.Table[provision.FirmwareVersion] {
	t := table.New(func(r provision.FirmwareVersion) string { return r.Model + "\n" + r.Component + "\n" + r.Version })
	t.SetColumns([]table.Column[provision.FirmwareVersion]{
		{Key: "model", Title: "MODEL", Min: 12, Max: 40, Role: theme.Strong, Text: func(r provision.FirmwareVersion) string { return r.Model }},
		{Key: "component", Title: "COMPONENT", Min: 9, Max: 20, Text: func(r provision.FirmwareVersion) string { return r.Component }},
		{Key: "version", Title: "VERSION", Min: 8, Max: 24, Text: func(r provision.FirmwareVersion) string { return r.Version }},
		{Key: "nodes", Title: "NODES", Min: 5, Max: 7, Right: true, Text: func(r provision.FirmwareVersion) string { return strconv.Itoa(len(r.Nodes)) }},
		{Key: "names", Title: "NAMES", Min: 10, Grow: 1, Role: theme.Muted, Text: func(r provision.FirmwareVersion) string { return named(r.Nodes) }},
	})
	return t
}

func named(nodes []models.NodeRef) string {
	names := make([]string, 0, namesAtMost)
	for _, n := range nodes[:min(len(nodes), namesAtMost)] {
		names = append(names, n.Label())
	}
	text := strings.Join(names, " ")
	if more := len(nodes) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Draw draws the screen with the table of the current tab.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	left := []body.Span{body.S(theme.Strong, " Compare "), body.S(theme.Plain, models.Counted(len(s.nodes), "node"))}
	if s.api == nil {
		return body.Page(t, w, h, body.Line(t, w, left, nil), t.Rule(w), func(h int) string {
			return cell.Block([]string{"", t.Paint(theme.Muted, textNotHere)}, w, h)
		})
	}
	if s.tab == biosTab {
		left = append(left, body.S(theme.Muted, "  "+s.summary()))
	}
	heading := body.Line(t, w, left, []body.Span{body.FreshnessOf(s.source())})
	return body.Page(t, w, h, heading, s.tabs.Draw(t, titles, s.tab, "", w), func(h int) string { return s.content(t, w, h) })
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	head := body.FaultAbove(t, s.source().Err(), w)
	s.listAt = body.PageTop + len(head)
	s.versions.Empty = "Reading firmware versions…"
	if s.firmware.Known() {
		s.versions.Empty = textNoFirmware
	}
	s.drifts.Empty = body.EmptyText(s.drift, "Reading BIOS settings…", fmt.Sprintf(textSame, s.golden.Label()))
	if len(s.nodes) == 1 && s.golden.UUID == s.nodes[0].UUID {
		s.drifts.Empty = s.env.Keys.Text("One node: {hardware-golden} compares it with a golden node.")
	}
	s.rows().Resize(w, max(h-len(head), 0))
	return cell.Block(append(head, body.Split(s.rows().Draw(t))...), w, h)
}
