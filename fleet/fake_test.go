package fleet_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// fakeIronic is an in-memory Ironic API. Like the real API, it sorts nodes by ID or by a time, rejects unknown
// markers, and sends Date headers with whole seconds. In descending order, nodes without updated_at come last.
type fakeIronic struct {
	mu    sync.Mutex
	nodes map[string]*fakeNode
	// sorted caches the list of nodes in each requested order. Every change clears the cache.
	sorted  map[sorting][]*fakeNode
	lastID  int
	history map[string][]models.HistoryEntry
	version models.APIVersion
	log     []asked
	running int
	atOnce  int

	// skew is the time by which the server's clock is ahead of the local clock.
	skew time.Duration
	// maxLimit is the maximum size of a page. If ignoreMarker is set, every marker leads to the first page.
	maxLimit     int
	ignoreMarker bool
	// hides is the highest ID of the nodes that listings sorted by ID omit.
	hides int
	// foreign is the number of nodes that are counted, but not listed.
	foreign int
	// If seconds is set, times are stored in whole seconds, as in MySQL.
	seconds bool
	ticks   time.Duration
	// latency returns the time that a request takes, and fault the error with which it fails. Both functions may be
	// nil.
	latency func(asked) time.Duration
	fault   func(asked) error
}

type fakeNode struct {
	models.Node
	id               int
	created, updated time.Time
}

// sorting is the order of nodes in a list.
type sorting struct {
	key        string
	descending bool
}

// asked is one request.
type asked struct {
	at    time.Time
	what  string // page, node, count or history
	id    string
	query ironicclient.NodeQuery
}

func (a asked) String() string {
	if a.what != "page" {
		return a.what + " " + a.id
	}
	return fmt.Sprintf("page limit=%d marker=%s sort=%s", a.query.Limit, a.query.Marker, a.query.SortKey)
}

func newFake() *fakeIronic {
	return &fakeIronic{
		nodes: map[string]*fakeNode{}, history: map[string][]models.HistoryEntry{},
		version: models.APIVersion{Minor: models.NewestMinor}, maxLimit: 1000,
	}
}

func uuidOf(i int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", i) }

func (f *fakeIronic) now() time.Time { return time.Now().Add(f.skew) }

// stamp returns the current time as the database would store it in a row.
func (f *fakeIronic) stamp() time.Time {
	if f.seconds {
		return f.now().Truncate(time.Second)
	}
	// Ticks make all times different.
	f.ticks++
	return f.now().Add(f.ticks)
}

// touch updates a node without a visible change, as a conductor does when it takes and releases a lock.
func (f *fakeIronic) touch(uuid string) { f.set(uuid, func(*models.Node) {}) }

// add enrolls a node in the given state. The nodes are named n1, n2, …
func (f *fakeIronic) add(state models.ProvisionState) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastID++
	n := &fakeNode{id: f.lastID, created: f.stamp()}
	n.UUID, n.Name, n.ProvisionState, n.PowerState = uuidOf(n.id), fmt.Sprintf("n%d", n.id), state, models.PowerOff
	n.Internal = &models.Internal{}
	f.nodes[n.UUID], f.sorted = n, nil
	return n.UUID
}

func (f *fakeIronic) addMany(n int, state models.ProvisionState) {
	for range n {
		f.add(state)
	}
}

// set changes a node, as a conductor would.
func (f *fakeIronic) set(uuid string, change func(n *models.Node)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[uuid]
	internal := *n.Internal
	n.Internal = &internal
	change(&n.Node)
	n.updated, f.sorted = f.stamp(), nil
}

func (f *fakeIronic) state(uuid string, s models.ProvisionState) {
	f.set(uuid, func(n *models.Node) { n.ProvisionState = s })
}

func (f *fakeIronic) remove(uuid string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.nodes, uuid)
	f.sorted = nil
}

// tune changes settings of the fake while it is in use.
func (f *fakeIronic) tune(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeIronic) fail(fault func(asked) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// requests returns the requests since the last call.
func (f *fakeIronic) requests() []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// enter records a request, waits for its latency, and returns the fault configured for it, if any.
func (f *fakeIronic) enter(ctx context.Context, a asked) (date time.Time, err error) {
	f.mu.Lock()
	a.at = time.Now()
	f.log = append(f.log, a)
	f.running++
	f.atOnce = max(f.atOnce, f.running)
	latency, fault, skew := f.latency, f.fault, f.skew
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	date = time.Now().Add(skew)
	if latency != nil {
		// The Date header contains the time when half of the latency has passed.
		half := latency(a) / 2
		for range 2 {
			select {
			case <-ctx.Done():
				return date, ctx.Err()
			case <-time.After(half):
			}
			if date.Equal(a.at.Add(skew)) {
				date = time.Now().Add(skew)
			}
		}
	}
	if ctx.Err() != nil {
		return date, ctx.Err()
	}
	if fault != nil {
		err = fault(a)
	}
	return date.Truncate(time.Second), err
}

func (f *fakeIronic) NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error) {
	date, err := f.enter(ctx, asked{what: "page", query: q})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.inOrder(sorting{q.SortKey, q.Descending})
	if q.Marker != "" && !f.ignoreMarker {
		i := slices.IndexFunc(all, func(n *fakeNode) bool { return n.UUID == q.Marker })
		if i < 0 {
			return nil, notFound(q.Marker)
		}
		all = (sorting{q.SortKey, q.Descending}).behind(all, i)
	}
	if q.SortKey == "" && f.hides > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(n *fakeNode) bool { return n.id <= f.hides })
	}
	limit := min(cmp.Or(q.Limit, ironicclient.DefaultPage), f.maxLimit)
	// A full page has a link to the next one, which may be empty.
	page := &ironicclient.NodePage{Date: date, More: len(all) >= limit || f.ignoreMarker}
	for _, n := range all[:min(limit, len(all))] {
		page.Nodes = append(page.Nodes, seen(n, q.Fields))
	}
	return page, nil
}

// inOrder returns all nodes in the given order. The caller must not change the slice.
func (f *fakeIronic) inOrder(by sorting) []*fakeNode {
	if all, ok := f.sorted[by]; ok {
		return all
	}
	all := slices.SortedFunc(maps.Values(f.nodes), by.compare)
	if f.sorted == nil {
		f.sorted = map[sorting][]*fakeNode{}
	}
	f.sorted[by] = all
	return all
}

// compare implements Ironic's order: by the sort key, and then by ID. In descending order, nulls come last.
func (s sorting) compare(a, b *fakeNode) int {
	c := 0
	switch s.key {
	case "updated_at":
		c = a.updated.Compare(b.updated)
	case "created_at":
		c = a.created.Compare(b.created)
	}
	c = cmp.Or(c, cmp.Compare(a.id, b.id))
	if s.descending {
		c = -c
	}
	return c
}

// behind returns the nodes that Ironic would list after the marker, which is at index i. If the marker's time is
// null, Ironic compares only the IDs. Otherwise, it omits nodes whose time is null, because SQL never finds a null to
// be greater or less than a time. For these reasons, pages can lose and repeat nodes (oslo_db/sqlalchemy/utils.py:
// paginate_query).
func (s sorting) behind(all []*fakeNode, i int) []*fakeNode {
	if s.key != "updated_at" {
		return all[i+1:]
	}
	marker := all[i]
	return slices.DeleteFunc(slices.Clone(all), func(n *fakeNode) bool {
		switch {
		case marker.updated.IsZero():
			return n.id == marker.id || (n.id > marker.id) == s.descending
		case n.updated.IsZero():
			return true
		}
		return s.compare(n, marker) <= 0
	})
}

func seen(n *fakeNode, fields []string) models.Node {
	out := n.Node
	if !slices.Contains(fields, "driver_internal_info") {
		out.Internal = nil
	} else {
		internal := *n.Internal
		out.Internal = &internal
	}
	return out
}

func notFound(id string) error {
	return &models.Fault{Kind: models.FaultNotFound, Status: 404, Message: "Node " + id + " could not be found."}
}

func (f *fakeIronic) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	date, err := f.enter(ctx, asked{what: "node", id: id})
	if err != nil {
		return nil, date, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[id]
	for _, other := range f.nodes {
		if n != nil {
			break
		}
		if other.Name == id {
			n = other
		}
	}
	if n == nil {
		return nil, date, notFound(id)
	}
	out := seen(n, fields)
	out.Raw = []byte("{}")
	return &out, date, nil
}

func (f *fakeIronic) CountNodes(ctx context.Context) (int, time.Time, error) {
	date, err := f.enter(ctx, asked{what: "count"})
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.nodes) + f.foreign, date, err
}

func (f *fakeIronic) History(ctx context.Context, node string) ([]models.HistoryEntry, error) {
	if _, err := f.enter(ctx, asked{what: "history", id: node}); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nodes[node] == nil {
		return nil, notFound(node)
	}
	return slices.Clone(f.history[node]), nil
}

// record adds an error to a node's history.
func (f *fakeIronic) record(uuid, event string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry := models.HistoryEntry{CreatedAt: models.Time{Time: f.now()}, Severity: "ERROR", Event: event}
	f.history[uuid] = append([]models.HistoryEntry{entry}, f.history[uuid]...)
}

func (f *fakeIronic) Version() (models.APIVersion, bool) { return f.version, true }
