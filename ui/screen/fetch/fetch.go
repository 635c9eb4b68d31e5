// Package fetch loads data for screens: one request at a time, the old value stays until a new one arrives, and
// outdated results are dropped. Requests run in commands; Update stores their results.
package fetch

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Source fetches one piece of data for a screen, and keeps its last value.
type Source[T any] struct {
	get func(ctx context.Context) (T, error)

	value T
	known bool
	// requestedAt is the time when the request for the value was sent. arrivedAt is the time when the last result
	// arrived, the value or an error.
	requestedAt, arrivedAt time.Time
	err                    error

	// turn numbers the requests; only the result of the last one counts.
	turn   int
	sent   time.Time
	cancel context.CancelFunc
	// refetch is true if Get was called during a request.
	refetch bool
	closed  bool
}

// answer is the result of a request; of is its source.
type answer[T any] struct {
	of    *Source[T]
	turn  int
	value T
	err   error
}

// New returns a source; get runs outside of Update and must not use mutable state.
func New[T any](get func(ctx context.Context) (T, error)) *Source[T] {
	return &Source[T]{get: get}
}

// Get returns the command that sends a request. While another request is running, it returns nil, and the new request
// is sent after the end of the running one.
func (s *Source[T]) Get() tea.Cmd {
	switch {
	case s.closed:
		return nil
	case s.Busy():
		s.refetch = true
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // Handle or Close calls it
	s.turn++
	s.cancel, s.refetch, s.sent = cancel, false, time.Now()
	turn, get := s.turn, s.get
	return func() tea.Msg {
		value, err := get(ctx)
		return answer[T]{of: s, turn: turn, value: value, err: err}
	}
}

// Handle stores a result; mine is true if it belongs to this source. The command is the next request, if one is due.
func (s *Source[T]) Handle(msg tea.Msg) (mine bool, next tea.Cmd) {
	a, ok := msg.(answer[T])
	if !ok || a.of != s {
		return false, nil
	}
	if s.closed || a.turn != s.turn || s.cancel == nil {
		return true, nil
	}
	s.cancel()
	s.cancel = nil
	s.arrivedAt, s.err = time.Now(), a.err
	if a.err == nil {
		s.value, s.known, s.requestedAt = a.value, true, s.sent
	}
	if s.refetch {
		return true, s.Get()
	}
	return true, nil
}

// Value returns the last value, and whether there is one.
func (s *Source[T]) Value() (T, bool) { return s.value, s.known }

// Err returns the error of the last request, nil on success.
func (s *Source[T]) Err() error { return s.err }

// At returns the time when the last result arrived; zero before the first.
func (s *Source[T]) At() time.Time { return s.arrivedAt }

// Asked returns the time when the request for the value was sent; the value is at least that new.
func (s *Source[T]) Asked() time.Time { return s.requestedAt }

// Busy reports whether a request is running.
func (s *Source[T]) Busy() bool { return s.cancel != nil }

// Tried reports whether there was a request.
func (s *Source[T]) Tried() bool { return s.turn > 0 }

// Close cancels the request and stops the source.
func (s *Source[T]) Close() {
	s.closed = true
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
