// Package fetch loads data for screens. It sends one request at a time, keeps the old value until a new one arrives,
// and drops outdated results. Requests run in commands; Update stores their results.
package fetch

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Requests contains the methods of a [Source] that do not depend on the type of its data.
type Requests interface {
	Get() tea.Cmd
	Renew() tea.Cmd
	Handle(msg tea.Msg) (mine bool, next tea.Cmd)
	Known() bool
	Err() error
	At() time.Time
	Asked() time.Time
	Busy() bool
	Close()
}

// Source fetches one piece of data for a screen and keeps its latest value. A nil Source sends no requests.
type Source[T any] struct {
	get    func(ctx context.Context) (T, error)
	stored func(value T) // may be nil

	value T
	known bool
	// requestedAt is the time when the request that returned value was sent. arrivedAt is the time when the last
	// result arrived, whether a value or an error.
	requestedAt, arrivedAt time.Time
	err                    error

	// turn numbers the requests, so that only the result of the last one is stored.
	turn   int
	sent   time.Time
	cancel context.CancelFunc
	// refetch reports whether Get was called while a request was running.
	refetch bool
	closed  bool
}

// answer carries the result of a request. The of field is the source that sent the request.
type answer[T any] struct {
	of    *Source[T]
	turn  int
	value T
	err   error
}

// New returns a source that calls get, in a command, to fetch its data. get must not use mutable state.
func New[T any](get func(ctx context.Context) (T, error)) *Source[T] {
	return &Source[T]{get: get}
}

// Then sets the function that is called after each result with the latest value, and returns s.
func (s *Source[T]) Then(stored func(value T)) *Source[T] {
	s.stored = stored
	return s
}

// Handle passes a message to the source that it is a result for, and returns the command for that source's next request.
func Handle(msg tea.Msg, sources ...Requests) tea.Cmd {
	for _, s := range sources {
		if mine, next := s.Handle(msg); mine {
			return next
		}
	}
	return nil
}

// Get returns the command that sends a request. If a request is already running, Get returns nil, and a new request
// is sent as soon as the running one has ended.
func (s *Source[T]) Get() tea.Cmd {
	switch {
	case s == nil || s.closed:
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

// freshFor is the age up to which data is reused when its screen is shown again.
const freshFor = 30 * time.Second

// Renew is like Get, but returns nil if a request is running or the last result is recent.
func (s *Source[T]) Renew() tea.Cmd {
	if s == nil || s.Busy() || time.Since(s.arrivedAt) < freshFor {
		return nil
	}
	return s.Get()
}

// Handle stores the result of a request; mine reports whether msg is a result for this source. next is the command
// for the next request, if one is due.
func (s *Source[T]) Handle(msg tea.Msg) (mine bool, next tea.Cmd) {
	a, ok := msg.(answer[T])
	if !ok || s == nil || a.of != s {
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
	if s.stored != nil {
		s.stored(s.value)
	}
	if s.refetch {
		return true, s.Get()
	}
	return true, nil
}

// Value returns the latest value and reports whether there is one.
func (s *Source[T]) Value() (value T, known bool) {
	if s == nil {
		return value, false
	}
	return s.value, s.known
}

// Known reports whether there is a value.
func (s *Source[T]) Known() bool { return s.known }

// Err returns the error of the last request, or nil if it succeeded.
func (s *Source[T]) Err() error { return s.err }

// At returns the time when the last result arrived, or the zero time before the first result.
func (s *Source[T]) At() time.Time { return s.arrivedAt }

// Asked returns the time when the request for the latest value was sent. The value is at least as recent.
func (s *Source[T]) Asked() time.Time { return s.requestedAt }

// Busy reports whether a request is running.
func (s *Source[T]) Busy() bool { return s.cancel != nil }

// Tried reports whether a request was ever sent.
func (s *Source[T]) Tried() bool { return s.turn > 0 }

// Close cancels a running request and stops the source: it sends no more requests.
func (s *Source[T]) Close() {
	if s == nil {
		return
	}
	s.closed = true
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
