package fleet_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

func TestSkewIsKnownToAFraction(t *testing.T) {
	for name, c := range map[string]struct{ skew, latency time.Duration }{
		"right":      {0, 10 * time.Millisecond},
		"ahead":      {5*time.Hour + 217*time.Millisecond, 30 * time.Millisecond},
		"behind":     {-3*time.Hour - 640*time.Millisecond, 80 * time.Millisecond},
		"slow":       {90 * time.Minute, 300 * time.Millisecond},
		"no latency": {-time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.skew = c.skew
				api.latency = func(a asked) time.Duration { return c.latency }
				id := api.add(models.StateDeploying)
				r := start(t, api, fleet.Options{})
				pass(3 * time.Minute)
				if off := (r.store.Status().Skew - c.skew).Abs(); off > 200*time.Millisecond+c.latency/2 {
					t.Errorf("skew %v is off by %v", r.store.Status().Skew, off)
				}
				r.events()
				api.state(id, models.StateActive)
				changed := api.now()
				pass(10 * time.Second)
				events := r.events()
				if len(events) != 1 {
					t.Fatalf("told %q", short(events))
				}
				if late := events[0].Time.Sub(changed); late < -500*time.Millisecond || late > 8*time.Second {
					t.Errorf("told as of %v after it happened", late)
				}
				if row := r.row(id); !row.Since.Equal(events[0].Time) {
					t.Errorf("since %v, told as of %v", row.Since, events[0].Time)
				}
			})
		})
	}
}

func TestOwnClockForTimeInState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.skew = 2 * time.Hour
		id := api.add(models.StateDeployWait)
		r := start(t, api, fleet.Options{})
		row := r.row(id)
		if !row.Since.IsZero() || row.FirstSeen.IsZero() {
			t.Errorf("since %v, first seen %v: it was so when we came", row.Since, row.FirstSeen)
		}
		if off := row.FirstSeen.Sub(api.now()).Abs(); off > time.Second {
			t.Errorf("first seen is off by %v", off)
		}
		first := row.FirstSeen
		pass(time.Minute)
		// A heartbeat updates provision_updated_at, but must not reset the time for which the node has been in its
		// state.
		api.set(id, func(n *models.Node) { n.ProvisionUpdatedAt.Time = api.now() })
		pass(5 * time.Second)
		if row := r.row(id); !row.Since.IsZero() || !row.FirstSeen.Equal(first) {
			t.Errorf("since %v, first seen %v", row.Since, row.FirstSeen)
		}
		api.state(id, models.StateActive)
		pass(2 * time.Second)
		if row := r.row(id); row.Since.Sub(api.now()).Abs() > 3*time.Second || !row.FirstSeen.Equal(first) {
			t.Errorf("since %v, first seen %v", row.Since, row.FirstSeen)
		}
	})
}

// TestInStateOfExistingNodes checks how long a node that existed before the poller started counts as having been in
// its state: at least since Ironic last wrote the state. A heartbeat must not shorten this time.
func TestInStateOfExistingNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateDeployWait)
		entered := api.now().Add(-26 * time.Minute)
		api.set(id, func(n *models.Node) { n.ProvisionUpdatedAt.Time = entered })
		r := start(t, api, fleet.Options{})
		want := func(since time.Time, exact bool) {
			t.Helper()
			row := r.row(id)
			if got, sure := row.InState(); !got.Equal(since) || sure != exact {
				t.Errorf("since %v, exact %v, want %v", got, sure, since)
			}
		}
		want(entered, false)
		pass(time.Minute)
		api.set(id, func(n *models.Node) { n.ProvisionUpdatedAt.Time = api.now() })
		pass(5 * time.Second)
		want(entered, false)
		api.state(id, models.StateActive)
		pass(2 * time.Second)
		want(r.row(id).Since, true)
	})
}

func TestServerClockIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.add(models.StateDeploying)
		r := start(t, api, fleet.Options{})
		pass(time.Minute)
		api.tune(func() { api.skew = -time.Hour })
		pass(time.Minute)
		if off := (r.store.Status().Skew + time.Hour).Abs(); off > 300*time.Millisecond {
			t.Errorf("skew is off by %v", off)
		}
	})
}

func TestEventsAreInOrderOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.skew = 777 * time.Millisecond
		api.latency = func(asked) time.Duration { return 7 * time.Millisecond }
		id := api.add(models.StateDeploying)
		r := start(t, api, fleet.Options{Fast: 50 * time.Millisecond})
		var last time.Time
		for i := range 200 {
			api.set(id, func(n *models.Node) {
				n.PowerState = map[bool]models.PowerState{true: models.PowerOn, false: models.PowerOff}[i%2 == 0]
			})
			pass(130 * time.Millisecond)
			for _, e := range r.events() {
				if e.Time.Before(last) {
					t.Fatalf("event %d is %v before the one before it", i, last.Sub(e.Time))
				}
				last = e.Time
			}
		}
	})
}

func TestStale(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		status fleet.Status
		want   bool
	}{
		"never":                      {fleet.Status{}, true},
		"just now":                   {fleet.Status{Connected: true, AsOf: now}, false},
		"idle":                       {fleet.Status{Connected: true, AsOf: now.Add(-6 * time.Second)}, false},
		"answers but never listed":   {fleet.Status{Connected: true, Answered: now}, true},
		"answers while it is behind": {fleet.Status{Connected: true, Answered: now, AsOf: now.Add(-21 * time.Second)}, true},
		"old":                        {fleet.Status{Connected: true, AsOf: now.Add(-21 * time.Second)}, true},
		"fault":                      {fleet.Status{AsOf: now}, true},
		"slow API":                   {fleet.Status{Connected: true, AsOf: now.Add(-40 * time.Second), Latency: 2 * time.Second}, false},
		"slow and lost":              {fleet.Status{Connected: true, AsOf: now.Add(-100 * time.Second), Latency: 2 * time.Second}, true},
	} {
		if got := c.status.Stale(now); got != c.want {
			t.Errorf("%s: stale %v", name, got)
		}
	}
}
