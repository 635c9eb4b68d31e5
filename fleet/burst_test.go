package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/test/seeds"
)

// pricey simulates the latency of a real Ironic: 10 ms per request, and 0.16 ms per row.
func pricey(api *fakeIronic) func(asked) time.Duration {
	return func(a asked) time.Duration {
		rows := 0
		if a.what == "page" {
			if rows = a.query.Limit; rows == 0 {
				rows = 1000
			}
			rows = min(rows, len(api.nodes))
		}
		return 10*time.Millisecond + time.Duration(rows)*160*time.Microsecond
	}
}

// burstOf returns a fake Ironic with the given number of nodes, and a poller that has been idle for 35 seconds.
func burstOf(t *testing.T, nodes int) (*fakeIronic, *rig) {
	t.Helper()
	api := newFake()
	api.addMany(nodes, models.StateAvailable)
	api.latency = pricey(api)
	r := start(t, api, fleet.Options{})
	pass(35 * time.Second)
	r.events()
	return api, r
}

// untilRight waits until the store agrees with Ironic, but no longer than the duration most. It returns the elapsed
// time and, if the store still differs, an error that describes the difference.
func (r *rig) untilRight(most time.Duration) (time.Duration, error) {
	began := time.Now()
	for {
		err := r.wrong()
		if err == nil || time.Since(began) > most {
			return time.Since(began), err
		}
		pass(20 * time.Millisecond)
	}
}

// wrong returns an error that describes a difference between the store and Ironic, or nil if they agree.
func (r *rig) wrong() error {
	r.api.mu.Lock()
	defer r.api.mu.Unlock()
	if got, want := r.store.Len(), len(r.api.nodes); got != want {
		return fmt.Errorf("%d nodes, want %d", got, want)
	}
	for uuid, n := range r.api.nodes {
		row, _, ok := r.store.Get(uuid)
		if !ok {
			return fmt.Errorf("%s is missing", n.Name)
		}
		if row.Node.ProvisionState != n.ProvisionState || row.Node.PowerState != n.PowerState {
			return fmt.Errorf("%s is %s %s, want %s %s", n.Name, row.Node.ProvisionState, row.Node.PowerState, n.ProvisionState, n.PowerState)
		}
	}
	return nil
}

// pagesOf returns the time that the API needs for pages with the given total number of rows.
func pagesOf(rows int) (took time.Duration) {
	for size := 20; rows > 0; size = min(10*size, 1000) {
		took += 10*time.Millisecond + time.Duration(size)*160*time.Microsecond
		rows -= size
	}
	return took
}

const idlePeriod = 5 * time.Second

// TestBursts checks that changes reach the store within one polling period plus 1.5 times the API's time for the
// pages that contain them.
func TestBursts(t *testing.T) {
	const nodes = 10000
	sizes := []int{1, 20, 21, 220, 2000, nodes}
	if testing.Short() {
		sizes = []int{220}
	}
	for _, n := range sizes {
		bursts := map[string]struct {
			burst func(api *fakeIronic, r *rig)
			rows  int
		}{
			"changed": {func(api *fakeIronic, _ *rig) {
				for i := 1; i <= n; i++ {
					api.set(uuidOf(i*7919%nodes+1), func(n *models.Node) { n.PowerState = models.PowerOn })
				}
			}, min(n+300, nodes)},
			"changed, then touched in the same order": {func(api *fakeIronic, _ *rig) {
				for i := 1; i <= n; i++ {
					api.set(uuidOf(i), func(n *models.Node) { n.PowerState = models.PowerOn })
				}
				for i := range 40 {
					api.touch(uuidOf(nodes - i))
				}
			}, min(n+340, nodes)},
			"changed, with touched ones between": {func(api *fakeIronic, _ *rig) {
				for i := 1; i <= n; i++ {
					api.set(uuidOf(i), func(n *models.Node) { n.PowerState = models.PowerOn })
					api.touch(uuidOf(nodes - i/10))
				}
			}, min(2*n+340, nodes)},
			"enrolled": {func(api *fakeIronic, _ *rig) { api.addMany(n, models.StateEnroll) }, n + 300},
			"enrolled and managed": {func(api *fakeIronic, _ *rig) {
				for range n {
					api.state(api.add(models.StateEnroll), models.StateManageable)
				}
			}, 2*n + 600},
			"deleted": {func(api *fakeIronic, _ *rig) {
				for i := 1; i <= n; i++ {
					api.remove(uuidOf(i*7919%nodes + 1))
				}
			}, nodes + 2*1000},
			"marked and acted on": {func(api *fakeIronic, r *rig) {
				for i := 1; i <= n; i++ {
					api.state(uuidOf(i), models.StateManageable)
				}
				for i := 1; i <= n; i++ {
					r.poller.PollNode(uuidOf(i))
				}
			}, min(n+300, nodes)},
		}
		for name, b := range bursts {
			t.Run(fmt.Sprintf("%d %s", n, name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					api, r := burstOf(t, nodes)
					b.burst(api, r)
					// A few nodes are read one by one, which takes 10 ms each.
					most := idlePeriod + 3*pagesOf(b.rows)/2 + 400*time.Millisecond
					if took, err := r.untilRight(most); err != nil {
						t.Errorf("after %v, more than %v: %v", took, most, err)
					}
				})
			})
		}
	}
}

// TestQuietFleetSendsTwoRequestsInEachPeriod checks that, if nothing changes, each period costs one small request for
// changed nodes and one for the number of nodes.
func TestQuietFleetSendsTwoRequestsInEachPeriod(t *testing.T) {
	for name, minor := range map[string]int{"counts": models.NewestMinor, "does not count": 81} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.addMany(3000, models.StateActive)
				api.version.Minor = minor
				start(t, api, fleet.Options{})
				pass(10 * time.Second)
				api.requests()
				pass(4 * time.Minute)
				log := api.requests()
				rounds := len(pages(log, "updated_at"))
				once := 0 // extra requests for the newest nodes, if Ironic counts nodes
				if minor == models.NewestMinor {
					once = 4
				}
				if extra := len(log) - 2*rounds; extra < 0 || extra > once || count(log, "page")+count(log, "count") != len(log) {
					t.Errorf("%d requests in %d rounds", len(log), rounds)
				}
			})
		})
	}
}

// TestWalkWithBursts checks that the status never claims to be up to date when it is not.
func TestWalkWithBursts(t *testing.T) {
	for _, seed := range seeds.For(t, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 17))
				api := newFake()
				api.seconds = seed%3 == 2
				api.addMany(1+rng.IntN(1500), models.StateAvailable)
				api.latency = pricey(api)
				r := start(t, api, fleet.Options{})
				w := &burstWalk{t: t, rng: rng, r: r, gone: map[string]time.Time{}}
				for range 12 {
					w.stretch()
					if took, err := r.untilRight(idlePeriod + 3*time.Second); err != nil {
						t.Fatalf("after %v: %v; status %+v", took, err, r.store.Status())
					}
					pass(time.Duration(rng.IntN(40)) * time.Second)
				}
			})
		})
	}
}

// burstWalk changes the nodes of a fake Ironic at random, and checks meanwhile that the poller's status is true.
type burstWalk struct {
	t    *testing.T
	rng  *rand.Rand
	r    *rig
	gone map[string]time.Time
	// asOf is the status's AsOf at the last comparison.
	asOf time.Time
}

// stretch creates, deletes and changes nodes in a few random steps, and lets up to three seconds pass after each.
func (w *burstWalk) stretch() {
	coming := w.rng.IntN(2) == 0
	for range 1 + w.rng.IntN(12) {
		n := 1 + w.rng.IntN([]int{2, 30, 400, 1200}[w.rng.IntN(4)])
		what := w.rng.IntN(4)
		if what == 0 && coming {
			w.r.api.addMany(n, models.StateEnroll)
			n = 0
		}
		for range n {
			uuid := uuidOf(1 + w.rng.IntN(w.r.api.lastID))
			if _, there := w.r.api.nodes[uuid]; !there {
				continue
			}
			switch what {
			case 0:
				w.r.api.remove(uuid)
				w.gone[uuid] = time.Now()
			case 1:
				w.r.api.touch(uuid)
			default:
				w.r.api.set(uuid, func(n *models.Node) {
					n.PowerState = map[bool]models.PowerState{true: models.PowerOn, false: models.PowerOff}[w.rng.IntN(2) == 0]
				})
			}
		}
		for range w.rng.IntN(60) {
			pass(50 * time.Millisecond)
			w.honest()
		}
	}
}

// honest fails the test if the store lacks a change made before the status's AsOf. It does nothing if AsOf has not
// changed since the last comparison.
func (w *burstWalk) honest() {
	w.t.Helper()
	s := w.r.store.Status()
	if s.AsOf.Equal(w.asOf) {
		return
	}
	w.asOf = s.AsOf
	api := w.r.api
	api.mu.Lock()
	defer api.mu.Unlock()
	for uuid, n := range api.nodes {
		changed := n.updated
		if changed.IsZero() {
			changed = n.created
		}
		if api.seconds {
			changed = changed.Add(time.Second)
		}
		if !changed.Before(s.AsOf) {
			continue
		}
		row, _, ok := w.r.store.Get(uuid)
		if !ok || row.Node.PowerState != n.PowerState {
			w.t.Fatalf("the picture is said to be as of %v, and lacks a change of %s %v before: known %v",
				s.AsOf, n.Name, s.AsOf.Sub(changed), ok)
		}
	}
	for uuid, at := range w.gone {
		if _, _, ok := w.r.store.Get(uuid); ok && at.Before(s.AsOf) {
			w.t.Fatalf("the picture is said to be as of %v, and has a node that was gone %v before", s.AsOf, s.AsOf.Sub(at))
		}
	}
}

// TestCountIncludesForeignNodes checks that sweeps are not repeated forever if Ironic counts nodes that it does not
// list for this user.
func TestCountIncludesForeignNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(500, models.StateActive)
		api.foreign = 70
		r := start(t, api, fleet.Options{})
		pass(20 * time.Second)
		api.requests()
		pass(50 * time.Second)
		if log := api.requests(); count(log, "count") != 0 || len(pages(log, "")) > 2 {
			t.Errorf("still counts: %v", log)
		}
		if s := r.store.Status(); time.Since(s.AsOf) > idlePeriod+time.Second || s.Behind {
			t.Errorf("status %+v", s)
		}
	})
}

// TestCountFailsForAWhile checks that a database that is locked for a moment does not disable counting.
func TestCountFailsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(900, models.StateActive)
		api.latency = pricey(api)
		r := start(t, api, fleet.Options{})
		pass(20 * time.Second)
		for i := 1; i <= 300; i++ {
			api.remove(uuidOf(i))
		}
		failures := 0
		api.fail(func(a asked) error {
			if a.what == "count" && failures < 3 {
				failures++
				return &models.Fault{Kind: models.FaultServer, Status: 500, Message: "database is locked"}
			}
			return nil
		})
		if took, err := r.untilRight(4 * idlePeriod); err != nil || failures != 3 {
			t.Errorf("after %v, %d failures: %v", took, failures, err)
		}
		if n := count(api.requests(), "node"); n > 20 {
			t.Errorf("%d nodes were asked for one by one", n)
		}
	})
}

func TestCountIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(500, models.StateActive)
		api.fail(func(a asked) error {
			if a.what == "count" {
				return &models.Fault{Kind: models.FaultForbidden, Status: 403}
			}
			return nil
		})
		r := start(t, api, fleet.Options{})
		pass(time.Minute)
		if n := count(api.requests(), "count"); n != 1 || len(r.faults()) != 0 {
			t.Errorf("asked %d times, told %v", n, r.faults())
		}
	})
}

// TestListingThatLosesManyNodes checks that nodes are not removed because a listing lacks them.
func TestListingThatLosesManyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(900, models.StateActive)
		r := start(t, api, fleet.Options{})
		pass(10 * time.Second)
		for i := 1; i <= 30; i++ {
			api.remove(uuidOf(i))
		}
		api.tune(func() { api.hides = 400 })
		pass(3 * time.Minute)
		if got := r.store.Len(); got != 870 {
			t.Errorf("%d nodes, want 870", got)
		}
	})
}
