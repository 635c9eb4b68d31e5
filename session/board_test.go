package session

import (
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// deployed returns a successful deployment. boot and install are the durations of its two phases, in seconds.
func deployed(begin time.Time, boot, install int) models.Work {
	installs := begin.Add(time.Duration(boot) * time.Second)
	end := installs.Add(time.Duration(install) * time.Second)
	return models.Work{
		Node: models.NodeRef{UUID: "u1"}, Kind: models.StateDeploying, Begin: begin, End: end, Whole: true, Outcome: models.OutcomeDone,
		Phases: []models.Phase{
			{Kind: models.PhaseBoot, Begin: begin, End: installs, Outcome: models.OutcomeDone},
			{Kind: models.PhaseStep, Step: "deploy.install_coreos", Begin: installs, End: end, Outcome: models.OutcomeDone},
		},
	}
}

// TestBoardShowsTheRemainingTime checks that the remaining time is right even if the server's clock is an hour ahead.
func TestBoardShowsTheRemainingTime(t *testing.T) {
	now := time.Now()
	server := now.Add(time.Hour)
	work := deployed(server.Add(-100*time.Second), 60, 0)
	work.End, work.Outcome = time.Time{}, models.OutcomeRunning
	work.Phases[1].End, work.Phases[1].Outcome = time.Time{}, models.OutcomeRunning
	note := provision.Progress{
		Node: models.NodeRef{UUID: "u1", Name: "n1"}, State: models.StateDeployWait, Step: "2/3 install_coreos", Work: &work, At: server,
	}
	board := func(total int, past *models.Experience) string {
		plan := provision.Batch{Action: provision.Deploy(&provision.Preflighter{}, nil), Items: make([]provision.Item, total)}
		b := NewBoard(plan, past, nil)
		b.Update(note)
		return b.Line()
	}
	x := models.NewExperience([]models.Work{deployed(server.Add(-time.Hour), 60, 240)})
	for _, tt := range []struct{ name, got, want string }{
		{"nothing is known", board(1, nil), "deploy: n1 wait call-back 2/3 install_coreos"},
		{"the only node", board(1, x), "deploy: n1 wait call-back 2/3 install_coreos, about 3m30 left, others took 5m00"},
		{"one of several", board(3, x), "deploy: n1 wait call-back 2/3 install_coreos, about 3m30 left"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	work.Outcome = models.OutcomeDone
	if got := board(1, x); strings.Contains(got, "left") {
		t.Errorf("it has ended: %s", got)
	}
}
