package provision

import (
	"context"
	"fmt"
	"sync"

	"ironworks/bmc"
	"ironworks/models"
)

// Order is an action that tells a node's BMC what to do, past Ironic, which does not hear
// of it.
func (b *BMCs) Order(o models.BMCOrder) Action { return &bmcAction{bmcs: b, order: o} }

type bmcAction struct {
	immediate
	bmcs  *BMCs
	order models.BMCOrder

	mu  sync.Mutex
	did map[string]string // by the node's uuid
}

// OrdersBMC says that an action is an order to a BMC.
func OrdersBMC(a Action) bool {
	_, is := a.(*bmcAction)
	return is
}

func (a *bmcAction) Name() string { return "BMC " + a.order.Name() }

// Refuse: what Ironic cleans is not to be switched off under it, as Ironic itself would
// say.
func (a *bmcAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if err := a.order.Check(); err != nil {
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	if _, err := bmc.OfNode(n); err != nil {
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	if n.ProvisionState.Phase() == models.StateCleaning && a.disturbs() {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("not while the node is %s: the ramdisk works on its disks", n.ProvisionState), "ironworks abort "+n.Label()+" first")
	}
	return nil
}

// disturbs says that the order may end what runs on the machine.
func (a *bmcAction) disturbs() bool {
	switch a.order.Verb {
	case models.BMCPowerOff, models.BMCShutDown, models.BMCReset, models.BMCRestart, models.BMCPowerCycle, models.BMCEject:
		return true
	case models.BMCPowerOn, models.BMCBootOnce, models.BMCInsert, models.BMCClearJobs, models.BMCResetController:
	}
	return false
}

// Effect adds what Ironic makes of it. By default it sets the power back to what it knows
// ([conductor]force_power_state_during_sync), at the next comparison, a minute away at
// most; not in maintenance.
func (a *bmcAction) Effect(n *models.Node) models.Effect {
	e := a.order.Effect()
	switch a.order.Verb {
	case models.BMCPowerOn, models.BMCPowerOff, models.BMCShutDown, models.BMCPowerCycle:
		if !n.Maintenance {
			e.Text += "; Ironic does not hear of it, and sets the power back within a minute unless it is configured not to: ironworks power goes through Ironic"
		}
	case models.BMCReset, models.BMCRestart, models.BMCBootOnce, models.BMCInsert, models.BMCEject, models.BMCClearJobs, models.BMCResetController:
	}
	if n.ProvisionState.Busy() {
		e.Danger = max(e.Danger, models.DangerInterrupts)
		e.Text = fmt.Sprintf("the node is %s, and Ironic uses its BMC: what it does may fail. ", n.ProvisionState) + e.Text
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
				return wrongLogin(err, n.Label(), &target)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.did == nil {
				a.did = map[string]string{}
			}
			a.did[n.UUID] = models.Printable(did)
			return nil
		},
	}}, nil
}

// note is what the controller did.
func (a *bmcAction) note(n models.NodeRef) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.did[n.UUID]
}

// OrderBMC tells a controller what to do without Ironic, with the runner's audit, in which
// its address stands for the node. It says what was done.
func (r *Runner) OrderBMC(ctx context.Context, b *BMCs, target bmc.Target, o models.BMCOrder) (did string, err error) {
	a := &bmcAction{bmcs: b, order: o}
	n := &models.Node{Name: models.MaskURL(target.Address)}
	if r.ReadOnly {
		return "", r.readOnly(a, n)
	}
	if err := o.Check(); err != nil {
		return "", err
	}
	if err := b.complete(ctx, "", &target); err != nil {
		return "", err
	}
	_, _, err = r.audited(ctx, entry{verb: a.Name(), send: func(ctx context.Context) error {
		did, err = bmc.Do(ctx, target, o)
		return wrongLogin(err, "", &target)
	}}, n)
	return models.Printable(did), err
}
