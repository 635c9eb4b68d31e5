package provision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// followFields are what following needs to judge and to explain.
func followFields() []string {
	return append(models.ListFields(), "driver_internal_info")
}

// firstLook is not too soon: a script that waits for each verb would walk through the
// states of fast hardware faster than somebody who watches can see them.
const firstLook = time.Second

// following is what is known of a node that is followed.
type following struct {
	action Action
	before *models.Node
	// began is when it was sent, on our own clock; ahead is how far the server's is ahead of it, to the
	// second, and known says that it was heard.
	began    time.Time
	ahead    time.Duration
	known    bool
	evidence models.Evidence
	// reason is why it failed.
	reason string
}

// look takes a node in as it was at local time at, when the server's clock said date.
// The evidence is on the server's clock, as the node's history is.
func (f *following) look(n *models.Node, at, date time.Time) {
	if !f.known {
		f.known = true
		if !date.IsZero() {
			f.ahead = date.Sub(at)
		}
		f.evidence.Update(f.before, f.began.Add(f.ahead))
		f.evidence.Since = f.began.Add(f.ahead)
	}
	f.evidence.Update(n, at.Add(f.ahead))
}

// follow looks at the node until the action, which was sent at a time, has ended, and
// puts how into res.
func (r *Runner) follow(ctx context.Context, a Action, before *models.Node, sent time.Time, opts RunOptions, res *Result) {
	f := &following{action: a, before: before, began: sent}
	began, wait := r.Clock.Now(), firstLook
	opts.next()
	opts.followed.Add(1)
	defer opts.followed.Add(-1)
	for {
		if opts.Timeout > 0 {
			wait = min(wait, opts.Timeout-r.Clock.Now().Sub(began))
		}
		select {
		case <-ctx.Done():
			res.Outcome, res.Err = OutcomeUnknown, ErrLeft
			return
		case <-r.Clock.After(wait):
		}
		now, date, err := r.API.NodeAt(ctx, before.UUID, followFields()...)
		at := r.Clock.Now()
		waited := at.Sub(began)
		switch {
		case ctx.Err() != nil:
			continue
		case models.IsFault(err, models.FaultNotFound):
			res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: the node was deleted meanwhile", a.Name(), models.Printable(before.Label()))
			return
		case err == nil:
			res.State = string(now.ProvisionState)
			f.look(now, at, date)
			a.looked(now)
			opts.tell(f.progress(now))
			if v, ended := a.ended(before, now, waited); ended {
				if r.judge(ctx, f, now, v, res); f.reason != "" {
					opts.tell(f.progress(now))
				}
				return
			}
		default:
			// The node goes on whether we see it or not: look again.
			opts.tell(Progress{Node: before.Ref(), State: models.ProvisionState(res.State), Fault: faultOf(err)})
		}
		if opts.Timeout > 0 && waited >= opts.Timeout {
			res.Outcome, res.Err = OutcomeUnknown, errors.Join(ErrTimeout, err)
			return
		}
		wait = r.nextLook(waited, opts.followed.Load())
	}
}

func faultOf(err error) *models.Fault {
	var f *models.Fault
	if errors.As(err, &f) {
		return f
	}
	return &models.Fault{Kind: models.FaultServer, Op: "get node", Message: models.Printable(err.Error()), Err: err}
}

// nextLook doubles from the first look up to the regular period. That is longer where
// many nodes are followed: ten are asked about in each.
func (r *Runner) nextLook(waited time.Duration, followed int64) time.Duration {
	period := r.Poll
	if period == 0 {
		period = time.Second
	}
	period *= time.Duration(max(followed, inOnePeriod)) / inOnePeriod
	return min(max(waited/2, firstLook), period)
}

// inOnePeriod is how many nodes are asked about in a period.
const inOnePeriod = 10

func progressOf(n *models.Node) Progress {
	return Progress{Node: n.Ref(), State: n.ProvisionState, Step: explain.StepLine(&models.Row{Node: *n}, time.Time{}, nil)}
}

// progress is how far the node is, with the work that was seen so far.
func (f *following) progress(now *models.Node) Progress {
	p := progressOf(now)
	p.Now = now
	if w, seen := f.evidence.Work(&models.Row{Node: *now, Reason: f.reason}); seen {
		p.Work, p.At = &w, f.evidence.At
	}
	return p
}

// judge fills in how it ended, with the reason of a failure from wherever it still is.
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
	switch {
	case models.ProvisionState(v.state).Class() == models.ClassHold:
		reason = "a hold step stopped it; ironworks unhold " + now.Label() + " goes on"
	case reason == "":
		reason = "Ironic gives no reason"
	}
	res.Err = &FailedError{Action: f.action.Name(), Node: now.Ref(), State: v.state, Reason: reason}
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
