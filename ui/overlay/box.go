// Package overlay has the dialogs that stand in front of a screen: they take every key
// until they are done, and say what was chosen with a command.
package overlay

import (
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// box draws lines in a frame with a title, at most w by h cells. The frame is as wide as
// its widest line, at least half of what is allowed.
func box(t *theme.Theme, title string, lines []string, w, h int, role theme.Role) string {
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

// inside is the room for lines in a box of at most w by h cells.
func inside(w, h int) (int, int) { return max(w-4, 0), max(h-2, 0) }
