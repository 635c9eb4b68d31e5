package fleet

import (
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
)

// Store holds the known data of every node. Any goroutine may read it; the poller and the log readers write to it.
type Store struct {
	*contents
	// visible limits the store to the nodes that the reader may see. The zero filter shows all nodes.
	visible filter.Filter
}

type contents struct {
	mu     sync.RWMutex
	nodes  map[string]*record
	byName map[string]string
	// ordering guards order: the nodes sorted by name, or nil after a node was added, removed or renamed.
	ordering sync.Mutex
	order    []*record
	revision uint64
	status   Status
	// logEvents holds unreported events from logs.
	logEvents []models.Event
}

// record holds a node in a store, together with what was observed while watching it.
type record struct {
	// row is never changed, only replaced, so that readers need not hold the lock.
	row      *models.Row
	evidence models.Evidence
	// log is the state of the ramdisk's log, whose progress is in row. It is never changed, only replaced.
	log *explain.BootLog
	// lastState and lastStep are the provision state and the step that were last reported in an event.
	lastState models.ProvisionState
	lastStep  string
	// reasonRequested and reasonRead are set once the failure's reason has been requested and read.
	reasonRequested, reasonRead bool
	// sweep is the number of the last full listing that included the node.
	sweep uint64
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{contents: &contents{nodes: map[string]*record{}, byName: map[string]string{}}}
}

// Limited returns a view of the same store for a reader who may see only the nodes that match the filter.
func (s *Store) Limited(to filter.Filter) *Store { return &Store{contents: s.contents, visible: to} }

func (s *Store) shows(r *record) bool {
	return s.visible.IsZero() || s.visible.Match(r.row) == models.Yes
}

// Get returns the node with the given UUID or name, and the evidence of its last operation.
func (s *Store) Get(id string) (models.Row, models.Evidence, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.nodes[id]
	if !ok {
		r, ok = s.nodes[s.byName[id]]
	}
	if !ok || !s.shows(r) {
		return models.Row{}, models.Evidence{}, false
	}
	return *r.row, r.evidence, true
}

// Len returns the number of nodes that the reader may see.
func (s *Store) Len() int {
	if !s.visible.IsZero() {
		return s.Counts().Total
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.nodes)
}

// Counts holds the number of nodes in total, in each state, and in maintenance.
type Counts struct {
	Total       int
	States      map[models.ProvisionState]int
	Maintenance int
}

// Counts counts the nodes that the reader may see.
func (s *Store) Counts() Counts {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := Counts{States: map[models.ProvisionState]int{}}
	for _, r := range s.nodes {
		if !s.shows(r) {
			continue
		}
		counts.Total++
		counts.States[r.row.Node.ProvisionState]++
		if r.row.Node.Maintenance {
			counts.Maintenance++
		}
	}
	return counts
}

// Status returns the current status of the node list.
func (s *Store) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status
}

// Revision returns a number that grows with every change.
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

// origin describes how a node that is not in the store yet was found.
type origin int

const (
	// baseline means that the node was in the first listing, so it existed before the start.
	baseline origin = iota
	// arrived means that the node was found later, so it is new.
	arrived
)

// applied is the result of [Store.apply]. It describes the changes made by storing the nodes.
type applied struct {
	events []models.Event
	// changedNodes contains the UUIDs of new and changed nodes. Reading driver_internal_info for the first time does
	// not count as a change. added lists the UUIDs of the new nodes.
	changedNodes map[string]bool
	added        []string
	// works lists the operations that entered another phase or ended.
	works []models.Work
	// failed lists the UUIDs of nodes that are in a failed state for an unknown reason.
	failed []string
}

// apply stores nodes that the server returned at the given time. If a node's Internal is nil, the known value is
// kept, because not every request includes that field.
func (s *Store) apply(nodes []models.Node, at time.Time, from origin, sweep uint64) applied {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := applied{changedNodes: map[string]bool{}, events: s.logEvents}
	s.logEvents = nil
	for i := range nodes {
		s.applyOne(&nodes[i], at, from, sweep, &out)
	}
	return out
}

func (s *Store) applyOne(n *models.Node, at time.Time, from origin, sweep uint64, out *applied) {
	r, known := s.nodes[n.UUID]
	if !known {
		r = s.add(n, at, from, out)
	} else {
		if n.Internal == nil {
			n.Internal = r.row.Node.Internal
		}
		if !sameNode(&r.row.Node, n) {
			s.update(r, n, at, out)
		}
	}
	out.works = append(out.works, r.evidence.Update(n, at)...)
	r.sweep = max(r.sweep, sweep)
	if n.ProvisionState.Failed() && !r.reasonRequested && r.row.Reason == "" {
		r.reasonRequested = true
		out.failed = append(out.failed, n.UUID)
	}
}

func (s *Store) add(n *models.Node, at time.Time, from origin, out *applied) *record {
	row := &models.Row{Node: *n, Reason: failureOf(n)}
	if row.FirstSeen, _ = row.InState(); row.FirstSeen.IsZero() || row.FirstSeen.After(at) {
		row.FirstSeen = at
	}
	if from == arrived {
		out.events = append(out.events, addedEvents(n, at)...)
		row.Since = at
	}
	r := &record{row: row, lastState: n.ProvisionState}
	r.remember(n)
	s.nodes[n.UUID], s.order = r, nil
	s.rename("", n)
	s.countBusy("", n.ProvisionState)
	out.changedNodes[n.UUID] = true
	out.added = append(out.added, n.UUID)
	s.revision++
	return r
}

// update stores n, a changed version of the node in r, and adds the events for the change to out.
func (s *Store) update(r *record, n *models.Node, at time.Time, out *applied) {
	old := &r.row.Node
	s.revision++
	if !onlyLearned(old, n) {
		out.changedNodes[n.UUID] = true
	}
	out.events = append(out.events, r.differences(n, at)...)
	row := *r.row
	row.Node = *n
	if n.ProvisionState.Phase() != old.ProvisionState.Phase() {
		row.Since, row.Reason = at, ""
		if old.ProvisionState.Phase() == models.StateInspecting {
			row.Hardware = nil // there is a new inventory
		}
		r.reasonRequested, r.reasonRead = false, false
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

// beginsWork reports whether an operation must have started between two states, so that earlier evidence does not
// explain the new state. A hold state does not count as a start, because it is in the middle of an operation.
func beginsWork(from, to models.ProvisionState) bool {
	return from.Resting() && from.Class() != models.ClassHold && (to.Busy() || to.Failed())
}

// failureOf returns the reason for a node's failure from the node's last_error, or "" if the node has not failed.
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
	if old != n.Name {
		s.order = nil
	}
}

// unexplained returns the node if it is in a failed state and the reason is not known yet.
func (s *Store) unexplained(uuid string) (models.Row, models.Evidence, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.nodes[uuid]
	if !ok || r.reasonRead || r.row.Reason != "" || !r.row.Node.ProvisionState.Failed() {
		return models.Row{}, models.Evidence{}, false
	}
	return *r.row, r.evidence, true
}

func (s *Store) setReason(uuid, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.nodes[uuid]
	if !ok {
		return
	}
	r.reasonRead = true
	if r.row.Reason != reason {
		s.changeRow(r, func(row *models.Row) { row.Reason = reason })
	}
}

func (s *Store) changeRow(r *record, change func(*models.Row)) {
	row := *r.row
	change(&row)
	r.row = &row
	s.revision++
}

// remove removes a node from the store, and returns the event that reports this.
func (s *Store) remove(uuid string, at time.Time) (models.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.nodes[uuid]
	if !ok {
		return models.Event{}, false
	}
	delete(s.nodes, uuid)
	s.order = nil
	if s.byName[r.row.Node.Name] == uuid {
		delete(s.byName, r.row.Node.Name)
	}
	s.revision++
	s.countBusy(r.row.Node.ProvisionState, "")
	return models.Event{Time: at, Node: r.row.Node.Ref(), Kind: models.EventRemoved, From: string(r.lastState)}, true
}

func (s *Store) missedBy(sweep uint64) []string {
	return s.uuids(func(_ string, r *record) bool { return r.sweep < sweep })
}

func (s *Store) notIn(seen map[string]bool) []string {
	return s.uuids(func(uuid string, _ *record) bool { return !seen[uuid] })
}

func (s *Store) uuids(condition func(uuid string, r *record) bool) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []string
	for uuid, r := range s.nodes {
		if condition(uuid, r) {
			list = append(list, uuid)
		}
	}
	slices.Sort(list)
	return list
}

// markSeen records that the full listing with the given number included the given nodes. It ignores unknown nodes.
func (s *Store) markSeen(uuids []string, sweep uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uuid := range uuids {
		if r, ok := s.nodes[uuid]; ok {
			r.sweep = max(r.sweep, sweep)
		}
	}
}

// countBusy updates the number of nodes in transition. An empty from is for a new node, an empty to for a removed one.
func (s *Store) countBusy(from, to models.ProvisionState) {
	if from != "" && from.Busy() {
		s.status.Busy--
	}
	if to != "" && to.Busy() {
		s.status.Busy++
	}
}

// Rows returns the nodes that match the filter, sorted by the given column. The rows belong to the store and must not
// be changed. The store does not change them either: it replaces them.
func (s *Store) Rows(f filter.Filter, by models.Column, descending bool) []*models.Row {
	rows, _ := s.Select(f, by, descending)
	return rows
}

// Select is like [Store.Rows], but also returns, unsorted, the nodes that may match.
func (s *Store) Select(f filter.Filter, by models.Column, descending bool) (rows, unknown []*models.Row) {
	s.mu.RLock()
	rows = make([]*models.Row, 0, len(s.nodes))
	for _, r := range s.named() {
		if s.shows(r) {
			rows = append(rows, r.row)
		}
	}
	s.mu.RUnlock()
	rows = slices.DeleteFunc(rows, func(row *models.Row) bool {
		found := f.Match(row)
		if found == models.Unknown {
			unknown = append(unknown, row)
		}
		return found != models.Yes
	})
	models.SortNamed(rows, by, descending)
	return rows, unknown
}

// named returns the nodes sorted by name. The caller holds mu at least for reading.
func (s *Store) named() []*record {
	s.ordering.Lock()
	defer s.ordering.Unlock()
	if s.order == nil {
		rows := make([]*models.Row, 0, len(s.nodes))
		for _, r := range s.nodes {
			rows = append(rows, r.row)
		}
		models.SortByName(rows)
		s.order = make([]*record, len(rows))
		for i, row := range rows {
			s.order[i] = s.nodes[row.Node.UUID]
		}
	}
	return s.order
}

// SetHardware stores the hardware that is listed in a node's inventory. Nil removes the stored hardware.
func (s *Store) SetHardware(uuid string, hardware *models.Hardware) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.nodes[uuid]; ok {
		s.changeRow(r, func(row *models.Row) { row.Hardware = hardware })
	}
}

// Tape writes recorded nodes into a Store, in place of a [Poller]. Only one goroutine may use it at a time.
type Tape struct{ store *Store }

// NewTape returns a Tape that writes into store.
func NewTape(store *Store) *Tape { return &Tape{store: store} }

// Put stores a snapshot of a node, and returns the operations that progressed with it. Events are recorded separately.
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
