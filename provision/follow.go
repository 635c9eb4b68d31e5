package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

// firstPoll is the delay before a watched node is read for the first time. With a shorter delay, a script that waits
// for each verb could pass through the states of fast hardware before another client can see them.
const firstPoll = time.Second

type following struct {
	action Action
	before *models.Node
	// began is the local time at which the request was sent. clockAhead is the time by which the server's clock is
	// ahead, to the second. clockKnown reports whether it was measured.
	began      time.Time
	clockAhead time.Duration
	clockKnown bool
	evidence   models.Evidence
	// reason is the reason why the action failed, or "" if it did not fail.
	reason string
}

// update adds a reading of the node. at is the local time of the reading, and date is the server's time, or zero if
// it is unknown. The times in the evidence are on the server's clock, as are those in the node's history.
func (f *following) update(n *models.Node, at, date time.Time) {
	if !f.clockKnown {
		f.clockKnown = true
		if !date.IsZero() {
			f.clockAhead = date.Sub(at)
		}
		f.evidence.Update(f.before, f.began.Add(f.clockAhead))
		f.evidence.Since = f.began.Add(f.clockAhead)
	}
	f.evidence.Update(n, at.Add(f.clockAhead))
}

// follow watches the node until the action, sent at the given time, has ended. It stores the outcome in res.
func (r *Runner) follow(ctx context.Context, a Action, before *models.Node, sent time.Time, opts RunOptions, res *Result) {
	f := &following{action: a, before: before, began: sent}
	start, wait := time.Now(), firstPoll
	opts.next()
	opts.followed.Add(1)
	defer opts.followed.Add(-1)
	for {
		if opts.Timeout > 0 {
			wait = min(wait, opts.Timeout-time.Since(start))
		}
		select {
		case <-ctx.Done():
			res.Outcome, res.Err = OutcomeUnknown, ErrLeft
			return
		case <-time.After(wait):
		}
		now, date, err := r.API.NodeAt(ctx, before.UUID, append(models.ListFields(), "driver_internal_info")...)
		at := time.Now()
		waited := at.Sub(start)
		switch {
		case ctx.Err() != nil:
			continue
		case models.IsFault(err, models.FaultNotFound):
			res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: the node was deleted in the meantime", a.Name(), printable.Line(before.Label()))
			return
		case err == nil:
			res.State = string(now.ProvisionState)
			f.update(now, at, date)
			a.observed(now)
			opts.report(f.progress(now))
			if v, ended := a.ended(before, now, waited); ended {
				if r.judge(ctx, f, now, v, res); f.reason != "" {
					opts.report(f.progress(now))
				}
				return
			}
		default:
			// The operation continues although the node could not be read, so read the node again.
			opts.report(Progress{Node: before.Ref(), State: models.ProvisionState(res.State), Fault: models.FaultOf(err, "get node")})
		}
		if opts.Timeout > 0 && waited >= opts.Timeout {
			res.Outcome, res.Err = OutcomeUnknown, errors.Join(ErrTimeout, err)
			return
		}
		wait = r.nextPoll(waited, opts.followed.Load())
	}
}

// nextPoll returns the delay before the next reading. The delays start at firstPoll and grow with the time waited, up
// to the period. The period becomes longer if many nodes are watched.
func (r *Runner) nextPoll(waited time.Duration, followed int64) time.Duration {
	period := cmp.Or(r.Poll, time.Second) * time.Duration(max(followed, nodesPerPeriod)) / nodesPerPeriod
	return min(max(waited/2, firstPoll), period)
}

// nodesPerPeriod is the maximum number of watched nodes for which the period is not lengthened.
const nodesPerPeriod = 10

func (f *following) progress(now *models.Node) Progress {
	p := Progress{Node: now.Ref(), State: now.ProvisionState, Step: explain.StepLine(&models.Row{Node: *now}, time.Time{}, nil), Now: now}
	if w, seen := f.evidence.Work(&models.Row{Node: *now, Reason: f.reason}); seen {
		p.Work, p.At = &w, f.evidence.At
	}
	return p
}

// judge stores the outcome in res. The reason for a failure comes from the node, the history or the observations.
func (r *Runner) judge(ctx context.Context, f *following, now *models.Node, v verdict, res *Result) {
	res.State, res.Err = v.state, nil
	if v.ok {
		res.Outcome = OutcomeDone
		res.Note = r.conclude(ctx, f.action, now)
		return
	}
	res.Outcome = OutcomeFailed
	var history []models.HistoryEntry
	if version, _ := r.API.Version(); now.LastError == "" && version.Has(models.FeatureHistory) {
		history, _ = r.API.History(ctx, now.UUID)
	}
	reason := models.FailureReason(now, f.evidence, history)
	f.reason = reason
	failed := &FailedError{Action: f.action.Name(), Node: now.Ref(), State: v.state, Reason: reason}
	switch {
	case models.ProvisionState(v.state).Class() == models.ClassHold:
		failed.Reason = "stopped by a hold step"
		failed.Hint, failed.ScreenHint = "to resume: ironworks unhold "+now.Label(), "to resume: :unhold"
	case reason == "":
		failed.Reason = "Ironic reported no reason"
	}
	res.Err = failed
}

// FailedError reports that an action left a node in a state other than the target state.
type FailedError struct {
	Action string
	Node   models.NodeRef
	State  string
	Reason string
	// Hint describes the remedy, if known, with a command, and ScreenHint with a key.
	Hint, ScreenHint string
}

// Error names the node, its final state, the reason, and the command that remedies the problem, if known.
func (e *FailedError) Error() string { return e.sentence(e.Hint) }

// OnScreen is like Error, but names a key of the console instead of the command.
func (e *FailedError) OnScreen() string { return e.sentence(e.ScreenHint) }

// Advice returns the reason, and the command that remedies the problem, if known.
func (e *FailedError) Advice() string { return withHint(printable.Line(e.Reason), e.Hint) }

func (e *FailedError) sentence(hint string) string {
	return fmt.Sprintf("%s %s: ended in %q: %s", e.Action, printable.Line(e.Node.Label()), printable.Line(e.State), withHint(printable.Line(e.Reason), hint))
}

func withHint(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + "; " + printable.Line(hint)
}
