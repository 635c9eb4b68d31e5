package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// ErrEnded means that the program has ended without showing the wanted screen.
var ErrEnded = errors.New("the program has ended")

// patience limits how long Until, UntilGone and Ends wait.
const patience = 2 * time.Minute

// unchanged is the time after which WaitFor calls wanted again for the same screen.
const unchanged = 100 * time.Millisecond

// WaitFor waits until wanted returns true for the text of the screen. It skips screens that the program is still
// drawing (synchronized output), since a user would not see them. wanted may also depend on things other than the
// screen, because it is called after each change, and every 100 ms if there is none.
func (s *Screen) WaitFor(ctx context.Context, wanted func(text string) bool) error {
	for {
		over := s.hasEnded()
		s.mu.Lock()
		text, drawing, changed := s.text(), s.state.mode(ansi.ModeSynchronizedOutput), s.changed
		s.mu.Unlock()
		if (!drawing || over) && wanted(text) {
			return nil
		}
		if over {
			return ErrEnded
		}
		select {
		case <-changed:
		case <-s.ended:
		case <-time.After(unchanged):
		case <-ctx.Done():
			return fmt.Errorf("waiting for a screen: %w", context.Cause(ctx))
		}
	}
}

// Until waits until all texts are on the screen at the same time.
func (s *Screen) Until(t testing.TB, texts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	missing := texts
	err := s.WaitFor(ctx, func(screen string) bool {
		missing = nil
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = append(missing, text)
			}
		}
		return len(missing) == 0
	})
	if err != nil {
		t.Fatalf("no %q on the screen: %v\n%s", missing, err, s.Describe())
	}
}

// UntilGone waits until text is no longer on the screen.
func (s *Screen) UntilGone(t testing.TB, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.WaitFor(ctx, func(screen string) bool { return !strings.Contains(screen, text) }); err != nil {
		t.Fatalf("%q is still on the screen: %v\n%s", text, err, s.Describe())
	}
}

// Idle waits until the program has written nothing for the given duration, or has ended.
func (s *Screen) Idle(ctx context.Context, quiet time.Duration) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.ended:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("waiting for quiet: %w", context.Cause(ctx))
		}
		s.mu.Lock()
		left := time.Until(s.written.Add(quiet))
		s.mu.Unlock()
		if left <= 0 && len(s.chunks) == 0 {
			return nil
		}
		timer.Reset(max(left, time.Millisecond))
	}
}

// Describe returns the screen, with a frame around it, and the state of the program.
func (s *Screen) Describe() string {
	state := "running"
	if s.hasEnded() {
		state = "ended: " + s.cmd.ProcessState.String()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	screen := "screen"
	if s.emulator.IsAltScreen() {
		screen = "alternate screen"
	}
	var text strings.Builder
	width := s.emulator.Width()
	fmt.Fprintf(&text, "%s %d×%d, %d bytes received, program %s\n", screen, width, s.emulator.Height(), s.bytes, state)
	s.keyboard.mu.Lock()
	if s.keyboard.lost != nil {
		fmt.Fprintf(&text, "not all input could be typed: %v\n", s.keyboard.lost)
	}
	s.keyboard.mu.Unlock()
	edge := strings.Repeat("─", width)
	text.WriteString("┌" + edge + "┐\n")
	for y := range s.emulator.Height() {
		line := s.line(y)
		text.WriteString("│" + line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line))) + "│\n")
	}
	text.WriteString("└" + edge + "┘")
	return text.String()
}
