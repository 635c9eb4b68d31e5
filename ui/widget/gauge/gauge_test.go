package gauge_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/gauge"
)

func TestBar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		done float64
		w    int
		want string
	}{
		{"none", 0, 10, "░░░░░   0%"},
		{"some", 0.61, 10, "▓▓▓░░  61%"},
		{"nearly all", 0.999, 10, "▓▓▓▓░  99%"},
		{"all", 1, 10, "▓▓▓▓▓ 100%"},
		{"more than all", 7, 10, "▓▓▓▓▓ 100%"},
		{"less than none", -1, 10, "░░░░░   0%"},
		{"no number", math.NaN(), 10, "░░░░░   0%"},
		{"room for the number alone", 0.5, 5, "  50%"},
		{"no room", 0.5, 2, "5…"},
		{"nothing", 0.5, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := ansi.Strip(gauge.Bar(theme.New(theme.Options{}), theme.Good, tc.done, tc.w)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		a, b, c int
		w       int
		want    string
	}{
		{"by their shares", 5, 3, 2, 10, "▓▓▓▓▓xxxoo"},
		{"one of thousands", 9999, 1, 0, 10, "▓▓▓▓▓▓▓▓▓x"},
		{"one alone", 0, 0, 4, 4, "oooo"},
		{"nothing", 0, 0, 0, 4, "░░░░"},
		{"fewer cells than parts", 1, 1, 1, 2, "▓x"},
		{"no room", 1, 1, 1, 0, ""},
		{"less than nothing", -5, 1, 0, 2, "xx"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parts := []gauge.Part{{N: tc.a, Role: theme.Good}, {N: tc.b, Role: theme.Bad, Glyph: "x"}, {N: tc.c, Glyph: "o"}}
			if got := ansi.Strip(gauge.Counts(theme.New(theme.Options{}), parts, tc.w)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestExactWidth(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	th := theme.New(theme.Options{})
	for range 2000 {
		w := rnd.IntN(60)
		if got := gauge.Bar(th, theme.Busy, rnd.Float64(), w); cell.Width(got) != w {
			t.Fatalf("bar of %d cells, want %d: %q", cell.Width(got), w, got)
		}
		parts := make([]gauge.Part, rnd.IntN(8))
		for i := range parts {
			parts[i] = gauge.Part{N: rnd.IntN(1 << rnd.IntN(14)), Role: theme.Role(i)}
		}
		if got := gauge.Counts(th, parts, w); cell.Width(got) != w {
			t.Fatalf("counts of %d cells, want %d: %q", cell.Width(got), w, got)
		}
	}
}
