package session

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/audit"
	"ironworks/config"
	"ironworks/fleet"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/models/request"
	"ironworks/test/embedded"
)

// These are the UUIDs of the nodes. otto can see only ottosNode.
const (
	ottosNode  = "11111111-0000-4000-8000-000000000000"
	hiddenNode = "22222222-0000-4000-8000-000000000000"
)

// sharedRig is a shared session with an Ironic that counts its requests.
type sharedRig struct {
	*Shared
	tables *db.Store
	anna   *Member
	otto   *Member

	mu       sync.Mutex
	requests map[string]int
}

func newSharedRig(t *testing.T) *sharedRig {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	for uuid, owner := range map[string]string{ottosNode: "teamA", hiddenNode: "teamB"} {
		if _, err := ironic.Tables.Nodes.Create(&db.Node{UUID: uuid, Name: owner, Owner: owner, Driver: "fake-hardware", ProvisionState: "enroll"}); err != nil {
			t.Fatal(err)
		}
	}
	nodes, err := filter.Parse("owner:teamA")
	if err != nil {
		t.Fatal(err)
	}
	r := &sharedRig{
		tables: ironic.Tables, requests: map[string]int{},
		anna: &Member{Actor: audit.Actor{User: "anna"}}, otto: &Member{Actor: audit.Actor{User: "otto"}, NoOverride: true, Nodes: nodes},
	}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		r.requests[q.Method+" "+q.URL.Path]++
		r.mu.Unlock()
		ironic.Handler.ServeHTTP(w, q)
	}))
	t.Cleanup(at.Close)
	home := t.TempDir()
	host := Host{Files: config.Files{State: home, Audit: filepath.Join(home, "audit.jsonl")}, Home: home, Mask: func(...models.Secret) {}}
	opened, err := Open(host, config.Context{Name: "rack", Connection: models.Connection{Endpoint: at.URL}}, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.Shared = NewShared(opened.Live(ctx, &audit.LazyFile{Path: host.Files.Audit}, func(string) {}))
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		_ = r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-polled
		r.Close(context.WithoutCancel(ctx))
	})
	return r
}

func (r *sharedRig) count(request string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests[request]
}

// changes returns the requests that change something.
func (r *sharedRig) changes() (sent []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for request := range r.requests {
		if !strings.HasPrefix(request, "GET ") {
			sent = append(sent, request)
		}
	}
	return sent
}

// reader is a member's console, reduced to collecting updates.
type reader struct {
	poller *MemberPoller
	news   chan struct{}

	mu     sync.Mutex
	events []models.Event
	last   fleet.Update
}

// reads runs the poller of a member until the test ends or stop is called.
func (r *sharedRig) reads(t *testing.T, m *Member) (one *reader, stop func()) {
	t.Helper()
	one = &reader{poller: r.PollerOf(m), news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = one.poller.Run(ctx, func(u fleet.Update) {
			one.mu.Lock()
			one.events, one.last = append(one.events, u.Events...), u
			one.mu.Unlock()
			select {
			case one.news <- struct{}{}:
			default:
			}
		})
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return one, stop
}

// until waits for updates until the condition holds. what describes the condition.
func (o *reader) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		o.mu.Lock()
		found := is()
		o.mu.Unlock()
		if found {
			return
		}
		select {
		case <-o.news:
		case <-limit:
			t.Fatalf("no update with %s: %+v", what, o.last.Status)
		}
	}
}

func (o *reader) hears(uuid string) bool {
	for _, e := range o.events {
		if e.Node.UUID == uuid {
			return true
		}
	}
	return false
}

// TestMembersGetTheirUpdates checks that the events and the total that a member gets cover only the nodes that the
// member can see.
func TestMembersGetTheirUpdates(t *testing.T) {
	t.Parallel()
	r := newSharedRig(t)
	anna, _ := r.reads(t, r.anna)
	otto, stop := r.reads(t, r.otto)
	anna.until(t, "the list", func() bool { return !anna.last.Status.AsOf.IsZero() })
	otto.until(t, "the list", func() bool { return !otto.last.Status.AsOf.IsZero() })
	for _, uuid := range []string{hiddenNode, ottosNode} {
		if _, err := r.tables.Nodes.Update(uuid, func(n *db.Node) error {
			n.Maintenance = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	otto.poller.PollNow()
	anna.until(t, "both events", func() bool { return anna.hears(hiddenNode) && anna.hears(ottosNode) })
	otto.until(t, "the own event", func() bool { return otto.hears(ottosNode) })
	if otto.hears(hiddenNode) {
		t.Errorf("otto hears of a hidden node: %v", otto.events)
	}
	r.Shared.mu.Lock()
	some, all := r.limited(r.otto, fleet.Update{Status: fleet.Status{Total: 2}}), r.limited(r.anna, fleet.Update{Status: fleet.Status{Total: 2}})
	r.Shared.mu.Unlock()
	if some.Status.Total != 1 || all.Status.Total != 2 {
		t.Errorf("of 2 nodes otto sees %d, anna %d", some.Status.Total, all.Status.Total)
	}
	if sees := r.Visible(r.otto); !sees(ottosNode) || !sees("teamA") || sees(hiddenNode) || sees("teamB") || sees("") {
		t.Error("otto sees other nodes than his own")
	}
	if r.Visible(r.anna) != nil {
		t.Error("anna is limited")
	}
	otto.poller.Watch(ottosNode)
	stop()
	if len(r.members) != 1 || len(otto.poller.watched) != 0 {
		t.Errorf("%d members and %v watched after one has left", len(r.members), otto.poller.watched)
	}
}

// TestMembersSessions checks that each member's session has the member's limits and name, and that members with the
// same limits share a client.
func TestMembersSessions(t *testing.T) {
	t.Parallel()
	r := newSharedRig(t)
	ottos, _ := r.reads(t, r.otto)
	ottos.until(t, "the list", func() bool { return !ottos.last.Status.AsOf.IsZero() })
	as := func(m *Member) *Live {
		t.Helper()
		l, err := r.As(m)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	anna, otto, again := as(r.anna), as(r.otto), as(&Member{Actor: audit.Actor{User: "olga"}, Nodes: r.otto.Nodes})
	vera := as(&Member{Actor: audit.Actor{User: "vera"}, ReadOnly: true})
	if anna.Client != r.Client || otto.Client == r.Client || again.Client != otto.Client || vera.Client == r.Client || vera.Client == otto.Client {
		t.Error("clients of members with other limits are shared, or those with the same are not")
	}
	if otto.Runner.Actor.User != "otto" || !otto.Preflighter().NoOverride || anna.Preflighter().NoOverride || otto.Context.ReadOnly || !vera.Context.ReadOnly || !vera.Runner.ReadOnly {
		t.Errorf("otto: %+v, vera: %+v", otto.Runner, vera.Runner)
	}
	if anna.Store.Len() != 2 || otto.Store.Len() != 1 || vera.BMCs != nil || otto.BMCs == nil || otto.BMCs == again.BMCs {
		t.Error("a member has the store or the BMCs of another one")
	}
	maintain := func(l *Live, node string) error {
		_, err := l.Client.Send(t.Context(), request.Maintenance(node, true, ""))
		return err
	}
	for what, err := range map[string]error{
		"a hidden node":    maintain(otto, hiddenNode),
		"a viewer's":       maintain(vera, ottosNode),
		"a node of no one": maintain(otto, "no-such-node"),
	} {
		var fault *models.Fault
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if changes := r.changes(); len(changes) > 0 {
		t.Errorf("sent: %q", changes)
	}
	if err := maintain(otto, ottosNode); err != nil || r.count("PUT /v1/nodes/"+ottosNode+"/maintenance") != 1 {
		t.Errorf("the own node: %v", err)
	}
}

// TestMembersShareRequests checks that data for all consoles is read from Ironic only once.
func TestMembersShareRequests(t *testing.T) {
	t.Parallel()
	r := newSharedRig(t)
	one, _ := r.reads(t, r.anna)
	two, _ := r.reads(t, r.otto)
	one.until(t, "the list", func() bool { return !one.last.Status.AsOf.IsZero() })
	for range 5 {
		if list, err := r.Conductors(t.Context()); err != nil || len(list) == 0 {
			t.Errorf("conductors: %v, %v", list, err)
		}
		one.poller.Refresh()
		two.poller.Refresh()
	}
	if n := r.count("GET /v1/conductors"); n != 1 {
		t.Errorf("conductors were read %d times", n)
	}
	r.Shared.mu.Lock()
	defer r.Shared.mu.Unlock()
	before := r.total(r.otto.Nodes)
	r.totals[r.otto.Nodes.String()] = limitedTotal{revision: r.Store.Revision(), nodes: 77}
	if again := r.total(r.otto.Nodes); before != 1 || again != 77 {
		t.Errorf("%d nodes, then %d: they were counted again", before, again)
	}
	r.totals[r.otto.Nodes.String()] = limitedTotal{revision: r.Store.Revision() - 1, nodes: 77}
	if later := r.total(r.otto.Nodes); later != 1 {
		t.Errorf("after a change %d nodes", later)
	}
}
