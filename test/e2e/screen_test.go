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

// screenConsole is the full-screen console at a terminal.
type screenConsole struct {
	*terminal.Screen
	t *testing.T
	c *console
}

// size is that of a terminal, in cells.
type size struct{ w, h int }

// roomy shows a node and what is said of it without a cut.
var roomy = size{120, 40}

// screen opens the full-screen console; the test's end kills it.
func (c *console) screen(at size, args ...string) *screenConsole {
	c.t.Helper()
	s := terminal.StartT(c.t, terminal.Options{
		Command: c.command(context.Background(), args...), Width: at.w, Height: at.h, Modern: true,
	})
	return &screenConsole{Screen: s, t: c.t, c: c}
}

// fleet opens the console and waits for its first picture.
func (c *console) fleet(at size, args ...string) *screenConsole {
	c.t.Helper()
	s := c.screen(at, args...)
	s.until("live ≤")
	return s
}

// press types keys, all at once.
func (s *screenConsole) press(keys ...string) { s.Type(keys...) }

// until waits until all texts are on the screen at once.
func (s *screenConsole) until(texts ...string) {
	s.t.Helper()
	s.Until(s.t, texts...)
}

// gone waits until a text is not on the screen.
func (s *screenConsole) gone(text string) {
	s.t.Helper()
	s.UntilGone(s.t, text)
}

// when waits until the screen is as wanted, for as long as one waits for Ironic.
func (s *screenConsole) when(what string, wanted func() bool) {
	s.t.Helper()
	s.within(5*time.Minute, what, wanted)
}

// within is when with another limit.
func (s *screenConsole) within(limit time.Duration, what string, wanted func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.WaitFor(ctx, func(string) bool { return wanted() }); err != nil {
		s.t.Fatalf("%s: %v\n%s", what, err, s.Describe())
	}
}

// lacks checks that texts are not on the screen.
func (s *screenConsole) lacks(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if s.Contains(text) {
			s.t.Errorf("%q is on the screen:\n%s", text, s.Describe())
		}
	}
}

// filter writes a filter of nodes and keeps it.
func (s *screenConsole) filter(text string) {
	s.t.Helper()
	s.press("/", terminal.CtrlU, text, terminal.Enter)
	s.until(" / " + text + " ")
}

// only narrows the fleet to the node with a name.
func (s *screenConsole) only(name string) {
	s.t.Helper()
	s.filter("name:=" + name)
	s.rowSays(name, name)
}

// rowAt is the line of the screen that has the node's row, -1 where none has.
func (s *screenConsole) rowAt(name string) int {
	return slices.IndexFunc(s.Lines(), func(line string) bool {
		rest, marked := strings.CutPrefix(strings.TrimLeft(line, " ❯>+"), name)
		return marked && (rest == "" || rest[0] == ' ')
	})
}

// row is the node's line in a list.
func (s *screenConsole) row(name string) string { return s.Line(s.rowAt(name)) }

// rowSays waits until the node's line has texts.
func (s *screenConsole) rowSays(name string, texts ...string) {
	s.t.Helper()
	s.when(name+" shows "+strings.Join(texts, ", "), func() bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s.row(name), text) })
	})
}

// The hints of a question that takes answers; before that it takes none.
const (
	takesYes = "y yes   esc cancel"
	takesTo  = "and press enter; esc cancels."
)

// yes waits for a question with all its texts, and says yes.
func (s *screenConsole) yes(texts ...string) {
	s.t.Helper()
	s.until(append(texts, takesYes)...)
	s.press("y")
	s.gone(takesYes)
}

// list opens one of the lists to pick from, by its key.
func (s *screenConsole) list(key, title string) {
	s.t.Helper()
	s.press(key)
	s.until("╭─ " + title)
}

// The lists, by their keys.
const (
	paletteTitle = "Go to or run"
	helpTitle    = "Actions"
)

// pick opens a list, narrows it and picks what is best.
func (s *screenConsole) pick(key, title, text string) {
	s.t.Helper()
	s.list(key, title)
	s.press(text, terminal.Enter)
	s.gone("╭─ " + title)
}

// quits ends the console with q and checks what it leaves.
func (s *screenConsole) quits() {
	s.t.Helper()
	s.press("q")
	s.ends(0)
}

// ends waits for the end and checks that the terminal is as it was.
func (s *screenConsole) ends(code int) {
	s.t.Helper()
	s.Ends(s.t, code)
	s.restored()
}

// restored checks that nothing is left of the console in its terminal.
func (s *screenConsole) restored() {
	s.t.Helper()
	if left := s.Leftovers(); len(left) > 0 {
		s.t.Errorf("the terminal is left with %q", left)
	}
	for _, dump := range []string{"goroutine ", "panic:", "runtime error"} {
		s.lacks(dump)
	}
}

// whole checks that what is drawn fits the terminal exactly: the header at the top and
// the footer at the bottom, and nothing that a terminal would obey in between.
func (s *screenConsole) whole(footer string) {
	s.t.Helper()
	w, h := s.Size()
	// What is drawn may be half here yet.
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

// resize changes the terminal's size and waits until the console fills it: the footer is
// on the last line, and the header ends before the last column.
func (s *screenConsole) resize(to size, footer string) {
	s.t.Helper()
	if err := s.Resize(to.w, to.h); err != nil {
		s.t.Fatal(err)
	}
	s.when("the console fills the terminal", func() bool {
		return strings.Contains(s.Line(to.h-1), footer) && s.Cell(to.w-2, 0).Text != " " && s.Cell(to.w-1, 0).Text == " "
	})
}

// screenNode enrols fake hardware that a test can deploy.
func screenNode(t *testing.T, s *ironic.Server, prefix string) (name, uuid string) {
	t.Helper()
	name = unique(prefix)
	return name, s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
}
