package ui

import (
	"context"
	"sync"

	"ironworks/fleet"
	"ironworks/provision"
)

// mailbox hands what other goroutines tell to the screen without making them wait: what
// was not taken yet is joined.
type mailbox[T any] struct {
	mu      sync.Mutex
	pending T
	full    bool
	closed  bool
	wake    chan struct{}
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{wake: make(chan struct{}, 1)} }

// put joins something to what waits.
func (m *mailbox[T]) put(join func(pending *T)) {
	m.mu.Lock()
	join(&m.pending)
	m.full = true
	m.mu.Unlock()
	m.ring()
}

// close says that nothing more will come; what waits can still be taken.
func (m *mailbox[T]) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox[T]) ring() {
	select {
	case m.wake <- struct{}{}:
	default: // somebody is being woken already
	}
}

// take waits for something; false when nothing will come any more, or ctx ended.
func (m *mailbox[T]) take(ctx context.Context) (T, bool) {
	for {
		var none T
		select {
		case <-ctx.Done():
			return none, false
		case <-m.wake:
		}
		m.mu.Lock()
		taken, full, closed := m.pending, m.full, m.closed
		m.pending, m.full = none, false
		m.mu.Unlock()
		if closed {
			m.ring() // whoever asks next has to hear of the end, too
		}
		if full || closed {
			return taken, full
		}
	}
}

// news is what a session has told since it was asked last; update is nil when its
// poller told nothing.
type news struct {
	update  *fleet.Update
	notices []string
}

// push is called by a poller.
func push(m *mailbox[news]) func(fleet.Update) {
	return func(u fleet.Update) {
		m.put(func(n *news) {
			if n.update != nil {
				if !u.Rewound { // what was told before that does not hold
					u.Events = append(n.update.Events, u.Events...)
				}
				u.Rewound = u.Rewound || n.update.Rewound
			}
			n.update = &u
		})
	}
}

// notice is called by whoever of a session has something to say to the operator.
func notice(m *mailbox[news]) func(text string) {
	return func(text string) {
		m.put(func(n *news) { n.notices = append(n.notices, text) })
	}
}

// steps are the last word of each node of a task, by uuid.
type steps map[string]provision.Progress

// step is called by what follows a node.
func step(m *mailbox[steps], p provision.Progress) {
	m.put(func(s *steps) {
		if *s == nil {
			*s = steps{}
		}
		(*s)[p.Node.UUID] = p
	})
}
