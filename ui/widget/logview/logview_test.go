package logview_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/logview"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

var began = time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)

// numbered returns n lines, one per second. The text of each line contains its number, which is counted from the
// argument from.
func numbered(from, n int) []logview.Line {
	lines := make([]logview.Line, n)
	for i := range lines {
		lines[i] = logview.Line{Time: began.Add(time.Duration(from+i) * time.Second), Start: began, Level: logview.Info, Text: fmt.Sprintf("line %d", from+i)}
	}
	return lines
}

// few returns a view of ten lines that shows no times.
func few(t *testing.T) *logview.View {
	t.Helper()
	v := logview.New(logview.Limits{Lines: 1000})
	v.Resize(40, 4)
	v.NextTimes()
	v.NextTimes()
	v.Append(numbered(0, 10)...)
	return v
}

// shown returns the rows of the view without styles and trailing spaces.
func shown(v *logview.View) []string {
	rows := strings.Split(ansi.Strip(v.Draw(theme.New(theme.Options{}))), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

func same(t *testing.T, v *logview.View, want ...string) {
	t.Helper()
	if got := shown(v); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func odd(l *logview.Line) bool { return strings.ContainsAny(l.Text[len(l.Text)-1:], "13579") }

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	words := []string{"", "x", "node-1 failed", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", "🇩🇪🇫🇷", "two\nlines\tand more", strings.Repeat("long ", 40)}
	rnd := rand.New(rand.NewPCG(3, 4))
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 2}, {5, 3}, {40, 10}, {80, 24}, {200, 50}}
	for range 600 {
		sizes = append(sizes, [2]int{rnd.IntN(90), rnd.IntN(20)})
	}
	for _, size := range sizes {
		v := logview.New(logview.Limits{Lines: 1 + rnd.IntN(30), Bytes: rnd.IntN(4000)})
		v.SetLanes([]string{"r7-n01", "节点节点节点节点节点节点节点", ""}[:rnd.IntN(4)])
		v.SetWrap(rnd.IntN(2) == 0)
		if rnd.IntN(3) == 0 {
			v.SetFilter(func(*logview.Line) bool { return rnd.IntN(2) == 0 })
		}
		for range rnd.IntN(3) {
			v.NextTimes()
		}
		for range rnd.IntN(60) {
			v.Append(logview.Line{Time: began, Lane: rnd.IntN(5), Level: logview.Level(rnd.IntN(9)), Tag: words[rnd.IntN(4)], Text: words[rnd.IntN(len(words))], Mark: words[rnd.IntN(2)]})
		}
		v.Resize(size[0], size[1])
		for range 4 {
			switch rnd.IntN(7) {
			case 0:
				v.Search([]string{"", "e", "long l", "架", "\u0301"}[rnd.IntN(5)])
			case 1:
				v.Move(rnd.IntN(20) - 15)
			case 2:
				v.Scroll(rnd.IntN(20))
			case 3:
				v.Problem()
			case 4:
				v.Top()
			case 5:
				v.Next()
			default:
				v.Append(numbered(0, rnd.IntN(9))...)
			}
		}
		drawn := v.Draw(theme.New(theme.Options{}))
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
		v.InSight()
		v.Position()
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		do        func(*logview.View)
		want      string
		following bool
		fresh     int
	}{
		{"at first", func(*logview.View) {}, "7–10 of 10", true, 0},
		{"more come", func(v *logview.View) { v.Append(numbered(10, 3)...) }, "10–13 of 13", true, 0},
		{"up", func(v *logview.View) { v.Move(-1) }, "6–9 of 10", false, 0},
		{"up, and more come", func(v *logview.View) { v.Move(-1); v.Append(numbered(10, 214)...) }, "6–9 of 224", false, 214},
		{"up, more come, only some kept", func(v *logview.View) {
			v.SetFilter(odd)
			v.Move(-1)
			v.Append(numbered(10, 4)...)
		}, "1–4 of 7", false, 2},
		{"up and down again", func(v *logview.View) { v.Move(-2); v.Append(numbered(10, 5)...); v.Move(50) }, "12–15 of 15", true, 0},
		{"down where it follows", func(v *logview.View) { v.Move(1) }, "7–10 of 10", true, 0},
		{"stopped where it is", func(v *logview.View) { v.Follow(false); v.Append(numbered(10, 5)...) }, "7–10 of 15", false, 5},
		{"stopped, and on", func(v *logview.View) { v.Follow(false); v.Append(numbered(10, 5)...); v.Follow(true) }, "12–15 of 15", true, 0},
		{"page up", func(v *logview.View) { v.Page(-1) }, "4–7 of 10", false, 0},
		{"top", func(v *logview.View) { v.Top() }, "1–4 of 10", false, 0},
		{"top and bottom", func(v *logview.View) { v.Top(); v.Bottom() }, "7–10 of 10", true, 0},
		{"taller", func(v *logview.View) { v.Top(); v.Resize(40, 8) }, "1–8 of 10", false, 0},
		{"all in sight", func(v *logview.View) { v.Resize(40, 20); v.Move(-3) }, "1–10 of 10", true, 0},
		{"filter keeps the place", func(v *logview.View) { v.Top(); v.Move(2); v.SetFilter(odd) }, "2–5 of 5", false, 0},
		{"no filter keeps it", func(v *logview.View) {
			v.Append(numbered(10, 10)...)
			v.SetFilter(odd)
			v.Top()
			v.Move(1)
			v.SetFilter(nil)
		}, "4–7 of 20", false, 0},
		{"the oldest are forgotten", func(v *logview.View) { v.Top(); v.Append(numbered(10, 1500)...) }, "1–4 of 1000", false, 1000},
		{"nothing kept", func(v *logview.View) { v.SetFilter(func(*logview.Line) bool { return false }); v.Move(-1); v.Top() }, "", true, 0},
		{"cleared", func(v *logview.View) { v.Top(); v.Clear(); v.Append(numbered(0, 2)...) }, "1–2 of 2", false, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := few(t)
			tc.do(v)
			if got := v.Position(); got != tc.want || v.Following() != tc.following || v.Fresh() != tc.fresh {
				t.Errorf("got %q, following %v, %d new; want %q, %v, %d", got, v.Following(), v.Fresh(), tc.want, tc.following, tc.fresh)
			}
		})
	}
}

func TestSearchKeepsContextAndPosition(t *testing.T) {
	t.Parallel()
	v := few(t)
	v.Resize(40, 6)
	v.Append(numbered(10, 30)...)
	if !v.Search("line 2") {
		t.Fatal("not found")
	}
	// The text matches line 2 and lines 20 to 29. The newest match is shown, with lines before and after it.
	same(t, v, "   line 27", "   line 28", "❯  line 29", "   line 30", "   line 31", "   line 32")
	if v.Search("line 2x") || !v.Following() {
		t.Error("what is not there is found, or the window did not go back")
	}
	v.Search("LINE 1")
	v.Keep()
	same(t, v, "   line 17", "   line 18", "❯  line 19", "   line 20", "   line 21", "   line 22")
	v.Prev()
	v.Prev()
	v.Append(numbered(40, 2)...)
	same(t, v, "❯  line 17", "   line 18", "   line 19", "   line 20", "   line 21", "   line 22")
	for range 9 {
		v.Prev() // goes to 16 … 10 and 1, and then wraps around to the last match
	}
	if l, _ := v.Cursor(); l.Text != "line 19" {
		t.Errorf("at %q", l.Text)
	}
	if v.Next(); v.Fresh() != 2 {
		t.Errorf("%d new", v.Fresh())
	}
	if l, _ := v.Cursor(); l.Text != "line 1" {
		t.Errorf("at %q", l.Text)
	}
	v.Top()
	v.Move(3)
	v.Search("line 3")
	v.Search("line 37")
	v.Search("")
	if got := v.Position(); got != "4–9 of 42" || v.Query() != "" {
		t.Errorf("abandoned at %s", got)
	}
	v.SetFilter(odd)
	v.Search("line 2")
	if l, _ := v.Cursor(); l.Text != "line 21" {
		t.Errorf("found %q, which the filter leaves out", l.Text)
	}
}

func TestMatchesAreMarked(t *testing.T) {
	t.Parallel()
	v := few(t)
	v.Append(logview.Line{Tag: "kernel", Text: "Disk DISK Größe", Level: logview.Info})
	for _, query := range []string{"disk", "kern", "größe", "l: d"} {
		v.Search(query)
		v.Keep()
		drawn := v.Draw(theme.New(theme.Options{}))
		open, _, _ := strings.Cut(theme.New(theme.Options{}).Paint(theme.Match, "x"), "x")
		want := map[string]int{"disk": 2, "kern": 1, "größe": 1, "l: d": 2}[query]
		if got := strings.Count(drawn, open); got != want {
			t.Errorf("%q is marked %d times, in pieces of one role each, want %d: %q", query, got, want, drawn)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	v := few(t)
	if v.Problem() || !v.Following() {
		t.Error("went to a problem that is not there")
	}
	v.Append(logview.Line{Level: logview.Warning, Text: "w"}, logview.Line{Level: logview.Error, Text: "first"}, logview.Line{Level: logview.Info, Text: "second", Mark: "no-disk"})
	v.Append(numbered(10, 5)...)
	for _, want := range []string{"first", "second", "first"} {
		v.Problem()
		if l, _ := v.Cursor(); l.Text != want {
			t.Errorf("at %q, want %q", l.Text, want)
		}
	}
	v.Resize(40, 5)
	same(t, v, " ▲ w", "❯✖ first", " ! second", "   line 10", "   line 11")
}

func TestLeadingColumns(t *testing.T) {
	t.Parallel()
	v := logview.New(logview.Limits{Lines: 10})
	v.Resize(60, 3)
	v.SetLanes([]string{"r7-n01", "r7-n02"})
	v.Append(
		logview.Line{Time: began.Add(62*time.Second + 345*time.Millisecond), Start: began, Lane: 1, Tag: "kernel", Text: "sda: sda1"},
		logview.Line{Text: "no time", Lane: 0}, logview.Line{Time: began, Text: "no start", Lane: 0, Level: logview.Info},
	)
	same(t, v, " ✖ 14:01:02.345 r7-n02│ kernel: sda: sda1", " ✖              r7-n01│ no time", "   14:00:00.000 r7-n01│ no start")
	v.NextTimes()
	same(t, v, " ✖  +1:02.345 r7-n02│ kernel: sda: sda1", " ✖            r7-n01│ no time", "              r7-n01│ no start")
	v.NextTimes()
	same(t, v, " ✖ r7-n02│ kernel: sda: sda1", " ✖ r7-n01│ no time", "   r7-n01│ no start")
	v.SetLanes([]string{"r7-n01"})
	same(t, v, " ✖ kernel: sda: sda1", " ✖ no time", "   no start")
}

func TestWrapAndScroll(t *testing.T) {
	t.Parallel()
	v := few(t)
	v.Resize(30, 4)
	v.SetLanes([]string{"a", "b"})
	v.Append(logview.Line{Level: logview.Info, Text: "one two three four five six seven"})
	same(t, v, "   a│ line 7", "   a│ line 8", "   a│ line 9", "   a│ one two three four five…")
	v.SetWrap(true)
	same(t, v, "   a│ line 8", "   a│ line 9", "   a│ one two three four five", "    │ six seven")
	v.Move(-1)
	same(t, v, "   a│ line 7", "   a│ line 8", "   a│ line 9", "   a│ one two three four five")
	v.SetWrap(false)
	v.Bottom()
	v.Scroll(8)
	same(t, v, "   a│", "   a│", "   a│", "   a│ three four five six sev…")
	v.Scroll(100)
	v.Scroll(-100)
	same(t, v, "   a│ line 7", "   a│ line 8", "   a│ line 9", "   a│ one two three four five…")
}

// TestBounds checks that 100,000 lines take at most 40 MiB, and that longer lines do not take more.
func TestBounds(t *testing.T) {
	v := logview.New(logview.Default)
	before := heap()
	page := make([]byte, 200)
	for i := range 150_000 {
		for k := range page {
			page[k] = byte('a' + (i+k)%26)
		}
		v.Append(logview.Line{Time: began, Start: began, Tag: string(page[:12]), Text: string(page[:80+i%120]), Level: logview.Info})
	}
	if v.Len() != logview.Default.Lines {
		t.Errorf("%d lines", v.Len())
	}
	if took := heap() - before; took > 40<<20 {
		t.Errorf("%d lines of 140 bytes take %d KiB", v.Len(), took>>10)
	}
	for i := range 50_000 {
		v.Append(logview.Line{Text: fmt.Sprint(i) + strings.Repeat("x", 4000)})
	}
	if took := heap() - before; took > 40<<20 {
		t.Errorf("%d lines of 4000 bytes take %d KiB", v.Len(), took>>10)
	}
	v.SetFilter(func(*logview.Line) bool { return true })
	v.Append(logview.Line{Text: strings.Repeat("x", 100<<20)})
	if v.Len() != 1 || v.Shown() != 1 {
		t.Errorf("%d lines, %d shown: one that is too long has to stay alone", v.Len(), v.Shown())
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func full() *logview.View {
	v := logview.New(logview.Default)
	v.Resize(200, 48)
	for i := range 100_000 {
		v.Append(logview.Line{Time: began, Tag: "ironic-agent", Level: logview.Info, Text: fmt.Sprintf("line %d of a log that is long enough to be one, with a number in it", i)})
	}
	return v
}

// BenchmarkAppendAndDraw appends 2000 lines, which take 0.1 s to arrive at a rate of 20,000 lines per second, and
// draws the window.
func BenchmarkAppendAndDraw(b *testing.B) {
	v, th, batch := full(), theme.New(theme.Options{}), numbered(0, 2000)
	b.ReportAllocs()
	for b.Loop() {
		v.Append(batch...)
		_ = v.Draw(th)
	}
}

// BenchmarkSearch searches 100,000 lines without finding a match.
func BenchmarkSearch(b *testing.B) {
	v := full()
	for b.Loop() {
		v.Search("zebra")
	}
}

// BenchmarkFilter applies a filter to 100,000 lines.
func BenchmarkFilter(b *testing.B) {
	v := full()
	for b.Loop() {
		v.SetFilter(odd)
	}
}
