package ui

import (
	"context"
	"sync"

	"ironworks/fleet"
)

// feed hands what a session tells to the screen without making it wait: what was not
// taken yet is joined.
type feed struct {
	mu      sync.Mutex
	pending news
	wake    chan struct{}
}

// news is what a session has told since it was asked last; update is nil when its
// poller told nothing.
type news struct {
	update  *fleet.Update
	notices []string
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// push is called by the poller.
func (f *feed) push(u fleet.Update) {
	f.mu.Lock()
	if f.pending.update != nil {
		u.Events = append(f.pending.update.Events, u.Events...)
	}
	f.pending.update = &u
	f.mu.Unlock()
	f.ring()
}

// notice is called by whoever has something to say to the operator.
func (f *feed) notice(text string) {
	f.mu.Lock()
	f.pending.notices = append(f.pending.notices, text)
	f.mu.Unlock()
	f.ring()
}

func (f *feed) ring() {
	select {
	case f.wake <- struct{}{}:
	default: // somebody is being woken already
	}
}

// next waits for news; false when ctx ended.
func (f *feed) next(ctx context.Context) (news, bool) {
	select {
	case <-ctx.Done():
		return news{}, false
	case <-f.wake:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.pending
	f.pending = news{}
	return n, true
}
