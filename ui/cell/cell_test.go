package cell_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
)

const (
	family = "👩‍👩‍👧‍👦" // one grapheme of two cells
	accent = "e\u0301" // one grapheme of one cell
	bold   = "\x1b[1m"
	reset  = "\x1b[m"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"ASCII", "node-1", 6},
		{"wide", "机架", 4},
		{"joined", family, 2},
		{"combining", accent + "x", 2},
		{"styled", bold + "ab" + reset, 2},
		{"glyph", "● on", 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.Width(tc.text); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		w          int
		want       string
	}{
		{"fits", "node", 4, "node"},
		{"cut", "node-1", 4, "nod…"},
		{"one cell", "node", 1, "…"},
		{"no cell", "node", 0, ""},
		{"less than none", "node", -1, ""},
		{"wide, fits", "机架", 4, "机架"},
		{"wide, at the cut", "机架一", 4, "机…"},
		{"wide, beside the cut", "机架一", 5, "机架…"},
		{"wide, one cell", "机架", 1, "…"},
		{"joined, at the cut", family + family, 3, family + "…"},
		{"combining stays with its letter", accent + accent + accent, 2, accent + "…"},
		{"styled", bold + "node-1" + reset, 4, bold + "nod…" + reset},
		{"styled, fits", bold + "node" + reset, 4, bold + "node" + reset},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.Cut(tc.text, tc.w); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text  string
		w           int
		left, right string // aligned to the left and to the right
	}{
		{"room", "ab", 4, "ab  ", "  ab"},
		{"none", "abcdef", 4, "abc…", "abc…"},
		{"wide at the cut leaves a blank", "机架一", 4, "机… ", " 机…"},
		{"wide", "机", 3, "机 ", " 机"},
		{"styled", bold + "a" + reset, 2, bold + "a" + reset + " ", " " + bold + "a" + reset},
		{"nothing", "", 2, "  ", "  "},
		{"no width", "ab", 0, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.Fit(tc.text, tc.w); got != tc.left {
				t.Errorf("Fit: %q, want %q", got, tc.left)
			}
			if got := cell.FitRight(tc.text, tc.w); got != tc.right {
				t.Errorf("FitRight: %q, want %q", got, tc.right)
			}
		})
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"all", "abc", 0, "abc"},
		{"some", "abc", 2, "c"},
		{"more than there is", "abc", 9, ""},
		{"wide", "机架一", 2, "架一"},
		{"wide, cut through", "机架一", 3, " 一"},
		{"wide, the last cut through", "机架", 3, " "},
		{"styled", bold + "机架" + reset + "x", 2, bold + "架" + reset + "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.From(tc.text, tc.n); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, want string
		width            int
	}{
		{"letter", "ab", "a", 1},
		{"letter with an accent", accent + "b", accent, 1},
		{"wide", "机架", "机", 2},
		{"joined", family + "x", family, 2},
		{"nothing", "", "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, width := cell.First(tc.text); got != tc.want || width != tc.width {
				t.Errorf("got %q %d, want %q %d", got, width, tc.want, tc.width)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		w          int
		want       []string
	}{
		{"at blanks", "one two three", 8, []string{"one two", "three"}},
		{"long words", "0123456789", 4, []string{"0123", "4567", "89"}},
		{"its own breaks", "a\n\nb", 8, []string{"a", "", "b"}},
		{"wide", "机架一号", 5, []string{"机架", "一号"}},
		{"nothing", "", 5, []string{""}},
		{"no width", "a", 0, nil},
		{
			"styles go on in the next line", bold + "one two" + reset + " three", 4,
			[]string{bold + "one" + reset, bold + "two" + reset, "thre", "e"},
		},
		{
			"several styles", bold + "one \x1b[31mtwo" + reset, 4,
			[]string{bold + "one" + reset, bold + "\x1b[31mtwo" + reset},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := cell.Wrap(tc.text, tc.w); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, base, top string
		x, y            int
		want            string
	}{
		{"in the middle", "aaaa\nbbbb\ncccc", "XX", 1, 1, "aaaa\nbXXb\ncccc"},
		{"at the corner", "aaaa\nbbbb", "XX\nYY", 0, 0, "XXaa\nYYbb"},
		{"all of it", "aa\nbb", "XX\nYY", 0, 0, "XX\nYY"},
		{"below the end", "aa\nbb", "X\nY", 0, 1, "aa\nXb"},
		{"through wide characters", "机架一号", "XX", 3, 0, "机 XX 号"},
		{"through one at the left", "机架一号", "X", 2, 0, "机X 一号"},
		{"over styles", bold + "aaaa" + reset, "XX", 1, 0, "aXXa"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := ansi.Strip(cell.Over(tc.base, tc.top, tc.x, tc.y)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOverKeepsStylesSeparate(t *testing.T) {
	t.Parallel()
	got := cell.Over(bold+"aaaa"+reset, "XX", 1, 0)
	if !strings.Contains(got, reset+"XX"+reset) || !strings.HasSuffix(got, bold+"a"+reset) {
		t.Errorf("got %q", got)
	}
}

// TestSizes checks that Fit, Block, Wrap and Over return exact widths for all kinds of text.
func TestSizes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	pieces := []string{"a", "word ", "机架", family, accent, "🇩🇪", bold, reset, "\x1b[38;2;1;2;3m", "●", "-", "/path/to", " "}
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		return b.String()
	}
	exactly := func(what, block string, w, h int) {
		t.Helper()
		lines := strings.Split(block, "\n")
		if len(lines) != h {
			t.Fatalf("%s: %d lines, want %d: %q", what, len(lines), h, block)
		}
		for _, line := range lines {
			if cell.Width(line) != w {
				t.Fatalf("%s: %d cells, want %d: %q", what, cell.Width(line), w, line)
			}
		}
	}
	for range 5000 {
		s, w, h := text(), rnd.IntN(20), rnd.IntN(5)+1
		exactly("Fit", cell.Fit(s, w), w, 1)
		exactly("FitRight", cell.FitRight(s, w), w, 1)
		exactly("From", cell.From(s, w), max(cell.Width(s)-w, 0), 1)
		base := cell.Block([]string{s, text(), text()}, w, h)
		exactly("Block", base, w, h)
		tw, th := rnd.IntN(w+1), rnd.IntN(h)+1
		top := cell.Block([]string{text(), text()}, tw, th)
		exactly("Over", cell.Over(base, top, rnd.IntN(w-tw+1), rnd.IntN(h-th+1)), w, h)
		if w < 2 {
			continue // too narrow for a wide character
		}
		for _, line := range cell.Wrap(s, w) {
			if cell.Width(line) > w {
				t.Fatalf("Wrap: %d cells, want at most %d: %q of %q", cell.Width(line), w, line, s)
			}
		}
	}
}

func TestBlockWithoutLines(t *testing.T) {
	t.Parallel()
	if got := cell.Block(nil, 2, 2); got != "  \n  " {
		t.Errorf("got %q", got)
	}
	if got := cell.Block([]string{"a"}, 2, 0); got != "" {
		t.Errorf("got %q", got)
	}
	if got := cell.Block([]string{"a"}, -1, 2); got != "\n" {
		t.Errorf("got %q", got)
	}
}
