package fleet_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

func TestFirstScreenThenThePages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(2500, models.StateActive)
		api.latency = func(asked) time.Duration { return 20 * time.Millisecond }
		r := start(t, api, fleet.Options{})
		pass(25 * time.Millisecond)
		if got := r.store.Len(); got != 50 {
			t.Errorf("%d nodes after the first answer, want 50", got)
		}
		if r.store.Status().Complete {
			t.Error("complete after the first page")
		}
		pass(100 * time.Millisecond)
		log := api.requests()
		want := []string{
			"page limit=50 marker= sort=", "count ", "page limit=100 marker= sort=updated_at", "page limit=0 marker= sort=",
			"page limit=0 marker=" + uuidOf(1000) + " sort=", "page limit=0 marker=" + uuidOf(2000) + " sort=",
		}
		for i, w := range want {
			if i >= len(log) || log[i].String() != w {
				t.Fatalf("request %d: %v, want %s", i, log, w)
			}
		}
		if !r.store.Status().Complete || r.store.Len() != 2500 {
			t.Errorf("complete %v with %d nodes", r.store.Status().Complete, r.store.Len())
		}
		pass(30 * time.Second)
		if api.atOnce != 1 {
			t.Errorf("%d requests at once", api.atOnce)
		}
		r.wantTold()
	})
}

func TestSmallFleetNeedsNoSecondListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(12, models.StateActive)
		r := start(t, api, fleet.Options{})
		if log := api.requests(); len(log) != 1 || !r.store.Status().Complete {
			t.Errorf("asked %v, complete %v", log, r.store.Status().Complete)
		}
	})
}

func TestServerThatCapsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(130, models.StateActive)
		api.maxLimit = 20
		r := start(t, api, fleet.Options{})
		if got := r.store.Len(); got != 130 || !r.store.Status().Complete {
			t.Errorf("%d nodes, complete %v", got, r.store.Status().Complete)
		}
	})
}

// TestFirstPollIsOnePage checks that the first poll after a listing reads only one page. Unlike polls for changes,
// listings omit driver_internal_info; if reading it for the first time counted as a change, the first poll would read
// the whole fleet.
func TestFirstPollIsOnePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3000, models.StateActive)
		r := start(t, api, fleet.Options{})
		api.requests()
		pass(5100 * time.Millisecond)
		if log := api.requests(); len(log) != 2 {
			t.Errorf("%d requests: %v", len(log), log)
		}
		r.wantTold()
	})
}

func TestSweeps(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		every time.Duration
	}{"small": {40, time.Minute}, "thousand": {1000, time.Minute}, "large": {1001, 5 * time.Minute}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.addMany(c.nodes, models.StateActive)
				start(t, api, fleet.Options{})
				api.requests()
				pass(c.every - 6*time.Second)
				if got := pages(api.requests(), ""); len(got) != 0 {
					t.Errorf("sweep too early: %v", got)
				}
				pass(12 * time.Second)
				if got := pages(api.requests(), ""); len(got) == 0 {
					t.Error("no sweep")
				}
				if want := (c.nodes + 1000) / 1000; want > 1 {
					pass(c.every - 8*time.Second)
					if got := pages(api.requests(), ""); len(got) != 0 {
						t.Errorf("second sweep too early: %v", got)
					}
				}
			})
		})
	}
}

func TestNodeIsRemovedOnlyAfterNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(10, models.StateActive)
		r := start(t, api, fleet.Options{})
		api.remove(uuidOf(3))
		api.requests()
		pass(70 * time.Second)
		r.wantTold("removed: active > ")
		if _, _, ok := r.store.Get("n3"); ok {
			t.Error("still known by name")
		}
		log := api.requests()
		if got := count(log, "node"); got != 1 {
			t.Errorf("%d nodes asked for, want the missing one", got)
		}
		// Nodes must not be removed because a listing lacks them.
		api.tune(func() { api.maxLimit = 4 })
		api.fail(func(a asked) error {
			if a.what == "page" && a.query.Marker != "" && a.query.SortKey == "" {
				api.tune(func() { api.maxLimit = 0 })
			}
			return nil
		})
		pass(70 * time.Second)
		if r.store.Len() != 9 {
			t.Errorf("%d nodes left after a short listing", r.store.Len())
		}
		if got := count(api.requests(), "node"); got == 0 {
			t.Error("the missing ones were not asked for")
		}
		r.wantTold()
	})
}

func TestManyDeletionsDoNotDelayChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(900, models.StateActive)
		api.latency = func(asked) time.Duration { return 40 * time.Millisecond }
		api.version.Minor = 81 // without a count, each missing node is read
		r := start(t, api, fleet.Options{})
		pass(time.Second)
		for i := 1; i <= 500; i++ {
			api.remove(uuidOf(i))
		}
		busy := uuidOf(600)
		api.state(busy, models.StateDeleting)
		for r.store.Len() == 900 {
			pass(50 * time.Millisecond)
		}
		if left := r.store.Len(); left == 400 {
			t.Fatalf("%d left: not in the middle of it", left)
		}
		r.events()
		api.set(busy, func(n *models.Node) { n.PowerState = models.PowerOn })
		pass(1300 * time.Millisecond)
		found := false
		for _, e := range r.events() {
			found = found || e.Kind == models.EventPower
		}
		if !found {
			t.Error("a change was held up by nodes that are gone")
		}
		pass(time.Minute)
		if got := r.store.Len(); got != 400 {
			t.Errorf("%d left", got)
		}
	})
}

func TestChangeIsReportedDuringASweepOf10000(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(10000, models.StateActive)
		api.latency = func(a asked) time.Duration {
			if a.what == "page" && a.query.SortKey == "" {
				return 400 * time.Millisecond
			}
			return 15 * time.Millisecond
		}
		r := start(t, api, fleet.Options{})
		pass(10 * time.Second)
		api.state(uuidOf(9000), models.StateDeleting) // makes the poller poll every second
		pass(5*time.Minute - 8*time.Second)
		for range 1000 {
			api.requests()
			pass(50 * time.Millisecond)
			if len(pages(api.requests(), "")) > 0 {
				break
			}
		}
		r.events()
		for i := range 5 {
			api.set(uuidOf(10000-i), func(n *models.Node) { n.PowerState = models.PowerOn })
			pass(1600 * time.Millisecond)
			if got := r.shortEvents(); len(got) != 1 {
				t.Errorf("change %d: %q", i, got)
			}
		}
		pass(time.Minute)
		if n := len(pages(api.requests(), "")); n < 9 {
			t.Errorf("the sweep did not end: %d pages", n)
		}
	})
}

func TestSlowPagesDoNotStarve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3000, models.StateActive)
		api.latency = func(a asked) time.Duration {
			if a.what == "page" && a.query.SortKey == "" {
				return 8 * time.Second
			}
			return 300 * time.Millisecond
		}
		r := start(t, api, fleet.Options{})
		pass(40 * time.Second)
		api.remove(uuidOf(7))
		pass(7 * time.Minute)
		r.wantTold("removed: active > ")
	})
}
