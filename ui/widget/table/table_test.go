package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

type row struct{ id, name, state, note string }

func text(get func(row) string) func(row) table.Cell {
	return func(r row) table.Cell { return table.Cell{Text: get(r)} }
}

func columns() []table.Column[row] {
	return []table.Column[row]{
		{Key: "name", Title: "Name", Min: 8, Max: 30, Cell: text(func(r row) string { return r.name })},
		{Key: "state", Title: "State", Min: 10, Max: 20, Drop: 1, Cell: func(r row) table.Cell {
			return table.Cell{Text: r.state, Role: theme.Good, Glyph: theme.GlyphActive, GlyphRole: theme.Good}
		}},
		{Key: "age", Title: "Age", Min: 4, Max: 4, Right: true, Drop: 2, Cell: text(func(row) string { return "2m" })},
		{Key: "note", Title: "Note", Min: 10, Grow: 1, Drop: 3, Cell: text(func(r row) string { return r.note })},
	}
}

func makeRows(n int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{
			id: "id-" + strconv.Itoa(i), name: fmt.Sprintf("node-%05d", i), state: "active",
			note: "something that was said of it",
		}
	}
	return rows
}

func newTable(n, w, h int) *table.Table[row] {
	t := table.New(func(r row) string { return r.id })
	t.SetColumns(columns())
	t.Resize(w, h)
	t.SetRows(makeRows(n))
	return t
}

func plainTheme() *theme.Theme { return theme.New(theme.Options{}) }

func lines(t *testing.T, tab *table.Table[row]) []string {
	t.Helper()
	return strings.Split(ansi.Strip(tab.Draw(plainTheme())), "\n")
}

func current(tab *table.Table[row]) string {
	r, ok := tab.Cursor()
	if !ok {
		return ""
	}
	return r.id
}

func checkSize(t *testing.T, drawn string, w, h int) {
	t.Helper()
	if h <= 0 {
		if drawn != "" {
			t.Fatalf("no height, but %q", drawn)
		}
		return
	}
	got := strings.Split(drawn, "\n")
	if len(got) != h {
		t.Fatalf("%dx%d: %d lines", w, h, len(got))
	}
	for i, line := range got {
		if cell.Width(line) != max(w, 0) {
			t.Fatalf("%dx%d: line %d is %d cells: %q", w, h, i, cell.Width(line), line)
		}
	}
}

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	words := []string{"", "x", "node-1", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", "🇩🇪🇫🇷", "two\nlines", strings.Repeat("long ", 60)}
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string { return words[rnd.IntN(len(words))] }
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 2}, {3, 3}, {5, 3}, {40, 10}, {80, 24}, {200, 50}}
	for range 300 {
		sizes = append(sizes, [2]int{rnd.IntN(120), rnd.IntN(20)})
	}
	for _, size := range sizes {
		tab := table.New(func(r row) string { return r.id })
		tab.Empty = "Nothing here: " + word()
		cols := columns()
		for i := range cols {
			cols[i].Title = strings.ReplaceAll(word(), "\n", " ")
			cols[i].Min, cols[i].Max = rnd.IntN(12), rnd.IntN(40)
			cols[i].Grow, cols[i].Drop = rnd.IntN(3), rnd.IntN(3)
			cols[i].Right = rnd.IntN(2) == 0
		}
		tab.SetColumns(cols)
		tab.SetWide(rnd.IntN(2) == 0)
		tab.Resize(size[0], size[1])
		rows := makeRows(rnd.IntN(40))
		for i := range rows {
			rows[i].name, rows[i].state, rows[i].note = word(), word(), word()
		}
		tab.SetRows(rows)
		tab.SetSort(cols[rnd.IntN(len(cols))].Key, rnd.IntN(2) == 0)
		for range rnd.IntN(4) {
			tab.ToggleMark()
		}
		tab.Move(rnd.IntN(50))
		tab.Scroll(rnd.IntN(5))
		checkSize(t, tab.Draw(plainTheme()), size[0], size[1])
	}
}

func TestLineHasGutterAndColumns(t *testing.T) {
	t.Parallel()
	tab := newTable(3, 62, 5)
	tab.SetSort("state", true)
	tab.ToggleMark()
	tab.Mark("id-1")
	want := []string{
		"   Name        State▾       Age  Note                         ",
		" + node-00000  ● active      2m  something that was said of it",
		"❯+ node-00001  ● active      2m  something that was said of it",
		"   node-00002  ● active      2m  something that was said of it",
		strings.Repeat(" ", 61),
	}
	for i, line := range lines(t, tab) {
		if line != cell.Fit(want[i], 62) {
			t.Errorf("line %d:\n got %q\nwant %q", i, line, cell.Fit(want[i], 62))
		}
	}
}

func TestSortArrowKeepsColumnWidths(t *testing.T) {
	t.Parallel()
	tab := newTable(1, 60, 2)
	tab.SetSort("age", false)
	if got, want := lines(t, tab)[0], "   Name        State        Age▴ Note"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColumnsAreRemovedByDrop(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w    int
		want []string
	}{
		{60, []string{"Name", "State", "Age", "Note"}},
		{41, []string{"Name", "State", "Age", "Note"}},
		{40, []string{"Name", "State", "Age"}},
		{28, []string{"Name", "State"}},
		{22, []string{"Name"}},
		{5, []string{"N…"}},
	} {
		t.Run(strconv.Itoa(tc.w), func(t *testing.T) {
			t.Parallel()
			tab := newTable(3, tc.w, 5)
			if got := strings.Fields(lines(t, tab)[0]); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWidthsAreStable(t *testing.T) {
	t.Parallel()
	tab := newTable(5000, 80, 20)
	title := lines(t, tab)[0]
	rows := slices.Clone(tab.Rows())
	rows[4003].name = "a-name-much-longer-than-others"
	for _, step := range []func(){
		tab.Bottom, func() { tab.Page(-3) }, func() { tab.SetRows(rows) }, func() { tab.Select("id-4003") },
		func() { tab.SetRows(rows[:10]) }, func() { tab.SetRows(nil) },
	} {
		step()
		if got := lines(t, tab)[0]; got != title {
			t.Errorf("columns moved:\n%s\n%s", title, got)
		}
	}
	tab.SetRows(rows[4000:4010])
	if lines(t, tab)[0] == title {
		t.Error("a wider content of few rows is not seen")
	}
}

func TestCursorStaysWithItsRow(t *testing.T) {
	t.Parallel()
	rows := makeRows(100)
	reversed := slices.Clone(rows)
	slices.Reverse(reversed)
	for _, tc := range []struct {
		name   string
		rows   []row
		id     string
		index  int
		wantID string
	}{
		{"the same rows", rows, "id-50", 50, "id-50"},
		{"sorted anew", reversed, "id-50", 49, "id-50"},
		{"rows before it gone", rows[40:], "id-50", 10, "id-50"},
		{"its row gone", slices.Concat(rows[:50], rows[51:]), "id-50", 50, "id-51"},
		{"its row gone, as the last", rows[:50], "id-50", 49, "id-49"},
		{"all gone", nil, "id-50", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tab := newTable(100, 60, 11)
			tab.Select(tc.id)
			tab.SetRows(tc.rows)
			if tab.Index() != tc.index || current(tab) != tc.wantID {
				t.Errorf("at %d %q, want %d %q", tab.Index(), current(tab), tc.index, tc.wantID)
			}
			for _, r := range tab.Visible() {
				if r.id == tc.wantID {
					return
				}
			}
			if tc.wantID != "" {
				t.Error("the cursor is out of sight")
			}
		})
	}
}

func TestRefreshKeepsThePosition(t *testing.T) {
	t.Parallel()
	rows := makeRows(100)
	tab := newTable(100, 60, 11)
	tab.Select("id-50")
	tab.Move(-3)
	seen := tab.Visible()[0].id
	tab.SetRows(append([]row{{id: "new"}}, rows...))
	if got := tab.Visible()[0].id; got != seen {
		t.Errorf("the first line is %s, was %s", got, seen)
	}
	tab.Top()
	tab.SetRows(append([]row{{id: "newer"}}, tab.Rows()...))
	if got := tab.Visible()[0].id; got != "newer" || current(tab) != "new" {
		t.Errorf("at the top: first line %s, cursor %s", got, current(tab))
	}
}

func TestMovingScrollsOneRow(t *testing.T) {
	t.Parallel()
	tab := newTable(100, 60, 11)
	for _, tc := range []struct {
		name       string
		do         func()
		cursor     int
		firstShown string
	}{
		{"down within the screen", func() { tab.Move(9) }, 9, "id-0"},
		{"down past it", func() { tab.Move(1) }, 10, "id-1"},
		{"up within it", func() { tab.Move(-9) }, 1, "id-1"},
		{"up past it", func() { tab.Move(-1) }, 0, "id-0"},
		{"up past all", func() { tab.Move(-5) }, 0, "id-0"},
		{"a page", func() { tab.Page(1) }, 9, "id-9"},
		{"a page back", func() { tab.Page(-1) }, 0, "id-0"},
		{"the end", tab.Bottom, 99, "id-90"},
		{"a page past the end", func() { tab.Page(1) }, 99, "id-90"},
		{"the start", tab.Top, 0, "id-0"},
		{"another height", func() { tab.Move(9); tab.Resize(60, 4) }, 9, "id-7"},
		{"no height", func() { tab.Resize(60, 0); tab.Resize(60, 11) }, 9, "id-9"},
	} {
		tc.do()
		if tab.Index() != tc.cursor || tab.Visible()[0].id != tc.firstShown {
			t.Errorf("%s: cursor %d, first %s; want %d, %s", tc.name, tab.Index(), tab.Visible()[0].id, tc.cursor, tc.firstShown)
		}
	}
	if tab.Select("no such row") {
		t.Error("a row that does not exist was selected")
	}
}

func TestWideScrollsBehindTheFirstColumn(t *testing.T) {
	t.Parallel()
	tab := newTable(3, 40, 5)
	tab.SetWide(true)
	want := [][]string{{"Name", "State", "Age", "Note"}, {"Name", "Age", "Note"}, {"Name", "Note"}, {"Name", "Note"}}
	for i, titles := range want {
		if got := strings.Fields(lines(t, tab)[0]); !slices.Equal(got, titles) {
			t.Errorf("scrolled %d: %v, want %v", i, got, titles)
		}
		checkSize(t, tab.Draw(plainTheme()), 40, 5)
		tab.Scroll(1)
	}
	tab.Scroll(-10)
	if got := strings.Fields(lines(t, tab)[0]); !slices.Equal(got, want[0]) {
		t.Errorf("scrolled back: %v", got)
	}
}

func TestEmptySaysWhy(t *testing.T) {
	t.Parallel()
	tab := newTable(0, 24, 6)
	tab.Empty = "No node matches the filter."
	got := lines(t, tab)
	if strings.TrimSpace(got[1]) != "" || strings.TrimSpace(got[2]) != "No node matches the" || strings.TrimSpace(got[3]) != "filter." {
		t.Errorf("got %q", got)
	}
}

func TestCursorIsOnlyInTheGutter(t *testing.T) {
	t.Parallel()
	tab := newTable(10, 60, 11)
	th := theme.New(theme.Options{})
	before := strings.Split(tab.Draw(th), "\n")
	tab.Move(1)
	after := strings.Split(tab.Draw(th), "\n")
	for i := range before {
		if cell.From(ansi.Strip(before[i]), 1) != cell.From(ansi.Strip(after[i]), 1) {
			t.Errorf("line %d changed beside the gutter", i)
		}
		if i > 2 && before[i] != after[i] {
			t.Errorf("line %d changed", i)
		}
	}
}

func TestZeroTable(t *testing.T) {
	t.Parallel()
	tab := table.New(func(r row) string { return r.id })
	tab.Move(1)
	tab.Page(-1)
	tab.Bottom()
	tab.Scroll(3)
	tab.Resize(10, 3)
	tab.SetRows(makeRows(3))
	tab.SetColumns([]table.Column[row]{{Title: "no getter"}})
	checkSize(t, tab.Draw(plainTheme()), 10, 3)
}

// TestJump checks that the table scrolls several rows when the cursor leaves the window, so that the next moves do
// not scroll.
func TestJump(t *testing.T) {
	t.Parallel()
	tab := newTable(100, 80, 11)
	tab.Jump = 4
	first := func() string { return tab.Visible()[0].id }
	tab.Move(9)
	if first() != "id-0" {
		t.Errorf("scrolled to %s within the window", first())
	}
	tab.Move(1)
	if first() != "id-5" || current(tab) != "id-10" {
		t.Errorf("first %s, cursor %s", first(), current(tab))
	}
	tab.Move(4)
	if first() != "id-5" {
		t.Errorf("scrolled to %s within the window", first())
	}
	tab.Move(-10)
	if first() != "id-0" || current(tab) != "id-4" {
		t.Errorf("first %s, cursor %s", first(), current(tab))
	}
	tab.Bottom()
	if first() != "id-90" || current(tab) != "id-99" {
		t.Errorf("first %s, cursor %s", first(), current(tab))
	}
	tab.Jump = 100
	tab.Move(-10)
	if first() != "id-84" || current(tab) != "id-89" {
		t.Errorf("first %s, cursor %s", first(), current(tab))
	}
}

func TestClick(t *testing.T) {
	t.Parallel()
	tab := newTable(50, 80, 11)
	tab.Move(20)
	drawn := lines(t, tab)
	for _, tc := range []struct {
		name string
		x, y int
		want table.Hit
	}{
		{"a title", strings.Index(drawn[0], "State"), 0, table.Hit{Column: "state"}},
		{"before the titles", 0, 0, table.Hit{}},
		{"a row", 30, 5, table.Hit{Row: true}},
		{"the same row", 0, 5, table.Hit{Row: true, WasCurrent: true}},
		{"the last row", 79, 10, table.Hit{Row: true}},
		{"below", 5, 11, table.Hit{}},
		{"above", 5, -1, table.Hit{}},
		{"right", 80, 3, table.Hit{}},
		{"left", -1, 3, table.Hit{}},
	} {
		if got := tab.Click(tc.x, tc.y); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
		if r, _ := tab.Cursor(); tc.want.Row && !strings.Contains(drawn[tc.y], r.name) {
			t.Errorf("%s: the cursor is at %s, clicked at %q", tc.name, r.name, drawn[tc.y])
		}
	}
	tab.SetRows(makeRows(2))
	if got := tab.Click(5, 3); got != (table.Hit{}) {
		t.Errorf("below the last row: %+v", got)
	}
	tab.SetRows(nil)
	if got := tab.Click(5, 1); got != (table.Hit{}) {
		t.Errorf("without rows: %+v", got)
	}
}
