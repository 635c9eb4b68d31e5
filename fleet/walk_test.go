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

// TestChainsUnderARunningPoller redeploys nodes at random times while a poller runs. It checks that each node's chain
// of states has no gaps and ends at the node's state.
func TestChainsUnderARunningPoller(t *testing.T) {
	for _, seed := range seeds.For(t, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				rng := rand.New(rand.NewPCG(seed, 3))
				round := []models.ProvisionState{
					models.StateAvailable, models.StateDeploying, models.StateDeployWait, models.StateDeploying, models.StateActive,
					models.StateDeleting, models.StateCleaning, models.StateCleanWait, models.StateAvailable,
				}
				at := map[string]int{}
				for range 8 {
					at[api.add(models.StateAvailable)] = 0
				}
				r := start(t, api, fleet.Options{})
				var events []models.Event
				for range 300 {
					pass(time.Duration(rng.IntN(900)) * time.Millisecond)
					id := uuidOf(1 + rng.IntN(8))
					at[id] = (at[id] + 1) % len(round)
					api.state(id, round[at[id]])
					events = append(events, r.events()...)
				}
				pass(20 * time.Second)
				events = append(events, r.events()...)
				for id, i := range at {
					var mine []models.Event
					for _, e := range events {
						if e.Node.UUID == id {
							mine = append(mine, e)
						}
					}
					checkChain(t, mine)
					if last := models.ProvisionState(mine[len(mine)-1].To); last.Phase() != round[i].Phase() {
						t.Errorf("%s: ends in %q, is in %q", id, last, round[i])
					}
				}
			})
		})
	}
}
