package overlay

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

func key(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// said runs cmd and returns the text of its message.
func said(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	return fmt.Sprint(cmd())
}

func text(o screen.Overlay, w int) string {
	return ansi.Strip(o.Draw(theme.New(theme.Options{}), w, 20))
}

func sayCmd(s string) tea.Cmd { return func() tea.Msg { return s } }

// ready returns a dialog that asks q. Its grace period is over.
func ready(t *testing.T, q Question) *Confirm {
	t.Helper()
	c := NewConfirm(q)
	if _, cmd := c.Update(c.Start()()); cmd != nil || !c.ready {
		t.Fatal("the grace does not end")
	}
	return c
}

func TestConfirmAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		typed string
		keys  []string
		done  bool
		want  string
	}{
		"y":             {"", []string{"y"}, true, "yes"},
		"Y":             {"", []string{"Y"}, true, "yes"},
		"n":             {"", []string{"n"}, true, "no"},
		"esc":           {"", []string{"esc"}, true, "no"},
		"enter":         {"", []string{"enter"}, false, ""},
		"another":       {"", []string{"x", "down", "up"}, false, ""},
		"y is no word":  {"3", []string{"y", "enter"}, false, ""},
		"the word":      {"3", []string{"3", "enter"}, true, "yes"},
		"a longer word": {"3", []string{"3", "3", "enter"}, false, ""},
		"corrected":     {"3", []string{"4", "enter", "backspace", "3", "enter"}, true, "yes"},
		"esc in a word": {"3", []string{"3", "esc"}, true, "no"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := ready(t, Question{Title: "T", Ask: "Sure?", Type: tt.typed, Yes: sayCmd("yes"), No: sayCmd("no")})
				var done bool
				var cmd tea.Cmd
				for _, k := range tt.keys {
					done, cmd = c.Update(key(k))
				}
				if done != tt.done || said(cmd) != tt.want {
					t.Errorf("done %v, %q", done, said(cmd))
				}
			})
		})
	}
}

func TestConfirmIgnoresEarlyKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewConfirm(Question{Title: "T", Ask: "Sure?", Yes: sayCmd("yes")})
		if done, _ := c.Update(key("y")); done {
			t.Fatal("it was confirmed at once")
		}
		if !strings.Contains(text(c, 80), "Read first") {
			t.Error("it does not say so")
		}
		// A key pressed during the grace period extends it.
		<-time.After(graceQuiet - time.Millisecond)
		c.Update(key("y"))
		<-time.After(time.Millisecond)
		if _, cmd := c.Update(graceOver{c}); cmd == nil || c.ready {
			t.Error("it listens although somebody types")
		}
		<-time.After(graceMost)
		c.Update(graceOver{c})
		if !c.ready {
			t.Error("it never listens")
		}
		if _, cmd := c.Update(graceOver{NewConfirm(Question{})}); cmd != nil {
			t.Error("it takes another's grace for its own")
		}
	})
}

func TestConfirmScrolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines []Text
		for i := range 60 {
			lines = append(lines, Text{Text: fmt.Sprintf("line %d", i)})
		}
		c := ready(t, Question{Title: "T", Lines: lines, Ask: "Sure?"})
		if s := text(c, 60); !strings.Contains(s, "line 0") || !strings.Contains(s, "more lines") || !strings.Contains(s, "Sure?") {
			t.Error(s)
		}
		for range 100 {
			c.Update(key("down"))
			text(c, 60)
		}
		if s := text(c, 60); !strings.Contains(s, "line 59") || !strings.Contains(s, "Sure?") {
			t.Error(s)
		}
	})
}

func TestContinuationLinesAreIndented(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{})
	for _, tc := range []struct {
		name string
		text Text
		want []string
	}{
		{
			"words",
			Text{Text: "  effect      it erases every disk of the machine", Indent: 14},
			[]string{"  effect      it erases every", "              disk of the", "              machine"},
		},
		{
			"a word longer than the line",
			Text{Text: "  PATCH /v1/nodes/n01 http://192.0.2.7:33735/ramdisk.iso", Indent: 4},
			[]string{"  PATCH /v1/nodes/n01", "    http://192.0.2.7:33735/ram", "    disk.iso"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.text.lines(th, 30); strings.Join(got, "|") != strings.Join(tc.want, "|") {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestPickWaitsForAllItems(t *testing.T) {
	t.Parallel()
	p := NewPick("Go", []Item{{ID: "a", Title: "alpha"}}, sayCmd).Loading()
	for _, k := range []string{"b", "e", "enter"} {
		if done, _ := p.Update(key(k)); done {
			t.Fatal("it was picked from what was there")
		}
	}
	if done, _ := p.Update(Items{Of: NewPick("", nil, sayCmd)}); done {
		t.Fatal("it took another's items")
	}
	done, cmd := p.Update(Items{Of: p, Items: []Item{{ID: "a", Title: "alpha"}, {ID: "b", Title: "beta"}}})
	if !done || said(cmd) != "b" {
		t.Errorf("done %v, %q", done, said(cmd))
	}
}

func TestPickSaysWhyAnItemIsDisabled(t *testing.T) {
	t.Parallel()
	why := "not possible in state \"active\", only in a great many others whose names are long"
	p := NewPick("Act", []Item{{ID: "a", Title: "alpha", Disabled: why}, {ID: "b", Title: "beta"}}, sayCmd)
	for range 2 {
		p.Update(key("up"))
	}
	if done, _ := p.Update(key("enter")); done {
		t.Error("what cannot be done was picked")
	}
	if s := strings.Join(strings.Fields(text(p, 60)), " "); !strings.Contains(s, "whose names are") {
		t.Error(text(p, 60))
	}
}

func TestFormKeepsInvalidInput(t *testing.T) {
	t.Parallel()
	f := NewForm("set n1", []form.Field{{Key: "x", Label: "Settings", Required: true}}, func(v map[string]string) (tea.Cmd, string, string) {
		if v["x"] == "b" {
			return nil, "x", "b is wrong"
		}
		return sayCmd(v["x"]), "", ""
	})
	f.Update(key("b"))
	if done, _ := f.Update(key("enter")); done || !strings.Contains(text(f, 60), "b is wrong") {
		t.Error(text(f, 60))
	}
	f.Update(key("backspace"))
	f.Update(key("c"))
	if done, cmd := f.Update(key("enter")); !done || said(cmd) != "c" {
		t.Errorf("done %v, %q", done, said(cmd))
	}
	if done, cmd := f.Update(key("esc")); !done || cmd != nil {
		t.Error("esc does not leave")
	}
}

// TestFormShowsTheKeyThatChooses checks that the footer shows the key that changes a choice, while the cursor is in a
// field with choices.
func TestFormShowsTheKeyThatChooses(t *testing.T) {
	f := NewForm("Do it", []form.Field{{Key: "a", Label: "A"}, {Key: "b", Label: "B", Kind: form.Toggle}}, func(map[string]string) (tea.Cmd, string, string) {
		return nil, "", ""
	})
	if first := f.Keys()[0]; first.Key != "enter" {
		t.Errorf("%+v", first)
	}
	f.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	if first := f.Keys()[0]; first.Key != "space" || first.Text != "change" {
		t.Errorf("%+v", first)
	}
}

// TestFits checks that no dialog exceeds its size, and that all lines of a dialog have the same width.
func TestFits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("节点 word ", 50)
		for name, o := range map[string]screen.Overlay{
			"confirm": ready(t, Question{Title: long, Lines: []Text{{Text: long}}, Ask: long, Type: "3"}),
			"note":    NewNote(long, Plain(long+"\n"+long)),
			"pick":    NewPick(long, []Item{{ID: "a", Title: long, Detail: long, Disabled: long}}, sayCmd),
			"form":    NewForm(long, []form.Field{{Key: "x", Label: long, Help: long}}, nil),
		} {
			for _, size := range [][2]int{{1, 1}, {5, 3}, {20, 5}, {30, 6}, {80, 22}, {200, 46}} {
				block := o.Draw(theme.New(theme.Options{}), size[0], size[1])
				lines := strings.Split(block, "\n")
				if len(lines) > size[1] {
					t.Errorf("%s in %v has %d lines", name, size, len(lines))
				}
				for _, l := range lines {
					if w := cell.Width(l); w > size[0] || w != cell.Width(lines[0]) {
						t.Errorf("%s in %v: a line of %d cells: %q", name, size, w, l)
						break
					}
				}
			}
		}
	})
}

func TestConfirmPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines []Text
		for i := range 60 {
			lines = append(lines, Text{Text: fmt.Sprintf("line %02d", i)})
		}
		c := ready(t, Question{Title: "T", Lines: lines, Ask: "Sure?", Type: "n1"})
		seen := text(c, 60)
		for range 5 {
			c.Update(key("pgdown"))
			seen += text(c, 60)
		}
		for i := range 60 {
			if !strings.Contains(seen, fmt.Sprintf("line %02d", i)) {
				t.Errorf("line %d is on no page", i)
			}
		}
		for range 6 {
			c.Update(tea.KeyPressMsg{Code: tea.KeyPgUp})
			text(c, 60)
		}
		if s := text(c, 60); !strings.Contains(s, "line 00") {
			t.Error(s)
		}
	})
}

func TestNoteOffersChoices(t *testing.T) {
	t.Parallel()
	var lines []Text
	for i := range 60 {
		lines = append(lines, Text{Text: fmt.Sprintf("line %02d", i)})
	}
	note := func() *Note {
		return NewNote("T", lines).With(Choice{"o", "override", sayCmd("override")}, Choice{"c", "go on", sayCmd("go on")})
	}
	for pressed, want := range map[string]struct {
		done bool
		says string
	}{
		"o": {true, "override"}, "c": {true, "go on"}, "esc": {true, ""}, "enter": {false, ""}, "down": {false, ""}, "x": {false, ""},
	} {
		if done, cmd := note().Update(key(pressed)); done != want.done || said(cmd) != want.says {
			t.Errorf("%s: done %v, %q", pressed, done, said(cmd))
		}
	}
	n := note()
	for range 8 {
		if s := text(n, 60); !strings.Contains(s, "o override   c go on   esc close") {
			t.Fatalf("the choices are not there:\n%s", s)
		}
		n.Update(key("pgdown"))
	}
	if s := text(n, 60); !strings.Contains(s, "line 59") {
		t.Errorf("the end cannot be read:\n%s", s)
	}
	if keys := n.Keys(); keys[0].Key != "o" || keys[1].Key != "c" {
		t.Errorf("%v", keys)
	}
}

func TestOnlyEscEndsWait(t *testing.T) {
	t.Parallel()
	stopped := 0
	w := NewWait("deploy 3 nodes", "Doing the checks.", 3, func() { stopped++ })
	w.Done = 2
	for _, k := range []string{"y", "enter", "U", "q"} {
		if done, cmd := w.Update(key(k)); done || cmd != nil || stopped != 0 {
			t.Errorf("%s: done %v", k, done)
		}
	}
	if s := text(w, 60); !strings.Contains(s, "2 of 3 nodes checked") || !strings.Contains(s, "Nothing has been sent yet") {
		t.Error(s)
	}
	if done, _ := w.Update(key("esc")); !done || stopped != 1 {
		t.Errorf("done %v, stopped %d times", done, stopped)
	}
	if s := text(NewWait("deploy n1", "Doing the checks.", 1, nil), 60); strings.Contains(s, "of 1") {
		t.Error(s)
	}
}
