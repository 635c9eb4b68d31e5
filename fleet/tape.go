package fleet

import (
	"time"

	"ironworks/models"
)

// Tape writes recorded nodes into a Store, in place of a [Poller], which writes live ones. Only one goroutine may use
// it at a time.
type Tape struct{ store *Store }

// NewTape returns a Tape that writes into store.
func NewTape(store *Store) *Tape { return &Tape{store: store} }

// Put stores a snapshot of a node, and returns the operations that progressed with it. It returns
// no events, because these are recorded as well.
func (t *Tape) Put(p *models.Picture) []models.Work {
	return t.store.apply([]models.Node{p.Node}, p.At, baseline, 0).works
}

// Apply applies the parts of an event that snapshots lack: the reason for a failure, and the removal of a node.
func (t *Tape) Apply(e *models.Event) {
	switch {
	case e.Kind == models.EventRemoved:
		t.store.remove(e.Node.UUID, e.Time)
	case e.Kind == models.EventProvisionState && e.Reason != "" && models.ProvisionState(e.To).Failed():
		t.store.setReason(e.Node.UUID, e.Reason)
	}
}

// Rewind removes all nodes from the store.
func (t *Tape) Rewind() {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.nodes)
	clear(s.byName)
	s.order = nil
	s.status.Busy = 0
	s.revision++
}

// SetTime sets the status of the node list for one moment of the recording, at which all data is up to date. at is
// the recorded time of that moment, and clock the corresponding time on the local clock.
func (t *Tape) SetTime(clock, at time.Time, version models.APIVersion) Status {
	return t.store.setStatus(func(s *Status) {
		s.Connected, s.Complete, s.Answered, s.Skew, s.Version = true, true, clock, at.Sub(clock), version
		s.AsOf = clock
	})
}
