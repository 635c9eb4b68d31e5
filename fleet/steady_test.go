package fleet_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// gaps returns the times between the starts of rounds.
func gaps(log []asked) (all []time.Duration) {
	rounds := pages(log, "updated_at")
	for i := 1; i < len(rounds); i++ {
		if rounds[i].query.Marker == "" {
			all = append(all, rounds[i].at.Sub(rounds[i-1].at))
		}
	}
	return all
}

func wantGaps(t *testing.T, log []asked, low, high time.Duration) {
	t.Helper()
	got := gaps(log)
	if len(got) < 3 {
		t.Fatalf("only %d rounds", len(got)+1)
	}
	same := true
	for _, g := range got {
		same = same && g == got[0]
		if g < low || g > high {
			t.Errorf("a round after %v, want %v to %v", g, low, high)
		}
	}
	if same {
		t.Error("no jitter")
	}
}

func TestPeriods(t *testing.T) {
	for name, c := range map[string]struct {
		state     models.ProvisionState
		latency   time.Duration
		opts      fleet.Options
		low, high time.Duration
	}{
		"idle":             {models.StateActive, 0, fleet.Options{}, 4500 * time.Millisecond, 5 * time.Second},
		"busy":             {models.StateDeployWait, 0, fleet.Options{}, 900 * time.Millisecond, time.Second},
		"unknown state":    {"pondering", 0, fleet.Options{}, 900 * time.Millisecond, time.Second},
		"slow":             {models.StateDeploying, 200 * time.Millisecond, fleet.Options{}, 2 * time.Second, 2200 * time.Millisecond},
		"slow and idle":    {models.StateActive, time.Second, fleet.Options{}, 10 * time.Second, 11 * time.Second},
		"own period":       {models.StateDeploying, 0, fleet.Options{Fast: 200 * time.Millisecond}, 180 * time.Millisecond, 200 * time.Millisecond},
		"held is not busy": {models.StateDeployHold, 0, fleet.Options{}, 4500 * time.Millisecond, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.add(c.state)
				api.latency = func(asked) time.Duration { return c.latency }
				start(t, api, c.opts)
				pass(50 * time.Second)
				api.requests()
				pass(4 * time.Minute)
				log := api.requests()
				wantGaps(t, log, c.low, c.high+c.latency) // the page of a sweep may delay the next round
			})
		})
	}
}

func TestFastForAWhileAfterChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateActive)
		start(t, api, fleet.Options{})
		pass(10 * time.Second)
		api.set(id, func(n *models.Node) { n.PowerState = models.PowerOn })
		pass(6 * time.Second)
		api.requests()
		pass(20 * time.Second)
		wantGaps(t, api.requests(), 900*time.Millisecond, time.Second)
		pass(20 * time.Second)
		api.requests()
		pass(time.Minute)
		wantGaps(t, api.requests(), 4500*time.Millisecond, 5*time.Second)
	})
}

func TestPageSizeFollowsTheFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(200, models.StateActive)
		api.addMany(30, models.StateDeployWait)
		start(t, api, fleet.Options{})
		api.requests()
		pass(1100 * time.Millisecond)
		if got := pages(api.requests(), "updated_at"); len(got) == 0 || got[0].query.Limit != 80 {
			t.Errorf("asked %v, want pages of 80", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3000, models.StateDeployWait)
		start(t, api, fleet.Options{})
		api.requests()
		pass(1100 * time.Millisecond)
		if got := pages(api.requests(), "updated_at"); len(got) == 0 || got[0].query.Limit != 1000 {
			t.Errorf("asked %v, want pages of 1000", got)
		}
	})
}

func TestPagesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(500, models.StateActive)
		r := start(t, api, fleet.Options{})
		for i := 1; i <= 50; i++ {
			api.set(uuidOf(i), func(n *models.Node) { n.PowerState = models.PowerOn })
		}
		api.requests()
		pass(5 * time.Second)
		if n := len(r.events()); n != 50 {
			t.Errorf("%d events, want 50", n)
		}
		if got := pages(api.requests(), "updated_at"); len(got) != 2 || got[1].query.Limit != 200 {
			t.Errorf("%d pages for 50 changes, want 20 and 200: %v", len(got), got)
		}
	})
}

func TestMarkerOfAPageOfChangesIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(100, models.StateActive)
		r := start(t, api, fleet.Options{})
		for i := 1; i <= 30; i++ {
			api.set(uuidOf(i), func(n *models.Node) { n.PowerState = models.PowerOn })
		}
		api.fail(func(a asked) error {
			if a.query.Marker != "" {
				api.remove(a.query.Marker)
			}
			return nil
		})
		pass(5 * time.Second)
		if len(r.faults()) != 0 {
			t.Errorf("reported as a fault: %v", r.faults())
		}
	})
}

func TestNewNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(100, models.StateActive)
		// Change all nodes, so that new nodes, which have never been updated, come after them in the order by
		// updated_at.
		for i := 1; i <= 100; i++ {
			api.set(uuidOf(i), func(n *models.Node) { n.PowerState = models.PowerOn })
		}
		r := start(t, api, fleet.Options{})
		pass(10 * time.Second)
		r.events()
		api.addMany(230, models.StateEnroll)
		api.requests()
		pass(5100 * time.Millisecond)
		got := r.shortEvents()
		if len(got) != 230 || got[0] != "added:  > enroll" {
			t.Errorf("%d events: %q", len(got), got)
		}
		created := pages(api.requests(), "created_at")
		if created[0].query.Limit != 5 || created[1].query.Limit != 100 {
			t.Errorf("asked %v", created)
		}
	})
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3, models.StateActive)
		r := start(t, api, fleet.Options{})
		r.poller.Watch(uuidOf(1))
		r.poller.Watch(uuidOf(2))
		r.poller.Watch("nobody")
		api.requests()
		pass(20 * time.Second)
		if n := count(api.requests(), "node"); n != 0 {
			t.Errorf("%d questions about nodes at rest", n)
		}
		api.state(uuidOf(2), models.StateDeploying)
		pass(10 * time.Second)
		api.requests()
		pass(10 * time.Second)
		log := api.requests()
		if n := count(log, "node"); n < 9 || n > 11 {
			t.Errorf("%d questions in 10 s, want one a second", n)
		}
		// Two screens watch the node, and one of them closes.
		r.poller.Watch(uuidOf(2))
		r.poller.Unwatch(uuidOf(2))
		pass(10 * time.Second)
		if n := count(api.requests(), "node"); n < 9 {
			t.Errorf("%d questions in 10 s of a node that is still open", n)
		}
		r.poller.Unwatch(uuidOf(2))
		pass(time.Second)
		api.requests()
		pass(5 * time.Second)
		if n := count(api.requests(), "node"); n != 0 {
			t.Errorf("still asked %d times", n)
		}
		// The deletion of a watched node is noticed immediately.
		r.poller.Watch(uuidOf(2))
		api.remove(uuidOf(2))
		r.events()
		pass(1100 * time.Millisecond)
		r.wantTold("removed: deploying > ")
	})
}

func TestOneRequestAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(1500, models.StateActive)
		for i := 1; i < 30; i++ {
			api.state(uuidOf(i), models.StateDeployFailed)
		}
		api.latency = func(asked) time.Duration { return 150 * time.Millisecond }
		r := start(t, api, fleet.Options{})
		r.poller.Watch(uuidOf(40))
		api.state(uuidOf(40), models.StateCleaning)
		pass(10 * time.Minute)
		if api.atOnce != 1 {
			t.Errorf("%d requests at once", api.atOnce)
		}
		if s := r.store.Status(); s.Latency != 150*time.Millisecond || s.Requests < 100 || s.Busy != 1 {
			t.Errorf("status %+v", s)
		}
	})
}
