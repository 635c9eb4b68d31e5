package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// screenConsole is the full-screen console at an emulated terminal.
type screenConsole struct {
	*terminal.Screen
	t *testing.T
	c *console
}

// size is the size of a terminal in cells.
type size struct{ w, h int }

// roomy fits a node's row and its details without truncation.
var roomy = size{120, 40}

// screen starts the full-screen console, which is killed when the test ends.
func (c *console) screen(at size, args ...string) *screenConsole {
	c.t.Helper()
	s := terminal.StartT(c.t, terminal.Options{
		Command: c.command(context.Background(), args...), Width: at.w, Height: at.h, Modern: true,
	})
	return &screenConsole{Screen: s, t: c.t, c: c}
}

// fleet starts the console and waits for the first list of nodes.
func (c *console) fleet(at size, args ...string) *screenConsole {
	c.t.Helper()
	s := c.screen(at, args...)
	s.until("updated ≤")
	return s
}

// press sends keys without waiting between them.
func (s *screenConsole) press(keys ...string) { s.Type(keys...) }

// until waits until all texts are on the screen at the same time.
func (s *screenConsole) until(texts ...string) {
	s.t.Helper()
	s.Until(s.t, texts...)
}

// gone waits until text is no longer on the screen.
func (s *screenConsole) gone(text string) {
	s.t.Helper()
	s.UntilGone(s.t, text)
}

// when waits up to 5 minutes until wanted returns true.
func (s *screenConsole) when(what string, wanted func() bool) {
	s.t.Helper()
	s.within(5*time.Minute, what, wanted)
}

// within is like when, but waits no longer than limit.
func (s *screenConsole) within(limit time.Duration, what string, wanted func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.WaitFor(ctx, func(string) bool { return wanted() }); err != nil {
		s.t.Fatalf("%s: %v\n%s", what, err, s.Describe())
	}
}

// lacks checks that the texts are not on the screen.
func (s *screenConsole) lacks(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if s.Contains(text) {
			s.t.Errorf("%q is on the screen:\n%s", text, s.Describe())
		}
	}
}

// filter sets the list's filter and waits until the screen shows it.
func (s *screenConsole) filter(text string) {
	s.t.Helper()
	s.press("/", terminal.CtrlU, text, terminal.Enter)
	s.until(" / " + text + " ")
}

// filterFor filters the fleet for the node with the given name, and waits for its row.
func (s *screenConsole) filterFor(name string) {
	s.t.Helper()
	s.filter("name:=" + name)
	s.rowSays(name, name)
}

// rowAt returns the index of the screen line with the node's row, or -1.
func (s *screenConsole) rowAt(name string) int {
	return slices.IndexFunc(s.Lines(), func(line string) bool {
		rest, marked := strings.CutPrefix(strings.TrimLeft(line, " ❯>+"), name)
		return marked && (rest == "" || rest[0] == ' ')
	})
}

// row returns the screen line with the node's row, or "" if there is none.
func (s *screenConsole) row(name string) string { return s.Line(s.rowAt(name)) }

// rowSays waits until the node's row contains the texts.
func (s *screenConsole) rowSays(name string, texts ...string) {
	s.t.Helper()
	s.when(name+" shows "+strings.Join(texts, ", "), func() bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s.row(name), text) })
	})
}

// Hints that a question shows once it accepts answers.
const (
	takesYes = "y yes   esc cancel"
	takesTo  = "and press enter; esc cancels."
)

// answerYes waits for a question with the texts and answers yes.
func (s *screenConsole) answerYes(texts ...string) {
	s.t.Helper()
	s.until(append(texts, takesYes)...)
	s.press("y")
	s.gone(takesYes)
}

// list opens the list with the given title by pressing its key.
func (s *screenConsole) list(key, title string) {
	s.t.Helper()
	s.press(key)
	s.until("╭─ " + title)
}

// Titles of the lists that are opened with : and ?.
const (
	paletteTitle = "Go to or run"
	helpTitle    = "Actions"
)

// pick opens a list, filters it by text and picks the best match.
func (s *screenConsole) pick(key, title, text string) {
	s.t.Helper()
	s.list(key, title)
	s.press(text, terminal.Enter)
	s.gone("╭─ " + title)
}

// quits quits the console with q, and checks the exit code and that the terminal is restored.
func (s *screenConsole) quits() {
	s.t.Helper()
	s.press("q")
	s.ends(0)
}

// ends waits for the program to exit with the given code, and checks that the terminal is restored.
func (s *screenConsole) ends(code int) {
	s.t.Helper()
	s.Ends(s.t, code)
	s.restored()
}

// restored checks that the console has restored the terminal's modes and printed no stack trace.
func (s *screenConsole) restored() {
	s.t.Helper()
	if left := s.Leftovers(); len(left) > 0 {
		s.t.Errorf("terminal modes not restored: %q", left)
	}
	for _, dump := range []string{"goroutine ", "panic:", "runtime error"} {
		s.lacks(dump)
	}
}

// whole checks that the footer is on the last line and that no cell contains a control character.
func (s *screenConsole) whole(footer string) {
	s.t.Helper()
	w, h := s.Size()
	// A part of the screen may not be drawn yet.
	s.when("the footer has "+footer, func() bool { return strings.Contains(s.Line(h-1), footer) })
	for y := range h {
		for x := range w {
			for _, r := range s.Cell(x, y).Text {
				if r < ' ' || r == 0x7f {
					s.t.Errorf("%U at %d,%d:\n%s", r, x, y, s.Describe())
					return
				}
			}
		}
	}
}

// resize changes the terminal's size and waits until the console fills it: the last key of the footer is on the last line, and the
// header ends before the last column.
func (s *screenConsole) resize(to size) {
	s.t.Helper()
	if err := s.Resize(to.w, to.h); err != nil {
		s.t.Fatal(err)
	}
	s.when("the console fills the terminal", func() bool {
		return strings.Contains(s.Line(to.h-1), "? keys") && s.Cell(to.w-2, 0).Text != " " && s.Cell(to.w-1, 0).Text == " "
	})
}

// screenNode enrolls a fake node that can be deployed, and returns its name and UUID.
func screenNode(t *testing.T, s *ironic.Server, prefix string) (name, uuid string) {
	t.Helper()
	name = unique(prefix)
	return name, s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
}
