package pane_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

func numbered(from, n int) []pane.Line {
	lines := make([]pane.Line, n)
	for i := range lines {
		lines[i] = pane.Text(theme.Plain, fmt.Sprintf("line %d", from+i))
	}
	return lines
}

func newPane(w, h int, lines ...pane.Line) *pane.Pane {
	p := &pane.Pane{}
	p.Resize(w, h)
	p.SetLines(lines)
	return p
}

// shown returns the rows of the pane without styles and trailing spaces.
func shown(p *pane.Pane) []string {
	rows := strings.Split(ansi.Strip(p.Draw(theme.New(theme.Options{}))), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

func same(t *testing.T, p *pane.Pane, want ...string) {
	t.Helper()
	if got := shown(p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	words := []string{"", "x", "node-1 failed", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", "🇩🇪🇫🇷", "two\nlines", strings.Repeat("long ", 40)}
	rnd := rand.New(rand.NewPCG(3, 4))
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 2}, {5, 3}, {40, 10}, {80, 24}, {200, 50}}
	for range 500 {
		sizes = append(sizes, [2]int{rnd.IntN(60), rnd.IntN(20)})
	}
	for _, size := range sizes {
		p := &pane.Pane{}
		p.SetWrap(rnd.IntN(2) == 0)
		var lines []pane.Line
		for range rnd.IntN(30) {
			var line pane.Line
			for range rnd.IntN(4) {
				line = append(line, pane.Span{Role: theme.Role(rnd.IntN(5)), Text: words[rnd.IntN(len(words))]})
			}
			lines = append(lines, line)
		}
		p.SetLines(lines)
		p.Resize(size[0], size[1])
		p.Search([]string{"", "e", "long l", "架", "\u0301"}[rnd.IntN(5)])
		p.Move(rnd.IntN(20) - 5)
		p.Scroll(rnd.IntN(20))
		drawn := p.Draw(theme.New(theme.Options{}))
		if size[1] == 0 {
			if drawn != "" {
				t.Fatalf("no height, but %q", drawn)
			}
			continue
		}
		rows := strings.Split(drawn, "\n")
		if len(rows) != size[1] {
			t.Fatalf("%v: %d lines", size, len(rows))
		}
		for _, row := range rows {
			if cell.Width(row) != size[0] {
				t.Fatalf("%v: %d cells: %q", size, cell.Width(row), row)
			}
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(*pane.Pane)
		want string
	}{
		{"at first", func(*pane.Pane) {}, "1–4 of 10"},
		{"down", func(p *pane.Pane) { p.Move(2) }, "3–6 of 10"},
		{"up past the start", func(p *pane.Pane) { p.Move(2); p.Move(-5) }, "1–4 of 10"},
		{"down past the end", func(p *pane.Pane) { p.Move(50) }, "7–10 of 10"},
		{"page", func(p *pane.Pane) { p.Page(1) }, "4–7 of 10"},
		{"pages", func(p *pane.Pane) { p.Page(9); p.Page(-1) }, "4–7 of 10"},
		{"bottom", func(p *pane.Pane) { p.Bottom() }, "7–10 of 10"},
		{"top", func(p *pane.Pane) { p.Bottom(); p.Top() }, "1–4 of 10"},
		{"to a line", func(p *pane.Pane) { p.GoTo(4) }, "5–8 of 10"},
		{"to a line near the end", func(p *pane.Pane) { p.GoTo(9) }, "7–10 of 10"},
		{"fewer lines", func(p *pane.Pane) { p.Bottom(); p.SetLines(numbered(0, 6)) }, "3–6 of 6"},
		{"as many lines as rows", func(p *pane.Pane) { p.SetLines(numbered(0, 4)) }, "1–4 of 4"},
		{"one line", func(p *pane.Pane) { p.Bottom(); p.SetLines(numbered(0, 1)) }, "1–1 of 1"},
		{"no lines", func(p *pane.Pane) { p.Bottom(); p.SetLines(nil); p.Move(1); p.Page(-1) }, ""},
		{"other lines", func(p *pane.Pane) { p.Move(3); p.SetLines(numbered(100, 20)) }, "4–7 of 20"},
		{"taller", func(p *pane.Pane) { p.Bottom(); p.Resize(20, 8) }, "3–10 of 10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPane(20, 4, numbered(0, 10)...)
			tc.do(p)
			if got := p.Position(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"at blanks", "hello world foo", []string{"hello", "world foo"}},
		{"a row that is just full", "hello fool me", []string{"hello fool", "me"}},
		{"long words anywhere", "a 0123456789abcd", []string{"a 01234567", "89abcd"}},
		{"wide characters", "机架一号服务器", []string{"机架一号服", "务器"}},
		{"indented", "  key: v value", []string{"  key: v", "value"}},
		{"empty", "", []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPane(10, len(tc.want)+1, pane.Text(theme.Plain, tc.text), pane.Text(theme.Plain, "next"))
			p.SetWrap(true)
			same(t, p, append(slices.Clone(tc.want), "next")...)
		})
	}
}

func TestWrappedRowsScrollOneByOne(t *testing.T) {
	t.Parallel()
	p := newPane(6, 2, pane.Text(theme.Plain, "one two three"), pane.Text(theme.Plain, "four"))
	p.SetWrap(true)
	same(t, p, "one", "two")
	p.Move(1)
	same(t, p, "two", "three")
	if got := p.Position(); got != "1–1 of 2" {
		t.Errorf("position %q", got)
	}
	p.Move(5)
	same(t, p, "three", "four")
	p.Move(-2)
	same(t, p, "one", "two")
	p.Bottom()
	p.SetWrap(false)
	same(t, p, "one t…", "four")
}

func TestScrollSideways(t *testing.T) {
	t.Parallel()
	p := newPane(6, 2, pane.Text(theme.Plain, "0123456789"), pane.Text(theme.Plain, "机架一号服"))
	same(t, p, "01234…", "机架 …")
	p.Scroll(3)
	same(t, p, "34567…", " 一号…")
	p.Scroll(99)
	same(t, p, "456789", "一号服")
	p.Scroll(-99)
	same(t, p, "01234…", "机架 …")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	lines := numbered(0, 20)
	lines[5] = pane.Line{{Role: theme.Good, Text: "it FAI"}, {Role: theme.Bad, Text: "LED here"}}
	lines[12] = pane.Text(theme.Plain, "failed again, failed")
	p := newPane(30, 3, lines...)
	if !p.Search("failed") {
		t.Fatal("not found")
	}
	steps := []struct {
		name string
		do   func() bool
		want string
	}{
		{"first", func() bool { return true }, "6–8 of 20"},
		{"next", p.Next, "13–15 of 20"},
		{"around the end", p.Next, "6–8 of 20"},
		{"around the start", p.Prev, "13–15 of 20"},
		{"back", p.Prev, "6–8 of 20"},
	}
	for _, s := range steps {
		if !s.do() || p.Position() != s.want {
			t.Errorf("%s: at %s, want %s", s.name, p.Position(), s.want)
		}
	}
	th := theme.New(theme.Options{})
	first, _, _ := strings.Cut(p.Draw(th), "\n")
	want := th.Paint(theme.Good, "it ") + th.Paint(theme.Match, "FAI") + th.Paint(theme.Match, "LED") + th.Paint(theme.Bad, " here")
	if !strings.HasPrefix(first, want) {
		t.Errorf("got %q, want %q", first, want)
	}
	if p.Search("no such text") || p.Next() {
		t.Error("found what is not there")
	}
	if p.Search(""); p.Query() != "" || strings.Contains(p.Draw(th), th.Paint(theme.Match, "FAI")) {
		t.Error("the search did not end")
	}
}

func TestSearchScrollsToTheMatch(t *testing.T) {
	t.Parallel()
	p := newPane(10, 1, pane.Text(theme.Plain, strings.Repeat("-", 100)+"HERE"+strings.Repeat("-", 100)))
	p.Search("here")
	if got := shown(p)[0]; !strings.Contains(got, "HERE") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkDraw(b *testing.B) {
	long := strings.Repeat("a line of a log that is longer than the screen ", 8)
	th := theme.New(theme.Options{})
	for _, wrap := range []bool{false, true} {
		b.Run(fmt.Sprintf("100000 lines, wrap %v", wrap), func(b *testing.B) {
			lines := make([]pane.Line, 100_000)
			for i := range lines {
				lines[i] = pane.Text(theme.Plain, long)
			}
			p := newPane(200, 50, lines...)
			p.SetWrap(wrap)
			p.GoTo(50_000)
			for b.Loop() {
				p.Draw(th)
			}
		})
	}
}
