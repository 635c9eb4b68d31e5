package fleet_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ironworks/fleet"
	"ironworks/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig runs a poller against a fake Ironic, inside a synctest bubble.
type rig struct {
	t      *testing.T
	api    *fakeIronic
	store  *fleet.Store
	poller *fleet.Poller
	ended  chan error
	end    error

	mu      sync.Mutex
	updates []fleet.Update
}

func start(t *testing.T, api *fakeIronic, opts fleet.Options) *rig {
	t.Helper()
	r := &rig{t: t, api: api, store: fleet.NewStore(), ended: make(chan error, 1)}
	r.poller = fleet.NewPoller(api, r.store, opts)
	note := func(u fleet.Update) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.updates = append(r.updates, u)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { r.ended <- r.poller.Run(ctx, note) }()
	t.Cleanup(func() {
		cancel()
		if r.end == nil {
			if err := <-r.ended; err != nil && !errors.Is(err, context.Canceled) && !isFault(err) {
				t.Errorf("Run: %v", err)
			}
		}
	})
	synctest.Wait()
	return r
}

func isFault(err error) bool {
	var f *models.Fault
	return errors.As(err, &f)
}

// pass waits for the given duration, in the bubble's time, and then until all other goroutines are blocked.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// events returns the events since the last call.
func (r *rig) events() []models.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var events []models.Event
	for _, u := range r.updates {
		events = append(events, u.Events...)
	}
	r.updates = nil
	return events
}

// shortEvents returns the events since the last call in a short form: kind, from, to and reason.
func (r *rig) shortEvents() []string { return short(r.events()) }

func short(events []models.Event) []string {
	var lines []string
	for _, e := range events {
		line := string(e.Kind) + ": " + e.From + " > " + e.To
		if e.Reason != "" {
			line += " (" + e.Reason + ")"
		}
		if e.Inferred {
			line += " inferred"
		}
		lines = append(lines, line)
	}
	return lines
}

// faults returns the statuses that were reported with a fault, in order.
func (r *rig) faults() []fleet.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []fleet.Status
	for _, u := range r.updates {
		if u.Status.Fault != nil {
			list = append(list, u.Status)
		}
	}
	return list
}

func (r *rig) wantTold(want ...string) {
	r.t.Helper()
	if got := r.shortEvents(); !slices.Equal(got, want) {
		r.t.Errorf("events\n%q\nwant\n%q", got, want)
	}
}

func (r *rig) row(id string) models.Row {
	r.t.Helper()
	row, _, ok := r.store.Get(id)
	if !ok {
		r.t.Fatalf("%s is not in the store", id)
	}
	return row
}

func pages(log []asked, sortKey string) []asked {
	return slices.DeleteFunc(slices.Clone(log), func(a asked) bool { return a.what != "page" || a.query.SortKey != sortKey })
}

func count(log []asked, what string) int {
	n := 0
	for _, a := range log {
		if a.what == what {
			n++
		}
	}
	return n
}

func down(a asked) error {
	return &models.Fault{Kind: models.FaultRefused, Op: a.String(), Message: "connection refused"}
}
