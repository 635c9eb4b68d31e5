package session

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/provision"
)

// installer is a log follower that reports progress once a second.
type installer struct{ followed atomic.Int32 }

func (i *installer) Follow(ctx context.Context, n models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	i.followed.Add(1)
	go func() {
		defer close(out)
		defer i.followed.Add(-1)
		for percent := 10; ; percent++ {
			line := models.LogLine{Node: n, Progress: &models.InstallProgress{Percent: percent}}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return
			}
			select {
			case out <- agentlog.Batch{Lines: []models.LogLine{{Text: "…"}, line}}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// TestBoardShowsTheInstallersProgress checks that the board shows the installer's progress while its step runs, and
// derives the remaining time from it.
func TestBoardShowsTheInstallersProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := time.Now().Add(time.Hour) // the server's clock is ahead
		work := deployed(server, 60, 0)
		work.End, work.Outcome = time.Time{}, models.OutcomeRunning
		work.Phases = work.Phases[:1]
		work.Phases[0].End, work.Phases[0].Outcome = time.Time{}, models.OutcomeRunning
		follower := &installer{}
		l := newInstalls(follower, func(context.Context, string) string { return "https://10.0.0.31:9999" })
		b := NewBoard(provision.Batch{Action: provision.Deploy(&provision.Preflighter{}, nil), Items: make([]provision.Item, 1)}, nil, l)
		look := func(after time.Duration) string {
			<-time.After(after)
			synctest.Wait()
			w := work
			p := provision.Progress{Node: models.NodeRef{UUID: "u1", Name: "n1"}, State: models.StateDeployWait, Step: "2/3 install_coreos", Work: &w, At: time.Now().Add(time.Hour)}
			b.Update(p)
			l.Update(t.Context(), p)
			synctest.Wait()
			return b.Line()
		}
		if got := look(time.Minute); follower.followed.Load() != 0 || strings.Contains(got, "%") {
			t.Errorf("%q, %d logs are followed before a step runs", got, follower.followed.Load())
		}
		now := time.Now().Add(time.Hour)
		work.Phases = append(work.Phases[:0:0], work.Phases[0], models.Phase{Kind: models.PhaseStep, Step: "deploy.install_coreos", Begin: now, Outcome: models.OutcomeRunning})
		if got := look(0); follower.followed.Load() != 1 || strings.Contains(got, "%") || l.Address(models.NodeRef{UUID: "u1"}) == "" {
			t.Errorf("%q, %d logs are followed", got, follower.followed.Load())
		}
		if got, want := look(11*time.Second), "deploy: n1 wait call-back 2/3 install_coreos 20%, about 1m20 left"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		work.Phases[1].Outcome, work.Phases[1].End = models.OutcomeDone, time.Now().Add(time.Hour)
		work.Phases = append(work.Phases, models.Phase{Kind: models.PhaseReboot, Begin: time.Now().Add(time.Hour), Outcome: models.OutcomeRunning})
		if got := look(time.Second); follower.followed.Load() != 0 || strings.Contains(got, "%") {
			t.Errorf("%q, %d logs are followed after it", got, follower.followed.Load())
		}
		l.Stop()
		work.Phases = work.Phases[:2]
		work.Phases[1].Outcome = models.OutcomeRunning
		if look(time.Second); follower.followed.Load() != 0 {
			t.Error("it is followed after the end")
		}
	})
}

// TestBoardWithoutALog checks that the methods of a nil Installs can be called. Installs is nil if no log can be
// followed.
func TestBoardWithoutALog(t *testing.T) {
	var l *Installs
	l.Update(t.Context(), provision.Progress{Work: &models.Work{}})
	l.Stop()
	if pace := l.Pace("u1"); pace != (models.InstallPace{}) {
		t.Errorf("%v", pace)
	}
}
