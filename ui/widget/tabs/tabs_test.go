package tabs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/tabs"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	titles := []string{"Overview", "Ports", "Steps", "History"}
	for _, tc := range []struct {
		name    string
		current int
		w       int
		want    string
	}{
		{"first", 0, 40, "[Overview]  Ports   Steps   History"},
		{"another", 2, 40, " Overview   Ports  [Steps]  History"},
		{"just enough room", 3, 36, " Overview   Ports   Steps  [History]"},
		{"cut at the right", 0, 30, "[Overview]  Ports   Steps …"},
		{"cut at the left", 3, 30, "… Ports   Steps  [History]"},
		{"cut at both", 2, 10, "…[Steps]…"},
		{"one that does not fit", 0, 6, "[Over…"},
		{"none of them", 9, 40, " Overview   Ports   Steps   History"},
		{"no room", 1, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := strings.TrimRight(ansi.Strip(tabs.Draw(theme.New(theme.Options{}), titles, tc.current, tc.w)), " ")
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestExactWidth(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	words := []string{"", "Overview", "机架", "👩‍👩‍👧‍👦", "e\u0301"}
	for range 2000 {
		titles := make([]string, rnd.IntN(8))
		for i := range titles {
			titles[i] = words[rnd.IntN(len(words))]
		}
		w, current := rnd.IntN(50), rnd.IntN(10)-1
		got := tabs.Draw(theme.New(theme.Options{}), titles, current, w)
		if cell.Width(got) != w {
			t.Fatalf("%d cells, want %d: %q", cell.Width(got), w, got)
		}
		if total := cell.Width(strings.Join(titles, "   ")) + 2; current >= 0 && current < len(titles) && total <= w && !strings.Contains(ansi.Strip(got), "["+titles[current]+"]") {
			t.Fatalf("%q is not marked in %q", titles[current], got)
		}
	}
}

// TestAtMatchesDraw checks that At finds every title that Draw shows in full.
func TestAtMatchesDraw(t *testing.T) {
	t.Parallel()
	titles := []string{"Overview", "机架", "Steps", "History"}
	for w := range 50 {
		for current := range titles {
			drawn := ansi.Strip(tabs.Draw(theme.New(theme.Options{}), titles, current, w))
			for i, title := range titles {
				at := strings.Index(drawn, title)
				if at < 0 {
					continue
				}
				x := cell.Width(drawn[:at])
				if got := tabs.At(titles, current, w, x); got != i {
					t.Fatalf("%d cells: %q at %d: %d, want %d", w, drawn, x, got, i)
				}
			}
		}
	}
}
