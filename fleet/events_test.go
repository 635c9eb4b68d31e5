package fleet_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
)

func steps(names ...string) []models.Step {
	var list []models.Step
	for _, n := range names {
		list = append(list, models.Step{Interface: "deploy", Step: n})
	}
	return list
}

func atStep(i int) func(n *models.Node) {
	return func(n *models.Node) {
		n.Internal.DeploySteps = steps("deploy", "write", "install_coreos", "prepare", "tear_down", "boot")
		n.Internal.DeployIndex = &i
		s := n.Internal.DeploySteps[i]
		n.DeployStep = &s
	}
}

func TestEveryKindOfEvent(t *testing.T) {
	for name, c := range map[string]struct {
		from   models.ProvisionState
		change func(n *models.Node)
		want   []string
	}{
		"state": {
			models.StateManageable, func(n *models.Node) { n.ProvisionState = models.StateCleaning },
			[]string{"provision_state: manageable > cleaning"},
		},
		"power": {models.StateActive, func(n *models.Node) { n.PowerState = models.PowerOn }, []string{"power: power off > power on"}},
		"maintenance": {
			models.StateActive, func(n *models.Node) { n.Maintenance, n.MaintenanceReason = true, "broken fan" },
			[]string{"maintenance: off > on (broken fan)"},
		},
		"fault": {
			models.StateActive, func(n *models.Node) {
				n.Maintenance, n.MaintenanceReason, n.Fault = true, "no BMC", "power failure"
			},
			[]string{"maintenance: off > on (no BMC)", "fault:  > power failure (no BMC)"},
		},
		"instance": {models.StateAvailable, func(n *models.Node) { n.InstanceUUID = "i1" }, []string{"instance:  > i1"}},
		"error":    {models.StateActive, func(n *models.Node) { n.LastError = "no power" }, []string{"error:  > no power (no power)"}},
		"agent": {
			models.StateDeployWait, func(n *models.Node) { n.Internal.AgentURL = "https://10.0.0.3:9999" },
			[]string{"agent:  > https://10.0.0.3:9999"},
		},
		"step": {models.StateDeployWait, atStep(2), []string{"step:  > deploy.install_coreos (3/6)"}},
		"work begins with its step": {
			models.StateAvailable, func(n *models.Node) { n.ProvisionState = models.StateDeploying; atStep(0)(n) },
			[]string{"provision_state: available > deploying", "step:  > deploy.deploy (1/6)"},
		},
		"work ends in its last step": {
			models.StateDeploying, func(n *models.Node) {
				n.ProvisionState, n.LastError = models.StateDeployFailed, "disk full"
				atStep(1)(n)
			},
			[]string{"step:  > deploy.write (2/6)", "provision_state: deploying > deploy failed (disk full)"},
		},
		"heartbeat":  {models.StateDeployWait, func(n *models.Node) { n.Internal.LastHeartbeat.Time = time.Now() }, nil},
		"reserved":   {models.StateActive, func(n *models.Node) { n.Reservation = "conductor" }, nil},
		"error gone": {models.StateDeployFailed, func(n *models.Node) { n.LastError = "" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				id := api.add(c.from)
				r := start(t, api, fleet.Options{})
				pass(6 * time.Second) // wait for the first poll, which reads driver_internal_info
				r.events()
				api.set(id, c.change)
				pass(5 * time.Second)
				r.wantTold(c.want...)
				pass(2 * time.Minute)
				r.wantTold()
			})
		})
	}
}

// TestAgentBeforeTheStart checks that a heartbeat that a ramdisk sent before the poller started does not cause an
// event.
func TestAgentBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateDeployWait)
		api.set(id, func(n *models.Node) { n.Internal.AgentURL = "https://10.0.0.3:9999"; atStep(2)(n) })
		r := start(t, api, fleet.Options{})
		pass(10 * time.Second)
		r.wantTold()
		if row := r.row(id); explain.StepLine(&row, time.Now(), nil) != "3/6 install_coreos" {
			t.Errorf("step line %q", explain.StepLine(&row, time.Now(), nil))
		}
	})
}

func TestFlappingIsOnePhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(6 * time.Second)
		api.state(id, models.StateDeploying)
		pass(5 * time.Second)
		since := r.row(id).Since
		for i := range 6 {
			api.set(id, func(n *models.Node) { n.ProvisionState = models.StateDeployWait; atStep(i)(n) })
			pass(1200 * time.Millisecond)
			api.state(id, models.StateDeploying)
			pass(1200 * time.Millisecond)
		}
		if got := r.row(id).Since; !got.Equal(since) {
			t.Errorf("in state since %v, want %v", got, since)
		}
		api.set(id, func(n *models.Node) {
			n.ProvisionState, n.DeployStep, n.Internal = models.StateActive, nil, &models.Internal{}
		})
		pass(2 * time.Second)
		r.wantTold("provision_state: available > deploying", "step:  > deploy.deploy (1/6)",
			"step: deploy.deploy > deploy.write (2/6)", "step: deploy.write > deploy.install_coreos (3/6)",
			"step: deploy.install_coreos > deploy.prepare (4/6)", "step: deploy.prepare > deploy.tear_down (5/6)",
			"step: deploy.tear_down > deploy.boot (6/6)", "provision_state: deploying > active")
	})
}

// TestStepOfTheNextAttempt checks that a step is reported again if it is repeated in the next attempt.
func TestStepOfTheNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateDeployWait)
		r := start(t, api, fleet.Options{})
		pass(2 * time.Second)
		api.set(id, atStep(2))
		pass(2 * time.Second)
		api.set(id, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateDeployFailed, "no disk" })
		pass(2 * time.Second)
		r.events()
		api.set(id, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateDeploying, "" })
		pass(2 * time.Second)
		r.wantTold("provision_state: deploy failed > deploying", "step:  > deploy.install_coreos (3/6)")
	})
}

func TestPassedStatesAreInferred(t *testing.T) {
	for name, c := range map[string]struct {
		from, to models.ProvisionState
		want     []string
	}{
		"enroll to available": {models.StateEnroll, models.StateAvailable, []string{
			"provision_state: enroll > manageable inferred", "provision_state: manageable > available",
		}},
		"clean failed to available": {models.StateCleanFailed, models.StateAvailable, []string{
			"provision_state: clean failed > manageable inferred", "provision_state: manageable > available",
		}},
		"unknown state": {models.StateActive, "pondering", []string{"provision_state: active > pondering"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				id := api.add(c.from)
				r := start(t, api, fleet.Options{})
				pass(6 * time.Second)
				api.state(id, c.to)
				pass(5 * time.Second)
				r.wantTold(c.want...)
			})
		})
	}
}

func TestNewNodeInAnyState(t *testing.T) {
	for _, s := range models.States() {
		t.Run(string(s), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				r := start(t, api, fleet.Options{})
				api.add(s)
				pass(5 * time.Second)
				events := r.events()
				if len(events) == 0 || events[0].Kind != models.EventAdded || events[0].To != "enroll" {
					t.Fatalf("told %q", short(events))
				}
				checkChain(t, events)
				if last := events[len(events)-1]; last.To != string(s) {
					t.Errorf("told %q, and it is in %q", short(events), s)
				}
				if events[0].Inferred != (s != models.StateEnroll) {
					t.Errorf("inferred %v", events[0].Inferred)
				}
				if row := r.row("n1"); row.Since.IsZero() {
					t.Error("since when is not known")
				}
			})
		})
	}
}

// checkChain checks that each state event starts in the state in which the previous event ended.
func checkChain(t *testing.T, events []models.Event) {
	t.Helper()
	at := ""
	for i, e := range events {
		switch e.Kind {
		case models.EventAdded:
			at = e.To
		case models.EventProvisionState:
			if at != "" && e.From != at {
				t.Fatalf("event %d begins in %q, the one before ended in %q: %q", i, e.From, at, short(events))
			}
			if e.To == e.From {
				t.Fatalf("event %d goes nowhere: %q", i, short(events))
			}
			at = e.To
		default:
		}
	}
}

func TestUpdatesHaveRevisionAndStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateActive)
		r := start(t, api, fleet.Options{})
		pass(11 * time.Second)
		first := r.store.Revision()
		pass(10 * time.Second)
		if got := r.store.Revision(); got != first {
			t.Errorf("revision %d after nothing happened, was %d", got, first)
		}
		r.mu.Lock()
		var revisions []uint64
		for _, u := range r.updates {
			revisions = append(revisions, u.Revision)
		}
		n := len(r.updates)
		r.mu.Unlock()
		if !slices.IsSorted(revisions) || n < 9 {
			t.Errorf("%d updates, revisions %v", n, revisions)
		}
		api.set(id, func(n *models.Node) { n.Reservation = "conductor" })
		pass(5 * time.Second)
		if got := r.store.Revision(); got == first {
			t.Error("a change without an event has no new revision")
		}
	})
}
