// Package body has what the bodies of screens have in common: their lines, how a fault
// is told, and what a key does to whatever scrolls.
package body

import (
	"strings"

	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/tabs"
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
		w += cell.Width(printable.Line(s.Text))
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
		text := cell.Cut(printable.Line(s.Text), w)
		w -= cell.Width(text)
		b.WriteString(t.Paint(s.Role, text))
	}
	return b.String()
}

// Text paints a text in at most w cells.
func Text(t *theme.Theme, role theme.Role, text string, w int) string {
	return Paint(t, []Span{S(role, text)}, w)
}

// Rule is a rule of w cells that begins with a text.
func Rule(t *theme.Theme, role theme.Role, text string, w int) string {
	drawn := Text(t, role, text, w)
	return drawn + t.Rule(w-cell.Width(drawn))
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
	for _, line := range cell.Wrap(printable.Lines(text), max(w-n, 1)) {
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
	lines := Indented(role, cell.Cut(printable.Lines(text), w*(most+1)), w, n)
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

// Tabs is a rule in which the names of a screen's views stand, and at its end, where
// there is room, where one is in the view.
func Tabs(t *theme.Theme, titles []string, current int, place string, w int) string {
	need := len(titles) - 1 + tabs.Tight(titles)
	if need+3 > w {
		return tabs.Draw(t, titles, current, w)
	}
	if place != "" {
		place = " " + place + " "
		// Where only one of the two fits, the gaps between the names go.
		if tight := tabs.Tight(titles); need+3+cell.Width(place) > w && tight+3+cell.Width(place) <= w {
			need = tight
		}
	}
	rest := w - need - 1 - cell.Width(place) - 1
	if rest < 1 {
		place, rest = "", w-need-2
	}
	return t.Rule(1) + tabs.Draw(t, titles, current, need) + t.Rule(rest) + t.Paint(theme.Muted, place) + t.Rule(1)
}

// Mover is whatever scrolls or has a cursor: tables and panes.
type Mover interface {
	Move(by int)
	Page(by int)
	Top()
	Bottom()
	Scroll(by int)
}

// Steer does what an action means to whatever scrolls, and says whether it meant
// something. Sideways a table goes by columns and a text by step cells.
func Steer(m Mover, id action.ID, step int) bool {
	switch id {
	case action.Up:
		m.Move(-1)
	case action.Down:
		m.Move(1)
	case action.PageUp:
		m.Page(-1)
	case action.PageDown:
		m.Page(1)
	case action.Top:
		m.Top()
	case action.Bottom:
		m.Bottom()
	case action.ScrollLeft:
		m.Scroll(-step)
	case action.ScrollRight:
		m.Scroll(step)
	default:
		return false
	}
	return true
}
