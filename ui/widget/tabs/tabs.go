// Package tabs draws the names of views in a line, the present one marked.
package tabs

import (
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Draw is the line, exactly w cells wide: "[Overview]  Ports   Steps ". The brackets
// mark the present one where there are no colours; they stand where the others have
// blanks, so that nothing moves when it changes. Where not all fit, those around the
// present one are shown, with an ellipsis for the others.
func Draw(t *theme.Theme, titles []string, current, w int) string {
	if w <= 0 {
		return ""
	}
	from, to := window(titles, current, w)
	gap := " "
	if tight := Tight(titles); to-from < len(titles) && tight <= w {
		from, to, gap = 0, len(titles), ""
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString(t.Paint(theme.Muted, cell.Ellipsis))
	}
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(gap)
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

// Tight is how many cells all titles need where there is no room for gaps between them.
func Tight(titles []string) int {
	w := 0
	for _, title := range titles {
		w += cell.Width(title) + 2
	}
	return w
}

// window is which titles are shown: as many as fit from the first one on, and no fewer
// from the front left out than the present one asks for.
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

// fits is the end of the titles that fit from one on, with room for ellipses.
func fits(titles []string, from, w int) int {
	x := min(from, 1) // an ellipsis
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
