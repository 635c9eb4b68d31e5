package pane

import (
	"fmt"
	"strings"

	"ironworks/ui/cell"
)

// Move scrolls by the given number of rows.
func (p *Pane) Move(by int) {
	p.top = p.walk().Move(p.top, by, p.end())
}

// Page scrolls by the given number of screens, which overlap by one row.
func (p *Pane) Page(by int) { p.Move(by * max(p.h-1, 1)) }

// Top scrolls to the first line.
func (p *Pane) Top() { p.top = Place{} }

// Bottom scrolls to the end.
func (p *Pane) Bottom() { p.top = p.end() }

// Scroll scrolls sideways by the given number of cells, at most to the end of the longest visible line. It does
// nothing if lines are wrapped.
func (p *Pane) Scroll(by int) {
	if p.wrap {
		return
	}
	widest := 0
	for i := p.top.Line; i < min(p.top.Line+p.h, len(p.lines)); i++ {
		widest = max(widest, cell.Width(p.lines[i].text()))
	}
	// If only shorter lines are visible, scrolling right does nothing.
	most := max(widest-p.w, 0)
	if by > 0 {
		most = max(most, p.x)
	}
	p.x = min(max(p.x+by, 0), most)
}

// GoTo scrolls to the given line, counted from 0.
func (p *Pane) GoTo(line int) {
	end := p.end()
	p.top = Place{Line: max(min(line, len(p.lines)-1), 0)}
	if end.Before(p.top) {
		p.top = end
	}
}

// Position returns the range of visible lines as text, such as "12–48 of 300", or "" if there are none.
func (p *Pane) Position() string {
	return p.walk().Position(p.top, len(p.lines), p.h)
}

func (p *Pane) walk() Rows { return p.rowsOf }

// end returns the last position at which the lines still fill the area.
func (p *Pane) end() Place { return p.walk().End(len(p.lines), p.h) }

// Place is a row of a text with wrapped lines: the index of a line, and of a row within that line.
type Place struct{ Line, Row int }

// Before reports whether a is closer to the start of the text than b.
func (a Place) Before(b Place) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Row < b.Row
}

// Rows is a function that returns the number of rows of a line, which is at least one.
type Rows func(line int) int

// Up returns the place that is n rows above the place at, or the start of the text if that is closer.
func (rows Rows) Up(at Place, n int) Place {
	for n > at.Row {
		if at.Line == 0 {
			return Place{}
		}
		n -= at.Row + 1
		at.Line--
		at.Row = rows(at.Line) - 1
	}
	at.Row -= n
	return at
}

// Down returns the place that is n rows below the place at, or limit if that is closer.
func (rows Rows) Down(at Place, n int, limit Place) Place {
	for at.Line < limit.Line && n > 0 {
		left := rows(at.Line) - 1 - at.Row
		if n <= left {
			break
		}
		n -= left + 1
		at = Place{Line: at.Line + 1}
	}
	at.Row += n
	if limit.Before(at) {
		return limit
	}
	return at
}

// Move returns the place by rows below the place at, but not below end, or above it if by is negative.
func (rows Rows) Move(at Place, by int, end Place) Place {
	if by < 0 {
		return rows.Up(at, -by)
	}
	return rows.Down(at, by, end)
}

// Position returns the range of lines that an area of h rows shows, from the place top on, as text, such as
// "12–48 of 300", or "" if there are no lines.
func (rows Rows) Position(top Place, lines, h int) string {
	if lines == 0 {
		return ""
	}
	last := rows.Down(top, max(h-1, 0), rows.Last(lines))
	return fmt.Sprintf("%d–%d of %d", top.Line+1, last.Line+1, lines)
}

// Area draws an area of w by h cells that shows a text with the given number of lines from the place at on. row draws
// a row; the rows below the text are blank.
func (rows Rows) Area(at Place, lines, w, h int, row func(b *strings.Builder, at Place)) string {
	var b strings.Builder
	b.Grow((max(w, 0) + 32) * max(h, 0))
	for i := range h {
		if i > 0 {
			b.WriteByte('\n')
		}
		if at.Line >= lines {
			b.WriteString(cell.Blanks(w))
			continue
		}
		row(&b, at)
		if at.Row++; at.Row >= rows(at.Line) {
			at = Place{Line: at.Line + 1}
		}
	}
	return b.String()
}

// Last returns the last row of a text with the given number of lines.
func (rows Rows) Last(lines int) Place {
	if lines == 0 {
		return Place{}
	}
	return Place{Line: lines - 1, Row: rows(lines-1) - 1}
}

// End returns the last place from which a text with the given number of lines still fills an area of h rows.
func (rows Rows) End(lines, h int) Place {
	return rows.Up(rows.Last(lines), max(h, 1)-1)
}
