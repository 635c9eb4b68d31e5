package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// purpose determines how a [DeployAction] handles interrupted deployments.
type purpose int

const (
	// purposeDeploy deploys the nodes and resumes interrupted deployments.
	purposeDeploy purpose = iota
	// purposeResume resumes interrupted deployments and starts no new ones.
	purposeResume
	// purposeGiveBack reverts deployments that were interrupted before Ironic accepted them.
	purposeGiveBack
)

// Resume returns an action that resumes interrupted deployments. Depending on the progress of a deployment, its
// remaining requests are sent after the checks, or it is watched, or its changes are reverted.
func Resume(checks *Preflighter) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, checks: checks, purpose: purposeResume, ready: map[string]*readyNode{}}
}

// GiveBack returns an action that reverts the changes made by interrupted deployments and removes their records. If
// Ironic has accepted a deployment, only the record is removed.
func GiveBack(checks *Preflighter) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, checks: checks, purpose: purposeGiveBack, ready: map[string]*readyNode{}}
}

// followUp is the remaining work on an earlier deployment. It is done instead of a new deployment.
type followUp int

const (
	followUpNone followUp = iota
	followUpWatch
	followUpGiveBack
	// followUpForget removes the record, because there is nothing left to do.
	followUpForget
)

func (r followUp) effect(u *Unfinished) string {
	since := u.Started.Local().Format(time.DateTime)
	switch r {
	case followUpWatch:
		return "no new deployment: the deployment started at " + since + " is already running and is watched"
	case followUpGiveBack:
		return "the changes made by the deployment started at " + since + " are reverted; nothing is deployed"
	case followUpForget:
		return "nothing is sent: the record of the deployment started at " + since + " is removed"
	case followUpNone:
	}
	return ""
}

// OnlyFollows reports whether the action only watches the deployment, because Ironic has already accepted it. It may
// then record the root disk; see [DeployAction.Requests].
func (a *DeployAction) OnlyFollows(n *models.Node) bool {
	r := a.checked(n)
	return r.err == nil && r.followUp == followUpWatch
}

// OtherDeploymentError reports that an interrupted deployment of the node differs from the requested one.
type OtherDeploymentError struct {
	Unfinished Unfinished
	// Accepted reports whether Ironic has accepted the other deployment.
	Accepted bool
}

// Error names the commands that resume or end the other deployment.
func (e *OtherDeploymentError) Error() string {
	return e.sentence("ironworks deploy --resume", "ironworks undeploy ends it")
}

// OnScreen is like Error, but names console commands where there are any.
func (e *OtherDeploymentError) OnScreen() string {
	return e.sentence(":deploy-resume", "undeploy (:undeploy) ends it")
}

func (e *OtherDeploymentError) sentence(resume, undeploy string) string {
	end := "ironworks deploy --give-back reverts it"
	if e.Accepted {
		end = undeploy
	}
	return fmt.Sprintf("a different deployment of this node, started %s, is unfinished (%s): %s continues it, %s",
		e.Unfinished.Started.Local().Format(time.DateTime), e.Unfinished.Stage, resume, end)
}

var errNoUnfinished = &models.RemedyError{
	Err: errors.New("the node has no unfinished deployment"), Hint: "ironworks deploy --unfinished lists all unfinished deployments", ScreenHint: ":deploy-resume finds all unfinished deployments",
}

// settleTimeout is the maximum time to wait until it is known which requests have arrived.
const settleTimeout = 2 * time.Minute

// waitUntilKnown waits until it is known which requests of an interrupted deployment have arrived. It rereads n while
// it waits, and returns the next action and the reason for it.
func (a *DeployAction) waitUntilKnown(ctx context.Context, n *models.Node, rec *record) (next, string, error) {
	reader, can := a.checks.Reader.(interface {
		Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	})
	start := time.Now()
	for {
		now := time.Now()
		action, why := rec.next(n, now)
		switch {
		case action != nextWait:
			return action, why, nil
		case !can, now.Sub(start) > settleTimeout:
			why := "the state of the unfinished deployment is unknown"
			if n.Reservation != "" {
				why += ": the node is locked by " + printable.Line(n.Reservation)
			}
			return action, "", errors.New(why)
		}
		if err := wait(ctx, time.Second); err != nil {
			return action, "", err
		}
		fresh, err := reader.Node(ctx, n.UUID)
		if err != nil {
			return action, "", err
		}
		*n = *fresh
	}
}

// resumeFrom decides how to resume an earlier attempt to deploy the node.
func (a *DeployAction) resumeFrom(d Deployment, n *models.Node, r *readyNode, action next, why string) (Deployment, error) {
	u := &r.before.Unfinished
	r.reason = why
	same := a.purpose != purposeDeploy || r.requested.digest() == u.Digest && r.verb == u.verb()
	if a.purpose != purposeDeploy {
		r.verb = u.verb()
	}
	switch {
	case action == nextOver && a.purpose == purposeDeploy:
		r.before = nil
		return d, nil
	case action == nextOver, action == nextFollow && a.purpose == purposeGiveBack:
		r.followUp = followUpForget
		return d, nil
	case a.purpose == purposeGiveBack && u.Stage == StageSent:
		r.followUp = followUpForget
		return d, nil
	case a.purpose == purposeGiveBack, action == nextGiveBack && a.purpose == purposeResume:
		r.followUp = followUpGiveBack
		return d, nil
	case !same && u.Stage == StageSent && action == nextFollow:
		return d, nil // the checks fail and name the conflict
	case !same && u.Stage != StageSent:
		return d, &OtherDeploymentError{Unfinished: *u, Accepted: action == nextFollow}
	case action == nextFollow:
		r.followUp, r.instance = followUpWatch, u.Instance
		return d, nil
	}
	if a.purpose == purposeResume {
		if r.before.Deployment == nil {
			return d, errors.New("the deployment failed after Ironic accepted it, and its request is no longer stored: run the original deploy command again")
		}
		var err error
		if d, err = r.before.Deployment.deployment(); err != nil {
			return d, err
		}
		r.requested, r.overrides = r.before.Deployment, u.Overrides
	}
	r.instance, r.kept, d.ownInstance = u.Instance, u.Kept, u.Instance
	r.restore = stillChanged(n, r.before.Restore)
	return d, nil
}

func stillChanged(n *models.Node, back []models.PatchOp) []models.PatchOp {
	return slices.DeleteFunc(slices.Clone(back), func(op models.PatchOp) bool {
		now, there := valueAt(n, op.Path)
		if op.Op == "remove" {
			return !there
		}
		return there && SameJSON(now, op.Value)
	})
}

// sentBefore returns a single entry for all requests of an earlier attempt. These requests are not sent again, but may
// have to be reverted.
func (r *readyNode) sentBefore() entry {
	back := r.before.undo()
	back.restore = r.restore
	return entry{verb: "earlier attempt", sent: true, undo: back}
}

// resumeWatching watches a deployment that was sent by an earlier process. If opts.Wait is unset and the action is to
// deploy, it only records that the deployment was sent.
func (r *Runner) resumeWatching(going context.Context, a *DeployAction, n *models.Node, rec *record, opts RunOptions, log *deploymentLog, res *Result) {
	res.Outcome = OutcomeAccepted
	if !opts.Wait && a.purpose == purposeDeploy {
		res.Err = log.setStage(StageSent, time.Now())
		return
	}
	if res.Err = log.setStage(StageFollowing, time.Now()); res.Err != nil {
		res.Outcome = OutcomeUnknown
		return
	}
	before := *n
	before.ProvisionState = rec.From
	r.follow(going, a, &before, rec.At, opts, res)
	r.updateRecord(log, res)
}

// updateRecord updates the record of a deployment that was watched. After a success, it removes the record. After a
// failure, it keeps the record, which identifies the node's instance. An unknown outcome changes nothing.
func (r *Runner) updateRecord(log *deploymentLog, res *Result) {
	switch res.Outcome {
	case OutcomeDone:
		res.Err = errors.Join(res.Err, log.remove())
	case OutcomeFailed:
		res.Err = errors.Join(res.Err, log.setStage(StageSent, time.Now()))
	case OutcomeAccepted, OutcomeRefused, OutcomeUnknown, OutcomeNotTried, OutcomeCanceled:
	}
}

func (r *Runner) finishGiveBack(ctx context.Context, a *DeployAction, n *models.Node, rec *record, log *deploymentLog, res *Result) {
	back := rec.undo()
	if n.InstanceUUID != rec.Instance && rec.Stage != StageGivingBack {
		back.restore = nil // the node was not reserved, so no field was written
	}
	res.Outcome = OutcomeDone
	if a.purpose == purposeResume {
		res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: failed before Ironic accepted it; its changes were reverted", a.Name(), printable.Line(n.Label()))
	}
	if err := log.givingBack(back.restore, time.Now()); err != nil {
		res.Outcome, res.Err = OutcomeFailed, errors.Join(res.Err, err)
		return
	}
	if err := r.giveBack(ctx, back, time.Time{}, n, log); err != nil {
		res.Outcome, res.Err = OutcomeFailed, errors.Join(res.Err, notGivenBack(n, err))
		return
	}
	res.Err = errors.Join(res.Err, log.remove())
}
