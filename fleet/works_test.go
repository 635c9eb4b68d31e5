package fleet_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// works returns the operations reported since the last call, in a short form.
func (r *rig) works() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var short []string
	for _, u := range r.updates {
		for _, w := range u.Works {
			last := &w.Phases[len(w.Phases)-1]
			short = append(short, fmt.Sprintf("%s %s: %d phases, %s %s (%s)", w.Kind, w.Outcome, len(w.Phases), last.Name(), last.Outcome, w.Reason))
		}
	}
	r.updates = nil
	return short
}

func TestOperationsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(6 * time.Second)
		var got []string
		step := func(change func(n *models.Node)) {
			api.set(id, change)
			pass(6 * time.Second)
			got = append(got, r.works()...)
		}
		step(func(n *models.Node) { n.ProvisionState = models.StateDeploying })
		step(func(n *models.Node) { n.ProvisionState, n.PowerState = models.StateDeployWait, models.PowerOn })
		step(func(n *models.Node) { n.Internal.LastHeartbeat.Time = time.Now() })
		step(func(n *models.Node) { n.Internal.AgentURL = "https://a"; atStep(2)(n) })
		step(func(n *models.Node) { n.ProvisionState = models.StateDeploying })
		step(func(n *models.Node) {
			n.ProvisionState, n.LastError = models.StateDeployFailed, "Deploy step deploy.prepare failed on node n: no"
		})
		want := []string{
			"deploying running: 1 phases, power on running ()",
			"deploying running: 2 phases, boot to ramdisk running ()",
			"deploying running: 3 phases, install_coreos running ()",
			"deploying failed: 4 phases, prepare failed (Deploy step deploy.prepare failed on node n: no)",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		_, evidence, _ := r.store.Get(id)
		if row, _, _ := r.store.Get(id); row.Reason == "" {
			t.Error("the row has no reason")
		} else if w, ok := evidence.Work(&row); !ok || !w.Whole || len(w.Phases) != 4 {
			t.Errorf("%v %+v", ok, w)
		}
	})
}
