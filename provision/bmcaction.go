package provision

import (
	"context"
	"fmt"
	"sync"

	"ironworks/bmc"
	"ironworks/models"
	"ironworks/printable"
)

// Order returns an action that sends the order directly to a node's BMC, without Ironic.
func (b *BMCs) Order(o models.BMCOrder) Action { return &bmcAction{bmcs: b, order: o} }

type bmcAction struct {
	immediateAction
	bmcs    *BMCs
	order   models.BMCOrder
	results sync.Map // results as text, by node UUID
}

// OrdersBMC reports whether the action sends an order to a BMC.
func OrdersBMC(a Action) bool {
	_, is := a.(*bmcAction)
	return is
}

func (a *bmcAction) Name() string { return "BMC " + a.order.Name() }

// Refuse refuses invalid orders and nodes without a BMC address. During cleaning, it also refuses orders that
// interrupt the machine, as Ironic does for power changes.
func (a *bmcAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if err := a.order.Check(); err != nil {
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	if _, err := bmc.TargetOf(n); err != nil {
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	if n.ProvisionState.Phase() == models.StateCleaning && a.interruptsWorkload() {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("not possible in state %q: the ramdisk is erasing disks", n.ProvisionState), "ironworks abort "+n.Label()+" first").
			WithScreenHint("abort the cleaning first (:abort)")
	}
	return nil
}

// interruptsWorkload reports whether the order may interrupt the workload on the machine.
func (a *bmcAction) interruptsWorkload() bool {
	switch a.order.Verb {
	case models.BMCPowerOff, models.BMCShutDown, models.BMCReset, models.BMCRestart, models.BMCPowerCycle, models.BMCEject:
		return true
	case models.BMCPowerOn, models.BMCBootOnce, models.BMCInsert, models.BMCClearJobs, models.BMCResetController:
	}
	return false
}

// Effect describes the order and Ironic's reaction: unless the node is in maintenance, the next power sync restores the
// stored power state within a minute by default ([conductor]force_power_state_during_sync).
func (a *bmcAction) Effect(n *models.Node) models.Effect {
	e := a.order.Effect()
	switch a.order.Verb {
	case models.BMCPowerOn, models.BMCPowerOff, models.BMCShutDown, models.BMCPowerCycle:
		if !n.Maintenance {
			e.Text += "; by default, Ironic restores the previous power state within a minute; to keep the change, change the power through Ironic"
		}
	case models.BMCReset, models.BMCRestart, models.BMCBootOnce, models.BMCInsert, models.BMCEject, models.BMCClearJobs, models.BMCResetController:
	}
	if n.ProvisionState.Busy() {
		e.Danger = max(e.Danger, models.DangerInterrupts)
		if a.order.Verb == models.BMCInsert || a.order.Verb == models.BMCEject {
			e.Danger = models.DangerMayErase // the machine may boot from the wrong medium in the middle of a write
		}
		e.Text = fmt.Sprintf("the node is %s: this may disrupt the operation. ", n.ProvisionState) + e.Text
	}
	return e
}

func (a *bmcAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{
		verb: a.Name(),
		send: func(ctx context.Context) error {
			target, err := a.bmcs.Target(ctx, n)
			if err != nil {
				return err
			}
			did, err := bmc.Do(ctx, target, a.order)
			if err != nil {
				return asCredentialsError(err, n.Label(), &target)
			}
			a.results.Store(n.UUID, printable.Line(did))
			return nil
		},
	}}, nil
}

func (a *bmcAction) resultText(n models.NodeRef) string {
	did, _ := a.results.Load(n.UUID)
	return models.TextOf(did)
}

// OrderBMC sends an order directly to a controller, without using Ironic. The audit log contains the controller's
// address in place of the node. did is the controller's description of the result.
func (r *Runner) OrderBMC(ctx context.Context, b *BMCs, target bmc.Target, o models.BMCOrder) (did string, err error) {
	a := &bmcAction{bmcs: b, order: o}
	n := &models.Node{Name: models.MaskURL(target.Address)}
	if r.ReadOnly {
		return "", readOnly(a.Name(), n.Label())
	}
	if err := o.Check(); err != nil {
		return "", err
	}
	if err := b.complete(ctx, "", &target); err != nil {
		return "", err
	}
	_, _, err = r.audited(ctx, entry{verb: a.Name(), send: func(ctx context.Context) error {
		did, err = bmc.Do(ctx, target, o)
		return asCredentialsError(err, "", &target)
	}}, n)
	return printable.Line(did), err
}
