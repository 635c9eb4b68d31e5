package node_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
)

// kept is a journal that holds its records in memory.
type kept struct {
	works []models.Work
	lines []models.LogLine
	err   error
	asked int
}

func (k *kept) OfNode(_ context.Context, uuid string, most int) ([]models.Work, error) {
	k.asked++
	var of []models.Work
	for _, w := range k.works {
		if (w.Node.UUID == uuid || w.Node.UUID == "") && len(of) < most {
			of = append(of, w)
		}
	}
	return of, k.err
}

func (k *kept) Lines(_ context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error] {
	return func(yield func(models.LogLine, error) bool) {
		for _, l := range k.lines {
			if l.Node.UUID == uuid && !l.Time.Before(from) && !l.Time.After(to) && !yield(l, nil) {
				return
			}
		}
		if k.err != nil {
			yield(models.LogLine{}, k.err)
		}
	}
}

func (k *kept) Latest(context.Context, int) ([]models.Work, error) { return k.works, k.err }

// deployed returns a completed deployment of the node with the given number. The deployment started at the time
// screentest.Began minus ago. took lists the durations of its phases in seconds.
func deployed(node int, ago time.Duration, took ...int) models.Work {
	w := models.Work{
		Node: models.NodeRef{UUID: screentest.UUID(node), Name: "r7-n01"}, ResourceClass: "gp-2x", Kind: models.StateDeploying,
		Begin: screentest.Began.Add(-ago), Whole: true, Outcome: models.OutcomeDone,
	}
	at := w.Begin
	for i, p := range []models.Phase{
		{Kind: models.PhasePower}, {Kind: models.PhaseBoot}, {Kind: models.PhaseStep, Step: "deploy.install_coreos"}, {Kind: models.PhaseReboot},
	}[:len(took)] {
		p.Begin, p.End, p.Outcome = at, at.Add(time.Duration(took[i])*time.Second), models.OutcomeDone
		at = p.End
		w.Phases = append(w.Phases, p)
	}
	w.End = at
	return w
}

// rack7 returns a journal with five operations. Node 1 was deployed twice, once with a failure, and cleaned once. Two
// other nodes were deployed once each.
func rack7() *kept {
	day := 24 * time.Hour
	failed := deployed(1, 3*day, 6, 104)
	failed.Outcome, failed.Phases[1].Outcome = models.OutcomeFailed, models.OutcomeFailed
	failed.Reason = "Timeout reached while waiting for callback for node r7-n01"
	clean := deployed(1, 2*day, 4, 90)
	clean.Kind = models.StateCleaning
	clean.Phases = append(clean.Phases, models.Phase{
		Kind: models.PhaseStep, Step: "deploy.erase_devices_metadata", Begin: clean.End, End: clean.End.Add(12 * time.Second), Outcome: models.OutcomeDone,
	})
	clean.End = clean.End.Add(12 * time.Second)
	return &kept{works: []models.Work{
		deployed(1, day, 5, 108, 113, 22), clean, failed, deployed(2, 4*day, 5, 100, 110, 20), deployed(3, 4*day, 7, 120, 119, 25),
	}}
}

// under opens the Timeline tab of the node n, with the journal k.
func under(t *testing.T, n models.Node, k *kept) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t, n)
	r.Env.Session.Journal = k
	r.Sync()
	s := node.New(r.Env, n.UUID)
	r.Open(s)
	to(t, r, s, "Timeline")
	return r, s
}

// atRest returns a node on which no operation is running.
func atRest() models.Node {
	return models.Node{
		UUID: screentest.UUID(1), Name: "r7-n01", ResourceClass: "gp-2x", ProvisionState: models.StateAvailable, PowerState: models.PowerOff,
		Internal: &models.Internal{},
	}
}

// deploy takes the node through a deployment up to the step that installs the system.
func deploy(t *testing.T, r *screentest.Rig, s screen.Screen) {
	t.Helper()
	id := screentest.UUID(1)
	step := func(after int, change func(n *models.Node)) {
		r.Pass(time.Duration(after) * time.Second)
		r.Deliver(s, r.Change(id, change))
	}
	step(5, func(n *models.Node) {
		n.ProvisionState, n.TargetProvisionState = models.StateDeploying, models.StateActive
	})
	step(6, func(n *models.Node) { n.ProvisionState, n.PowerState = models.StateDeployWait, models.PowerOn })
	step(104, func(n *models.Node) {
		n.Internal = &models.Internal{AgentURL: "https://10.0.0.31:9999"}
		n.DeployStep = &models.Step{Interface: "deploy", Step: "install_coreos"}
	})
	r.Deliver(s, r.Pass(61*time.Second))
}

func TestTimeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := under(t, atRest(), rack7())
		screentest.Golden(t, s, "timeline-past")
		for range 2 {
			r.Do(s, s.Do(action.Down))
		}
		screentest.Golden(t, s, "timeline-past-failed")
		r.Do(s, s.Do(action.Top))
		deploy(t, r, s)
		screentest.Golden(t, s, "timeline-now")
		screentest.CheckSizes(t, s)
		r.Pass(200 * time.Second)
		screentest.Shows(t, s, 80, 20, "slower than usual (1m53)")
		r.Deliver(s, r.Change(screentest.UUID(1), func(n *models.Node) {
			n.ProvisionState, n.LastError, n.DeployStep, n.Internal = models.StateDeployFailed, history()[0].Event, nil, &models.Internal{}
		}))
		screentest.Golden(t, s, "timeline-failed")
	})
}

func TestTimelineIsReadInEachPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := rack7()
		r, s := under(t, atRest(), k)
		asked := k.asked
		deploy(t, r, s)
		if got := k.asked - asked; got != 3 {
			t.Errorf("read %d times for three phases", got)
		}
		asked = k.asked
		for range 5 {
			r.Pass(time.Second)
			r.Deliver(s, r.Change(screentest.UUID(1), func(n *models.Node) {
				n.Internal = &models.Internal{AgentURL: "https://10.0.0.31:9999", LastHeartbeat: models.Time{Time: time.Now()}}
			}))
		}
		if k.asked != asked {
			t.Errorf("read %d times for heartbeats", k.asked-asked)
		}
		r.Deliver(s, screen.Reload{})
		if k.asked == asked {
			t.Error("ctrl+r reads nothing")
		}
	})
}

// TestTimelineAfterARestart checks that an operation is shown only once if an earlier console recorded its start.
func TestTimelineAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := deployed(1, 100*time.Second, 5, 60, 0)
		before.Outcome, before.End = models.OutcomeRunning, time.Time{}
		last := &before.Phases[2]
		last.Outcome, last.End = models.OutcomeRunning, time.Time{}
		k := rack7()
		k.works = slices.Insert(k.works, 0, before)
		_, s := under(t, deploying(t), k)
		screentest.Shows(t, s, 80, 20, "Deployment running for 1m40: install_coreos 35s, about 1m40 left", "boot to ramdisk 1m00")
		if text := screentest.Text(s, 80, 20); strings.Contains(text, "not seen") || strings.Count(text, "◐ now") != 1 {
			t.Errorf("it is there twice:\n%s", text)
		}
	})
}

// TestTwoDeploymentsWithinSeconds checks that two deployments that follow each other within seconds, as in a lab, are
// shown separately.
func TestTwoDeploymentsWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kept{}
		r, s := under(t, atRest(), k)
		k.works = []models.Work{deployed(1, 12*time.Second, 2, 3, 4, 2)}
		deploy(t, r, s)
		screentest.Shows(t, s, 80, 20, "◐ now", "✓ done", "slower than usual (4s)", "(1 deployment of gp-2x)")
	})
}

func TestEmptyTimeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := under(t, atRest(), &kept{})
		screentest.Golden(t, s, "timeline-empty")
		deploy(t, r, s)
		screentest.Shows(t, s, 80, 20, "Deployment running for 2m51: install_coreos 1m01.", "├┤ power on 6s", "├ install_coreos 1m01 ▓")
		_, broken := under(t, atRest(), &kept{err: errors.New("read journal /x/journal-rack7.db: file is not a database")})
		screentest.Shows(t, broken, 80, 20, "✖ read journal /x/journal-rack7.db: file is not a database")
		screentest.CheckSizes(t, broken)
	})
}

// TestLogOfAnEarlierOperation checks that the timeline opens the log of an earlier operation, and that esc returns to
// the timeline.
func TestLogOfAnEarlierOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := rack7()
		began := k.works[0].Begin
		for i, text := range []string{"Linux version 6.12.0", "Executing deploy step install_coreos", "Install complete"} {
			at := began.Add(time.Duration(i*60) * time.Second)
			k.lines = append(k.lines, models.LogLine{Time: at, Received: at, Node: k.works[0].Node, Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogInfo, Text: text})
		}
		k.lines = append(k.lines, models.LogLine{Time: began.Add(time.Hour), Node: k.works[0].Node, Source: models.LogSSH, Text: "much later"})
		r, s := under(t, atRest(), k)
		r.Do(s, s.Do(action.ShowLog))
		screentest.Golden(t, s, "log-kept")
		if widened, ok := s.(screen.Narrowed); !ok {
			t.Fatal("it cannot be gone back from")
		} else if _, did := widened.Widen(); !did {
			t.Error("esc does not go back to the timeline")
		}
		r.Do(s, s.Do(action.Down))
		r.Do(s, s.Do(action.Open))
		screentest.Shows(t, s, 80, 24, "No lines recorded for the cleaning")
		k.err = errors.New("journal /x: disk I/O error")
		_, _ = s.(screen.Narrowed).Widen()
		r.Do(s, s.Do(action.Open))
		screentest.Shows(t, s, 80, 24, "disk I/O error")
	})
}
