package line_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/line"
)

var named = map[string]rune{
	"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome,
	"end": tea.KeyEnd, "tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
}

// key returns the message for the named key.
func key(name string) tea.KeyPressMsg {
	msg := tea.KeyPressMsg{}
	for _, mod := range []struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, found := strings.CutPrefix(name, mod.name); found {
			msg.Mod |= mod.mod
			name = rest
		}
	}
	if code, found := named[name]; found {
		msg.Code = code
		return msg
	}
	msg.Code, _ = utf8.DecodeRuneInString(name)
	if msg.Mod == 0 {
		msg.Text = name
	}
	return msg
}

// press presses the named keys. A name that starts with an apostrophe is text to type.
func press(l *line.Line, keys ...string) {
	for _, k := range keys {
		if text, found := strings.CutPrefix(k, "'"); found {
			for _, r := range text {
				l.Update(key(string(r)))
			}
			continue
		}
		l.Update(key(k))
	}
}

func drawn(l *line.Line, w int) string {
	// Brackets mark the cursor.
	s := l.Draw(theme.New(theme.Options{}), w)
	if before, after, found := strings.Cut(s, "\x1b[7m"); found {
		s = before + "[" + strings.Replace(after, "\x1b[m", "]", 1)
	}
	return strings.TrimRight(ansi.Strip(s), " ")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		keys []string
		want string // with the cursor as brackets
	}{
		{"text", []string{"'ab c"}, "ab c[ ]"},
		{"in the middle", []string{"'ac", "left", "'b"}, "ab[c]"},
		{"home and end", []string{"'ab", "home", "'x", "end", "'y"}, "xaby[ ]"},
		{"backspace", []string{"'abc", "left", "backspace"}, "a[c]"},
		{"backspace at the start", []string{"'ab", "ctrl+a", "backspace"}, "[a]b"},
		{"delete", []string{"'abc", "home", "delete", "right", "ctrl+d", "delete"}, "b[ ]"},
		{"word back", []string{"'one two-three", "ctrl+w"}, "one two-[ ]"},
		{"words", []string{"'one two three", "alt+b", "ctrl+left", "alt+d"}, "one [ ]three"},
		{"to the next word", []string{"'one two", "home", "alt+f", "'!"}, "one![ ]two"},
		{"to the start", []string{"'one two", "left", "ctrl+u"}, "[o]"},
		{"to the end", []string{"'one two", "home", "right", "ctrl+k"}, "o[ ]"},
		{"wide", []string{"'机架", "left", "backspace"}, "[架]"},
		{"an accent of its own", []string{"'e\u0301x", "left", "backspace"}, "[x]"},
		{"a family", []string{"'a👩‍👩‍👧‍👦", "backspace"}, "a[ ]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := &line.Line{}
			press(l, tc.keys...)
			if got := drawn(l, 30); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOtherKeysAreLeftToTheOwner(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"enter", "esc", "tab", "shift+tab", "up", "down", "ctrl+s", "ctrl+c", "alt+x"} {
		l := &line.Line{}
		if l.Update(key(name)) || l.Value() != "" {
			t.Errorf("%s was taken, value %q", name, l.Value())
		}
	}
	if (&line.Line{}).Update(tea.WindowSizeMsg{}) {
		t.Error("a size was taken")
	}
}

func TestPaste(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, paste, want string }{
		{"a line as it was copied", "s3cret\n", "s3cret"},
		{"lines", "one\r\ntwo\nthree\tfour\r\n", "one two three four"},
		{"escape sequences", "\x1b[31mred\x07\u009b", " [31mred  "},
		{"directions", "a\u202eb", "a b"},
		{"no text", "a\xffb", "a\ufffdb"},
		{"wide", "机架", "机架"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := &line.Line{}
			l.Update(tea.PasteMsg{Content: tc.paste})
			if l.Value() != tc.want {
				t.Errorf("got %q, want %q", l.Value(), tc.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		l    line.Line
		in   string
		want string
	}{
		{"runes", line.Line{MaxRunes: 3}, "机架一号", "机架一"},
		{"bytes", line.Line{MaxBytes: 7}, "机架一号", "机架"},
		{"as many as there are", line.Line{MaxRunes: 3, MaxBytes: 3}, "abc", "abc"},
		{"none were said", line.Line{}, strings.Repeat("x", 1<<20), strings.Repeat("x", 4096)},
		{"none were said, wide", line.Line{MaxRunes: 1 << 20}, strings.Repeat("机", 1<<20), strings.Repeat("机", 16<<10/3)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.l.Update(tea.PasteMsg{Content: tc.in})
			if tc.l.Value() != tc.want {
				t.Errorf("pasted: %d bytes, want %d", len(tc.l.Value()), len(tc.want))
			}
			press(&tc.l, "home", "'z")
			tc.l.SetValue(tc.in)
			if tc.l.Value() != tc.want {
				t.Errorf("set: %d bytes, want %d", len(tc.l.Value()), len(tc.want))
			}
		})
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	l := &line.Line{Secret: true}
	l.SetSuggestions([]string{"hunter2"})
	press(l, "'hunter 机", "left")
	if got := drawn(l, 20); got != "•••••••[•]" {
		t.Errorf("got %q", got)
	}
	l.Remember("hunter2")
	press(l, "ctrl+u", "up")
	if l.Value() != "机" {
		t.Errorf("remembered: %q", l.Value())
	}
	press(l, "'a b", "ctrl+w")
	if l.Value() != "机" {
		t.Errorf("a secret's words can be told apart: %q", l.Value())
	}
}

func TestSuggestion(t *testing.T) {
	t.Parallel()
	l := &line.Line{}
	l.SetSuggestions([]string{"state=active", "state=available", "owner="})
	if l.Complete() {
		t.Error("nothing was written, and yet completed")
	}
	press(l, "'state=av")
	if got := drawn(l, 30); got != "state=av[a]ilable" {
		t.Errorf("got %q", got)
	}
	if !l.Update(key("tab")) || l.Value() != "state=available" {
		t.Errorf("got %q", l.Value())
	}
	if l.Update(key("tab")) {
		t.Error("tab was taken without a suggestion")
	}
	press(l, "ctrl+u", "'o", "right")
	if l.Value() != "owner=" {
		t.Errorf("got %q", l.Value())
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	l := &line.Line{}
	for _, s := range []string{"one", "two", "two", ""} {
		l.Remember(s)
	}
	press(l, "'new")
	for _, step := range []struct{ key, want string }{
		{"up", "two"}, {"up", "one"}, {"up", "one"}, {"down", "two"}, {"down", "new"}, {"down", "new"},
	} {
		press(l, step.key)
		if l.Value() != step.want {
			t.Errorf("%s: %q, want %q", step.key, l.Value(), step.want)
		}
	}
	press(l, "up", "'!", "up")
	if l.Value() != "two" {
		t.Errorf("a changed line is a new one: %q", l.Value())
	}
	press(l, "down")
	if l.Value() != "two!" {
		t.Errorf("what was changed is gone: %q", l.Value())
	}
	for i := range 500 {
		l.Remember(fmt.Sprint(i))
	}
	for range 500 {
		press(l, "up")
	}
	if l.Value() != "400" {
		t.Errorf("history goes back to %q", l.Value())
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	l := &line.Line{Placeholder: "name or id"}
	if got := drawn(l, 20); got != "[n]ame or id" {
		t.Errorf("got %q", got)
	}
	l.Blurred = true
	if got := drawn(l, 20); got != "name or id" {
		t.Errorf("got %q", got)
	}
}

func TestCursorStaysVisible(t *testing.T) {
	t.Parallel()
	l := &line.Line{}
	press(l, "'0123456789")
	if got := drawn(l, 5); got != "6789[ ]" {
		t.Errorf("at the end: %q", got)
	}
	press(l, "left", "left")
	if got := drawn(l, 5); got != "67[8]9" {
		t.Errorf("without scrolling: %q", got)
	}
	press(l, "home")
	if got := drawn(l, 5); got != "[0]1234" {
		t.Errorf("at the start: %q", got)
	}
}

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "word ", "机架", "👩‍👩‍👧‍👦", "e\u0301", "\u0301", "🇩🇪", "\u200d"}
	keys := []string{"left", "right", "home", "end", "backspace", "delete", "alt+b", "ctrl+w"}
	for range 3000 {
		l := &line.Line{Secret: rnd.IntN(4) == 0, Blurred: rnd.IntN(4) == 0, Placeholder: "机架 name"}
		for range rnd.IntN(12) {
			l.Update(tea.PasteMsg{Content: pieces[rnd.IntN(len(pieces))]})
			for range rnd.IntN(3) {
				press(l, keys[rnd.IntN(len(keys))])
			}
		}
		for range 3 {
			w := rnd.IntN(30)
			if got := l.Draw(theme.New(theme.Options{}), w); cell.Width(got) != w || strings.Contains(got, "\n") {
				t.Fatalf("%d cells, want %d: %q of %q", cell.Width(got), w, got, l.Value())
			}
			press(l, keys[rnd.IntN(len(keys))])
		}
		if !utf8.ValidString(l.Value()) {
			t.Fatalf("a character was cut through: %q", l.Value())
		}
	}
}

func BenchmarkPasteMegabyte(b *testing.B) {
	msg := tea.PasteMsg{Content: strings.Repeat("0123456789\n", 100_000)}
	for b.Loop() {
		(&line.Line{}).Update(msg)
	}
}

func BenchmarkDraw(b *testing.B) {
	l := &line.Line{}
	l.SetValue(strings.Repeat("0123456789", 10))
	th := theme.New(theme.Options{})
	for b.Loop() {
		l.Draw(th, 80)
	}
}

// TestSecretParts checks that in a text that contains secrets, only the secrets are hidden, even while they are being
// typed.
func TestSecretParts(t *testing.T) {
	t.Parallel()
	l := &line.Line{Secrets: func(text string) [][2]int {
		if at := strings.Index(text, "="); at >= 0 {
			return [][2]int{{at + 1, len(text)}}
		}
		return nil
	}}
	press(l, "'user")
	if got := drawn(l, 20); !strings.HasPrefix(got, "user") {
		t.Errorf("got %q", got)
	}
	press(l, "'=h机")
	if got := drawn(l, 20); !strings.HasPrefix(got, "user=••") || l.Value() != "user=h机" {
		t.Errorf("got %q of %q", got, l.Value())
	}
}
