package fleet

import (
	"time"

	"ironworks/models"
)

// Tape writes into a Store what was kept of nodes, in the place of a [Poller]: a Store has
// one of the two. It is for one goroutine.
type Tape struct{ store *Store }

// NewTape makes the tape of a store.
func NewTape(store *Store) *Tape { return &Tape{store: store} }

// Put shows a node as it stood at a time, and gives the work that moved on by it. What
// happened to the node is not told: whoever kept the pictures kept that, too.
func (t *Tape) Put(p *models.Picture) []models.Work {
	return t.store.apply([]models.Node{p.Node}, p.At, baseline, 0).works
}

// Happened takes in what an event says beyond the pictures: why a node failed, and that
// one is gone.
func (t *Tape) Happened(e *models.Event) {
	switch {
	case e.Kind == models.EventRemoved:
		t.store.remove(e.Node.UUID, e.Time)
	case e.Kind == models.EventProvisionState && e.Reason != "" && models.ProvisionState(e.To).Failed():
		t.store.setReason(e.Node.UUID, e.Reason)
	}
}

// Rewind forgets all nodes.
func (t *Tape) Rewind() {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.nodes)
	clear(s.byName)
	s.status.Busy = 0
	s.revision++
}

// Now says how far the tape is against the console's clock: all that is known is from
// then, and as fresh as it can be.
func (t *Tape) Now(clock, at time.Time, version models.APIVersion) Status {
	return t.store.setStatus(func(s *Status) {
		s.Connected, s.Complete, s.Answered, s.Skew, s.Version = true, true, clock, at.Sub(clock), version
		s.AsOf = clock
	})
}
