package shell

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"
	"golang.org/x/term"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEscape(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		keys []string // one string per read
		sent string
		left bool
	}{
		"at the start":        {[]string{"~."}, "", true},
		"in two reads":        {[]string{"~", "."}, "", true},
		"after enter":         {[]string{"ls\r~."}, "ls\r", true},
		"in a line":           {[]string{"ls ~.\r"}, "ls ~.\r", false},
		"a path":              {[]string{"~/x"}, "~/x", false},
		"a held tilde":        {[]string{"~", "\r", "~."}, "~\r", true},
		"two tildes":          {[]string{"~~."}, "~.", false},
		"three tildes":        {[]string{"~~~."}, "~~.", false},
		"backspace":           {[]string{"~\x7f."}, "~\x7f.", false},
		"keys that come late": {[]string{"~.rm -rf /\r"}, "", true},
	} {
		e := escape{lineStart: true}
		sent, left := "", false
		for _, keys := range test.keys {
			out, now := e.pass([]byte(keys))
			sent, left = sent+string(out), left || now
		}
		if sent != test.sent || left != test.left {
			t.Errorf("%s: sent %q, left %v", name, sent, left)
		}
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ output, undo string }{
		"text":                   {"hello\r\n世界 \a\b", ""},
		"colors":                 {"\x1b[31mred", "\x1b[m"},
		"full screen program":    {"\x1b[?1049h\x1b[?25l\x1b[?1h\x1b=", "\x1b[?25h\x1b[?1l\x1b[?1049l\x1b>"},
		"one that has ended":     {"\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", ""},
		"mouse, several at once": {"\x1b[?1000;1006h\x1b[?2004h", "\x1b[?1000l\x1b[?1006l\x1b[?2004l"},
		"split sequence":         {"\x1b[?10|49h", "\x1b[?1049l"},
		"scroll region":          {"\x1b[2;10r", "\x1b7\x1b[r\x1b8"},
		"cut in a title":         {"\x1b]0;half a ti", "\x18"},
		"cut in a sequence":      {"\x1b[?100", "\x18"},
		"cut in a character":     {"\xe4\xb8", ""},
		"title":                  {"\x1b]0;owned\a", "\x1b]2;\x07"},
		"long title":             {"\x1b]2;" + strings.Repeat("x", 100_000) + "\x1b\\", "\x1b]2;\x07"},
		"palette":                {"\x1b]11;#ff0000\a\x1b]4;1;#000000\a", "\x1b]104\x07\x1b]111\x07"},
		"keyboard protocols":     {"\x1b[>1u\x1b[>5u\x1b[<u\x1b[>4;2m", "\x1b[<1u\x1b[>4m"},
		"insert mode":            {"\x1b[4h", "\x1b[4l"},
		"drawing characters":     {"\x1b(0\x0e", "\x0f\x1b(B\x1b)B"},
		"cursor shape":           {"\x1b[5 q", "\x1b[0 q"},
		"reset by the program":   {"\x1b[?1049h\x1b[31m\x1b]0;x\a\x1bc", ""},
		"unknown modes":          {"\x1b[?9999h\x1b[?12h", ""},
	} {
		c := newChanges()
		for part := range strings.SplitSeq(test.output, "|") {
			c.feed([]byte(part))
		}
		if got := c.undo(); got != test.undo {
			t.Errorf("%s: %q, want %q", name, got, test.undo)
		}
		if got := c.undo(); got != "" {
			t.Errorf("%s: undone twice: %q", name, got)
		}
	}
}

func FuzzUndo(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b]0;x\x07\x1bP1$r\x1b\\"))
	f.Fuzz(func(t *testing.T, output []byte) {
		c := newChanges()
		c.feed(output)
		undo := c.undo()
		c.feed([]byte(undo))
		for mode, on := range c.modes {
			if slices.Contains(initiallyOn, mode) && !on || slices.Contains(initiallyOff, mode) && on {
				t.Errorf("%q leaves mode %d", output, mode)
			}
		}
	})
}

// terminalPair returns the two ends of a pseudoterminal. What is written to keyboard can be read from tty.
func terminalPair(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = keyboard.Close()
		_ = tty.Close()
	})
	return keyboard, tty
}

// TestTerminal checks that the size is reported, that keys arrive unprocessed, that all modes are restored, and that
// a key pressed after Close is not lost.
func TestTerminal(t *testing.T) {
	t.Parallel()
	keyboard, tty := terminalPair(t)
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Cols: 200, Rows: 50}); err != nil {
		t.Fatal(err)
	}
	taken, err := OpenTerminal(tty, tty)
	if err != nil {
		t.Fatal(err)
	}
	if size := taken.Size(); size.Width != 200 || size.Height != 50 {
		t.Errorf("the size is %v", size)
	}
	if _, err := keyboard.WriteString("\x03\x1a~"); err != nil { // in a terminal that is not raw, the first two would send signals
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, err := io.ReadAtLeast(taken, buf, 3)
	if err != nil || string(buf[:n]) != "\x03\x1a~" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	reading := make(chan error, 1)
	go func() {
		_, err := taken.Read(make([]byte, 100))
		reading <- err
	}()
	if _, err := taken.Write([]byte("\x1b[?1000h")); err != nil {
		t.Fatal(err)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-reading; !errors.Is(err, io.EOF) {
		t.Errorf("Read ends with %v", err)
	}
	const written = "\x1b[?1000h\x1b[?1000l" // arrives in one piece or in two
	if n, err := io.ReadAtLeast(keyboard, buf, len(written)); err != nil || string(buf[:n]) != written {
		t.Errorf("the terminal got %q, %v", buf[:n], err)
	}
	if after, err := term.GetState(int(tty.Fd())); err != nil || *after != *before {
		t.Errorf("the line settings are not restored: %v", err)
	}
	if _, err := keyboard.WriteString("x\r"); err != nil {
		t.Fatal(err)
	}
	next := make(chan string, 1)
	go func() {
		n, _ := tty.Read(buf)
		next <- string(buf[:n])
	}()
	select {
	case got := <-next:
		if got != "x\n" {
			t.Errorf("the next program reads %q", got)
		}
	case <-time.After(time.Minute):
		t.Error("the next key is lost")
	}
}

func TestTakeNoTerminal(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = reader.Close(), writer.Close() }()
	for _, in := range []io.Reader{reader, strings.NewReader("x")} {
		if _, err := OpenTerminal(in, writer); err == nil {
			t.Error("taken")
		}
	}
}
