package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// drawOverview draws the sentence and the details in a scrolling pane, and the last events below it.
func (s *Screen) drawOverview(t *theme.Theme, w, h int) []string {
	events := s.events(t, w, h)
	s.layOverview(w, h-len(events))
	return append(body.Split(s.overview.Draw(t)), events...)
}

// layOverview fills the pane whenever the tab is drawn, because the sentence and the details change with time.
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
	details := explain.Unsaid(row)
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
	text := fmt.Sprintf("%d, %d with PXE", len(net.ports), net.count(func(p *models.Port) bool { return p.PXEEnabled }))
	if len(net.groups) > 0 {
		text += fmt.Sprintf(", %d in a group", net.count(func(p *models.Port) bool { return p.PortgroupUUID != "" }))
	}
	return text
}

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

// moreDetails returns the lines below the details: steps, ports and properties. They are arranged in two columns if w
// is large enough.
func (s *Screen) moreDetails(row *models.Row, w int) []pane.Line {
	room := w
	if w >= twoColumns {
		room = w / 2
	}
	left := s.stepLines(row, room)
	right := append(s.portLines(room), propertyLines(&row.Node, room)...)
	if w >= twoColumns {
		return sideBySide(left, right, room)
	}
	return append(left, right...)
}

func title(text string) []pane.Line {
	return []pane.Line{nil, {body.S(theme.Strong, " "+text)}}
}

func (s *Screen) stepLines(row *models.Row, w int) []pane.Line {
	current := s.currentWork(row)
	if len(current.steps) == 0 {
		return nil
	}
	lines := title("Steps")
	for _, st := range current.rows() {
		glyph, _, role := st.outcome.style()
		lines = append(lines, pane.Line{body.S(role, "   "+glyph+" "), body.S(theme.Plain, cell.Cut(st.label, w-6))})
	}
	return lines
}

func (s *Screen) portLines(w int) []pane.Line {
	net, _ := s.network.Value()
	if len(net.ports) == 0 {
		return nil
	}
	lines := title("Ports")
	for i := range net.ports {
		p := &net.ports[i]
		pxe := ""
		if p.PXEEnabled {
			pxe = "pxe"
		}
		parts := slices.DeleteFunc([]string{pxe, p.Name, p.PhysicalNetwork}, func(part string) bool { return part == "" })
		text := strings.Join(append([]string{p.Address}, parts...), "  ")
		lines = append(lines, pane.Line{body.S(theme.Plain, "   "+cell.Cut(text, w-4))})
	}
	return lines
}

func propertyLines(n *models.Node, w int) []pane.Line {
	if len(n.Properties) == 0 {
		return nil
	}
	lines := title("Properties")
	for _, k := range slices.Sorted(maps.Keys(n.Properties)) {
		text := fmt.Sprint(n.Properties[k])
		if _, plain := n.Properties[k].(string); !plain {
			if data, err := models.JSONText(n.Properties[k]); err == nil {
				text = data
			}
		}
		name := cell.Fit(k, 16)
		lines = append(lines, pane.Line{
			body.S(theme.Muted, "   "+name+" "), body.S(theme.Plain, cell.Cut(text, max(w-21, 1))),
		})
	}
	return lines
}
