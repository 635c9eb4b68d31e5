package provision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ironworks/models"
)

// followFields are what following needs to judge and to explain.
func followFields() []string {
	return append(models.ListFields(), "driver_internal_info")
}

// firstLook comes soon, for what is done at once; but not so soon that a script walks
// through states faster than somebody who watches can see them.
const firstLook = 400 * time.Millisecond

// follow looks at the node until the action has ended, and puts how into res.
func (r *Runner) follow(ctx context.Context, a Action, before *models.Node, opts RunOptions, res *Result) {
	began := r.Clock.Now()
	var evidence models.Evidence
	evidence.Update(before, began)
	evidence.Since = began
	wait := firstLook
	for {
		select {
		case <-ctx.Done():
			res.Outcome, res.Err = OutcomeUnknown, ErrLeft
			return
		case <-r.Clock.After(wait):
		}
		waited := r.Clock.Now().Sub(began)
		now, err := r.API.Node(ctx, before.UUID, followFields()...)
		switch {
		case models.IsFault(err, models.FaultNotFound):
			res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: the node was deleted meanwhile", a.Name(), models.Printable(before.Label()))
			return
		case err == nil:
			res.State = string(now.ProvisionState)
			evidence.Update(now, r.Clock.Now())
			opts.tell(progressOf(now))
			if v, ended := a.ended(before, now, waited); ended {
				r.judge(ctx, a, now, evidence, v, res)
				return
			}
		default:
			// The node goes on whether we see it or not: look again.
			res.Err = err
			var f *models.Fault
			if errors.As(err, &f) {
				opts.tell(Progress{Node: before.Ref(), State: models.ProvisionState(res.State), Fault: f})
			}
		}
		if opts.Timeout > 0 && waited > opts.Timeout {
			res.Outcome, res.Err = OutcomeUnknown, errors.Join(ErrTimeout, err)
			return
		}
		wait = r.nextLook(waited)
	}
}

// nextLook doubles from the first look up to the regular period.
func (r *Runner) nextLook(waited time.Duration) time.Duration {
	period := r.Poll
	if period == 0 {
		period = time.Second
	}
	return min(max(waited/2, firstLook), period)
}

func progressOf(n *models.Node) Progress {
	return Progress{Node: n.Ref(), State: n.ProvisionState, Step: models.StepLine(&models.Row{Node: *n})}
}

// judge fills in how it ended, with the reason of a failure from wherever it still is.
func (r *Runner) judge(ctx context.Context, a Action, now *models.Node, evidence models.Evidence, v verdict, res *Result) {
	res.State, res.Err = v.state, nil
	if v.ok {
		res.Outcome = OutcomeDone
		return
	}
	res.Outcome = OutcomeFailed
	var history []models.HistoryEntry
	if version, _ := r.API.Version(); now.LastError == "" && version.Has(models.FeatureHistory) {
		history, _ = r.API.History(ctx, now.UUID)
	}
	reason := models.FailureReason(now, evidence, history)
	if reason == "" {
		reason = "Ironic gives no reason"
	}
	res.Err = &FailedError{Action: a.Name(), Node: now.Ref(), State: v.state, Reason: reason}
}

// FailedError says that a node came to rest where the action should not have led.
type FailedError struct {
	Action string
	Node   models.NodeRef
	State  string
	Reason string
}

// Error names the node, where it ended and why.
func (e *FailedError) Error() string {
	return fmt.Sprintf("%s %s: ended in %q: %s", e.Action, models.Printable(e.Node.Label()), models.Printable(e.State), models.Printable(e.Reason))
}
