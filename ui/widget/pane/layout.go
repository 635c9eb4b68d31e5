package pane

import "ironworks/ui/cell"

// rowsOf is how many rows a line takes.
func (p *Pane) rowsOf(line int) int {
	if !p.wrap || p.w <= 0 || line >= len(p.lines) {
		return 1
	}
	return len(p.breaks(line))
}

// breaks are the ends, in bytes, of the rows of a wrapped line. Those of lines near the
// window are kept: the same ones are asked for at each drawing.
func (p *Pane) breaks(line int) []int {
	ends, known := p.rows[line]
	if known {
		return ends
	}
	if p.rows == nil || len(p.rows) > 8*(p.h+8) {
		p.rows = make(map[int][]int, p.h)
	}
	ends = Breaks(p.lines[line].text(), p.w)
	p.rows[line] = ends
	return ends
}

// Breaks finds where to break a text into rows of at most w cells: after a blank, or
// anywhere in a word that is longer than half a row.
func Breaks(s string, w int) []int {
	var ends []int
	start, x := 0, 0
	blank, atBlank := 0, 0 // the end of the last blank, and the cells up to it
	for i := 0; i < len(s); {
		char, width := cell.First(s[i:])
		if x+width > w && i > start {
			if char == " " {
				// It ends the row, out of sight.
				i++
				ends = append(ends, i)
				start, x = i, 0
				continue
			}
			if blank > start && x-atBlank <= w/2 {
				ends = append(ends, blank)
				start, x = blank, x-atBlank
			} else {
				ends = append(ends, i)
				start, x = i, 0
			}
			blank, atBlank = 0, 0
			continue
		}
		x += width
		i += len(char)
		if char == " " {
			blank, atBlank = i, x
		}
	}
	return append(ends, len(s))
}

// Window finds which bytes of a text are in sight, from a cell on for w cells. lead are
// the blanks for a wide character that is cut through at the left; more says that the
// text goes on at the right.
func Window(s string, from, w int) (lead, start, end int, more bool) {
	x, i := 0, 0
	for i < len(s) && x < from {
		char, width := cell.First(s[i:])
		x += width
		i += len(char)
	}
	if x < from {
		return 0, len(s), len(s), false
	}
	lead = x - from
	start = i
	for i < len(s) {
		char, width := cell.First(s[i:])
		if x+width > from+w {
			return lead, start, i, true
		}
		x += width
		i += len(char)
	}
	return lead, start, i, false
}
