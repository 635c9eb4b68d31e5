package node

import (
	"fmt"
	"slices"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// twoColumns is the minimum width for two columns of details.
const twoColumns = 120

// drawOverview draws a sentence and the details in one scrolling pane, and the last events below it.
func (s *Screen) drawOverview(t *theme.Theme, w, h int) []string {
	events := s.events(t, w, h)
	s.layOverview(w, h-len(events))
	return append(body.Split(s.overview.Draw(t)), events...)
}

// layOverview fills the pane. It must be called whenever the tab is drawn, because the sentence and the details
// change with time.
func (s *Screen) layOverview(w, h int) {
	row := s.picture()
	lines := body.Indented(sentenceRole(&row.Node), explain.Sentence(&row, s.evidence, s.env.ServerNow()), w-1, 1)
	lines = append(lines, nil)
	lines = append(lines, columns(s.details(&row), w)...)
	lines = append(lines, s.moreDetails(&row, w)...)
	s.room = h
	s.overview.Resize(w, h)
	s.overview.SetLines(lines)
}

func sentenceRole(n *models.Node) theme.Role {
	switch {
	case n.ProvisionState.Failed():
		return theme.Bad
	case n.Maintenance:
		return theme.Warn
	}
	return theme.Plain
}

// details returns the facts that neither the heading nor the sentence contains.
func (s *Screen) details(row *models.Row) []models.Detail {
	shown := []string{"name", "state", "step", "reason", "maintenance"}
	if row.Node.ProvisionState == models.StateEnroll {
		shown = append(shown, "last error") // the sentence already contains it
	}
	details := slices.DeleteFunc(models.Overview(row), func(d models.Detail) bool { return slices.Contains(shown, d.Name) })
	ports := "not loaded"
	switch net, read := s.network.Value(); {
	case read:
		ports = portCount(net)
	case s.network.Err() != nil:
		ports = "cannot be read: " + body.Short(s.network.Err())
	}
	return append(details, models.Detail{Name: "ports", Value: ports})
}

func portCount(net network) string {
	if len(net.ports) == 0 {
		return "none: no network boot"
	}
	pxe := 0
	for i := range net.ports {
		if net.ports[i].PXEEnabled {
			pxe++
		}
	}
	text := fmt.Sprintf("%d, %d with PXE", len(net.ports), pxe)
	if len(net.groups) > 0 {
		text += fmt.Sprintf(", %d in a group", grouped(net))
	}
	return text
}

func grouped(net network) int {
	n := 0
	for i := range net.ports {
		if net.ports[i].PortgroupUUID != "" {
			n++
		}
	}
	return n
}

// columns lays out details in one column, or in two columns if w is large enough.
func columns(details []models.Detail, w int) []pane.Line {
	if w < twoColumns {
		return body.Details(details, w)
	}
	n := (len(details) + 1) / 2
	return sideBySide(body.Details(details[:n], w/2), body.Details(details[n:], w/2), w/2)
}

func sideBySide(left, right []pane.Line, w int) []pane.Line {
	lines := make([]pane.Line, max(len(left), len(right)))
	for i := range lines {
		var line pane.Line
		if i < len(left) {
			line = slices.Clone(left[i])
		}
		line = append(line, body.S(theme.Plain, cell.Blanks(w-body.Width(line))))
		if i < len(right) {
			line = append(line, right[i]...)
		}
		lines[i] = line
	}
	return lines
}

// events draws the node's last events below a rule, with the newest at the bottom. A taller screen shows more events.
func (s *Screen) events(t *theme.Theme, w, h int) []string {
	most := 0
	switch {
	case h >= 40:
		most = 10
	case h >= 14:
		most = 3
	}
	all := s.env.Events.Of(s.uuid)
	all = all[max(len(all)-most, 0):]
	if most == 0 || len(all) == 0 {
		return nil
	}
	lines := []string{t.Rule(w)}
	for i := range all {
		lines = append(lines, screen.EventLine(t, &all[i], w))
	}
	return lines
}
