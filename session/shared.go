package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ironworks/audit"
	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/filter"
)

// Shared is one live session for many users, with one poller, one journal, and one follower of each log.
type Shared struct {
	*Live

	mu      sync.Mutex
	members map[*Member]func(fleet.Update)
	// clients holds a client for each combination of limits.
	clients map[clientLimits]*ironicclient.Client
	// totals holds the number of nodes within each limit, so that members with the same limit share the count.
	totals map[string]limitedTotal
	// refreshed is the time of the last listing of the whole fleet that a member requested.
	refreshed  time.Time
	conductors conductorCache
}

// limitedTotal is the number of nodes within a limit, as of a revision of the store.
type limitedTotal struct {
	revision uint64
	nodes    int
}

// clientLimits restrict the requests of a client.
type clientLimits struct {
	readOnly bool
	nodes    string
}

// Member is a user of a shared session.
type Member struct {
	Actor audit.Actor
	// ReadOnly means that all changes are refused. NoOverride means that the user may not override checks.
	ReadOnly, NoOverride bool
	// Nodes limits the nodes that the user can see and change. The zero filter means no limit.
	Nodes filter.Filter
}

// NewShared returns a Shared that lets several members use l.
func NewShared(l *Live) *Shared {
	if l.Logs != nil {
		l.Logs = newSharedLogs(l.Logs)
	}
	return &Shared{Live: l, members: map[*Member]func(fleet.Update){}, clients: map[clientLimits]*ironicclient.Client{}, totals: map[string]limitedTotal{}}
}

// Run polls until ctx is done. It passes every update to all members, without the nodes that they cannot see.
func (s *Shared) Run(ctx context.Context) error {
	return s.Live.Run(ctx, func(u fleet.Update) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for m, notify := range s.members {
			notify(s.limited(m, u))
		}
	})
}

// Close closes the members' clients and the session.
func (s *Shared) Close(ctx context.Context) {
	s.mu.Lock()
	for _, c := range s.clients {
		c.Close()
	}
	s.mu.Unlock()
	s.Live.Close(ctx)
}

// Visible returns a function that reports whether m can see a node, or nil if m can see all nodes.
func (s *Shared) Visible(m *Member) func(ident string) bool {
	if m.Nodes.IsZero() {
		return nil
	}
	limited := s.Store.Limited(m.Nodes)
	return func(ident string) bool {
		_, _, there := limited.Get(ident)
		return there
	}
}

// limited returns u without the events and operations of nodes that member m cannot see. The caller must hold s.mu.
func (s *Shared) limited(m *Member, u fleet.Update) fleet.Update {
	sees := s.Visible(m)
	if sees == nil {
		return u
	}
	u.Events = slices.DeleteFunc(slices.Clone(u.Events), func(e models.Event) bool { return !sees(e.Node.UUID) })
	u.Works = slices.DeleteFunc(slices.Clone(u.Works), func(w models.Work) bool { return !sees(w.Node.UUID) })
	u.Status.Total = min(u.Status.Total, s.total(m.Nodes))
	return u
}

// total returns the number of nodes within a limit. It counts them once for each revision of the store, because
// matching 10 000 nodes takes milliseconds, and all members wait meanwhile.
func (s *Shared) total(to filter.Filter) int {
	key, revision := to.String(), s.Store.Revision()
	counted, known := s.totals[key]
	if !known || counted.revision != revision {
		counted = limitedTotal{revision: revision, nodes: s.Store.Limited(to).Len()}
		s.totals[key] = counted
	}
	return counted.nodes
}

// As returns a session for member m, with the member's limits and name.
func (s *Shared) As(m *Member) (*Live, error) {
	client, err := s.client(m)
	if err != nil {
		return nil, err
	}
	own := *s.Session
	own.Client, own.Context.ReadOnly = client, own.Context.ReadOnly || m.ReadOnly
	own.Actor, own.NoOverride = m.Actor, m.NoOverride
	l := &Live{
		Session: &own, Store: s.Store.Limited(m.Nodes), Journal: s.Journal, Runner: own.Runner(s.Changes), Changes: s.Changes,
		Logs: s.Logs, Record: s.Record, Poller: s.Poller,
	}
	if !own.Context.ReadOnly {
		// The BMCs are not shared, because they remember credentials that the user has entered.
		if l.BMCs, err = own.newBMCs(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// client returns a client with the member's limits. Members with the same limits share a client.
func (s *Shared) client(m *Member) (*ironicclient.Client, error) {
	limits := clientLimits{readOnly: m.ReadOnly || s.Context.ReadOnly, nodes: m.Nodes.String()}
	if limits == (clientLimits{readOnly: s.Context.ReadOnly}) {
		return s.Client, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[limits]; c != nil {
		return c, nil
	}
	opts := ironicclient.Options{ReadOnly: limits.readOnly, UserAgent: s.UserAgent, Limit: s.Visible(m)}
	c, err := ironicclient.New(s.Context.Connection, opts)
	if err != nil {
		return nil, fmt.Errorf("open the connection for %s: %w", m.Actor.User, err)
	}
	s.clients[limits] = c
	return c, nil
}

// conductorCache keeps the list of conductors, because every console shows it.
type conductorCache struct {
	mu   sync.Mutex
	list []models.Conductor
	at   time.Time
}

// conductorsAge is the maximum age of the cached list of conductors.
const conductorsAge = 50 * time.Second

// Conductors lists the conductors. The list is read at most once every conductorsAge, for all members.
func (s *Shared) Conductors(ctx context.Context) ([]models.Conductor, error) {
	s.conductors.mu.Lock()
	defer s.conductors.mu.Unlock()
	if !s.conductors.at.IsZero() && time.Since(s.conductors.at) < conductorsAge {
		return s.conductors.list, nil
	}
	list, err := s.Client.Conductors(ctx)
	if err == nil {
		s.conductors.list, s.conductors.at = list, time.Now()
	}
	return list, err
}

// MemberPoller is a member's view of the shared poller.
type MemberPoller struct {
	*fleet.Poller
	shared *Shared
	member *Member

	mu      sync.Mutex
	watched map[string]int
}

// PollerOf returns the poller of a member.
func (s *Shared) PollerOf(m *Member) *MemberPoller {
	return &MemberPoller{Poller: s.Poller, shared: s, member: m, watched: map[string]int{}}
}

// Run passes the updates of the shared poller to notify until ctx is done, without the nodes that the member cannot
// see. notify must not block.
func (p *MemberPoller) Run(ctx context.Context, notify func(fleet.Update)) error {
	s := p.shared
	s.mu.Lock()
	s.members[p.member] = notify
	notify(s.limited(p.member, fleet.Update{Revision: s.Store.Revision(), Status: s.Store.Status()}))
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	delete(s.members, p.member)
	s.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for uuid, n := range p.watched {
		for range n {
			p.Poller.Unwatch(uuid)
		}
	}
	clear(p.watched)
	return ctx.Err()
}

// Watch makes the shared poller read a node more often, until Unwatch has been called as many times as Watch.
func (p *MemberPoller) Watch(uuid string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watched[uuid]++
	p.Poller.Watch(uuid)
}

// Unwatch undoes one Watch of a node.
func (p *MemberPoller) Unwatch(uuid string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watched[uuid] > 0 {
		p.watched[uuid]--
		p.Poller.Unwatch(uuid)
	}
}

// refreshEvery is the minimum time between two listings of the whole fleet, for all members together.
const refreshEvery = 10 * time.Second

// Refresh lists all nodes now. If another member has just done so, it polls for changes instead.
func (p *MemberPoller) Refresh() {
	s := p.shared
	s.mu.Lock()
	due := time.Since(s.refreshed) >= refreshEvery
	if due {
		s.refreshed = time.Now()
	}
	s.mu.Unlock()
	if due {
		p.Poller.Refresh()
		return
	}
	p.PollNow()
}
