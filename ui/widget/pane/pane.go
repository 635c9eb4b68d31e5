// Package pane shows scrolling text: a log, a document, a diff. Only visible lines are laid out, so that the cost
// does not depend on the length. The position stays when lines are replaced.
package pane

import (
	"strings"

	"ironworks/printable"
	"ironworks/ui/theme"
)

// Span is a part of a line in one role.
type Span struct {
	Role theme.Role
	Text string
}

// Line is a line of text; line breaks in it are drawn as spaces.
type Line []Span

// Text returns a line in one role.
func Text(role theme.Role, text string) Line { return Line{{Role: role, Text: text}} }

// text returns the line without roles.
func (l Line) text() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Pane is a window on lines. The zero value is empty and does not wrap.
type Pane struct {
	lines []Line
	w, h  int

	top  Place
	x    int // scrolled cells, without wrapping
	wrap bool

	query string
	hit   int // line of the current match

	rows map[int][]int // the ends of the rows of each wrapped line near the window
}

// printableSpans sanitizes lines in place.
func printableSpans(lines []Line) []Line {
	for _, l := range lines {
		for i := range l {
			l[i].Text = printable.Line(l[i].Text)
		}
	}
	return lines
}

// SetLines replaces the lines; it keeps the slice and sanitizes it. The position stays.
func (p *Pane) SetLines(lines []Line) {
	p.lines = printableSpans(lines)
	p.rows = nil
	p.hit = min(p.hit, max(len(lines)-1, 0))
	p.settle()
}

// Resize sets the area.
func (p *Pane) Resize(w, h int) {
	if w == p.w && h == p.h {
		return
	}
	if w != p.w {
		p.rows = nil
	}
	p.w, p.h = w, h
	p.settle()
}

// SetWrap wraps long lines, or cuts them and enables Scroll.
func (p *Pane) SetWrap(wrap bool) {
	if wrap == p.wrap {
		return
	}
	p.wrap, p.x, p.rows = wrap, 0, nil
	p.top.Row = 0
	p.settle()
}

// Wrap reports whether long lines are wrapped.
func (p *Pane) Wrap() bool { return p.wrap }

// Len returns the number of lines.
func (p *Pane) Len() int { return len(p.lines) }

// settle moves the position back into the text after a change.
func (p *Pane) settle() {
	end := p.end()
	if end.Before(p.top) {
		p.top = end
		return
	}
	// The line may have become shorter.
	p.top.Row = min(p.top.Row, p.rowsOf(p.top.Line)-1)
}
