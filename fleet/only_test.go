package fleet_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

func TestOnlyNamedNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(10, models.StateActive)
		r := start(t, api, fleet.Options{Only: []string{"n2", uuidOf(3), uuidOf(2)}})
		if r.store.Len() != 2 || !r.store.Status().Complete {
			t.Errorf("%d nodes, complete %v", r.store.Len(), r.store.Status().Complete)
		}
		if r.row("n2").Node.Raw != nil {
			t.Error("the raw object is kept")
		}
		api.set(uuidOf(2), func(n *models.Node) { n.Name = "renamed" })
		api.requests()
		pass(6 * time.Second)
		if r.row("renamed").Node.UUID != uuidOf(2) {
			t.Error("lost by the rename")
		}
		if _, _, ok := r.store.Get("n2"); ok {
			t.Error("the old name is still known")
		}
		api.state(uuidOf(3), models.StateDeleting)
		pass(5 * time.Second)
		api.requests()
		pass(10 * time.Second)
		log := api.requests()
		if got := count(log, "page"); got != 0 {
			t.Errorf("%d listings", got)
		}
		if got := count(log, "node"); got < 18 || got > 24 {
			t.Errorf("%d questions in 10 s, want one a second for each of two", got)
		}
		r.events()
		api.remove(uuidOf(2))
		pass(1100 * time.Millisecond)
		r.wantTold("removed: active > ")
		api.remove(uuidOf(3))
		if r.end = <-r.ended; r.end != nil {
			t.Errorf("ended with %v", r.end)
		}
		r.wantTold("removed: deleting > ")
		if log := api.requests(); count(log, "page") != 0 {
			t.Errorf("the fleet is listed after all: %v", log)
		}
		r.ended <- nil
	})
}

func TestOnlyWithAnUnknownNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.add(models.StateActive)
		r := start(t, api, fleet.Options{Only: []string{"n1", "n2"}})
		pass(5 * time.Second)
		faults := r.faults()
		if len(faults) == 0 || faults[0].Fault.Kind != models.FaultNotFound {
			t.Fatalf("faults %v", faults)
		}
		r.mu.Lock()
		first := r.updates[0]
		r.mu.Unlock()
		if first.Status.Fault == nil {
			t.Error("one that is there is told before one that is not: the owner cannot give up")
		}
		api.add(models.StateEnroll)
		pass(31 * time.Second)
		if r.store.Len() != 2 || !r.store.Status().Connected {
			t.Errorf("%d nodes, %+v", r.store.Len(), r.store.Status())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		r := start(t, api, fleet.Options{Only: []string{"n1"}, GiveUp: func(*models.Fault) bool { return true }})
		if r.end = <-r.ended; !models.IsFault(r.end, models.FaultNotFound) {
			t.Errorf("ended with %v", r.end)
		}
	})
}

func TestOnlySurvivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateDeploying)
		r := start(t, api, fleet.Options{Only: []string{"n1"}})
		pass(2 * time.Second)
		api.fail(down)
		pass(5 * time.Minute)
		api.fail(nil)
		api.requests()
		api.state(id, models.StateActive)
		pass(31 * time.Second)
		r.wantTold("provision_state: deploying > active")
		if n := count(api.requests(), "page"); n != 0 {
			t.Errorf("%d listings after the outage", n)
		}
	})
}
