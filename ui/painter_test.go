package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"ironworks/test/seeds"
)

// shown is an emulated terminal and the painter that draws on it.
type shown struct {
	p        *painter
	out      bytes.Buffer
	terminal *vt.Emulator
	w, h     int
}

func newShown(t *testing.T, w, h int) *shown {
	t.Helper()
	s := &shown{terminal: vt.NewEmulator(w, h), w: w, h: h}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(io.Discard, s.terminal)
	}()
	t.Cleanup(func() {
		// The emulator's own Close must not be called while its replies are being read.
		_ = s.terminal.InputPipe().(io.Closer).Close()
		<-answered
	})
	s.p = newPainter(&Terminal{Out: &s.out, Env: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, FPS: servedRate, Width: w, Height: h})
	if err := s.p.begin(); err != nil {
		t.Fatal(err)
	}
	return s
}

// lockedText is an output that can be read while a painter writes to it.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// servedRate is the maximum number of frames per second. The draws method does not wait for frames.
const servedRate = 60

// draws passes a view to the painter and draws it at once.
func (s *shown) draws(t *testing.T, v tea.View) {
	t.Helper()
	s.p.show(v)
	if err := s.p.draw(); err != nil {
		t.Fatal(err)
	}
	s.emulate(t)
}

func (s *shown) emulate(t *testing.T) {
	t.Helper()
	// charm.land/ssh adds carriage returns, as a terminal driver does.
	if _, err := s.terminal.Write(bytes.ReplaceAll(s.out.Bytes(), []byte("\n"), []byte("\r\n"))); err != nil {
		t.Fatal(err)
	}
	s.out.Reset()
}

func (s *shown) resize(w, h int) {
	s.w, s.h = w, h
	s.terminal.Resize(w, h)
	s.p.listen(tea.WindowSizeMsg{Width: w, Height: h})
}

// cells returns the text and style of all cells, line by line.
func (s *shown) cells() string {
	var b strings.Builder
	style := (&uv.Style{}).String()
	for y := range s.h {
		for x := 0; x < s.w; {
			c := s.terminal.CellAt(x, y)
			if c == nil {
				b.WriteByte(' ')
				x++
				continue
			}
			text := c.Content
			if text == "" {
				text = " "
			}
			if now := c.Style.String(); now != style {
				style = now
				b.WriteString(now)
			}
			b.WriteString(text)
			x += max(c.Width, 1)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// picture returns random screen content that resembles before, the previous content. Its lines contain styles and
// wide characters.
func picture(r *rand.Rand, before string, w, h int) string {
	lines := strings.Split(before, "\n")
	for len(lines) < h {
		lines = append(lines, "")
	}
	lines = lines[:h]
	if r.IntN(4) == 0 && h > 1 { // scrolled
		lines = append(lines[1:], "")
	}
	words := []string{"node", "r7-n05", "機架", "é", "\x1b[31mred\x1b[m", "\x1b[7mrow\x1b[m", "│", "…", " ", "    ", "✓ done"}
	for range 1 + r.IntN(h) {
		var line strings.Builder
		for range r.IntN(w / 3) {
			line.WriteString(words[r.IntN(len(words))])
		}
		lines[r.IntN(h)] = line.String()
	}
	return strings.Join(lines, "\n")
}

// TestPainterShowsTheLastPicture checks that the terminal always looks as if a new painter had drawn the last view on
// an empty terminal. The test draws random views, drops some of them, changes the size of the terminal, and writes
// other output to it.
func TestPainterShowsTheLastPicture(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds.For(t, 20) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newShown(t, 60, 12)
		text := ""
		for step := range 30 {
			switch r.IntN(8) {
			case 0:
				s.resize(20+r.IntN(60), 5+r.IntN(15))
			case 1:
				_, _ = s.terminal.WriteString("\x1b[2;3Hother output")
				s.p.erase()
			}
			for range r.IntN(3) { // these views are dropped
				text = picture(r, text, s.w, s.h)
				s.p.show(tea.View{Content: text})
			}
			text = picture(r, text, s.w, s.h)
			s.draws(t, tea.View{Content: text})
			fresh := newShown(t, s.w, s.h)
			fresh.draws(t, tea.View{Content: text})
			if got, want := s.cells(), fresh.cells(); got != want {
				t.Fatalf("seed %d, step %d, %d×%d:\n%q\nwant\n%q", seed, step, s.w, s.h, got, want)
			}
		}
	}
}

// TestKeysDoNotWaitForTheFrame checks that the painter draws the effect of a key at once, even directly after a change.
// Further keys and changes wait for the next frame, so that the number of frames per second stays below the limit.
func TestKeysDoNotWaitForTheFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out lockedText
		p := newPainter(&Terminal{Out: &out, Env: []string{"TERM=xterm-256color"}, FPS: 1, Width: 80, Height: 24})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { p.run(ctx) })
		for _, step := range []struct {
			after time.Duration
			key   bool
			text  string
			shown bool
		}{
			{0, false, "the first view", true},
			{0, false, "a change", false},
			{100 * time.Millisecond, true, "a key", true},
			{100 * time.Millisecond, true, "a second key", false},
			{time.Second, false, "another change", false},
			{time.Second, true, "third key", true},
			{3 * time.Second, true, "pressed after a pause", true},
		} {
			<-time.After(step.after)
			if step.key {
				p.listen(tea.KeyPressMsg{Code: 'x'})
			}
			p.show(tea.View{Content: step.text})
			synctest.Wait()
			if shown := strings.Contains(out.String(), step.text); shown != step.shown {
				t.Errorf("%q is drawn at once: %v, want %v", step.text, shown, step.shown)
			}
		}
		cancel()
		running.Wait()
	})
}

func TestPainterSendsOnlyDifferences(t *testing.T) {
	t.Parallel()
	s := newShown(t, 80, 24)
	lines := strings.Split(strings.Repeat(strings.Repeat("x", 79)+"\n", 24), "\n")[:24]
	s.draws(t, tea.View{Content: strings.Join(lines, "\n")})
	if !strings.Contains(s.cells(), strings.Repeat("x", 79)) {
		t.Fatalf("shown:\n%s", s.cells())
	}
	lines[7] = "y" + lines[7][1:]
	s.p.show(tea.View{Content: strings.Join(lines, "\n")})
	if err := s.p.draw(); err != nil || s.out.Len() == 0 || s.out.Len() > 100 {
		t.Errorf("%d bytes for one cell, %v", s.out.Len(), err)
	}
	s.emulate(t)
	s.p.show(tea.View{Content: strings.Join(lines, "\n")})
	if err := s.p.draw(); err != nil || s.out.Len() > 0 {
		t.Errorf("%d bytes for the same picture, %v", s.out.Len(), err)
	}
	s.draws(t, tea.View{Content: "first\nsecond"})
	if text := s.cells(); !strings.HasPrefix(text, "first") || strings.ContainsAny(text, "xy") {
		t.Errorf("the picture before is still there:\n%s", text)
	}
}

// TestPainterLeavesTheTerminal checks that the modes and the title that the painter sets are reset at the end.
func TestPainterLeavesTheTerminal(t *testing.T) {
	t.Parallel()
	out := &lockedText{}
	p := newPainter(&Terminal{Out: out, Env: []string{"TERM=xterm-256color"}, FPS: servedRate, Width: 20, Height: 5})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx)
	}()
	p.show(tea.View{Content: "picture", WindowTitle: "a title", MouseMode: tea.MouseModeCellMotion})
	for !strings.Contains(out.String(), "picture") || !strings.Contains(out.String(), "a title") {
		select {
		case <-ctx.Done():
			t.Fatalf("nothing is drawn: %q", out.String())
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	<-ended
	for _, pair := range [][2]string{{"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?25l", "\x1b[?25h"}, {"\x1b[?2004h", "\x1b[?2004l"}, {"\x1b[?1002h", "\x1b[?1002l"}, {"\x1b]2;a title", "\x1b]2;\a"}} {
		set, reset := strings.LastIndex(out.String(), pair[0]), strings.LastIndex(out.String(), pair[1])
		if set < 0 || reset < set {
			t.Errorf("%q at %d, %q at %d", pair[0], set, pair[1], reset)
		}
	}
}

// TestPainterHandsOver checks that the painter restores the terminal for another program and draws nothing until that
// program has ended. Afterwards it has to draw everything again, and set the title, the mouse mode and the mode for
// character widths.
func TestPainterHandsOver(t *testing.T) {
	t.Parallel()
	s := newShown(t, 20, 5)
	s.p.listen(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	picture := tea.View{Content: "picture", WindowTitle: "a title", MouseMode: tea.MouseModeCellMotion}
	s.p.show(picture)
	if err := s.p.draw(); err != nil {
		t.Fatal(err)
	}
	modes := []string{"\x1b[?1049", "\x1b[?2004", "\x1b[?1002", "\x1b[?2027"}
	for _, mode := range modes[2:] {
		if !strings.Contains(s.out.String(), mode+"h") {
			t.Errorf("%q is not set: %q", mode, s.out.String())
		}
	}
	s.out.Reset()
	back := s.p.handOver()
	for _, mode := range modes {
		if !strings.Contains(s.out.String(), mode+"l") {
			t.Errorf("%q is not reset: %q", mode, s.out.String())
		}
	}
	if s.p.drawing.TryLock() {
		t.Error("the painter may draw")
	}
	s.out.Reset()
	back()
	if err := s.p.exclusively(s.p.draw); err != nil {
		t.Fatal(err)
	}
	for _, text := range append([]string{"picture", "\x1b]2;a title"}, modes[0]+"h", modes[1]+"h", modes[2]+"h", modes[3]+"h") {
		if !strings.Contains(s.out.String(), text) {
			t.Errorf("no %q after the program: %q", text, s.out.String())
		}
	}
}

// fragile is a terminal that panics when the console is drawn on it.
type fragile struct{}

func (fragile) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "ironworks") {
		panic("drawing failed")
	}
	return len(p), nil
}

// TestPanicOfThePainter checks that a panic while drawing ends the console, as any other panic does.
func TestPanicOfThePainter(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r := &rig{ironic: newFakeIronic(rack()...), audit: &auditBook{}}
	err := Run(ctx, Options{Program: "ironworks", Open: r.open}, Terminal{
		In: in, Out: fragile{}, Env: []string{"TERM=xterm-256color"}, FPS: servedRate, Width: 80, Height: 24, Resizes: func(func(int, int) bool) {},
	})
	var crash *Crash
	if !errors.As(err, &crash) || crash.Value != "drawing failed" {
		t.Errorf("%v", err)
	}
}
