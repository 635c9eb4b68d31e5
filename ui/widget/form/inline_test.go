package form_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

func sections() []form.Field {
	list := fields()
	for i := range list {
		list[i].Section = []string{"What", "How"}[i/2]
	}
	return list
}

func shown(f *form.Inline, w, h int) string {
	rows := strings.Split(ansi.Strip(f.Draw(theme.New(theme.Options{}), w, h)), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

func keys(f *form.Inline, names ...string) {
	codes := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	}
	for _, name := range names {
		if msg, found := codes[name]; found {
			f.Typed(msg)
			continue
		}
		f.Typed(tea.PasteMsg{Content: name})
	}
}

func TestInlineKeysAreTextOnlyDuringEditing(t *testing.T) {
	t.Parallel()
	f := form.NewInline(sections(), "")
	keys(f, "lost")
	if f.Editing() || f.Values()["image"] != "" {
		t.Errorf("a key is text before: %q", f.Values())
	}
	f.Edit()
	keys(f, "http://a", "enter")
	if f.Editing() || f.Values()["image"] != "http://a" {
		t.Errorf("enter: %q", f.Values())
	}
	f.Edit()
	keys(f, "bc", "esc")
	if f.Editing() || f.Values()["image"] != "http://a" {
		t.Errorf("esc: %q", f.Values())
	}
	// Tab moves to the next field. It starts editing the field only if it is a text field.
	f.Edit()
	keys(f, "b", "tab", "pass", "down")
	if f.Editing() || f.Focus() != "boot" || f.Values()["image"] != "http://ab" || f.Values()["password"] != "pass" {
		t.Errorf("at %s: %q", f.Focus(), f.Values())
	}
	f.Edit()
	if f.Editing() || f.Values()["boot"] != "bios" {
		t.Errorf("edit chooses %q", f.Values()["boot"])
	}
	f.Scroll(-1)
	f.Move(1)
	f.Scroll(1)
	f.Move(9)
	if f.Values()["boot"] != "uefi" || f.Values()["sure"] != "true" || f.Focus() != "sure" {
		t.Errorf("at %s: %q", f.Focus(), f.Values())
	}
	f.Top()
	f.Move(-1)
	f.Set("other")
	f.Page(1)
	f.SetFocus("password")
	f.SetFocus("nowhere")
	if f.Values()["image"] != "other" || f.Focus() != "password" {
		t.Errorf("at %s: %q", f.Focus(), f.Values())
	}
	f.Bottom()
	if f.Focus() != "sure" {
		t.Errorf("the last is %s", f.Focus())
	}
}

func TestInlineShowsProblemsBelowTheField(t *testing.T) {
	t.Parallel()
	f := form.NewInline(sections(), "")
	f.SetProblems(map[string]string{"password": "It is too short."})
	want := "  What\n❯ Image*      https://\n✖ Password\n    It is too short.\n  How\n  Boot mode     uefi\n  I am sure*  [ ] no\n\n\n  A URL.\n"
	if got := shown(f, 40, 11); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.SetProblems(nil)
	if got := shown(f, 40, 11); strings.Contains(got, "short") {
		t.Errorf("it is still there:\n%s", got)
	}
}

// TestInlineShowsThatItContinues checks that a small area includes one row below the current field, which shows that
// the form continues.
func TestInlineShowsThatItContinues(t *testing.T) {
	t.Parallel()
	f := form.NewInline(sections(), "")
	f.SetFocus("boot")
	if got, want := shown(f, 40, 4), "  Password\n  How\n❯ Boot mode   < uefi >\n  I am sure*  [ ] no"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !f.Chooses() {
		t.Error("the boot mode is not written, but chosen")
	}
	if f.SetFocus("image"); f.Chooses() {
		t.Error("an address is written")
	}
}

func TestInlineWithoutFields(t *testing.T) {
	t.Parallel()
	f := form.NewInline(nil, "")
	f.Edit()
	f.Set("x")
	f.Move(1)
	f.Bottom()
	f.Scroll(1)
	if f.Focus() != "" || f.Editing() || shown(f, 5, 2) != "\n" {
		t.Errorf("%q %v %q", f.Focus(), f.Editing(), shown(f, 5, 2))
	}
}

func TestInlineIsExactlyItsSizeWithItsCursor(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	words := []string{"", "x", "Deploy", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", strings.Repeat("long ", 30)}
	word := func() string { return words[rnd.IntN(len(words))] }
	for range 600 {
		w, h := rnd.IntN(90), rnd.IntN(24)
		specs := make([]form.Field, 1+rnd.IntN(30))
		problems := map[string]string{}
		for i := range specs {
			specs[i] = form.Field{
				Key: fmt.Sprint(i), Label: word(), Kind: form.Kind(rnd.IntN(4)), Value: word(), Help: word(), Section: word(), Options: words,
			}
			if rnd.IntN(3) == 0 {
				problems[fmt.Sprint(i)] = word()
			}
		}
		f := form.NewInline(specs, "")
		f.SetProblems(problems)
		for range rnd.IntN(5) {
			f.Move(rnd.IntN(40) - 10)
			got := f.Draw(theme.New(theme.Options{}), w, h)
			if h == 0 {
				continue
			}
			rows := strings.Split(got, "\n")
			if len(rows) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(rows))
			}
			for _, row := range rows {
				if cell.Width(row) != w {
					t.Fatalf("%dx%d: %d cells: %q", w, h, cell.Width(row), row)
				}
			}
			if w > 2 && !strings.Contains(ansi.Strip(got), "❯") {
				t.Fatalf("%dx%d: the cursor at %s is out of sight:\n%s", w, h, f.Focus(), ansi.Strip(got))
			}
		}
	}
}

func TestInlineClick(t *testing.T) {
	t.Parallel()
	f := form.NewInline(sections(), "")
	f.SetProblems(map[string]string{f.Focus(): "is required"})
	drawn := strings.Split(shown(f, 60, 20), "\n")
	for y, line := range drawn {
		before := f.Focus()
		again := f.Click(5, y)
		if f.Click(60, y) || f.Click(-1, y) {
			t.Errorf("a click outside hits %q", line)
		}
		switch strings.TrimSpace(line) {
		case "What", "How", "":
			if again || f.Focus() != before {
				t.Errorf("%q was clicked", line)
			}
		case "is required":
			if !again {
				t.Errorf("the problem is not its field's")
			}
		}
	}
	last := f.Focus()
	if last == sections()[0].Key {
		t.Fatal("no field was selected")
	}
}
