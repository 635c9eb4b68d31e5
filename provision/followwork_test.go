package provision_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// TestProgressHasTheOperation checks that progress reports contain the operation so far, with times on the server's
// clock. At the end, they also contain the reason for a failure, even if only the history contains it.
func TestProgressHasTheOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("n1", models.StateManageable))
		var works []*models.Work
		var at time.Time
		opts := provision.RunOptions{Progress: func(p provision.Progress) {
			if p.Work != nil {
				works, at = append(works, p.Work), p.At
			}
		}}
		began := time.Now()
		res := play(t, api, verb(models.VerbInspect), opts, script{
			0: to(models.StateInspecting),
			2: func(n *models.Node) { n.ProvisionState, n.PowerState = models.StateInspectWait, models.PowerOn },
			9: failing(models.StateInspectFailed, "no NIC is known"),
		})
		if res.Outcome != provision.OutcomeFailed || len(works) == 0 {
			t.Fatalf("%+v, told %d times", res, len(works))
		}
		last := works[len(works)-1]
		if last.Outcome != models.OutcomeFailed || last.Reason != "no NIC is known" || !last.Whole || len(last.Phases) != 2 ||
			last.Phases[0].Name() != "power on" || last.Phases[1].Name() != "boot and inspect" || last.Phases[1].Outcome != models.OutcomeFailed {
			t.Errorf("%+v", last)
		}
		if took := last.End.Sub(last.Begin); took < 7*time.Second || took > 10*time.Second || at.Sub(began) < 8*time.Second {
			t.Errorf("took %v, told at %v", took, at)
		}
		if first := works[0]; first.Outcome != models.OutcomeRunning || len(first.Phases) != 1 {
			t.Errorf("first told as %+v", first)
		}
	})
}
