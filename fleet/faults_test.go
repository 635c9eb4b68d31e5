package fleet_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

func TestMarkerNodeDeletedDuringTheListing(t *testing.T) {
	for name, gone := range map[string]int{"one": 1, "many": 40, "whole page": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.addMany(2500, models.StateActive)
				removed := false
				api.fault = func(a asked) error {
					if a.query.Marker == uuidOf(1000) && !removed {
						removed = true
						for i := range gone {
							api.remove(uuidOf(1000 - i))
						}
					}
					return nil
				}
				r := start(t, api, fleet.Options{})
				pass(5 * time.Minute) // wait for a sweep, which finds deleted nodes
				pass(30 * time.Second)
				if !r.store.Status().Complete || r.store.Len() != 2500-gone {
					t.Errorf("complete %v, %d nodes of %d", r.store.Status().Complete, r.store.Len(), 2500-gone)
				}
			})
		})
	}
}

// stubborn fails the test unless a listing that never ends is reported as a fault of the given kind, and is retried
// with growing delays.
func stubborn(t *testing.T, r *rig, api *fakeIronic, kind models.FaultKind) {
	t.Helper()
	api.requests()
	pass(10 * time.Minute)
	faults := r.faults()
	if len(faults) == 0 || faults[0].Fault.Kind != kind {
		t.Fatalf("told %v, want %s", faults, kind)
	}
	if got := len(pages(api.requests(), "")); got == 0 || got > 400 {
		t.Errorf("%d pages asked for in ten minutes", got)
	}
}

func TestServerRepeatsAPage(t *testing.T) {
	t.Run("first listing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newFake()
			api.addMany(2500, models.StateActive)
			api.ignoreMarker = true
			r := start(t, api, fleet.Options{})
			stubborn(t, r, api, models.FaultRepeatedPage)
			if s := r.store.Status(); s.Failures < 5 || s.Complete {
				t.Errorf("failures %d, complete %v", s.Failures, s.Complete)
			}
			api.tune(func() { api.ignoreMarker = false })
			pass(time.Minute)
			if s := r.store.Status(); !s.Complete || s.Fault != nil || r.store.Len() != 2500 {
				t.Errorf("not well again: %+v, %d nodes", s, r.store.Len())
			}
		})
	})
	t.Run("sweep", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newFake()
			api.addMany(900, models.StateActive)
			api.maxLimit = 300
			r := start(t, api, fleet.Options{})
			pass(3 * time.Second)
			api.tune(func() { api.ignoreMarker = true })
			pass(time.Minute)
			stubborn(t, r, api, models.FaultRepeatedPage)
			api.set(uuidOf(5), func(n *models.Node) { n.PowerState = models.PowerOn })
			pass(6 * time.Second)
			if r.row("n5").Node.PowerState != models.PowerOn {
				t.Error("what changed is not asked for any more")
			}
			api.tune(func() { api.ignoreMarker = false })
			api.remove(uuidOf(2))
			pass(3 * time.Minute)
			if r.store.Len() != 899 {
				t.Error("sweeps did not start again")
			}
		})
	})
	t.Run("every marker is unknown", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newFake()
			api.addMany(2500, models.StateActive)
			api.fault = func(a asked) error {
				if a.query.Marker != "" {
					return notFound(a.query.Marker)
				}
				return nil
			}
			stubborn(t, start(t, api, fleet.Options{}), api, models.FaultNotFound)
		})
	})
	t.Run("empty pages that promise more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newFake()
			api.addMany(60, models.StateActive)
			api.maxLimit = 0
			r := start(t, api, fleet.Options{})
			pass(time.Second)
			if !r.store.Status().Complete {
				t.Error("still listing")
			}
		})
	})
}

func TestBacksOffAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(20, models.StateActive)
		r := start(t, api, fleet.Options{})
		pass(12 * time.Second)
		api.fail(down)
		api.requests()
		pass(5 * time.Second)
		if s := r.store.Status(); s.Connected || s.Fault == nil || s.Fault.Kind != models.FaultRefused || !s.Stale(time.Now()) {
			t.Errorf("status %+v", s)
		}
		pass(20 * time.Minute)
		faults := r.faults()
		for i, s := range faults {
			if s.Failures != i+1 {
				t.Fatalf("fault %d says %d failures", i, s.Failures)
			}
		}
		log := api.requests()
		for i := 1; i < len(log); i++ {
			gap := log[i].at.Sub(log[i-1].at)
			most := min(time.Second<<min(i-1, 10), 30*time.Second)
			if gap > most || gap < most*3/4 {
				t.Errorf("try %d came after %v, want %v less a quarter at most", i, gap, most)
			}
		}
		if len(log) < 40 {
			t.Errorf("only %d tries in 20 minutes", len(log))
		}
		if next := r.store.Status().NextTry; next.Before(time.Now()) || next.After(time.Now().Add(30*time.Second)) {
			t.Errorf("next try %v", time.Until(next))
		}
		api.remove(uuidOf(4))
		api.fail(nil)
		pass(31 * time.Second)
		if s := r.store.Status(); !s.Connected || s.Fault != nil || s.Failures != 0 || s.Stale(time.Now()) {
			t.Errorf("not well again: %+v", s)
		}
		if r.store.Len() != 19 {
			t.Error("no sweep after the recovery")
		}
	})
}

// TestPersistentFaultOfOneRequestBacksOff checks that a request that always fails causes growing delays, even though
// the requests before it succeed.
func TestPersistentFaultOfOneRequestBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(20, models.StateActive)
		r := start(t, api, fleet.Options{})
		api.fail(func(a asked) error {
			if a.query.SortKey == "created_at" {
				return down(a)
			}
			return nil
		})
		pass(10 * time.Minute)
		if n := len(r.faults()); n == 0 || n > 40 {
			t.Errorf("%d faults in ten minutes", n)
		}
		api.state(uuidOf(2), models.StateDeleting)
		pass(31 * time.Second)
		if r.row("n2").Node.ProvisionState != models.StateDeleting {
			t.Error("what can be asked is not asked")
		}
	})
}

func TestRetryAfterIsRespected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.add(models.StateActive)
		api.fail(func(asked) error {
			return &models.Fault{Kind: models.FaultUnavailable, RetryAfter: 20 * time.Second}
		})
		start(t, api, fleet.Options{})
		pass(time.Minute)
		if n := len(api.requests()); n > 4 {
			t.Errorf("asked %d times in a minute", n)
		}
	})
}

func TestGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.fail(down)
		tries := 0
		r := start(t, api, fleet.Options{GiveUp: func(f *models.Fault) bool {
			tries++
			return f.Kind == models.FaultRefused && tries == 3
		}})
		r.end = <-r.ended
		if tries != 3 || !models.IsFault(r.end, models.FaultRefused) {
			t.Errorf("%d tries, ended with %v", tries, r.end)
		}
	})
}

func TestUnknownErrorIsAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.fail(func(asked) error { return errors.New("odd\x1b[2J") })
		r := start(t, api, fleet.Options{})
		if f := r.store.Status().Fault; f == nil || f.Kind != models.FaultServer || f.Message != `odd\x1b[2J` {
			t.Errorf("fault %+v", f)
		}
	})
}

func TestCancelEndsAtOnce(t *testing.T) {
	for name, latency := range map[string]time.Duration{"waiting": 0, "asking": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.add(models.StateActive)
				api.latency = func(asked) time.Duration { return latency }
				store := fleet.NewStore()
				p := fleet.NewPoller(api, store, fleet.Options{})
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- p.Run(ctx, func(fleet.Update) {}) }()
				pass(2500 * time.Millisecond)
				before := time.Now()
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v", err)
				}
				if took := time.Since(before); took != 0 {
					t.Errorf("took %v", took)
				}
				if s := store.Status(); s.Fault != nil {
					t.Errorf("our own interruption is told as a fault: %v", s.Fault)
				}
			})
		})
	}
}

func TestFaultInTheMiddleOfASweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(3000, models.StateActive)
		r := start(t, api, fleet.Options{})
		api.fail(func(a asked) error {
			if a.query.SortKey == "" && a.query.Marker == uuidOf(2000) {
				return &models.Fault{Kind: models.FaultServer, Status: 500}
			}
			return nil
		})
		pass(5*time.Minute + 10*time.Second)
		api.requests()
		pass(20 * time.Minute)
		if n := len(pages(api.requests(), "")); n > 60 {
			t.Errorf("%d pages of sweeps that fail in 20 minutes", n)
		}
		api.remove(uuidOf(1))
		api.fail(nil)
		pass(6 * time.Minute)
		if s := r.store.Status(); r.store.Len() != 2999 || !s.Connected {
			t.Errorf("%d nodes, status %+v", r.store.Len(), s)
		}
	})
}
