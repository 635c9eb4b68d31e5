// Package pane shows lines of text that scroll: a log, a document, a difference. Only the
// lines in sight are laid out, with or without wrapping, so a log of a hundred thousand
// lines costs what a screen does. The place is kept when lines are replaced, and with
// Follow the end stays in sight until somebody scrolls up.
package pane

import (
	"slices"
	"strings"

	"ironworks/ui/theme"
)

// Span is a piece of a line in one role.
type Span struct {
	Role theme.Role
	Text string
}

// Line is a line of text. It is one line: a break within it shows as a blank.
type Line []Span

// Text is a line in one role.
func Text(role theme.Role, text string) Line { return Line{{Role: role, Text: text}} }

// text is the line without roles.
func (l Line) text() string {
	if len(l) == 1 {
		return strings.ReplaceAll(l[0].Text, "\n", " ")
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// Pane is a window on lines. The zero value is an empty one that does not wrap.
type Pane struct {
	lines []Line
	limit int // most lines to keep; 0: all
	w, h  int

	top  Place
	x    int // cells scrolled to the right, without wrapping
	wrap bool

	follow, atEnd bool

	query string
	hit   int // line of the match that was gone to last

	rows map[int][]int // where wrapped lines break, of lines in sight
}

// SetLines replaces the lines; the slice is kept. The place stays.
func (p *Pane) SetLines(lines []Line) {
	p.lines = slices.Clip(lines) // Append must not write behind the owner's slice
	p.rows = nil
	p.hit = min(p.hit, max(len(lines)-1, 0))
	p.shorten()
	p.settle()
}

// Append adds lines at the end.
func (p *Pane) Append(lines ...Line) {
	p.lines = append(p.lines, lines...)
	clear(p.shorten())
	p.settle()
}

// SetLimit keeps no more than the last n lines; 0 keeps all.
func (p *Pane) SetLimit(n int) {
	p.limit = n
	p.shorten()
	p.settle()
}

// shorten drops lines from the beginning; what is in sight stays, unless it is dropped.
// The slice only moves on: append copies what is left when its room is used up.
func (p *Pane) shorten() (dropped []Line) {
	over := len(p.lines) - p.limit
	if p.limit <= 0 || over <= 0 {
		return nil
	}
	dropped, p.lines = p.lines[:over], p.lines[over:]
	p.rows = nil
	p.hit = max(p.hit-over, 0)
	if p.top.Line -= over; p.top.Line < 0 {
		p.top = Place{}
	}
	return dropped
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

// SetWrap breaks long lines, or cuts them and lets Scroll show the rest.
func (p *Pane) SetWrap(wrap bool) {
	if wrap == p.wrap {
		return
	}
	p.wrap, p.x, p.rows = wrap, 0, nil
	p.top.Row = 0
	p.settle()
}

// Wrap says whether long lines are broken.
func (p *Pane) Wrap() bool { return p.wrap }

// SetFollow keeps the end in sight, as long as nobody scrolls away from it.
func (p *Pane) SetFollow(follow bool) {
	p.follow = follow
	if follow {
		p.Bottom()
	}
}

// Following says whether the end is kept in sight: Follow is on, and nobody scrolled up.
func (p *Pane) Following() bool { return p.follow && p.atEnd }

// Len is how many lines there are.
func (p *Pane) Len() int { return len(p.lines) }

// settle brings the place back into the text after a change.
func (p *Pane) settle() {
	end := p.end()
	if p.Following() || end.Before(p.top) {
		p.top = end
		return
	}
	// A line may have become shorter than it was.
	p.top.Row = min(p.top.Row, p.rowsOf(p.top.Line)-1)
}
