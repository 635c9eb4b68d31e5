// Package tabs draws a line with the titles of tabs, and marks the current tab.
package tabs

import (
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Draw returns a line of exactly w cells, such as "[Overview] Ports Steps ". The brackets mark the current tab even
// without colors. All other titles have spaces in place of the brackets, so that nothing moves. If not all titles
// fit, the line shows the titles around the current one, and an ellipsis in place of the hidden titles.
func Draw(t *theme.Theme, titles []string, current, w int) string {
	if w <= 0 {
		return ""
	}
	from, to, gap := place(titles, current, w)
	var b strings.Builder
	if from > 0 {
		b.WriteString(t.Paint(theme.Muted, cell.Ellipsis))
	}
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(cell.Blanks(gap))
		}
		if i == current {
			b.WriteString(t.Paint(theme.Accent, "["+titles[i]+"]"))
		} else {
			b.WriteString(" " + t.Paint(theme.Muted, titles[i]) + " ")
		}
	}
	if to < len(titles) {
		b.WriteString(t.Paint(theme.Muted, cell.Ellipsis))
	}
	return cell.Fit(b.String(), w)
}

// At returns the index of the title at cell x of the line that Draw returns, or -1.
func At(titles []string, current, w, x int) int {
	from, to, gap := place(titles, current, w)
	left := min(from, 1) // one cell for the ellipsis
	for i := from; i < to; i++ {
		right := left + cell.Width(titles[i]) + 2
		if x >= left && x < min(right, w) {
			return i
		}
		left = right + gap
	}
	return -1
}

// place returns the range of visible titles and the number of cells between them.
func place(titles []string, current, w int) (from, to, gap int) {
	from, to = window(titles, current, w)
	if to-from < len(titles) && MinWidth(titles) <= w {
		return 0, len(titles), 0
	}
	return from, to, 1
}

// MinWidth returns the width of all titles without gaps.
func MinWidth(titles []string) int {
	w := 0
	for _, title := range titles {
		w += cell.Width(title) + 2
	}
	return w
}

// window returns the range of visible titles, from the first one unless the current one would then be hidden.
func window(titles []string, current, w int) (from, to int) {
	if current < 0 || current >= len(titles) {
		current = 0
	}
	for from = 0; ; from++ {
		to = fits(titles, from, w)
		if current < to || from >= current {
			return from, max(to, min(from+1, len(titles)))
		}
	}
}

// fits returns the end of the range of titles from index from that fits into w cells, with the ellipses.
func fits(titles []string, from, w int) int {
	x := min(from, 1) // one cell for the ellipsis
	for i := from; i < len(titles); i++ {
		x += cell.Width(titles[i]) + 2
		if i > from {
			x++
		}
		more := 0
		if i < len(titles)-1 {
			more = 1
		}
		if x+more > w {
			return i
		}
	}
	return len(titles)
}
