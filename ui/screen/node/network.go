package node

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// network holds the node's ports and port groups. If the port groups cannot be read, the ports are still shown.
type network struct {
	ports     []models.Port
	groups    []models.Portgroup
	groupsErr error
}

func readNetwork(ctx context.Context, api screen.API, uuid string) (network, error) {
	var n network
	var err error
	if n.ports, err = api.Ports(ctx, uuid); err != nil {
		return n, err
	}
	n.groups, n.groupsErr = api.Portgroups(ctx, uuid)
	return n, nil
}

// count returns the number of ports of the given kind.
func (n network) count(of func(p *models.Port) bool) int {
	count := 0
	for i := range n.ports {
		if of(&n.ports[i]) {
			count++
		}
	}
	return count
}

func (s *Screen) portTable() *table.Table[models.Port] {
	t := table.New(func(p models.Port) string { return p.UUID })
	link := func(keys ...string) func(p models.Port) string {
		return func(p models.Port) string {
			for _, k := range keys {
				if v := p.LocalLink[k]; v != nil && v != "" {
					return fmt.Sprint(v)
				}
			}
			return ""
		}
	}
	t.SetColumns([]table.Column[models.Port]{
		{Key: "address", Title: "ADDRESS", Min: 17, Max: 60, Text: func(p models.Port) string { return p.Address }},
		{Key: "name", Title: "NAME", Min: 6, Max: 30, Drop: 2, Text: func(p models.Port) string { return p.Name }},
		{Key: "pxe", Title: "PXE", Min: 3, Cell: func(p models.Port) table.Cell {
			if p.PXEEnabled {
				return table.Cell{Text: "yes", Role: theme.Good}
			}
			return table.Cell{Text: "no", Role: theme.Muted}
		}},
		{Key: "vif", Title: "VIF", Min: 8, Max: 36, Drop: 5, Text: func(p models.Port) string { return p.Internal.VIF }},
		{Key: "network", Title: "PHYSICAL NET", Min: 8, Max: 24, Drop: 3, Text: func(p models.Port) string { return p.PhysicalNetwork }},
		{Key: "group", Title: "GROUP", Min: 6, Max: 24, Drop: 4, Text: s.groupName},
		{Key: "switch", Title: "SWITCH", Min: 12, Max: 40, Drop: 1, Text: link("switch_info", "switch_id", "hostname")},
		{Key: "port", Title: "SWITCH PORT", Min: 11, Grow: 1, Text: link("port_id")},
	})
	return t
}

// groupName returns the name of the port group that p belongs to, or its UUID if it has no name.
func (s *Screen) groupName(p models.Port) string {
	net, _ := s.network.Value()
	for i := range net.groups {
		if net.groups[i].UUID == p.PortgroupUUID {
			return cmp.Or(net.groups[i].Name, net.groups[i].UUID)
		}
	}
	return p.PortgroupUUID
}

func (s *Screen) drawNetwork(t *theme.Theme, w, h int) []string {
	lines := s.asked(t, w, s.network.Err())
	net, _ := s.network.Value()
	none := "No ports: the node cannot boot from the network. Inspect the node or create ports."
	s.ports.Empty = body.EmptyText(s.network, "Loading ports…", none)
	groups := append(groupLines(t, net, w), s.findingLines(t, w)...)
	groups = groups[:min(len(groups), h/2)]
	s.listAt = len(lines)
	s.ports.Resize(w, h-len(lines)-len(groups))
	return append(append(lines, body.Split(s.ports.Draw(t))...), groups...)
}

// asked draws the error from a tab's last request. The tab shows it above its older data.
func (s *Screen) asked(t *theme.Theme, w int, err error) []string {
	// Every tab already shows the error that occurred when the node was read.
	if s.detail.Err() != nil {
		return nil
	}
	return body.FaultAbove(t, err, w)
}

func groupLines(t *theme.Theme, net network, w int) []string {
	switch {
	case net.groupsErr != nil:
		return append([]string{t.Rule(w)}, body.Draw(t, body.Fault(net.groupsErr, w), w)...)
	case len(net.groups) == 0:
		return nil
	}
	lines := []string{t.Rule(w), t.Paint(theme.Muted, cell.Cut("   PORT GROUP        MODE              ADDRESS            PORTS", w))}
	for i := range net.groups {
		g := &net.groups[i]
		members := net.count(func(p *models.Port) bool { return p.PortgroupUUID == g.UUID })
		name := cmp.Or(g.Name, g.UUID)
		lines = append(lines, body.Text(t, theme.Plain, fmt.Sprintf("   %s  %s  %s  %d", cell.Fit(printable.Line(name), 16),
			cell.Fit(printable.Line(g.Mode), 16), cell.Fit(printable.Line(g.Address), 17), members), w))
	}
	return lines
}

// readFindings reads the node, its ports and its inventory, and returns the differences between the ports and the
// inventory.
func readFindings(ctx context.Context, api screen.API, uuid string) ([]ports.Finding, error) {
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	report, err := provision.ComparePorts(ctx, api, n)
	return report.Findings, err
}

// openNetwork fetches the ports and the findings, unless they were fetched recently.
func (s *Screen) openNetwork() tea.Cmd {
	var ports, findings tea.Cmd
	if s.isDue(s.network) {
		ports = s.network.Get()
	}
	if s.isDue(s.wiring) {
		findings = s.wiring.Get()
	}
	return tea.Batch(ports, findings)
}

func (s *Screen) findingLines(t *theme.Theme, w int) []string {
	found, read := s.wiring.Value()
	err := s.wiring.Err()
	switch {
	case err != nil:
		return []string{t.Rule(w), body.Text(t, theme.Muted, cell.Cut(" "+textNotInspected+reason(err), w), w)}
	case !read:
		return nil
	case len(found) == 0:
		return []string{t.Rule(w), body.Text(t, theme.Muted, " "+textPortsMatch, w)}
	}
	lines := []string{t.Rule(w)}
	for _, f := range found {
		lines = append(lines, body.Text(t, theme.Warn, cell.Cut(" "+theme.GlyphMaint+" "+f.Text, w), w))
	}
	return lines
}
