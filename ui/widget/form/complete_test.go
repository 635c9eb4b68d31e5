package form_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/widget/form"
)

func pathFields() []form.Field {
	complete := func(text string) []string {
		if strings.HasPrefix("/etc/", text) {
			return []string{"/etc/"}
		}
		if strings.HasPrefix("/etc/hosts", text) {
			return []string{"/etc/hosts"}
		}
		return nil
	}
	return []form.Field{{Key: "path", Label: "Path", Complete: complete}, {Key: "note", Label: "Note"}}
}

// typeAll presses the named keys and pastes all other strings. It returns the last command that looks up completions.
func typeAll(f *form.Form, keys ...string) (lookUp tea.Cmd) {
	for _, k := range keys {
		var msg tea.Msg = tea.PasteMsg{Content: k}
		switch k {
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case "up":
			msg = tea.KeyPressMsg{Code: tea.KeyUp}
		case "ctrl+p":
			msg = tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl}
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		if _, _, cmd := f.Update(msg); cmd != nil {
			lookUp = cmd
		}
	}
	return lookUp
}

func TestTabCompletesPaths(t *testing.T) {
	t.Parallel()
	f := form.New(pathFields())
	for range 2 { // completes a folder, and then a file in it
		key := "/e"
		if f.Values()["path"] != "" {
			key = "h"
		}
		cmd := typeAll(f, key)
		if cmd == nil {
			t.Fatal("nothing was looked up")
		}
		_, _, next := f.Update(cmd())
		if next != nil {
			t.Error("looked up twice")
		}
		f.Update(typeAll(f, "tab")())
	}
	if got := f.Values()["path"]; got != "/etc/hosts" {
		t.Errorf("got %q", got)
	}
	typeAll(f, "tab", "x")
	if got := f.Values()["note"]; got != "x" {
		t.Errorf("tab on a complete path stays: %v", f.Values())
	}
}

func TestTabWaitsForCompletions(t *testing.T) {
	t.Parallel()
	f := form.New(pathFields())
	slow := typeAll(f, "/e", "tab")
	f.Update(slow())
	if got := f.Values()["path"]; got != "/etc/" {
		t.Errorf("got %q", got)
	}
	// If there is nothing to complete, tab moves to the next field, where the keys typed after tab are entered.
	slow = typeAll(f, "zzz")
	typeAll(f, "tab", "x")
	f.Update(slow())
	if got := f.Values(); got["path"] != "/etc/zzz" || got["note"] != "x" {
		t.Errorf("got %v", got)
	}
}

func TestOldCompletionsAreDropped(t *testing.T) {
	t.Parallel()
	f := form.New(pathFields())
	old := typeAll(f, "/e")
	newest := typeAll(f, "tc/x")
	f.Update(old())
	other := form.New(pathFields())
	f.Update(typeAll(other, "/etc/h")())
	typeAll(f, "tab", "y")
	if got := f.Values(); got["path"] != "/etc/x" || got["note"] != "" {
		t.Errorf("got %v", got)
	}
	f.Update(newest())
	if got := f.Values(); got["path"] != "/etc/x" || got["note"] != "y" {
		t.Errorf("got %v", got)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	h := form.History{}
	fields := func() []form.Field {
		return []form.Field{
			{Key: "file", Label: "File"},
			{Key: "password", Label: "Password", Kind: form.Secret},
			{Key: "set", Label: "Fields", Secrets: func(text string) [][2]int {
				if strings.Contains(text, "password") {
					return [][2]int{{0, len(text)}}
				}
				return nil
			}},
		}
	}
	f := form.New(fields())
	f.Recall(h)
	typeAll(f, "a.ign", "tab", "hunter2", "tab", "password=hunter2", "enter")
	f = form.New(fields())
	f.Recall(h)
	typeAll(f, "b.ign", "enter")
	f = form.New(fields())
	f.Recall(h)
	typeAll(f, "ctrl+p")
	if got := f.Values()["file"]; got != "b.ign" {
		t.Errorf("got %q", got)
	}
	typeAll(f, "ctrl+p", "tab", "ctrl+p", "tab", "ctrl+p")
	if got := f.Values(); got["file"] != "a.ign" || got["password"] != "" || got["set"] != "" {
		t.Errorf("got %v", got)
	}
	for key, texts := range h {
		if strings.Contains(strings.Join(texts, " "), "hunter2") {
			t.Errorf("%s: the secret is kept", key)
		}
	}
	// In a form with a single text field, the up key recalls earlier input.
	one := form.New(fields()[:1])
	one.Recall(h)
	typeAll(one, "up", "up")
	if got := one.Values()["file"]; got != "a.ign" {
		t.Errorf("got %q", got)
	}
}
