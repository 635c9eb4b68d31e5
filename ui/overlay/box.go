// Package overlay implements the dialogs that are drawn over a screen. A dialog receives every key until it is
// closed, and returns its result as a command.
package overlay

import (
	"strings"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// box draws lines in a framed box of at most w by h cells, as wide as its lines, but at least half of w.
func box(t *theme.Theme, title string, lines []string, w, h int, role theme.Role) string {
	title = printable.Line(title)
	inner := cell.Width(title) + 4
	for _, l := range lines {
		inner = max(inner, cell.Width(l))
	}
	inner = min(max(inner, w/2-4), w-4)
	if inner < 1 || h < 3 {
		return cell.Block(lines, max(w, 0), max(h, 0))
	}
	if len(lines) > h-2 {
		lines = lines[:h-2]
	}
	title = cell.Cut(title, inner-2)
	edge := func(s string) string { return t.Paint(role, s) }
	var b strings.Builder
	b.WriteString(edge("╭─ ") + t.Paint(theme.Strong, title) + " " + edge(strings.Repeat("─", max(inner-cell.Width(title)-1, 0))+"╮"))
	for _, l := range lines {
		b.WriteString("\n" + edge("│") + " " + cell.Fit(l, inner) + " " + edge("│"))
	}
	b.WriteString("\n" + edge("╰"+strings.Repeat("─", inner+2)+"╯"))
	return b.String()
}

// boxTop is the number of lines of a box above its content.
const boxTop = 1

// inside returns the width and height that remain for the content of a box of w by h cells.
func inside(w, h int) (int, int) { return max(w-4, 0), max(h-2, 0) }
