package node

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

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

// title returns a section heading of the overview, with an empty line above it.
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
		parts := []string{p.Address}
		if p.PXEEnabled {
			parts = append(parts, "pxe")
		}
		for _, part := range []string{p.Name, p.PhysicalNetwork} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		text := strings.Join(parts, "  ")
		lines = append(lines, pane.Line{body.S(theme.Plain, "   "+cell.Cut(text, w-4))})
	}
	return lines
}

func propertyLines(n *models.Node, w int) []pane.Line {
	if len(n.Properties) == 0 {
		return nil
	}
	keys := make([]string, 0, len(n.Properties))
	for k := range n.Properties {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	lines := title("Properties")
	for _, k := range keys {
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
