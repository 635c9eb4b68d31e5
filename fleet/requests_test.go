package fleet_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

func TestPollNowEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		uuid := api.add(models.StateAvailable)
		r := start(t, api, fleet.Options{Idle: time.Hour})
		r.events()
		api.state(uuid, models.StateManageable)
		pass(time.Minute)
		if events := r.shortEvents(); len(events) != 0 {
			t.Fatalf("events %q before the period was over", events)
		}
		r.poller.PollNow()
		r.poller.PollNow() // two calls have the effect of one
		synctest.Wait()
		if events := r.shortEvents(); len(events) != 1 {
			t.Errorf("events %q after PollNow, want one event", events)
		}
	})
}

func TestNeedFieldsListsAllNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3, models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(time.Second)
		before := len(api.requests())
		r.poller.NeedFields("shard", "uuid", "shard")
		synctest.Wait()
		pass(10 * time.Second)
		listed := 0
		for _, a := range api.requests()[before:] {
			if a.query.SortKey == "" && slices.Contains(a.query.Fields, "shard") {
				listed++
			}
		}
		if listed != 1 {
			t.Errorf("%d full listings with the field, want one", listed)
		}
		if events := r.shortEvents(); len(events) != 0 {
			t.Errorf("a field that is new to us was reported as an event: %q", events)
		}
	})
}

// TestPollNowUsesAtMostATenthOfTheTime checks that frequent calls of PollNow do not lead to constant polling.
func TestPollNowUsesAtMostATenthOfTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3, models.StateAvailable)
		api.tune(func() { api.latency = func(asked) time.Duration { return 20 * time.Millisecond } })
		r := start(t, api, fleet.Options{})
		pass(10 * time.Second)
		before := len(api.requests())
		for range 200 {
			r.poller.PollNow()
			pass(50 * time.Millisecond)
		}
		// Rounds must start at least ten times the latency of 20 ms apart, so ten seconds are enough for 50 rounds.
		if n := len(api.requests()) - before; n > 110 {
			t.Errorf("%d requests in ten seconds of hurry", n)
		}
	})
}

func TestPollNodeReadsOneNode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		gone, other := api.add(models.StateAvailable), api.add(models.StateAvailable)
		r := start(t, api, fleet.Options{Idle: time.Hour})
		pass(time.Minute)
		api.remove(gone)
		r.poller.PollNode(gone)
		r.poller.PollNode(other)
		pass(time.Second)
		if _, _, ok := r.store.Get(gone); ok {
			t.Error("a node that Ironic does not know any more is still there")
		}
		if _, _, ok := r.store.Get(other); !ok {
			t.Error("the other one is gone, too")
		}
	})
}

func TestRefreshListsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		gone := api.add(models.StateAvailable)
		api.addMany(3, models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(6 * time.Second)
		api.remove(gone)
		r.poller.Refresh()
		pass(10 * time.Second)
		if _, _, ok := r.store.Get(gone); ok {
			t.Error("a node that is in no listing is still there")
		}
	})
}

// TestRefreshDuringASweep checks that a listing requested during a sweep starts after the sweep, because the pages
// that the sweep has already read are older than the request.
func TestRefreshDuringASweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		gone := api.add(models.StateAvailable) // will be on the first page
		api.addMany(3500, models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(30 * time.Second)
		var once sync.Once
		later := make(chan struct{})
		api.tune(func() {
			api.latency = func(a asked) time.Duration {
				if a.what == "page" && a.query.Marker != "" && a.query.SortKey == "" {
					once.Do(func() { close(later) }) // the sweep is past the first page
					return 2 * time.Second           // long enough for rounds between the pages
				}
				return 10 * time.Millisecond
			}
		})
		r.poller.Refresh()
		<-later
		api.remove(gone)
		r.poller.Refresh()
		pass(2 * time.Minute) // the next regular sweep is due only after five minutes
		if _, _, ok := r.store.Get(gone); ok {
			t.Error("a node that is in no listing is still there")
		}
	})
}
