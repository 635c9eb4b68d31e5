package provision_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// TestResumedRun checks that an interrupted run can be resumed: nodes to which the requests were sent before are only
// watched, and the requests to the other nodes are sent.
func TestResumedRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("n1", models.StateInspecting), node("n2", models.StateManageable), node("n3", models.StateManageable))
		api.later(2*time.Second, "n1", to(models.StateManageable))
		api.onCall = func(string, string) error {
			api.set("n2", to(models.StateInspecting))
			api.later(3*time.Second, "n2", failing(models.StateInspectFailed, "no inventory"))
			return nil
		}
		log := &memAudit{}
		runner := &provision.Runner{API: api, Audit: log, Context: "lab"}
		// The nodes are in the state before the interrupted run. n3 has been inspected since then.
		before := []models.Node{node("n1", models.StateManageable), node("n2", models.StateManageable), node("n3", models.StateManageable)}
		began := time.Now()
		results := runner.Run(t.Context(), runner.Plan(verb(models.VerbInspect), before), provision.RunOptions{
			Wait: true, Sent: func(uuid string) (time.Time, bool) { return began, uuid != before[1].UUID },
		})
		if got := results[0]; got.Outcome != provision.OutcomeDone || got.State != "manageable" {
			t.Errorf("a node that was inspecting: %+v", got)
		}
		if got := results[1]; got.Outcome != provision.OutcomeFailed {
			t.Errorf("a node to which nothing was sent: %+v", got)
		}
		if got := results[2]; got.Outcome != provision.OutcomeDone {
			t.Errorf("a node that had finished: %+v", got)
		}
		if lines := log.lines(); len(lines) != 2 {
			t.Errorf("sent %q", lines)
		}
	})
}
