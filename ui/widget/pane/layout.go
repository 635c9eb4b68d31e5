package pane

import "ironworks/ui/cell"

func (p *Pane) rowsOf(line int) int {
	if !p.wrap || p.w <= 0 || line >= len(p.lines) {
		return 1
	}
	return len(p.breaks(line))
}

// breaks returns the byte offsets at which the rows of a wrapped line end. They are cached near the window.
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

// Breaks returns the offsets in bytes at which rows of at most w cells end. A row ends after a space, or within a
// word that is longer than half a row.
func Breaks(s string, w int) []int {
	var ends []int
	start, x := 0, 0
	blank, atBlank := 0, 0 // the offset after the last space, and the cells up to there
	for i := 0; i < len(s); {
		char, width := cell.First(s[i:])
		if x+width > w && i > start {
			if char == " " {
				// A space at the end of a row is not shown.
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

// Window returns the range of bytes of s that is visible in w cells. from is the number of cells that have been
// scrolled out at the left. lead is the number of spaces in place of a wide character that is cut at the left. more
// reports whether text is hidden at the right.
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
