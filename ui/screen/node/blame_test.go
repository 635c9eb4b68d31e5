package node

import (
	"fmt"
	"testing"

	"ironworks/models"
)

// TestBlame checks that a step that failed between two polls is found by its name in the failure reason.
func TestBlame(t *testing.T) {
	t.Parallel()
	deploy, boot := models.Step{Interface: "deploy", Step: "deploy"}, models.Step{Interface: "deploy", Step: "boot_instance"}
	install := models.Step{Interface: "deploy", Step: "install_coreos"}
	const reason = "Deploy step deploy.install_coreos failed on node 1. No suitable device"
	for _, test := range []struct {
		name   string
		steps  []models.Step
		index  int
		reason string
		want   string
	}{
		{"it was seen", []models.Step{deploy, install, boot}, 1, reason, "[done stopped pending]"},
		{"it was seen too early", []models.Step{deploy, install, boot}, 0, reason, "[done stopped pending]"},
		{"it was not on the list", []models.Step{deploy, boot}, 0, reason, "[done stopped pending]"},
		{"nothing was seen", nil, -1, reason, "[stopped]"},
		{"the reason names none", []models.Step{deploy, boot}, 0, "Timeout reached", "[stopped pending]"},
		{"cleaning", []models.Step{install}, 0, "Clean step deploy.erase_devices failed on node 1. x", "[done stopped]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := work{ended: true, steps: test.steps, index: test.index}
			w.blame(test.reason)
			words := []string{}
			for i := range w.steps {
				words = append(words, map[stepOutcome]string{pending: "pending", done: "done", running: "running", stopped: "stopped"}[w.outcomeOf(i)])
			}
			if got := fmt.Sprint(words); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if len(test.steps) == 2 && len(w.steps) == 3 && w.steps[1].Label() != install.Label() {
				t.Errorf("the steps are %v", w.steps)
			}
		})
	}
}
