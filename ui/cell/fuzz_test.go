package cell_test

import (
	"strings"
	"testing"

	"ironworks/printable"
	"ironworks/ui/cell"
)

// FuzzSizes checks that text that was cut, padded or wrapped has the requested width.
func FuzzSizes(f *testing.F) {
	for _, s := range []string{"", "abc", "机架", "🇩🇪🇩🇪", "e\u0301", "👨‍👩‍👧", "a b c", "/path/to-it", "\u200b", "\xff"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		s, w = printable.Line(s), w%40 // screens get only printable text
		if w < 0 {
			w = -w
		}
		if got := cell.Width(cell.Cut(s, w)); got > w {
			t.Errorf("%q cut to %d has %d cells", s, w, got)
		}
		if got := cell.Width(cell.Fit(s, w)); got != w {
			t.Errorf("%q in %d cells has %d", s, w, got)
		}
		if got := cell.Width(cell.FitRight(s, w)); got != w {
			t.Errorf("%q at the right of %d cells has %d", s, w, got)
		}
		if got, want := cell.Width(cell.From(s, w)), max(cell.Width(s)-w, 0); got != want {
			t.Errorf("%q from %d has %d cells, want %d", s, w, got, want)
		}
		if w < 2 {
			return // too narrow for a wide character
		}
		for _, line := range cell.Wrap(s, w) {
			if cell.Width(line) > w || strings.Contains(line, "\n") {
				t.Errorf("%q wrapped at %d: %q", s, w, line)
			}
		}
	})
}
