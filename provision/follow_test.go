package provision_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// script holds the changes to the n1 node that follow after Ironic has accepted the verb. The keys are the delays in
// seconds.
type script map[float64]func(n *models.Node)

func to(s models.ProvisionState) func(n *models.Node) {
	return func(n *models.Node) { n.ProvisionState = s }
}

func failing(s models.ProvisionState, lastError string) func(n *models.Node) {
	return func(n *models.Node) { n.ProvisionState, n.LastError = s, lastError }
}

// power starts a change to the given power state; powered completes it.
func power(target models.PowerState) func(n *models.Node) {
	return func(n *models.Node) { n.TargetPowerState, n.LastError = target, "" }
}

func powered(s models.PowerState, lastError string) func(n *models.Node) {
	return func(n *models.Node) { n.PowerState, n.TargetPowerState, n.LastError = s, "", lastError }
}

// play runs the action on n1 and watches n1 while it changes as described by the script.
func play(t *testing.T, api *fakeAPI, a provision.Action, opts provision.RunOptions, s script) provision.Result {
	t.Helper()
	api.onCall = func(string, string) error {
		for at, change := range s {
			if d := time.Duration(at * float64(time.Second)); d == 0 {
				api.set("n1", change)
			} else {
				api.later(d, "n1", change)
			}
		}
		return nil
	}
	opts.Wait = true
	results, _ := act(t, api, a, opts, "n1")
	return results[0]
}

func TestFollow(t *testing.T) {
	start := func(s models.ProvisionState) models.Node { return node("n1", s) }
	erred := start(models.StateActive)
	erred.LastError = "no BMC"
	on := start(models.StateActive)
	on.PowerState = models.PowerOn
	erredOn := on
	erredOn.LastError = "no BMC"
	deploying, active := models.StateDeploying, models.StateActive
	for name, c := range map[string]struct {
		node   models.Node
		action provision.Action
		script script
		ok     bool
		state  string
		reason string
	}{
		"manage":         {start(models.StateEnroll), verb(models.VerbManage), script{0: to(models.StateVerifying), 3: to(models.StateManageable)}, true, "manageable", ""},
		"manage at once": {start(models.StateAvailable), verb(models.VerbManage), script{0: to(models.StateManageable)}, true, "manageable", ""},
		"fell back to enroll": {
			start(models.StateEnroll), verb(models.VerbManage),
			script{0: to(models.StateVerifying), 3: failing(models.StateEnroll, "wrong password")},
			false, "enroll", "wrong password",
		},
		"deploy": {
			start(models.StateAvailable), verb(models.VerbDeploy),
			script{0: to(deploying), 1: to(models.StateDeployWait), 5: to(deploying), 9: to(active)},
			true, "active", "",
		},
		"deploy failed": {
			start(models.StateAvailable), verb(models.VerbDeploy),
			script{0: to(deploying), 5: failing(models.StateDeployFailed, "no disk")},
			false, "deploy failed", "no disk",
		},
		"deploy held": {
			start(models.StateAvailable), verb(models.VerbDeploy),
			script{0: to(deploying), 5: to(models.StateDeployHold)},
			false, "deploy hold", "stopped by a hold step; to resume: ironworks unhold n1",
		},
		"reason was seen and then cleared": {
			start(models.StateAvailable), verb(models.VerbDeploy),
			script{0: to(deploying), 5: failing(models.StateDeployWait, "no disk"), 8: failing(models.StateDeployFailed, "")},
			false, "deploy failed", "no disk",
		},
		"no reason at all": {
			start(models.StateAvailable), verb(models.VerbDeploy),
			script{0: to(deploying), 5: to(models.StateDeployFailed)},
			false, "deploy failed", "Ironic reported no reason",
		},
		"abort": {start(models.StateCleanWait), verb(models.VerbAbort), script{0: to(models.StateCleanFailed)}, true, "clean failed", ""},
		"abort that is deferred to the end of the step": {
			start(models.StateCleanWait), verb(models.VerbAbort),
			script{0: func(n *models.Node) {
				n.CleanStep = &models.Step{Interface: "deploy", Step: "erase_devices", AbortAfter: true}
			}, 600: to(models.StateCleanFailed)},
			true, "clean failed", "",
		},
		"abort that came too late": {
			start(models.StateCleanWait), verb(models.VerbAbort), script{5: to(models.StateAvailable)}, false, "available", "Ironic reported no reason",
		},
		"unhold": {
			start(models.StateDeployHold), verb(models.VerbUnhold), script{0: to(models.StateDeployWait), 5: to(active)}, true, "active", "",
		},
		"on":         {start(active), provision.Power(models.TargetOn), script{0: power(models.PowerOn), 4: powered(models.PowerOn, "")}, true, "power on", ""},
		"on already": {on, provision.Power(models.TargetOn), script{}, true, "power on", ""},
		"off":        {on, provision.Power(models.TargetOff), script{0: power(models.PowerOff), 4: powered(models.PowerOff, "")}, true, "power off", ""},
		"soft off":   {on, provision.Power(models.TargetSoftOff), script{0: power(models.PowerOff), 300: powered(models.PowerOff, "")}, true, "power off", ""},
		"on fails":   {start(active), provision.Power(models.TargetOn), script{0: power(models.PowerOn), 4: powered(models.PowerOff, "no BMC")}, false, "power off", "no BMC"},
		"on fails as it did before": {
			erred, provision.Power(models.TargetOn), script{0: power(models.PowerOn), 4: powered(models.PowerOff, "no BMC")}, false, "power off", "no BMC",
		},
		"on fails without a word": {
			start(active), provision.Power(models.TargetOn),
			script{0: power(models.PowerOn), 4: powered(models.PowerError, "")},
			false, "error", "Ironic reported no reason",
		},
		"reboot":               {on, provision.Power(models.TargetReboot), script{0: power(models.PowerOn), 8: powered(models.PowerOn, "")}, true, "power on", ""},
		"reboot begins late":   {on, provision.Power(models.TargetReboot), script{1: power(models.PowerOn), 8: powered(models.PowerOn, "")}, true, "power on", ""},
		"reboot from off":      {start(active), provision.Power(models.TargetReboot), script{0: power(models.PowerOn), 8: powered(models.PowerOn, "")}, true, "power on", ""},
		"reboot fails":         {on, provision.Power(models.TargetReboot), script{0: power(models.PowerOn), 8: powered(models.PowerOn, "no BMC")}, false, "power on", "no BMC"},
		"reboot fails again":   {erredOn, provision.Power(models.TargetReboot), script{0: power(models.PowerOn), 8: powered(models.PowerOn, "no BMC")}, false, "power on", "no BMC"},
		"nothing to follow":    {on, provision.BootDevice("pxe", true), script{}, true, "active", ""},
		"failed in its past":   {start(models.StateDeployFailed), verb(models.VerbDeploy), script{0: to(deploying), 5: to(active)}, true, "active", ""},
		"a state we know not":  {start(models.StateAvailable), verb(models.VerbDeploy), script{0: to("pondering"), 5: to(active)}, true, "active", ""},
		"deployment is undone": {start(active), verb(models.VerbUndeploy), script{0: to(models.StateDeleting), 3: to(models.StateCleaning), 7: to(models.StateAvailable)}, true, "available", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res := play(t, newAPI(c.node), c.action, provision.RunOptions{}, c.script)
				var failed *provision.FailedError
				switch {
				case c.ok && (res.Outcome != provision.OutcomeDone || res.Err != nil || res.State != c.state):
					t.Errorf("result %+v, want %q", res, c.state)
				case !c.ok && (res.Outcome != provision.OutcomeFailed || res.State != c.state || !errors.As(res.Err, &failed)):
					t.Errorf("result %+v, want a failure in %q", res, c.state)
				case !c.ok && (failed.Advice() != c.reason || !strings.Contains(failed.Error(), c.reason)):
					t.Errorf("reason %q, want %q", failed.Advice(), c.reason)
				case !c.ok && strings.Contains(failed.OnScreen(), "ironworks "):
					t.Errorf("the console names a command: %s", failed.OnScreen())
				}
			})
		})
	}
}

// TestReasonFromHistory checks that the reason for a failure is found in the history. Ironic 39.0.0 records it there
// next to older reasons, with the time on its own clock.
func TestReasonFromHistory(t *testing.T) {
	for name, skew := range map[string]time.Duration{"same clock": 0, "ahead": 3 * time.Hour, "behind": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := newAPI(node("n1", models.StateAvailable))
				api.skew = skew
				api.record("n1", "of last time")
				<-time.After(time.Minute)
				time.AfterFunc(5*time.Second, func() { api.record("n1", "no disk") })
				res := play(t, api, verb(models.VerbDeploy), provision.RunOptions{},
					script{0: to(models.StateDeploying), 6: to(models.StateDeployFailed)})
				var failed *provision.FailedError
				if !errors.As(res.Err, &failed) || failed.Reason != "no disk" {
					t.Errorf("%v", res.Err)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				api := newAPI(node("n1", models.StateAvailable))
				api.skew = skew
				api.record("n1", "of last time")
				<-time.After(time.Minute)
				res := play(t, api, verb(models.VerbDeploy), provision.RunOptions{},
					script{0: to(models.StateDeploying), 6: to(models.StateDeployFailed)})
				if strings.Contains(res.Err.Error(), "of last time") {
					t.Errorf("an older reason: %v", res.Err)
				}
			})
		})
	}
}

func TestFollowedNodeIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("n1", models.StateAvailable))
		time.AfterFunc(5*time.Second, func() {
			api.mu.Lock()
			defer api.mu.Unlock()
			delete(api.nodes, "uuid-n1")
		})
		res := play(t, api, verb(models.VerbDeploy), provision.RunOptions{}, script{0: to(models.StateDeploying)})
		if res.Outcome != provision.OutcomeFailed || !strings.Contains(res.Err.Error(), "deleted in the meantime") {
			t.Errorf("result %+v", res)
		}
	})
}

func TestFollowTimesOut(t *testing.T) {
	for _, timeout := range []time.Duration{100 * time.Millisecond, 1500 * time.Millisecond, 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			res := play(t, newAPI(node("n1", models.StateAvailable)), verb(models.VerbDeploy), provision.RunOptions{Timeout: timeout},
				script{0: to(models.StateDeploying), 30: to(models.StateActive)})
			if res.Outcome != provision.OutcomeUnknown || !errors.Is(res.Err, provision.ErrTimeout) || res.State != "deploying" {
				t.Errorf("result %+v", res)
			}
			if took := time.Since(began); took != timeout {
				t.Errorf("took %v of %v", took, timeout)
			}
			<-time.After(time.Minute)
		})
	}
}

func TestFollowIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := node("n1", models.StateEnroll)
		api := newAPI(n)
		api.onCall = func(string, string) error { api.set("n1", to(models.StateVerifying)); return nil }
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		r := &provision.Runner{API: api, Audit: &memAudit{}}
		began := time.Now()
		var faults int
		res := r.Run(ctx, r.Plan(verb(models.VerbManage), []models.Node{n}), provision.RunOptions{
			Wait: true, Progress: func(p provision.Progress) {
				if p.Fault != nil {
					faults++
				}
			},
		})
		if res[0].Outcome != provision.OutcomeUnknown || !errors.Is(res[0].Err, provision.ErrLeft) || time.Since(began) != 7*time.Second {
			t.Errorf("result %+v after %v", res[0], time.Since(began))
		}
		if faults > 0 {
			t.Error("our own interruption is told as a fault")
		}
	})
}

func TestWatchingSurvivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("n1", models.StateAvailable))
		began := time.Now()
		api.onLook = func(string) error {
			switch d := time.Since(began); {
			case d > 10*time.Second && d < 200*time.Second:
				return &models.Fault{Kind: models.FaultRefused, Message: "connection refused"}
			case d > 300*time.Second && d < 310*time.Second:
				return errors.New("odd")
			}
			return nil
		}
		var faults int
		opts := provision.RunOptions{Progress: func(p provision.Progress) {
			if p.Fault != nil {
				faults++
			}
		}}
		res := play(t, api, verb(models.VerbDeploy), opts, script{0: to(models.StateDeploying), 400: to(models.StateActive)})
		if res.Outcome != provision.OutcomeDone || res.Err != nil || faults < 150 {
			t.Errorf("result %+v with %d faults told", res, faults)
		}
	})
}

func TestFollowReadsOncePerSecond(t *testing.T) {
	for name, c := range map[string]struct {
		poll time.Duration
		low  int
		high int
	}{"default": {0, 99, 103}, "own": {5 * time.Second, 20, 28}} {
		synctest.Test(t, func(t *testing.T) {
			n := node("n1", models.StateEnroll)
			api := newAPI(n)
			api.onCall = func(string, string) error {
				api.set("n1", to(models.StateVerifying))
				api.later(100*time.Second, "n1", to(models.StateManageable))
				return nil
			}
			r := &provision.Runner{API: api, Audit: &memAudit{}, Poll: c.poll}
			r.Run(t.Context(), r.Plan(verb(models.VerbManage), []models.Node{n}), provision.RunOptions{Wait: true})
			if api.looks < c.low || api.looks > c.high {
				t.Errorf("%s: %d looks in 100 s", name, api.looks)
			}
		})
	}
}
