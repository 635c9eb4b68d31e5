package body

import (
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Beside puts two blocks beside each other, with a rule between them.
func Beside(t *theme.Theme, left, right string, w, h int) string {
	l, r := Split(left), Split(right)
	lines := make([]string, 0, max(h, 0))
	for i := range min(len(l), len(r)) {
		lines = append(lines, l[i]+t.Paint(theme.Muted, "│")+r[i])
	}
	return cell.Block(lines, w, h)
}

// PaneOr paints a text, or what is to be said where there is none.
func PaneOr(t *theme.Theme, p *pane.Pane, nothing string, w, h int) string {
	p.Resize(w, h)
	if p.Len() == 0 {
		return cell.Block(Draw(t, Indented(theme.Muted, nothing, w-1, 1), w), w, h)
	}
	return p.Draw(t)
}
