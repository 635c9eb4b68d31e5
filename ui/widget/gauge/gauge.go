// Package gauge draws progress and shares of a total as bars.
package gauge

import (
	"fmt"
	"math"
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Bar is a bar with its percentage, such as "▓▓▓░░  61%", exactly w cells wide. done is from 0 to 1; only 1 is
// drawn full.
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

// Part is a count in a total.
type Part struct {
	N    int
	Role theme.Role
	// Glyph fills the part's cells, so that parts differ without colors; empty is the full block.
	Glyph string
}

// Counts is a bar of parts side by side, exactly w cells wide. Each part that is not zero gets a cell if possible.
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

// share divides w cells by the parts' counts.
func share(parts []Part, w int) []int {
	cells := make([]int, len(parts))
	total := 0
	for _, p := range parts {
		total += max(p.N, 0)
	}
	// One cell each first: a single failure among thousands must be visible.
	left := w
	for i, p := range parts {
		if p.N > 0 && left > 0 {
			cells[i] = 1
			left--
		}
	}
	for ; left > 0 && total > 0; left-- {
		// The next cell goes to the part with the largest deficit.
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
