package form_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

func fields() []form.Field {
	return []form.Field{
		{Key: "image", Label: "Image", Required: true, Help: "A URL.", Placeholder: "https://", Check: func(v string) string {
			if !strings.HasPrefix(v, "http") {
				return "This is no URL."
			}
			return ""
		}},
		{Key: "password", Label: "Password", Kind: form.Secret, Max: 8},
		{Key: "boot", Label: "Boot mode", Kind: form.Choice, Options: []string{"bios", "uefi"}, Value: "uefi"},
		{Key: "sure", Label: "I am sure", Kind: form.Toggle, Required: true},
	}
}

// press presses the keys with the given names. Arguments that are not key names are pasted as text.
func press(f *form.Form, keys ...string) (done, cancelled bool) {
	codes := map[string]tea.KeyPressMsg{
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "left": {Code: tea.KeyLeft},
		"right": {Code: tea.KeyRight}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
		"ctrl+s": {Code: 's', Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		if msg, found := codes[k]; found {
			done, cancelled, _ = f.Update(msg)
			continue
		}
		done, cancelled, _ = f.Update(tea.PasteMsg{Content: k})
	}
	return done, cancelled
}

func TestValues(t *testing.T) {
	t.Parallel()
	f := form.New(fields())
	press(f, "http://a", "tab", "secret", "down", "space", "down", "right")
	want := map[string]string{"image": "http://a", "password": "secret", "boot": "bios", "sure": "true"}
	if got := f.Values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	press(f, "tab", "ctrl+u", "shift+tab", "space", "up", "left", "left", "left")
	want = map[string]string{"image": "", "password": "secret", "boot": "uefi", "sure": "false"}
	if got := f.Values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func drawn(f *form.Form, w, h int) string {
	rows := strings.Split(ansi.Strip(f.Draw(theme.New(theme.Options{}), w, h)), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

func TestEnter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		keys []string
		done bool
		says string // text that the screen must show
	}{
		{"nothing filled in", []string{"enter"}, false, "Required."},
		{"something wrong", []string{"abc", "enter"}, false, "This is no URL."},
		{"goes on to what is missing", []string{"http://a", "enter"}, false, "❯ I am sure*"},
		{"comes back to what is missing", []string{"up", "space", "enter"}, false, "❯ Image*"},
		{"all right", []string{"http://a", "enter", "space", "enter"}, true, ""},
		{"all right, from anywhere", []string{"http://a", "enter", "space", "up", "ctrl+s"}, true, ""},
		{"what was wrong is forgotten", []string{"abc", "enter", "ctrl+u", "h"}, false, "A URL."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := form.New(fields())
			if done, cancelled := press(f, tc.keys...); done != tc.done || cancelled {
				t.Errorf("done %v, cancelled %v", done, cancelled)
			}
			if got := drawn(f, 40, f.Height()); !strings.Contains(got, tc.says) {
				t.Errorf("%q is not in\n%s", tc.says, got)
			}
		})
	}
}

func TestEscCancels(t *testing.T) {
	t.Parallel()
	f := form.New(fields())
	if done, cancelled := press(f, "esc"); done || !cancelled {
		t.Errorf("done %v, cancelled %v", done, cancelled)
	}
	none := form.New(nil)
	press(none, "tab", "x")
	if done, _ := press(none, "enter"); !done {
		t.Error("a form without fields is not done")
	}
}

func TestSetError(t *testing.T) {
	t.Parallel()
	f := form.New(fields())
	f.SetError("password", "It is too short.")
	want := "  Image*      https://\n❯ Password\n  Boot mode     uefi\n  I am sure*  [ ] no\n\n  It is too short.\n"
	if got := drawn(f, 40, 7); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	press(f, "down")
	want = "  Image*      https://\n✖ Password\n❯ Boot mode   < uefi >\n  I am sure*  [ ] no\n\n\n"
	if got := drawn(f, 40, 7); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTabCompletesFirst(t *testing.T) {
	t.Parallel()
	f := form.New([]form.Field{{Key: "a", Suggestions: []string{"active"}}, {Key: "b"}})
	press(f, "act", "tab", "!", "tab", "b")
	if got := f.Values(); got["a"] != "active!" || got["b"] != "b" {
		t.Errorf("got %v", got)
	}
}

func TestSecretIsHidden(t *testing.T) {
	t.Parallel()
	f := form.New(fields())
	press(f, "tab", "hunter2hunter2")
	if got := drawn(f, 60, 10); strings.Contains(got, "hunter") || !strings.Contains(got, "••••••••") {
		t.Errorf("got %s", got)
	}
	if got := f.Values()["password"]; got != "hunter2h" {
		t.Errorf("got %q", got)
	}
}

func TestFocusStaysVisible(t *testing.T) {
	t.Parallel()
	var many []form.Field
	for i := range 20 {
		many = append(many, form.Field{Key: fmt.Sprint(i), Label: fmt.Sprintf("field %d", i)})
	}
	f := form.New(many)
	for i := range 45 {
		if got := drawn(f, 40, 6); !strings.Contains(got, fmt.Sprintf("❯ field %d", i%20)) {
			t.Fatalf("field %d is out of sight:\n%s", i%20, got)
		}
		press(f, "tab")
	}
}

func TestDrawIsExactlyItsSize(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	words := []string{"", "x", "Deploy", "机架一号服务器", "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", strings.Repeat("long ", 30)}
	word := func() string { return words[rnd.IntN(len(words))] }
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {5, 3}, {40, 10}, {80, 24}, {200, 50}}
	for range 500 {
		sizes = append(sizes, [2]int{rnd.IntN(80), rnd.IntN(20)})
	}
	for _, size := range sizes {
		specs := make([]form.Field, rnd.IntN(12))
		for i := range specs {
			specs[i] = form.Field{
				Key: fmt.Sprint(i), Label: word(), Kind: form.Kind(rnd.IntN(4)), Value: word(), Help: word(),
				Placeholder: word(), Options: words[:rnd.IntN(len(words))], Required: rnd.IntN(2) == 0,
			}
		}
		f := form.New(specs)
		for range rnd.IntN(12) {
			press(f, []string{"tab", "space", "left", "机", "enter", "up"}[rnd.IntN(6)])
		}
		f.SetError(fmt.Sprint(rnd.IntN(12)), word())
		got := f.Draw(theme.New(theme.Options{}), size[0], size[1])
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
