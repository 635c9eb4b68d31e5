// Package body has what the bodies of screens have in common: their lines, how a fault
// is told, and what a key does to whatever scrolls.
package body

import (
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Span is a piece of text in one role.
type Span = pane.Span

// S is a span.
func S(role theme.Role, text string) Span { return Span{Role: role, Text: text} }

// Line is one line of w cells: the left part, and the right part at the line's end. The
// right one goes where there is no room for both.
func Line(t *theme.Theme, w int, left, right []Span) string {
	r := Width(right)
	if r == 0 || w < Width(left)+2+r+1 {
		right, r = nil, 0
	}
	if r > 0 {
		r += 2 // a gap before it, and one blank behind
	}
	text := Paint(t, left, w-r)
	if len(right) == 0 {
		return cell.Fit(text, w)
	}
	return cell.Fit(text, w-r+1) + Paint(t, right, r-2) + cell.Blanks(1)
}

// Width is how many cells spans take.
func Width(spans []Span) int {
	w := 0
	for _, s := range spans {
		w += cell.Width(s.Text)
	}
	return w
}

// Paint joins spans into at most w cells.
func Paint(t *theme.Theme, spans []Span, w int) string {
	var b strings.Builder
	for _, s := range spans {
		if w <= 0 {
			break
		}
		text := cell.Cut(s.Text, w)
		w -= cell.Width(text)
		b.WriteString(t.Paint(s.Role, text))
	}
	return b.String()
}

// Wrapped breaks a text into lines of at most w cells in one role.
func Wrapped(role theme.Role, text string, w int) []pane.Line {
	return Indented(role, text, w, 0)
}

// Indented is [Wrapped] with n blanks before each line.
func Indented(role theme.Role, text string, w, n int) []pane.Line {
	if w-n < 4 {
		n = 0
	}
	var lines []pane.Line
	for _, line := range cell.Wrap(text, max(w-n, 1)) {
		lines = append(lines, pane.Line{S(role, cell.Blanks(n)+line)})
	}
	return lines
}

// Few is [Indented] with at most most lines, however long the text is; an ellipsis stands
// where something is missing.
func Few(role theme.Role, text string, w, n, most int) []pane.Line {
	if most <= 0 || w <= 0 {
		return nil
	}
	lines := Indented(role, cell.Cut(text, w*(most+1)), w, n)
	if len(lines) > most {
		lines = lines[:most]
		last := &lines[most-1][0]
		last.Text = cell.Cut(strings.TrimSuffix(last.Text, cell.Ellipsis)+cell.Ellipsis, w)
	}
	return lines
}

// Draw paints lines that do not scroll, each cut to w cells.
func Draw(t *theme.Theme, lines []pane.Line, w int) []string {
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = Paint(t, line, w)
	}
	return drawn
}

// Split makes lines of what a widget has drawn.
func Split(drawn string) []string {
	if drawn == "" {
		return nil
	}
	return strings.Split(drawn, "\n")
}

// Page is a heading, a rule and content; content is asked for the h lines that are left.
func Page(t *theme.Theme, w, h int, heading, rule string, content func(h int) string) string {
	lines := []string{heading, rule}
	if h > len(lines) {
		lines = append(lines, Split(content(h-len(lines)))...)
	}
	return cell.Block(lines, w, h)
}
