package pane

import (
	"fmt"

	"ironworks/ui/cell"
)

func (a place) before(b place) bool {
	return a.line < b.line || a.line == b.line && a.row < b.row
}

// Move scrolls by rows.
func (p *Pane) Move(by int) {
	end := p.end()
	if by < 0 {
		p.top = p.up(p.top, -by)
	} else {
		p.top = p.down(p.top, by, end)
	}
	p.atEnd = p.top == end
}

// Page scrolls by screens; one row of the last one stays in sight.
func (p *Pane) Page(by int) { p.Move(by * max(p.h-1, 1)) }

// Top goes to the beginning.
func (p *Pane) Top() {
	p.top = place{}
	p.atEnd = p.top == p.end()
}

// Bottom goes to the end, and stays there where the pane follows.
func (p *Pane) Bottom() {
	p.top = p.end()
	p.atEnd = true
}

// Scroll moves the text sideways by cells, as far as the lines in sight reach.
func (p *Pane) Scroll(by int) {
	if p.wrap {
		return
	}
	widest := 0
	for i := p.top.line; i < min(p.top.line+p.h, len(p.lines)); i++ {
		widest = max(widest, cell.Width(p.lines[i].text()))
	}
	// Where shorter lines came into sight, going on to the right stays where it is.
	most := max(widest-p.w, 0)
	if by > 0 {
		most = max(most, p.x)
	}
	p.x = min(max(p.x+by, 0), most)
}

// GoTo brings a line, counted from 0, to the top.
func (p *Pane) GoTo(line int) {
	end := p.end()
	p.top = place{line: max(min(line, len(p.lines)-1), 0)}
	if end.before(p.top) {
		p.top = end
	}
	p.atEnd = p.top == end
}

// Position tells which lines are in sight, such as "12–48 of 300"; nothing where there
// are none.
func (p *Pane) Position() string {
	n := len(p.lines)
	if n == 0 {
		return ""
	}
	last := p.down(p.top, max(p.h-1, 0), place{line: n - 1, row: p.rowsOf(n-1) - 1})
	return fmt.Sprintf("%d–%d of %d", p.top.line+1, last.line+1, n)
}

// up is the place that is n rows before another.
func (p *Pane) up(at place, n int) place {
	for n > at.row {
		if at.line == 0 {
			return place{}
		}
		n -= at.row + 1
		at.line--
		at.row = p.rowsOf(at.line) - 1
	}
	at.row -= n
	return at
}

// down is the place that is n rows after another, but not beyond the limit.
func (p *Pane) down(at place, n int, limit place) place {
	for at.line < limit.line && n > 0 {
		left := p.rowsOf(at.line) - 1 - at.row
		if n <= left {
			break
		}
		n -= left + 1
		at = place{line: at.line + 1}
	}
	at.row += n
	if limit.before(at) {
		return limit
	}
	return at
}

// end is the last place from which the text fills the area.
func (p *Pane) end() place {
	if len(p.lines) == 0 {
		return place{}
	}
	last := len(p.lines) - 1
	return p.up(place{line: last, row: p.rowsOf(last) - 1}, max(p.h, 1)-1)
}
