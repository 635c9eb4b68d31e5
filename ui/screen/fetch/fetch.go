// Package fetch is how a screen has something fetched: one request under way at a time,
// an old picture that stays until there is a new one, and answers that come too late
// dropped. The request itself runs in a command; what it brings is taken in by Update.
package fetch

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Source is one thing that is fetched, with what came of it last.
type Source[T any] struct {
	now func() time.Time
	get func(ctx context.Context) (T, error)

	value T
	known bool
	// asked is when the request was sent that brought the value, at when it came.
	asked, at time.Time
	err       error

	// turn numbers the requests: an answer to another than the last is dropped.
	turn   int
	sent   time.Time
	cancel context.CancelFunc
	// again says that it was asked for once more while a request was under way.
	again  bool
	closed bool
}

// answer is what a request brought; of names whose it is.
type answer[T any] struct {
	of    *Source[T]
	turn  int
	value T
	err   error
}

// New makes a source; get is called outside of Update and may use nothing that changes.
func New[T any](now func() time.Time, get func(ctx context.Context) (T, error)) *Source[T] {
	return &Source[T]{now: now, get: get}
}

// Get asks. While a request is under way it is noted, and asked again after it.
func (s *Source[T]) Get() tea.Cmd {
	switch {
	case s.closed:
		return nil
	case s.Busy():
		s.again = true
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // Take or Close calls it
	s.turn++
	s.cancel, s.again, s.sent = cancel, false, s.now()
	turn, get := s.turn, s.get
	return func() tea.Msg {
		value, err := get(ctx)
		return answer[T]{of: s, turn: turn, value: value, err: err}
	}
}

// Take takes an answer in; mine says that it was one to this source. The command is the
// next request, if one is wanted already.
func (s *Source[T]) Take(msg tea.Msg) (mine bool, next tea.Cmd) {
	a, ok := msg.(answer[T])
	if !ok || a.of != s {
		return false, nil
	}
	if s.closed || a.turn != s.turn || s.cancel == nil {
		return true, nil
	}
	s.cancel()
	s.cancel = nil
	s.at, s.err = s.now(), a.err
	if a.err == nil {
		s.value, s.known, s.asked = a.value, true, s.sent
	}
	if s.again {
		return true, s.Get()
	}
	return true, nil
}

// Value is what was fetched last without a fault, and whether there is any.
func (s *Source[T]) Value() (T, bool) { return s.value, s.known }

// Err is why the last request failed, nil when it did not.
func (s *Source[T]) Err() error { return s.err }

// At is when the last answer or fault came; zero before the first.
func (s *Source[T]) At() time.Time { return s.at }

// Asked is when the request was sent that brought the value: it is no older than that.
func (s *Source[T]) Asked() time.Time { return s.asked }

// Busy says that a request is under way.
func (s *Source[T]) Busy() bool { return s.cancel != nil }

// Tried says that it was asked for at least once.
func (s *Source[T]) Tried() bool { return s.turn > 0 }

// Close ends the request that is under way, for good.
func (s *Source[T]) Close() {
	s.closed = true
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
