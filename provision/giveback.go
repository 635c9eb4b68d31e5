package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
)

// giveBackTimeout is the time limit for reverting changes. Changes are reverted even after an interrupt.
const giveBackTimeout = 30 * time.Second

// undo describes the changes to a node that must be reverted: first the changes to its fields, then its reservation.
type undo struct {
	// instance is the instance_uuid that reserves the node.
	instance string
	// restore lists the operations that restore the fields, in the order in which they must be applied.
	restore []models.PatchOp
	// reserved reports whether instance was written to the node. allocated reports whether an allocation with
	// instance as its UUID reserves the node. If both are false, the node keeps its instance.
	reserved, allocated bool
}

func (u undo) empty() bool { return len(u.restore) == 0 && !u.reserved && !u.allocated }

// NotGivenBackError reports that changes of a failed deployment could not be reverted. The record still lists them.
type NotGivenBackError struct{ models.RemedyError }

func notGivenBack(n *models.Node, err error) *NotGivenBackError {
	// The console has no key that reverts a deployment without continuing it.
	remedy := "to continue: ironworks deploy --give-back " + printable.Line(n.Label())
	return &NotGivenBackError{models.RemedyError{Err: fmt.Errorf("cannot release the node: %w", err), Hint: remedy, ScreenHint: remedy}}
}

// undoOf returns an undo that reverts all entries, starting with the last one.
func undoOf(reqs []entry) undo {
	var all undo
	for _, req := range slices.Backward(reqs) {
		if u := req.undo; !u.empty() {
			all.instance = u.instance
			all.restore = append(all.restore, u.restore...)
			all.reserved = all.reserved || u.reserved
			all.allocated = all.allocated || u.allocated
		}
	}
	return all
}

// undo returns an undo that reverts all changes that may have been made according to the record.
func (r *record) undo() undo {
	return undo{instance: r.Instance, restore: r.Restore, reserved: !r.Kept && !r.Allocated, allocated: r.Allocated}
}

// revert handles a failure: it reverts the changes that the entries in sent have made. onItsWay is the time of a
// request that may still arrive, or zero. The record is kept until all changes have been reverted. The result reports
// whether the changes were reverted and the record was removed.
func (r *Runner) revert(ctx context.Context, sent []entry, onItsWay time.Time, n *models.Node, log *deploymentLog, res *Result) bool {
	back := undoOf(sent)
	err := log.givingBack(back.restore, time.Now())
	if failed := r.giveBack(ctx, back, onItsWay, n, log); failed != nil {
		res.Err = errors.Join(res.Err, notGivenBack(n, failed))
		return false
	}
	if err = errors.Join(err, log.remove()); err != nil {
		res.Err = errors.Join(res.Err, err)
	}
	return err == nil
}

// revertUnknown handles the case where the last request may have been carried out. That request is reverted together
// with the others, as soon as it can no longer be in transit. A request that cannot be reverted, such as the deployment
// itself, stays in the record, so that it can be resumed later. If ctx is done, all requests stay in the
// record.
func (r *Runner) revertUnknown(ctx context.Context, sent []entry, n *models.Node, log *deploymentLog, res *Result) {
	if sent[len(sent)-1].undo.empty() || ctx.Err() != nil {
		res.Err = log.withResumeHint(res.Err)
		return
	}
	if r.revert(ctx, sent, time.Now(), n, log, res) {
		res.Outcome = OutcomeFailed // all changes to the node were reverted
	}
}

// giveBack reverts changes, even after an interrupt. It reads the node first, so that nothing is reverted twice and a
// node reserved by another client is not touched. It stops at the first failure. The reservation is released last;
// otherwise, the node's next owner would inherit the fields that this deployment has set.
func (r *Runner) giveBack(ctx context.Context, back undo, onItsWay time.Time, n *models.Node, log *deploymentLog) error {
	if back.empty() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer stop()
	ctx = log.renewOnRetry(ctx, func(ironicclient.Retry) {})
	now, err := r.nodeAfterArrival(ctx, n, onItsWay)
	if err != nil {
		return fmt.Errorf("release the node: %w", err)
	}
	if now.InstanceUUID == "" || now.InstanceUUID == back.instance {
		if err := log.renew(time.Now()); err != nil {
			return err
		}
		if err := r.restore(ctx, stillChanged(now, back.restore), n); err != nil {
			return err
		}
	}
	if err := log.givingBack(nil, time.Now()); err != nil {
		return err
	}
	switch {
	case back.allocated:
		return r.sendUndo(ctx, unallocate(back.instance), n)
	case back.reserved && now.InstanceUUID == back.instance:
		return r.restore(ctx, []models.PatchOp{{Op: "remove", Path: "/instance_uuid"}}, n)
	}
	return nil
}

func (r *Runner) restore(ctx context.Context, ops []models.PatchOp, n *models.Node) error {
	if len(ops) == 0 {
		return nil
	}
	return r.sendUndo(ctx, patchEntry("give back "+pathsOf(ops), n, ops), n)
}

func (r *Runner) sendUndo(ctx context.Context, e entry, n *models.Node) error {
	if _, _, err := r.audited(ctx, e, n); err != nil {
		return fmt.Errorf("%s: %w", e.verb, err)
	}
	return nil
}

// nodeAfterArrival waits until a request has either arrived or can no longer arrive, and then reads the node. It waits
// until [settleTime] has passed since sent, the time of the request, and until no conductor has the node locked. If
// sent is zero, it does not wait.
func (r *Runner) nodeAfterArrival(ctx context.Context, n *models.Node, sent time.Time) (*models.Node, error) {
	for {
		now, err := r.API.Node(ctx, n.UUID)
		if err != nil || sent.IsZero() {
			return now, err
		}
		waited := time.Since(sent)
		if waited >= settleTime && now.Reservation == "" {
			return now, nil
		}
		if err := wait(ctx, max(settleTime-waited, time.Second)); err != nil {
			return nil, err
		}
	}
}

// concludeTimeout is the time limit of the request that is sent after an action has succeeded. At that time, the
// conductor may still hold the lock on the node.
const concludeTimeout = 30 * time.Second

// conclude sends the request that follows a success. If that fails, it returns a note for the result.
func (r *Runner) conclude(ctx context.Context, a Action, n *models.Node) (note string) {
	ctx, stop := context.WithTimeout(ctx, concludeTimeout)
	defer stop()
	write, err := a.conclusion(ctx, r.API, n.UUID)
	if err == nil && write != nil {
		_, _, err = r.audited(ctx, *write, n)
	}
	if err != nil {
		return printable.Line(fmt.Sprintf("deployed, but cannot record the root disk in %s: %v", rootDiskPlace, err))
	}
	return ""
}
