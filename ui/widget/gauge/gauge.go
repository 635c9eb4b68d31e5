// Package gauge draws how far something is, and how a number is made up, as bars.
package gauge

import (
	"fmt"
	"math"
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Bar is a bar with its per cent, such as "▓▓▓░░  61%", exactly w cells wide. done is
// from 0 to 1. All is only full when it is: 99.9 is not 100.
func Bar(t *theme.Theme, role theme.Role, done float64, w int) string {
	if math.IsNaN(done) {
		done = 0
	}
	done = min(max(done, 0), 1)
	text := fmt.Sprintf("%3d%%", int(done*100))
	room := w - len(text) - 1
	if room < 1 {
		return cell.FitRight(strings.TrimLeft(text, " "), w)
	}
	full := int(done * float64(room))
	return t.Paint(role, strings.Repeat(theme.GlyphFull, full)) +
		t.Paint(theme.Muted, strings.Repeat(theme.GlyphEmpty, room-full)) + " " + text
}

// Part is one of the counts that make up a number.
type Part struct {
	N    int
	Role theme.Role
	// Glyph is what its cells are drawn with, so that parts can be told apart without
	// colours; empty is the full one.
	Glyph string
}

// Counts is a bar of the parts side by side, exactly w cells wide. Each part that is not
// nothing has a cell, as long as there are so many.
func Counts(t *theme.Theme, parts []Part, w int) string {
	var b strings.Builder
	used := 0
	for i, width := range share(parts, w) {
		glyph := parts[i].Glyph
		if glyph == "" {
			glyph = theme.GlyphFull
		}
		b.WriteString(t.Paint(parts[i].Role, strings.Repeat(glyph, width)))
		used += width
	}
	b.WriteString(t.Paint(theme.Muted, strings.Repeat(theme.GlyphEmpty, max(w-used, 0))))
	return b.String()
}

// share shares w cells out by the parts' counts.
func share(parts []Part, w int) []int {
	cells := make([]int, len(parts))
	total := 0
	for _, p := range parts {
		total += max(p.N, 0)
	}
	// One for each first: a single failure among thousands is what one looks for.
	left := w
	for i, p := range parts {
		if p.N > 0 && left > 0 {
			cells[i] = 1
			left--
		}
	}
	for ; left > 0 && total > 0; left-- {
		// The next cell goes where most is missing.
		best, most := 0, math.Inf(-1)
		for i, p := range parts {
			if p.N <= 0 {
				continue
			}
			if missing := float64(p.N)/float64(total)*float64(w) - float64(cells[i]); missing > most {
				best, most = i, missing
			}
		}
		cells[best]++
	}
	return cells
}
