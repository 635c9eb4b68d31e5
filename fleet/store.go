package fleet

import (
	"slices"
	"sync"
	"time"

	"ironworks/models"
)

// Store holds what is known of every node. Any goroutine may read it; only its
// poller writes.
type Store struct {
	mu       sync.RWMutex
	nodes    map[string]*record
	byName   map[string]string
	revision uint64
	status   Status
}

// record is a node with what only watching tells.
type record struct {
	row      models.Row
	evidence models.Evidence
	// said is the provision state that the last event ended with, step and power the
	// last ones that were told.
	said models.ProvisionState
	step string
	// asked says that the reason of the failure was looked for.
	asked bool
	// sweep is the number of the last full listing that had the node.
	sweep uint64
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{nodes: map[string]*record{}, byName: map[string]string{}}
}

// Rows gives the nodes that match the filter, sorted by a column.
func (s *Store) Rows(f models.Filter, by models.Column, descending bool) []models.Row {
	s.mu.RLock()
	rows := make([]models.Row, 0, len(s.nodes))
	for _, r := range s.nodes {
		if f.Match(&r.row.Node) {
			rows = append(rows, r.row)
		}
	}
	s.mu.RUnlock()
	models.SortRows(rows, by, descending)
	return rows
}

// Get gives one node by uuid or name, with the evidence that was kept of the last
// work on it.
func (s *Store) Get(id string) (models.Row, models.Evidence, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.nodes[id]
	if !ok {
		r, ok = s.nodes[s.byName[id]]
	}
	if !ok {
		return models.Row{}, models.Evidence{}, false
	}
	return r.row, r.evidence, true
}

// Len is how many nodes there are.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.nodes)
}

// Counts is how many nodes are in each provision state.
func (s *Store) Counts() map[models.ProvisionState]int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := map[models.ProvisionState]int{}
	for _, r := range s.nodes {
		counts[r.row.Node.ProvisionState]++
	}
	return counts
}

// Status tells how fresh the picture is.
func (s *Store) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status
}

// Revision grows with every change.
func (s *Store) Revision() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revision
}

func (s *Store) setStatus(change func(*Status)) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
	return s.status
}

// origin says how a node that is not in the store yet came to be seen.
type origin int

const (
	// baseline is the first listing: what is there was there before us.
	baseline origin = iota
	// arrived is everything later: the node is new.
	arrived
)

// applied is what came of putting nodes into the store.
type applied struct {
	events []models.Event
	// news counts the nodes that were new or different.
	news int
	// failed are the uuids of nodes that entered a failed state or that are in one
	// without a known reason.
	failed []string
}

// apply puts what the server said at time at into the store. A nil Internal keeps the
// one that is known: not every request asks for it.
func (s *Store) apply(nodes []models.Node, at time.Time, from origin, sweep uint64) applied {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out applied
	for i := range nodes {
		s.applyOne(&nodes[i], at, from, sweep, &out)
	}
	if out.news > 0 {
		s.revision++
	}
	s.status.Busy = s.busy()
	return out
}

func (s *Store) applyOne(n *models.Node, at time.Time, from origin, sweep uint64, out *applied) {
	r, known := s.nodes[n.UUID]
	switch {
	case !known:
		r = &record{row: models.Row{FirstSeen: at}, said: n.ProvisionState}
		s.nodes[n.UUID] = r
		if from == arrived {
			out.events = append(out.events, arrival(n, at)...)
			r.row.Since = at
		}
		out.news++
	default:
		if n.Internal == nil {
			n.Internal = r.row.Node.Internal
		}
		if sameNode(&r.row.Node, n) {
			break
		}
		out.news++
		out.events = append(out.events, r.differences(n, at)...)
		if n.ProvisionState.Phase() != r.row.Node.ProvisionState.Phase() {
			r.row.Since, r.row.Reason, r.asked = at, "", false
		}
	}
	r.evidence.Update(n, at)
	s.rename(r.row.Node.Name, n)
	r.row.Node = *n
	r.remember(n)
	if sweep > 0 {
		r.sweep = sweep
	}
	if n.ProvisionState.Failed() && !r.asked {
		out.failed = append(out.failed, n.UUID)
	}
}

func (s *Store) rename(old string, n *models.Node) {
	if old != n.Name && s.byName[old] == n.UUID {
		delete(s.byName, old)
	}
	if n.Name != "" {
		s.byName[n.Name] = n.UUID
	}
}

// setReason keeps why a node failed.
func (s *Store) setReason(uuid, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.nodes[uuid]
	if !ok {
		return
	}
	r.asked = true
	if r.row.Reason != reason {
		r.row.Reason = reason
		s.revision++
	}
}

// remove forgets a node and gives the event that tells so.
func (s *Store) remove(uuid string, at time.Time) (models.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.nodes[uuid]
	if !ok {
		return models.Event{}, false
	}
	delete(s.nodes, uuid)
	if s.byName[r.row.Node.Name] == uuid {
		delete(s.byName, r.row.Node.Name)
	}
	s.revision++
	s.status.Busy = s.busy()
	return models.Event{Time: at, Node: r.row.Node.Ref(), Kind: models.EventRemoved, From: string(r.said)}, true
}

// missedBy lists the nodes that a full listing did not have.
func (s *Store) missedBy(sweep uint64) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var missed []string
	for uuid, r := range s.nodes {
		if r.sweep < sweep {
			missed = append(missed, uuid)
		}
	}
	slices.Sort(missed)
	return missed
}

func (s *Store) busy() int {
	busy := 0
	for _, r := range s.nodes {
		if r.row.Node.ProvisionState.Busy() {
			busy++
		}
	}
	return busy
}
