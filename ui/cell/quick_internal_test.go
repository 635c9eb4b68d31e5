package cell

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestQuickWidth compares quickWidth with the thorough measurement of the ansi package, for every character that
// oneCell accepts, alone and in random lines.
func TestQuickWidth(t *testing.T) {
	t.Parallel()
	pieces := []string{"\x1b[m", "\x1b[1;38;2;1;2;3m", "\x1b[38:5:4m", "\x1b[2J", "\u0301", "\ufe0f", "世", "👩", "\t", "\x1b]0;x\x07", "\xff", "a", " "}
	for r := rune(0x20); r < 0x3000; r++ {
		if r < 0x7f || oneCell(r) {
			pieces = append(pieces, string(r))
			if w := ansi.StringWidth(string(r)); w != 1 {
				t.Errorf("%U takes %d cells", r, w)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	quick := 0
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(12) {
			i := random.IntN(len(pieces))
			if random.IntN(3) > 0 {
				i = 13 + random.IntN(len(pieces)-13)
			}
			b.WriteString(pieces[i])
		}
		if w, ok := quickWidth(b.String()); ok {
			quick++
			if want := ansi.StringWidth(b.String()); w != want {
				t.Fatalf("%q takes %d cells, not %d", b.String(), want, w)
			}
		}
	}
	if quick < 1000 {
		t.Errorf("only %d lines were measured quickly", quick)
	}
}
