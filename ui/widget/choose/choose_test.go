package choose_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/choose"
)

func verbs() []choose.Item {
	return []choose.Item{
		{ID: "abort", Title: "Abort", Disabled: "Nothing is running."},
		{ID: "deploy", Title: "Deploy", Detail: "install an image", Key: "d"},
		{ID: "undeploy", Title: "Undeploy", Detail: "wipe and make available", Key: "D"},
		{ID: "inspect", Title: "Inspect", Detail: "look at the hardware", Note: "2 min"},
		{ID: "on", Title: "Power on"},
		{ID: "off", Title: "Power off", Key: "o"},
	}
}

func press(l *choose.List, keys ...string) (picked string, done bool) {
	codes := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab,
		"backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	}
	for _, k := range keys {
		if code, found := codes[k]; found {
			picked, done = l.Update(tea.KeyPressMsg{Code: code})
			continue
		}
		for _, r := range k {
			picked, done = l.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return picked, done
}

// shown returns the titles that are visible. The title at the cursor has a star appended.
func shown(l *choose.List) []string {
	var titles []string
	rows := strings.Split(ansi.Strip(l.Draw(theme.New(theme.Options{}), 60, 20)), "\n")
	for _, row := range rows[2:] {
		for _, item := range verbs() {
			if strings.Contains(row, " "+item.Title+"  ") {
				if strings.HasPrefix(row, theme.GlyphCursor) {
					item.Title += "*"
				}
				titles = append(titles, item.Title)
			}
		}
	}
	return titles
}

func TestTypingFilters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typed string
		want  []string
	}{
		{"", []string{"Abort", "Deploy*", "Undeploy", "Inspect", "Power on", "Power off"}},
		{"deploy", []string{"Deploy*", "Undeploy"}},
		{"DEP", []string{"Deploy*", "Undeploy"}},
		{"on", []string{"Power on*"}},
		{"hardware", []string{"Inspect*"}},
		{"wipe av", []string{"Undeploy*"}},
		{"pwr", []string{"Power on*", "Power off"}},
		{"p", []string{"Power on*", "Power off", "Deploy", "Undeploy", "Inspect"}},
		{"abort", []string{"Abort*"}},
		{"zzz", nil},
	} {
		t.Run(tc.typed, func(t *testing.T) {
			t.Parallel()
			l := choose.New(verbs())
			press(l, tc.typed)
			if got := shown(l); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		keys []string
		want string
		done bool
	}{
		{"at once", []string{"enter"}, "deploy", true},
		{"after moving", []string{"down", "tab", "enter"}, "inspect", true},
		{"after typing", []string{"undep", "enter"}, "undeploy", true},
		{"the last", []string{"end", "down", "enter"}, "off", true},
		{"what cannot be picked", []string{"home", "enter"}, "", false},
		{"what cannot be picked, by its name", []string{"abort", "enter"}, "", false},
		{"nothing", []string{"zzz", "enter"}, "", false},
		{"after taking text back", []string{"zzz", "backspace", "backspace", "backspace", "enter"}, "deploy", true},
		{"leaving", []string{"dep", "esc"}, "", true},
		{"pages", []string{"pgdown", "pgup", "down", "enter"}, "undeploy", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := choose.New(verbs())
			if picked, done := press(l, tc.keys...); picked != tc.want || done != tc.done {
				t.Errorf("got %q %v, want %q %v", picked, done, tc.want, tc.done)
			}
		})
	}
}

func TestReasonIsShown(t *testing.T) {
	t.Parallel()
	l := choose.New(verbs())
	if got := ansi.Strip(l.Draw(theme.New(theme.Options{}), 60, 10)); !strings.Contains(got, "Nothing is running.") {
		t.Errorf("got %q", got)
	}
}

func TestDrawItem(t *testing.T) {
	t.Parallel()
	l := choose.New(verbs())
	l.Select("inspect")
	rows := strings.Split(ansi.Strip(l.Draw(theme.New(theme.Options{}), 50, 10)), "\n")
	want := map[int]string{
		0: "  type to filter                               6/6",
		3: "  d  Deploy     install an image",
		5: "❯    Inspect    look at the hardware         2 min",
	}
	for i, line := range want {
		if got := strings.TrimRight(rows[i], " "); got != line {
			t.Errorf("line %d:\n got %q\nwant %q", i, got, line)
		}
	}
}

func TestNewItemsKeepCursorAndText(t *testing.T) {
	t.Parallel()
	l := choose.New(verbs())
	press(l, "p", "down", "down")
	items := verbs()
	slices.Reverse(items)
	l.SetItems(items)
	if at, _ := l.Current(); at.ID != "deploy" {
		t.Errorf("the cursor is at %q", at.ID)
	}
	l.SetItems(items[:1])
	if at, _ := l.Current(); at.ID != "off" {
		t.Errorf("the cursor is at %q", at.ID)
	}
	l.SetItems(nil)
	if _, ok := l.Current(); ok || l.Len() != 0 {
		t.Error("there is nothing, and yet the cursor is at it")
	}
}

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	words := []string{"", "x", "Deploy", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", strings.Repeat("long ", 30)}
	word := func() string { return words[rnd.IntN(len(words))] }
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {5, 3}, {40, 10}, {80, 24}, {200, 50}}
	for range 500 {
		sizes = append(sizes, [2]int{rnd.IntN(80), rnd.IntN(20)})
	}
	for _, size := range sizes {
		items := make([]choose.Item, rnd.IntN(30))
		for i := range items {
			items[i] = choose.Item{ID: fmt.Sprint(i), Title: word(), Detail: word(), Note: word(), Key: word(), Disabled: word()}
		}
		l := choose.New(items)
		press(l, []string{"", "e", "机", "zzz"}[rnd.IntN(4)])
		for range rnd.IntN(20) {
			press(l, "down")
		}
		got := l.Draw(theme.New(theme.Options{}), size[0], size[1])
		if size[1] == 0 {
			if got != "" {
				t.Fatalf("no height, but %q", got)
			}
			continue
		}
		rows := strings.Split(got, "\n")
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

func many() []choose.Item {
	items := make([]choose.Item, 10_000)
	for i := range items {
		items[i] = choose.Item{ID: fmt.Sprintf("id-%d", i), Title: fmt.Sprintf("rack-%d-node-%05d", i%40, i), Detail: "active, power on"}
	}
	return items
}

func BenchmarkFilter(b *testing.B) {
	for _, text := range []string{"node-0999", "rn42", "e", "zzz"} {
		b.Run(text, func(b *testing.B) {
			l := choose.New(many())
			for b.Loop() {
				l.Update(tea.PasteMsg{Content: text})
				l.Update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	l := choose.New(many())
	th := theme.New(theme.Options{})
	for b.Loop() {
		l.Draw(th, 100, 40)
	}
}

// TestHeadingsAndKeys checks that the cursor skips headings, that a filter text hides them, and that a key chooses
// its item only while no text is typed.
func TestHeadingsAndKeys(t *testing.T) {
	t.Parallel()
	list := func() *choose.List {
		return choose.New([]choose.Item{
			{ID: "1", Title: "First", Heading: true},
			{ID: "on", Title: "power-on", Keys: []string{"o"}},
			{ID: "2", Title: "Second", Heading: true},
			{ID: "manage", Title: "manage", Keys: []string{"M", "ctrl+r"}},
			{ID: "move", Title: "omit", Keys: []string{"ctrl+u"}},
			{ID: "off", Title: "undeploy", Keys: []string{"U"}, Disabled: "not now"},
		})
	}
	for name, tt := range map[string]struct {
		keys []string
		want string
		done bool
	}{
		"first item":          {[]string{"enter"}, "on", true},
		"over a heading":      {[]string{"down", "enter"}, "manage", true},
		"and back":            {[]string{"down", "up", "up", "enter"}, "on", true},
		"to the end and home": {[]string{"end", "home", "enter"}, "on", true},
		"its key":             {[]string{"M"}, "manage", true},
		"a letter is text":    {[]string{"o", "enter"}, "on", true},
		"after a text":        {[]string{"o", "M"}, "", false},
		"disabled":            {[]string{"U", "enter"}, "", false},
		"a heading's text":    {[]string{"first", "enter"}, "", false},
	} {
		if picked, done := press(list(), tt.keys...); picked != tt.want || done != tt.done {
			t.Errorf("%s: picked %q, done %v", name, picked, done)
		}
	}
	l := list()
	if got := ansi.Strip(l.Draw(theme.New(theme.Options{}), 30, 9)); !strings.Contains(got, "4/4") || !strings.Contains(got, "\nFirst ") {
		t.Errorf("drawn:\n%s", got)
	}
	press(l, "o")
	if got := ansi.Strip(l.Draw(theme.New(theme.Options{}), 30, 9)); strings.Contains(got, "First") {
		t.Errorf("a heading beside a text:\n%s", got)
	}
}

// TestReasonsChange checks that an item that becomes possible while the list is open can be chosen, and that an item
// that becomes impossible cannot.
func TestReasonsChange(t *testing.T) {
	t.Parallel()
	why := "not read yet"
	l := choose.New([]choose.Item{{ID: "login", Title: "log in", Keys: []string{"U"}, Disabled: why, Why: func() string { return why }}})
	drawn := func() string { return ansi.Strip(l.Draw(theme.New(theme.Options{}), 40, 9)) }
	for _, key := range []string{"enter", "U"} {
		why = "not read yet"
		if picked, done := press(l, key); done || !strings.Contains(drawn(), why) {
			t.Errorf("%s picked %q of\n%s", key, picked, drawn())
		}
		why = ""
		if strings.Contains(drawn(), "not read yet") {
			t.Errorf("drawn:\n%s", drawn())
		}
		if picked, done := press(l, key); picked != "login" || !done {
			t.Errorf("%s picked %q, done %v", key, picked, done)
		}
	}
	if why = "busy"; drawn() == "" || !strings.Contains(drawn(), "busy") {
		t.Errorf("drawn:\n%s", drawn())
	}
}
