package fleet

import (
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// Store holds what is known of every node. Any goroutine may read it; its poller and the
// readers of ramdisk logs write.
type Store struct {
	mu       sync.RWMutex
	nodes    map[string]*record
	byName   map[string]string
	revision uint64
	status   Status
	// heard are events that logs told of and that are not told yet.
	heard []models.Event
}

// record is a node with what only watching tells.
type record struct {
	// row is never changed, only replaced, so that readers need not hold the lock.
	row      *models.Row
	evidence models.Evidence
	// log follows the ramdisk's log; the row has what it tells. It is never changed, only replaced.
	log *explain.BootLog
	// said is the provision state that the last event ended with, step the last step
	// that was told.
	said models.ProvisionState
	step string
	// wanted says that the reason of the failure is looked for, explained that it was.
	wanted, explained bool
	// sweep is the number of the last full listing that had the node.
	sweep uint64
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{nodes: map[string]*record{}, byName: map[string]string{}}
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
	return *r.row, r.evidence, true
}

// Len is how many nodes there are.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.nodes)
}

// Counts is how many nodes there are, and how many of which kind.
type Counts struct {
	Total       int
	States      map[models.ProvisionState]int
	Maintenance int
}

// Counts counts the nodes.
func (s *Store) Counts() Counts {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := Counts{Total: len(s.nodes), States: map[models.ProvisionState]int{}}
	for _, r := range s.nodes {
		counts.States[r.row.Node.ProvisionState]++
		if r.row.Node.Maintenance {
			counts.Maintenance++
		}
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
	// news are the uuids of nodes that were new or different; a node whose
	// driver_internal_info was merely not asked for before is not. added are the new ones.
	news  map[string]bool
	added []string
	// works are those that moved on: into another phase, or to their end.
	works []models.Work
	// failed are the uuids of nodes that are in a failed state without a reason.
	failed []string
	// changed says that something in the store is different.
	changed bool
}

// apply puts what the server said at time at into the store. A nil Internal keeps the
// one that is known: not every request asks for it.
func (s *Store) apply(nodes []models.Node, at time.Time, from origin, sweep uint64) applied {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := applied{news: map[string]bool{}, events: s.heard}
	s.heard = nil
	for i := range nodes {
		s.applyOne(&nodes[i], at, from, sweep, &out)
	}
	if out.changed {
		s.revision++
	}
	return out
}

func (s *Store) applyOne(n *models.Node, at time.Time, from origin, sweep uint64, out *applied) {
	r, known := s.nodes[n.UUID]
	if !known {
		r = s.begin(n, at, from, out)
	} else {
		if n.Internal == nil {
			n.Internal = r.row.Node.Internal
		}
		if !sameNode(&r.row.Node, n) {
			s.change(r, n, at, out)
		}
	}
	out.works = append(out.works, r.evidence.Update(n, at)...)
	r.sweep = max(r.sweep, sweep)
	if n.ProvisionState.Failed() && !r.wanted && r.row.Reason == "" {
		r.wanted = true
		out.failed = append(out.failed, n.UUID)
	}
}

// begin takes a node in that was not known.
func (s *Store) begin(n *models.Node, at time.Time, from origin, out *applied) *record {
	row := &models.Row{Node: *n, Reason: failureOf(n)}
	if row.FirstSeen, _ = row.InState(); row.FirstSeen.IsZero() || row.FirstSeen.After(at) {
		row.FirstSeen = at
	}
	if from == arrived {
		out.events = append(out.events, arrival(n, at)...)
		row.Since = at
	}
	r := &record{row: row, said: n.ProvisionState}
	r.remember(n)
	s.nodes[n.UUID] = r
	s.rename("", n)
	s.countBusy("", n.ProvisionState)
	out.news[n.UUID] = true
	out.added = append(out.added, n.UUID)
	out.changed = true
	return r
}

// change puts what is different over what is known, and tells it.
func (s *Store) change(r *record, n *models.Node, at time.Time, out *applied) {
	old := &r.row.Node
	out.changed = true
	if !onlyLearned(old, n) {
		out.news[n.UUID] = true
	}
	out.events = append(out.events, r.differences(n, at)...)
	row := *r.row
	row.Node = *n
	if n.ProvisionState.Phase() != old.ProvisionState.Phase() {
		row.Since, row.Reason = at, ""
		r.wanted, r.explained = false, false
		if beginsWork(old.ProvisionState, n.ProvisionState) {
			r.evidence.Begin()
		}
	}
	if reason := failureOf(n); reason != "" {
		row.Reason = reason
	}
	s.rename(old.Name, n)
	s.countBusy(old.ProvisionState, n.ProvisionState)
	r.row = &row
	r.remember(n)
}

// beginsWork says that between two states new work began, if unseen: what is known of
// the work before does not explain how this ends. A hold is in the middle of work.
func beginsWork(from, to models.ProvisionState) bool {
	return from.Resting() && from.Class() != models.ClassHold && (to.Busy() || to.Failed())
}

// failureOf is the reason of a failure where the node itself says it.
func failureOf(n *models.Node) string {
	if n.ProvisionState.Failed() {
		return n.LastError
	}
	return ""
}

func (s *Store) rename(old string, n *models.Node) {
	if old != n.Name && s.byName[old] == n.UUID {
		delete(s.byName, old)
	}
	if n.Name != "" {
		s.byName[n.Name] = n.UUID
	}
}

// unexplained gives a node that is in a failed state without a known reason.
func (s *Store) unexplained(uuid string) (models.Row, models.Evidence, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.nodes[uuid]
	if !ok || r.explained || r.row.Reason != "" || !r.row.Node.ProvisionState.Failed() {
		return models.Row{}, models.Evidence{}, false
	}
	return *r.row, r.evidence, true
}

// setReason keeps why a node failed.
func (s *Store) setReason(uuid, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.nodes[uuid]
	if !ok {
		return
	}
	r.explained = true
	if r.row.Reason != reason {
		row := *r.row
		row.Reason = reason
		r.row = &row
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
	s.countBusy(r.row.Node.ProvisionState, "")
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

// sighted notes that a listing had nodes; those that are not known are left to others.
func (s *Store) sighted(uuids []string, sweep uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uuid := range uuids {
		if r, ok := s.nodes[uuid]; ok {
			r.sweep = max(r.sweep, sweep)
		}
	}
}

// without lists the nodes that are not among those seen.
func (s *Store) without(seen map[string]bool) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var missing []string
	for uuid := range s.nodes {
		if !seen[uuid] {
			missing = append(missing, uuid)
		}
	}
	slices.Sort(missing)
	return missing
}

// countBusy keeps the number of nodes on their way; "" is no node.
func (s *Store) countBusy(from, to models.ProvisionState) {
	if from != "" && from.Busy() {
		s.status.Busy--
	}
	if to != "" && to.Busy() {
		s.status.Busy++
	}
}
