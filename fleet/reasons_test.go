package fleet_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

const noDisk = "No suitable device was found"

func fail(api *fakeIronic, id, lastError string) {
	api.set(id, func(n *models.Node) {
		n.ProvisionState, n.LastError, n.DeployStep, n.Internal = models.StateDeployFailed, lastError, nil, &models.Internal{}
	})
}

func TestReasonOfAFailure(t *testing.T) {
	server := func(status int, kind models.FaultKind) func(a asked) error {
		return func(a asked) error {
			if a.what == "history" {
				return &models.Fault{Kind: kind, Status: status}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		minor     int
		lastError string // last_error in the failed state
		before    string // last_error before the failed state
		history   bool
		fault     func(asked) error
		want      string
		questions bool // whether the history is requested
	}{
		"last_error":             {115, noDisk, "", true, nil, noDisk, false},
		"history":                {115, "", "", true, nil, noDisk, true},
		"history beats evidence": {115, "", "older", true, nil, noDisk, true},
		"no history yet":         {77, "", noDisk, true, nil, noDisk, false},
		"history is forbidden":   {115, "", noDisk, true, server(403, models.FaultForbidden), noDisk, true},
		"history is gone":        {115, "", noDisk, true, server(404, models.FaultNotFound), noDisk, true},
		"history is broken":      {115, "", noDisk, true, server(500, models.FaultServer), noDisk, true},
		"history never answers":  {115, "", noDisk, true, server(0, models.FaultTimeout), noDisk, true},
		"history is empty":       {115, "", "", false, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newFake()
				api.version = models.APIVersion{Minor: c.minor}
				id := api.add(models.StateDeployWait)
				api.fault = c.fault
				r := start(t, api, fleet.Options{})
				pass(3 * time.Second)
				if c.before != "" {
					api.set(id, func(n *models.Node) { n.LastError = c.before })
					pass(2 * time.Second)
				}
				if c.history {
					api.record(id, noDisk)
				}
				fail(api, id, c.lastError)
				r.events()
				api.requests()
				pass(1500 * time.Millisecond)
				events := r.events()
				if len(events) != 1 || events[0].Reason != c.want {
					t.Errorf("events %q, want the reason %q in it", short(events), c.want)
				}
				pass(5 * time.Minute)
				if got := r.row(id).Reason; got != c.want {
					t.Errorf("row says %q", got)
				}
				n := count(api.requests(), "history")
				if (n > 0) != c.questions || n > 4 {
					t.Errorf("history asked for %d times", n)
				}
				if len(r.faults()) > 0 {
					t.Errorf("a history that cannot be had is reported as %v", r.faults()[0].Fault)
				}
			})
		})
	}
}

// TestReasonIsThatOfThisAttempt checks that the reason for an earlier failure is not used for a later one.
func TestReasonIsThatOfThisAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.version = models.APIVersion{Minor: 70}
		id := api.add(models.StateDeployWait)
		r := start(t, api, fleet.Options{})
		pass(2 * time.Second)
		fail(api, id, "first")
		pass(2 * time.Second)
		api.set(id, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateDeploying, "" })
		pass(2 * time.Second)
		if got := r.row(id).Reason; got != "" {
			t.Errorf("reason %q while it works", got)
		}
		r.events()
		fail(api, id, "")
		pass(2 * time.Second)
		r.wantTold("provision_state: deploying > deploy failed")
	})
}

func TestOldHistoryIsNotTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.skew = -3 * time.Hour
		id := api.add(models.StateAvailable)
		api.record(id, "of last week")
		r := start(t, api, fleet.Options{})
		pass(20 * time.Second)
		api.state(id, models.StateDeploying)
		pass(20 * time.Second)
		r.events()
		fail(api, id, "")
		pass(2 * time.Second)
		r.wantTold("provision_state: deploying > deploy failed")
	})
}

func TestManyFailuresAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(60, models.StateDeployWait)
		r := start(t, api, fleet.Options{})
		pass(3 * time.Second)
		for i := 1; i <= 60; i++ {
			api.record(uuidOf(i), noDisk)
			fail(api, uuidOf(i), "")
		}
		r.events()
		api.requests()
		pass(1100 * time.Millisecond)
		if n := len(r.events()); n != 60 {
			t.Errorf("%d events", n)
		}
		if n := count(api.requests(), "history"); n > 12 {
			t.Errorf("%d questions at once", n)
		}
		pass(time.Minute)
		for i := 1; i <= 60; i++ {
			if r.row(uuidOf(i)).Reason != noDisk {
				t.Errorf("n%d: %q", i, r.row(uuidOf(i)).Reason)
			}
		}
		if n := count(api.requests(), "history"); n != 60-8-4 {
			t.Errorf("%d more questions, want one for each", n)
		}
	})
}

func TestReasonsOfFailuresBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		api.addMany(30, models.StateDeployFailed)
		for i := 1; i <= 30; i++ {
			api.record(uuidOf(i), noDisk)
		}
		api.addMany(500, models.StateDeployFailed)
		for i := 31; i <= 530; i++ {
			api.set(uuidOf(i), func(n *models.Node) { n.LastError = "known" })
		}
		r := start(t, api, fleet.Options{})
		if got := r.row(uuidOf(400)).Reason; got != "known" {
			t.Errorf("a reason that the node says itself is not there at once: %q", got)
		}
		api.requests()
		var perRound []int
		for range 10 {
			pass(5 * time.Second)
			perRound = append(perRound, count(api.requests(), "history"))
		}
		total := 0
		for _, n := range perRound {
			if total += n; n > 8 { // five seconds may include two rounds
				t.Errorf("%d in a round: %v", n, perRound)
			}
		}
		if total != 30 || r.row(uuidOf(30)).Reason != noDisk {
			t.Errorf("%d asked, %q", total, r.row(uuidOf(30)).Reason)
		}
		r.wantTold()
	})
}

func TestVerifyingFallsBackToEnroll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateEnroll)
		r := start(t, api, fleet.Options{})
		pass(6 * time.Second)
		api.state(id, models.StateVerifying)
		pass(5 * time.Second)
		api.set(id, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateEnroll, "wrong password" })
		pass(2 * time.Second)
		r.wantTold("provision_state: enroll > verifying", "provision_state: verifying > enroll (wrong password)")
	})
}

func TestEvidenceSurvivesTheWipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateAvailable)
		r := start(t, api, fleet.Options{})
		pass(6 * time.Second)
		api.state(id, models.StateDeploying)
		pass(5 * time.Second)
		beat := time.Now()
		api.set(id, func(n *models.Node) {
			n.ProvisionState, n.Internal.AgentURL, n.Internal.LastHeartbeat.Time = models.StateDeployWait, "https://10.0.0.3:9999", beat
			atStep(2)(n)
		})
		pass(2 * time.Second)
		fail(api, id, noDisk)
		pass(10 * time.Minute)
		_, e, _ := r.store.Get(id)
		if e.AgentURL != "https://10.0.0.3:9999" || e.Step != "deploy.install_coreos" || e.StepIndex != 2 || len(e.Steps) != 6 ||
			!e.LastHeartbeat.Equal(beat) || e.Phase != models.StateDeploying || e.LastError != noDisk {
			t.Errorf("evidence %+v", e)
		}
		api.set(id, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateDeploying, "" })
		pass(6 * time.Second)
		if _, e, _ := r.store.Get(id); e.AgentURL != "" || e.LastError != "" || e.Step != "" {
			t.Errorf("evidence of the try before: %+v", e)
		}
	})
}

func TestReasonIsReadAgainAfterAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFake()
		id := api.add(models.StateDeployWait)
		r := start(t, api, fleet.Options{})
		pass(2 * time.Second)
		tries := 0
		api.fail(func(a asked) error {
			if a.what == "history" {
				if tries++; tries <= 2 {
					return &models.Fault{Kind: models.FaultUnavailable, Status: 503}
				}
			}
			return nil
		})
		api.record(id, noDisk)
		fail(api, id, "")
		pass(30 * time.Second)
		if got := r.row(id).Reason; got != noDisk {
			t.Errorf("reason %q", got)
		}
		r.mu.Lock()
		last := r.updates[len(r.updates)-1].Works
		for i := len(r.updates) - 1; last == nil && i > 0; i-- {
			last = r.updates[i].Works
		}
		r.mu.Unlock()
		if len(last) != 1 || last[0].Reason != noDisk || last[0].Outcome != models.OutcomeFailed {
			t.Errorf("the operation was last reported as %+v", last)
		}
		if got := r.shortEvents(); len(got) != 1 || strings.Contains(got[0], noDisk) {
			t.Errorf("events %q", got)
		}
	})
}
