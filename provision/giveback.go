package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// giveBackWithin is how long giving back may take, also after an interrupt.
const giveBackWithin = 30 * time.Second

// undo takes changes of a node back: first its fields, then the node's reservation.
type undo struct {
	// instance is the instance_uuid that reserves the node.
	instance string
	// restore are the operations that restore fields, in order.
	restore []models.PatchOp
	// reserved says that instance was written to the node, allocated that an allocation
	// with that UUID reserves it. With neither the node keeps its instance.
	reserved, allocated bool
}

func (u undo) empty() bool { return len(u.restore) == 0 && !u.reserved && !u.allocated }

// NotGivenBackError says that changes of a deployment that failed could not be taken back.
// The record keeps what is left.
type NotGivenBackError struct {
	Node models.NodeRef
	Err  error
}

// Error says how to continue.
func (e *NotGivenBackError) Error() string {
	return fmt.Sprintf("the node could not be given back: %v (ironworks deploy --give-back %s continues)", e.Err, models.Printable(e.Node.Label()))
}

// Unwrap is why.
func (e *NotGivenBackError) Unwrap() error { return e.Err }

// undoOf is what takes all of the requests back, the last first.
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

// undo is what takes back all that the record says may have been changed.
func (r *record) undo() undo {
	return undo{instance: r.Instance, restore: r.Restore, reserved: !r.Kept && !r.Allocated, allocated: r.Allocated}
}

// backOut gives back what the requests changed, after one that failed. A request that may
// still be on its way was sent at the given time, else that is zero. The record stays
// while anything is left to give back.
func (r *Runner) backOut(ctx context.Context, sent []entry, onItsWay time.Time, n *models.Node, log *deploymentLog, res *Result) bool {
	back := undoOf(sent)
	err := log.givingBack(back.restore, r.Clock.Now())
	if failed := r.giveBack(ctx, back, onItsWay, n, log); failed != nil {
		res.Err = errors.Join(res.Err, &NotGivenBackError{Node: n.Ref(), Err: failed})
		return false
	}
	if err = errors.Join(err, log.over()); err != nil {
		res.Err = errors.Join(res.Err, err)
	}
	return err == nil
}

// backOutOfUnknown deals with a last request that may have been carried out. It is taken
// back with the others, after the time that it may be on its way. A request that cannot be
// taken back, such as the one that deploys, stays in the record for a later resume, and so
// does everything when ctx has ended.
func (r *Runner) backOutOfUnknown(ctx context.Context, sent []entry, n *models.Node, log *deploymentLog, res *Result) {
	if sent[len(sent)-1].undo.empty() || ctx.Err() != nil {
		res.Err = log.explained(res.Err)
		return
	}
	if r.backOut(ctx, sent, r.Clock.Now(), n, log, res) {
		res.Outcome = OutcomeFailed // the node is as it was before
	}
}

// giveBack takes changes back, also after an interrupt. It reads the node first, so that
// what was given back before is not sent again, and a node that is reserved by somebody
// else is left alone. It stops at the first failure: the release comes last, for whoever
// reserves the node next would keep our fields.
func (r *Runner) giveBack(ctx context.Context, back undo, onItsWay time.Time, n *models.Node, log *deploymentLog) error {
	if back.empty() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer stop()
	ctx = log.renewing(ctx, r.Clock, func(ironicclient.Retry) {})
	now, err := r.arrived(ctx, n, onItsWay)
	if err != nil {
		return fmt.Errorf("give back: %w", err)
	}
	if now.InstanceUUID == "" || now.InstanceUUID == back.instance {
		if err := log.renew(r.Clock.Now()); err != nil {
			return err
		}
		if err := r.restore(ctx, stillChanged(now, back.restore), n); err != nil {
			return err
		}
	}
	if err := log.givingBack(nil, r.Clock.Now()); err != nil {
		return err
	}
	var release entry
	switch {
	case back.allocated:
		release = unallocate(back.instance)
	case back.reserved && now.InstanceUUID == back.instance:
		release = patchEntry("give back /instance_uuid", n, []models.PatchOp{{Op: "remove", Path: "/instance_uuid"}})
	default:
		return nil
	}
	if _, _, err := r.audited(ctx, release, n); err != nil {
		return fmt.Errorf("%s: %w", release.verb, err)
	}
	return nil
}

func (r *Runner) restore(ctx context.Context, ops []models.PatchOp, n *models.Node) error {
	if len(ops) == 0 {
		return nil
	}
	req := patchEntry("give back "+pathsOf(ops), n, ops)
	if _, _, err := r.audited(ctx, req, n); err != nil {
		return fmt.Errorf("%s: %w", req.verb, err)
	}
	return nil
}

// arrived reads the node, once a request that was sent at a time has arrived or will not
// any more: after [settleTime], and when no conductor has the node locked. The zero time is
// no such request.
func (r *Runner) arrived(ctx context.Context, n *models.Node, sent time.Time) (*models.Node, error) {
	for {
		now, err := r.API.Node(ctx, n.UUID)
		if err != nil || sent.IsZero() {
			return now, err
		}
		waited := r.Clock.Now().Sub(sent)
		if waited >= settleTime && now.Reservation == "" {
			return now, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.Clock.After(max(settleTime-waited, time.Second)):
		}
	}
}
