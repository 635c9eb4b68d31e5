package node

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ironworks/models/ports"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
)

// readFindings reads the node, its ports and its inventory, and returns the differences between the ports and the
// inventory.
func readFindings(ctx context.Context, api screen.API, uuid string) ([]ports.Finding, error) {
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	list, err := api.Ports(ctx, uuid)
	if err != nil {
		return nil, err
	}
	return provision.FindPortProblems(ctx, api, n, list)
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

// findingLines draws the differences between the ports and the inventory.
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
