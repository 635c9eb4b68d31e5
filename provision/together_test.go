package provision_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// TestWatchingFreesTheSlot checks that watched nodes do not delay other nodes, and that the number of reads per
// second is limited even if many nodes are watched.
func TestWatchingFreesTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, names := many(100, models.StateEnroll)
		api := newAPI(nodes...)
		api.took = time.Second
		began := time.Now()
		var last time.Duration
		api.onCall = func(_, id string) error {
			api.mu.Lock()
			last = time.Since(began)
			api.mu.Unlock()
			name := strings.TrimPrefix(id, "uuid-")
			api.later(time.Millisecond, name, to(models.StateVerifying))
			api.later(5*time.Minute, name, to(models.StateManageable))
			return nil
		}
		results, _ := act(t, api, verb(models.VerbManage), provision.RunOptions{Wait: true}, names...)
		if slices.ContainsFunc(results, func(r provision.Result) bool { return r.Outcome != provision.OutcomeDone }) {
			t.Errorf("%+v", results[0])
		}
		if last != 13*time.Second { // 100 nodes, 8 at a time
			t.Errorf("the last was sent after %v", last)
		}
		if most := int(time.Since(began)/time.Second) * 12; api.looks > most {
			t.Errorf("%d looks in %v", api.looks, time.Since(began))
		}
	})
}

func TestStopOnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, names := many(30, models.StateManageable)
		api := newAPI(nodes...)
		api.onCall = func(_, id string) error {
			name := strings.TrimPrefix(id, "uuid-")
			api.later(time.Millisecond, name, to(models.StateCleaning))
			if name == "n09" {
				api.later(5*time.Second, name, failing(models.StateCleanFailed, "no BMC"))
				return nil
			}
			api.later(10*time.Second, name, to(models.StateAvailable))
			return nil
		}
		results, _ := act(t, api, verb(models.VerbProvide), provision.RunOptions{Wait: true, StopOnFailure: true}, names...)
		counts := map[provision.Outcome]int{}
		for _, r := range results {
			counts[r.Outcome]++
		}
		if counts[provision.OutcomeDone] != 15 || counts[provision.OutcomeFailed] != 1 || counts[provision.OutcomeNotTried] != 14 || len(api.calls) != 16 {
			t.Errorf("%v, %d sent", counts, len(api.calls))
		}
		runner := &provision.Runner{API: api}
		if again := runner.Plan(verb(models.VerbProvide), nodes).Failed(results); len(again) != 15 {
			t.Errorf("%d to try again", len(again))
		}
	})
}
