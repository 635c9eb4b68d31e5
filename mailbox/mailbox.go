// Package mailbox passes reports from several goroutines to one receiver without blocking the senders.
package mailbox

import (
	"context"
	"sync"
)

// Box collects reports until they are taken. A value of type T combines any number of reports.
type Box[T any] struct {
	mu      sync.Mutex
	pending T
	full    bool
	closed  bool
	wake    chan struct{}
}

// New returns an empty box.
func New[T any]() *Box[T] { return &Box[T]{wake: make(chan struct{}, 1)} }

// Put calls join to add a report to the pending ones. It never blocks.
func (b *Box[T]) Put(join func(pending *T)) {
	b.mu.Lock()
	join(&b.pending)
	b.full = true
	b.mu.Unlock()
	b.ring()
}

// Close ends the box. Pending reports can still be taken.
func (b *Box[T]) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.ring()
}

func (b *Box[T]) ring() {
	select {
	case b.wake <- struct{}{}:
	default: // already signaled
	}
}

// Take waits for reports and returns all that are pending. It returns false if the box is closed and empty, or if ctx
// has ended.
func (b *Box[T]) Take(ctx context.Context) (T, bool) {
	for {
		var none T
		select {
		case <-ctx.Done():
			return none, false
		case <-b.wake:
		}
		b.mu.Lock()
		taken, full, closed := b.pending, b.full, b.closed
		b.pending, b.full = none, false
		b.mu.Unlock()
		if closed {
			b.ring() // so that the next Take returns immediately, too
		}
		if full || closed {
			return taken, full
		}
	}
}
