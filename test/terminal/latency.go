package terminal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// watch describes a screen to wait for. seen receives the time when the bytes that make up that screen arrived.
type watch struct {
	wanted func(text string) bool
	seen   chan time.Time
}

// checkWatch checks whether the screen is the one that Latency waits for. It is called for every new screen, so that
// none is missed. The caller holds mu.
func (s *Screen) checkWatch(at time.Time) {
	if s.watch == nil || s.state.mode(ansi.ModeSynchronizedOutput) || !s.watch.wanted(s.text()) {
		return
	}
	s.watch.seen <- at
	s.watch = nil
}

// Latency types keys and returns the time until the bytes arrive that produce the wanted screen. The time of arrival
// is taken before the bytes are processed, so that neither the emulator nor wanted is measured; wanted must not call
// methods of the Screen. If the screen is already the wanted one, nothing can be measured, and Latency returns an
// error.
func (s *Screen) Latency(ctx context.Context, keys string, wanted func(text string) bool) (time.Duration, error) {
	s.timing.Lock()
	defer s.timing.Unlock()
	w := &watch{wanted: wanted, seen: make(chan time.Time, 1)}
	s.mu.Lock()
	already := wanted(s.text())
	if !already {
		s.watch = w
	}
	s.mu.Unlock()
	if already {
		return 0, errors.New("the screen is as wanted before the key")
	}
	defer func() {
		s.mu.Lock()
		s.watch = nil
		s.mu.Unlock()
	}()
	typed := s.typeKeys(keys)
	select {
	case at := <-w.seen:
		return at.Sub(typed), nil
	case <-s.ended:
	case <-ctx.Done():
		return 0, fmt.Errorf("waiting for the screen after a key: %w", context.Cause(ctx))
	}
	select {
	case at := <-w.seen: // the wanted screen came with the last output
		return at.Sub(typed), nil
	default:
		return 0, ErrEnded
	}
}
