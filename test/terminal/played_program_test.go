package terminal_test

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/test/terminal"
)

func TestFullScreenProgram(t *testing.T) {
	t.Parallel()
	s := program(t, terminal.Options{Width: 60, Height: 10})
	s.Until(t, "count: 0", "> one", "60x10")
	if !s.AltScreen() || s.Title() != "played; with pleasure" {
		t.Errorf("alternate screen %v, title %q", s.AltScreen(), s.Title())
	}
	want := []string{"alternate screen", "bracketed paste", "focus events", "hidden cursor", "keyboard protocol", "modified keys", "mouse"}
	if got := s.Leftovers(); !slices.Equal(got, want) {
		t.Errorf("in the middle: %q", got)
	}
	s.Type(terminal.Down)
	s.Until(t, "> two", "  one")
	s.Type(terminal.Up)
	s.UntilGone(t, "> two")
	s.Type("z")
	s.Until(t, "count: 1") // to show this, the program wrote only one cell
	if err := s.Resize(0, 1); err == nil {
		t.Error("a terminal without columns")
	}
	if err := s.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	s.Until(t, "100x30")
	if w, h := s.Size(); w != 100 || h != 30 || len(s.Lines()) != 30 {
		t.Errorf("%d×%d", w, h)
	}
	s.Paste("two\nlines")
	s.Until(t, `"\x1b[200~two\rlines\x1b[201~"`)
	s.Type("c")
	if err := s.WaitFor(t.Context(), func(string) bool { return len(s.Clipboard()) > 0 }); err != nil {
		t.Fatal(err)
	}
	s.Type(terminal.Esc, "z") // not Alt+Z
	s.Until(t, "count: 4", `"z"`)
	if got := s.Clipboard(); !slices.Equal(got, []string{"node-7 ä"}) {
		t.Errorf("clipboard %q", got)
	}
	s.Type("q")
	s.Ends(t, 0)
	if left := s.Leftovers(); len(left) > 0 || s.AltScreen() {
		t.Errorf("leftovers: %q", left)
	}
	if got := s.Line(0); got != "bye" {
		t.Errorf("the last screen is %q", got)
	}
	s.Type("gone") // neither fails nor blocks
}

func TestUnrestoredTerminal(t *testing.T) {
	t.Parallel()
	s := program(t, terminal.Options{})
	s.Until(t, "count: 0")
	s.Type("x")
	s.Ends(t, 3)
	if !s.AltScreen() || len(s.Leftovers()) != 7 || !s.Contains("left behind") {
		t.Error(s.Leftovers(), s.Describe())
	}
}

func TestTerminalQueries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options terminal.Options
		sync    string
	}{
		"plain":  {sync: `[?2026;0$y`},
		"modern": {options: terminal.Options{Modern: true}, sync: `[?2026;2$y`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Width = 120
			s := program(t, c.options)
			s.Until(t, "count: 0")
			s.Type("a")
			s.Until(t, "rgb:0000/0000/0000", c.sync, `[?25;2$y`, `[3;5R`, `[?62;1;6;22c`)
		})
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	s := program(t, terminal.Options{Width: 200, Height: 50})
	s.Until(t, "count: 0")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	start := time.Now()
	took, err := s.Latency(ctx, "z", func(text string) bool { return strings.Contains(text, "count: 1") })
	if err != nil || took <= 0 || took > time.Since(start) {
		t.Error(took, err)
	}
	if _, err := s.Latency(ctx, "z", func(string) bool { return true }); err == nil {
		t.Error("nothing was measured")
	}
	if _, err := s.Latency(ctx, "q", func(text string) bool { return strings.Contains(text, "bye") }); err != nil {
		t.Error("screen shown with the last output:", err)
	}
	s.Ends(t, 0)
	if _, err := s.Latency(ctx, "z", func(text string) bool { return strings.Contains(text, "count: 9") }); err == nil {
		t.Error("no error after the program's end")
	}
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	idle := program(t, terminal.Options{})
	if _, err := idle.Latency(soon, "", func(text string) bool { return strings.Contains(text, "never") }); err == nil {
		t.Error("no error for a screen that never appears")
	}
}

func TestEndOfAProgram(t *testing.T) {
	t.Parallel()
	t.Run("a signal", func(t *testing.T) {
		t.Parallel()
		s := program(t, terminal.Options{})
		s.Until(t, "count: 0")
		if s.PID() <= 0 || syscall.Kill(s.PID(), 0) != nil {
			t.Error("pid", s.PID())
		}
		if err := s.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code, err := s.Wait(t.Context()); code != -1 || err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Error(code, err)
		}
		if err := s.Signal(syscall.SIGTERM); err == nil {
			t.Error("no error for a signal after the program's end")
		}
		if err := s.WaitFor(t.Context(), func(string) bool { return false }); err != terminal.ErrEnded { //nolint:errorlint // not wrapped
			t.Error(err)
		}
	})
	t.Run("the context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s, err := terminal.Start(ctx, terminal.Options{Command: sleeping()})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.Wait(t.Context()); err == nil {
			t.Error("was not killed")
		}
		s.Close()
		if _, err := terminal.Start(ctx, terminal.Options{Command: sleeping()}); err == nil {
			t.Error("starts in a canceled context")
		}
	})
	t.Run("Close", func(t *testing.T) {
		t.Parallel()
		s, err := terminal.Start(t.Context(), terminal.Options{Command: sleeping()})
		if err != nil {
			t.Fatal(err)
		}
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := s.Wait(soon); err == nil {
			t.Error("the program ended")
		}
		for range 2 {
			s.Close()
		}
		if err := syscall.Kill(s.PID(), 0); err == nil {
			t.Error("the process still exists")
		}
	})
	t.Run("a child holds the terminal", func(t *testing.T) {
		t.Parallel()
		s := shell(t, `trap "" HUP; setsid sleep 8 & echo started; exit 5`, terminal.Options{})
		s.Ends(t, 5)
		if !s.Contains("started") {
			t.Error(s.Describe())
		}
	})
}
