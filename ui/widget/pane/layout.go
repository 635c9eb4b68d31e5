package pane

import "ironworks/ui/cell"

func (p *Pane) rowsOf(line int) int {
	if !p.wrap || p.w <= 0 || line >= len(p.lines) {
		return 1
	}
	return len(p.breaks(line))
}

// breaks returns the row ends of a wrapped line, in bytes. Those near the window are cached.
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

// Breaks returns the row ends of a text in rows of at most w cells: after a space, or anywhere in a word longer
// than half a row.
func Breaks(s string, w int) []int {
	var ends []int
	start, x := 0, 0
	blank, atBlank := 0, 0 // the end of the last space, and the cells up to it
	for i := 0; i < len(s); {
		char, width := cell.First(s[i:])
		if x+width > w && i > start {
			if char == " " {
				// The space that ends the row is invisible.
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

// Window returns the visible bytes of a text, from a cell on for w cells. lead is the number of spaces for a wide
// character cut at the left; more reports hidden text at the right.
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
