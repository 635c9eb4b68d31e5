// Package pane displays text that can be scrolled, such as a log, a document or a diff. Only visible lines are laid
// out, so the cost does not depend on the length of the text. When lines are replaced, the position is kept.
package pane

import (
	"strings"

	"ironworks/printable"
	"ironworks/ui/theme"
)

// Span is a part of a line that has one role.
type Span struct {
	Role theme.Role
	Text string
}

// Line is a line of text that consists of spans. Line breaks in it are drawn as spaces.
type Line []Span

// Text returns a line that has a single role.
func Text(role theme.Role, text string) Line { return Line{{Role: role, Text: text}} }

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

// Pane is a window into lines of text. The zero value is empty and does not wrap lines.
type Pane struct {
	lines []Line
	w, h  int

	top  Place
	x    int // cells scrolled to the right; 0 if lines are wrapped
	wrap bool

	query string
	hit   int // index of the line with the current match

	rows map[int][]int // cached row ends of wrapped lines
}

// SetLines replaces the lines. The pane keeps the slice, and replaces control characters in it. The position is kept.
func (p *Pane) SetLines(lines []Line) {
	for _, l := range lines {
		for i := range l {
			l[i].Text = printable.Line(l[i].Text)
		}
	}
	p.lines, p.rows = lines, nil
	p.hit = min(p.hit, max(len(lines)-1, 0))
	p.settle()
}

// Resize sets the size of the area, in cells.
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

// SetWrap selects whether long lines are wrapped. If not, they are cut, and Scroll moves them sideways.
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

// settle corrects the position after the text or the area has changed.
func (p *Pane) settle() {
	end := p.end()
	if end.Before(p.top) {
		p.top = end
		return
	}
	// The line at the top may have become shorter.
	p.top.Row = min(p.top.Row, p.rowsOf(p.top.Line)-1)
}
