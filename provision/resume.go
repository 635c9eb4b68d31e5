package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/models"
)

// wish is what is to become of nodes' deployments.
type wish int

const (
	// wishDeploy: they are deployed; where that was begun and interrupted, it goes on.
	wishDeploy wish = iota
	// wishResume: only what was interrupted goes on.
	wishResume
	// wishGiveBack: what was interrupted before Ironic took it is taken back.
	wishGiveBack
)

// Resume is an action that goes on with deployments that were interrupted: with the
// requests that are left, after the checks; or with following; or with giving back.
func Resume(checks *Preflighter) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, checks: checks, wish: wishResume, ready: map[string]*readyNode{}}
}

// GiveBack is an action that takes back what interrupted deployments have changed, and
// forgets them. One that Ironic has taken is only forgotten.
func GiveBack(checks *Preflighter) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, checks: checks, wish: wishGiveBack, ready: map[string]*readyNode{}}
}

// rest is what is left to do about a deployment instead of sending anything.
type rest int

const (
	restNone rest = iota
	restFollow
	restGiveBack
	// restForget: there is nothing to do about it any more.
	restForget
)

func (r rest) effect(u *Unfinished) string {
	since := u.Began.Local().Format(time.DateTime)
	switch r {
	case restFollow:
		return "nothing is deployed: Ironic has had the deployment of " + since + ", which is followed"
	case restGiveBack:
		return "what the deployment of " + since + " has changed is given back; nothing is deployed"
	case restForget:
		return "nothing is sent: the deployment of " + since + " is forgotten"
	case restNone:
	}
	return ""
}

// OnlyFollows says that nothing is deployed to a node: Ironic has its deployment already.
// When that ends well, [DeployAction.Requests] may still write the disk down.
func (a *DeployAction) OnlyFollows(n *models.Node) bool {
	r := a.of(n)
	return r != nil && r.err == nil && r.rest == restFollow
}

// OtherError says that another deployment of the node, than what is asked for now, was
// interrupted.
type OtherError struct {
	Unfinished Unfinished
	// Taken says that Ironic has it.
	Taken bool
}

// Error says how to go on.
func (e *OtherError) Error() string {
	back := "ironworks deploy --give-back takes it back"
	if e.Taken {
		back = "ironworks undeploy ends it"
	}
	return fmt.Sprintf("a deployment of it that is not the same, of %s, is unfinished (%s): ironworks deploy --resume goes on with that, %s",
		e.Unfinished.Began.Local().Format(time.DateTime), e.Unfinished.Stage, back)
}

// errNothingBegun says that there is nothing to go on with.
var errNothingBegun = errors.New("it has no unfinished deployment; ironworks deploy --unfinished lists them")

// settleAtMost is how long is waited for a node that somebody has locked.
const settleAtMost = 2 * time.Minute

// wanted is what is to be deployed, after a look at whether that has begun already.
func (a *DeployAction) wanted(ctx context.Context, n *models.Node, r *readyNode) (d Deployment, err error) {
	if a.wish == wishDeploy {
		if d, err = a.options.For(n); err == nil {
			r.asked, err = recordDeployment(d)
		}
		if err != nil {
			return d, err
		}
	}
	if err := a.checks.Deployments.held(n.UUID); err != nil {
		return d, err
	}
	if r.before, err = a.checks.Deployments.load(n.UUID); err != nil {
		return d, err
	}
	r.seen = r.before.stamp()
	if r.before == nil {
		if a.wish != wishDeploy {
			err = errNothingBegun
		}
		return d, err
	}
	do, why, err := a.settled(ctx, n, r.before)
	if err != nil {
		return d, err
	}
	return a.goOn(d, n, r, do, why)
}

// settled waits until it can be told what has arrived of an interrupted deployment.
func (a *DeployAction) settled(ctx context.Context, n *models.Node, rec *record) (next, string, error) {
	reader, can := a.checks.Reader.(interface {
		Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	})
	began := a.checks.Clock.Now()
	for {
		now := a.checks.Clock.Now()
		do, why := rec.next(n, now)
		switch {
		case do != nextWait:
			return do, why, nil
		case !can, now.Sub(began) > settleAtMost:
			why := "it cannot be told what has arrived of its unfinished deployment"
			if n.Reservation != "" {
				why += ": the node is locked by " + models.Printable(n.Reservation)
			}
			return do, "", errors.New(why)
		}
		select {
		case <-ctx.Done():
			return do, "", ctx.Err()
		case <-a.checks.Clock.After(time.Second):
		}
		fresh, err := reader.Node(ctx, n.UUID)
		if err != nil {
			return do, "", err
		}
		*n = *fresh
	}
}

// goOn decides how an earlier try goes on.
func (a *DeployAction) goOn(d Deployment, n *models.Node, r *readyNode, do next, why string) (Deployment, error) {
	u := &r.before.Unfinished
	r.why = why
	same := a.wish != wishDeploy || r.asked.digest() == u.Digest && r.verb == u.verb()
	if a.wish != wishDeploy {
		r.verb = u.verb()
	}
	switch {
	case do == nextOver && a.wish == wishDeploy:
		r.before = nil
		return d, nil
	case do == nextOver, do == nextFollow && a.wish == wishGiveBack:
		r.rest = restForget
		return d, nil
	case a.wish == wishGiveBack && u.Stage == StageSent:
		r.rest = restForget
		return d, nil
	case a.wish == wishGiveBack, do == nextGiveBack && a.wish == wishResume:
		r.rest = restGiveBack
		return d, nil
	case !same && u.Stage == StageSent && do == nextFollow:
		return d, nil // the checks say what is in the way
	case !same && u.Stage != StageSent:
		return d, &OtherError{Unfinished: *u, Taken: do == nextFollow}
	case do == nextFollow:
		r.rest, r.instance = restFollow, u.Instance
		return d, nil
	}
	if a.wish == wishResume {
		if r.before.Deployment == nil {
			return d, errors.New("it failed after Ironic had taken it, and what was sent is not kept so long: type the command that deployed it again")
		}
		var err error
		if d, err = r.before.Deployment.deployment(); err != nil {
			return d, err
		}
		r.asked, r.overrides = r.before.Deployment, u.Overrides
	}
	r.instance, r.kept, d.mine = u.Instance, u.Kept, u.Instance
	r.restore = stillChanged(n, r.before.Restore)
	return d, nil
}

// stillChanged leaves out of operations that take changes back those that would change
// nothing.
func stillChanged(n *models.Node, back []models.PatchOp) []models.PatchOp {
	return slices.DeleteFunc(slices.Clone(back), func(op models.PatchOp) bool {
		now, there := valueAt(n, op.Path)
		if op.Op == "remove" {
			return !there
		}
		return there && sameJSON(now, op.Value)
	})
}

// sentBefore stands for the requests of an earlier try, which are not sent again but may
// have to be taken back.
func (r *readyNode) sentBefore() []entry {
	if r.before == nil {
		return nil
	}
	back := r.before.undo()
	back.restore = r.restore
	return []entry{{verb: "earlier try", sent: true, undo: back}}
}

// undoPatch takes the patch back; what an earlier try has changed is given back with
// the values from before that.
func (r *readyNode) undoPatch(n *models.Node) []models.PatchOp {
	return slices.DeleteFunc(undone(n, r.patch), func(op models.PatchOp) bool {
		return slices.ContainsFunc(r.restore, func(o models.PatchOp) bool { return o.Path == op.Path })
	})
}

// record is what is written down before the first request.
func (r *readyNode) record(n *models.Node, now time.Time) record {
	rec := record{
		Unfinished: Unfinished{
			Node: n.Ref(), Verb: r.verb, Stage: StagePreparing, Began: now.UTC(), At: now.UTC(), Instance: r.instance, Kept: r.kept,
			Allocated: r.allocate != nil || r.before != nil && r.before.Allocated,
			From:      n.ProvisionState, Touched: n.ProvisionUpdatedAt, Digest: r.asked.digest(), Overrides: r.overrides,
		},
		Restore: append(r.undoPatch(n), r.restore...), RootDisk: identityOf(r.facts), Deployment: r.asked,
	}
	if r.before != nil && r.before.Stage != StageSent {
		rec.Began = r.before.Began
	}
	return rec
}

// errChanged says that somebody else was quicker.
var errChanged = errors.New("another ironworks has been at work on it since it was checked")

// open takes the node's record, as it was when the node was checked.
func (a *DeployAction) open(n *models.Node) (*deploymentLog, error) {
	log, err := a.checks.Deployments.open(n.UUID)
	if err != nil || log == nil {
		return nil, err
	}
	if log.record.stamp() != a.of(n).seen {
		log.close()
		return nil, errChanged
	}
	return log, nil
}

// begin takes the node's record, and does what is left of an earlier deployment where that
// is all.
func (a *DeployAction) begin(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (log *deploymentLog, res Result, over bool) {
	res = Result{Node: n.Ref(), State: string(n.ProvisionState), Outcome: OutcomeRefused}
	if refused := a.Refuse(n, models.APIVersion{}); refused != nil {
		res.Err = refused
		return nil, res, true
	}
	if going.Err() != nil {
		res.Err = fmt.Errorf("%s %s: interrupted before anything was sent", a.Name(), n.Label())
		return nil, res, true
	}
	log, err := a.open(n)
	if err != nil {
		res.Err = fmt.Errorf("%s %s: nothing was sent: %w", a.Name(), models.Printable(n.Label()), err)
		return nil, res, true
	}
	ready := a.of(n)
	switch ready.rest {
	case restFollow:
		r.followOn(going, a, n, ready.before, opts, log, &res)
		return log, res, true
	case restGiveBack:
		r.giveBackRest(ctx, a, n, ready.before, log, &res)
		return log, res, true
	case restForget:
		res.Outcome, res.Err = OutcomeDone, log.over()
		if a.wish == wishResume {
			res.Outcome = OutcomeUnknown
			res.Err = errors.Join(fmt.Errorf("%s %s: %s", a.Name(), models.Printable(n.Label()), ready.why), res.Err)
		}
		return log, res, true
	case restNone:
	}
	if !a.take(n) {
		res.Err = refusal(a, n, models.RefusedArguments, "it is being sent already", "")
		return log, res, true
	}
	if err := log.begin(ready.record(n, r.Clock.Now())); err != nil {
		res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: nothing was sent: %w", a.Name(), models.Printable(n.Label()), err)
		return log, res, true
	}
	return log, res, false
}

// followOn follows what an earlier process has sent.
func (r *Runner) followOn(going context.Context, a *DeployAction, n *models.Node, rec *record, opts RunOptions, log *deploymentLog, res *Result) {
	res.Outcome = OutcomeAccepted
	if !opts.Wait && a.wish == wishDeploy {
		res.Err = r.noted(log, StageSent)
		return
	}
	if res.Err = r.noted(log, StageFollowing); res.Err != nil {
		res.Outcome = OutcomeUnknown
		return
	}
	before := *n
	before.ProvisionState = rec.From
	r.follow(going, a, &before, rec.At, opts, res)
	r.settle(log, res)
}

// noted notes a stage after Ironic has taken the deployment.
func (r *Runner) noted(log *deploymentLog, s Stage) error { return log.note(s, r.Clock.Now()) }

// settle leaves of a deployment that was followed what is needed: nothing of one that is
// done, and whose the node is of one that failed. One that nobody has seen the end of
// stays as it is.
func (r *Runner) settle(log *deploymentLog, res *Result) {
	switch res.Outcome {
	case OutcomeDone:
		res.Err = errors.Join(res.Err, log.over())
	case OutcomeFailed:
		res.Err = errors.Join(res.Err, r.noted(log, StageSent))
	case OutcomeAccepted, OutcomeRefused, OutcomeUnknown, OutcomeNotTried:
	}
}

// giveBackRest takes back what an earlier process has changed.
func (r *Runner) giveBackRest(ctx context.Context, a *DeployAction, n *models.Node, rec *record, log *deploymentLog, res *Result) {
	back := rec.undo()
	if n.InstanceUUID != rec.Instance && rec.Stage != StageGivingBack {
		back.restore = nil // the node was not reserved, so no field of it was written
	}
	res.Outcome = OutcomeDone
	if a.wish == wishResume {
		res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: it had failed before Ironic took it, and is given back", a.Name(), models.Printable(n.Label()))
	}
	if err := log.givingBack(back.restore, r.Clock.Now()); err != nil {
		res.Outcome, res.Err = OutcomeFailed, errors.Join(res.Err, err)
		return
	}
	if err := r.giveBack(ctx, back, time.Time{}, n, log); err != nil {
		res.Outcome, res.Err = OutcomeFailed, errors.Join(res.Err, &NotGivenBackError{Node: n.Ref(), Err: err})
		return
	}
	res.Err = errors.Join(res.Err, log.over())
}
