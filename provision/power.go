package provision

import (
	"fmt"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Power returns an action that changes the power state of nodes.
func Power(target models.PowerTarget) Action { return powerAction{target: target} }

type powerAction struct {
	watchedAction
	target models.PowerTarget
}

func (a powerAction) Name() string {
	switch a.target {
	case models.TargetOn, models.TargetOff:
		return string(a.target)
	case models.TargetReboot:
		return "power reboot"
	case models.TargetSoftOff:
		return "power soft-off"
	case models.TargetSoftReboot:
		return "power soft-reboot"
	}
	return "power " + string(a.target)
}

// Refuse refuses power changes during cleaning, as Ironic does, because the ramdisk may be erasing disks.
func (a powerAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if n.ProvisionState.Phase() == models.StateCleaning {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("not possible in state %q", n.ProvisionState), "ironworks abort "+n.Label()+" first").
			WithScreenHint("abort the cleaning first (:abort)")
	}
	return nil
}

func (a powerAction) Effect(n *models.Node) models.Effect {
	off := n.PowerState == models.PowerOff
	text := a.Name() + " interrupts the workload on the machine"
	switch {
	case a.target == models.TargetOn && n.PowerState == models.PowerOn, off && a.target.Ends() == models.PowerOff:
		return models.Effect{}
	case a.target == models.TargetOn:
		text = a.Name() + " boots the machine"
	case off:
		text = "the machine is off: " + a.Name() + " switches it on"
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: text}
}

func (a powerAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.Power(n.UUID, a.target)}}, nil
}

// powerSettles is the time that a power change may take to become visible. It is needed because the power state is
// the same before and after a reboot.
const powerSettles = 3 * time.Second

// ended reports whether the power change has ended. Ironic sets the target and clears last_error before it accepts a
// power change. Therefore, if the target is cleared, the change has ended, and an error belongs to this change even
// if it equals the previous error.
func (a powerAction) ended(before, now *models.Node, waited time.Duration) (verdict, bool) {
	v := verdict{state: string(now.PowerState)}
	fresh := now.LastError != "" && now.LastError != before.LastError
	settled := waited >= powerSettles
	reboots := a.target == models.TargetReboot || a.target == models.TargetSoftReboot
	switch {
	case now.TargetPowerState != "":
		return v, false
	case fresh:
		return v, true
	case now.PowerState != a.target.Ends():
		return v, settled
	case reboots && before.PowerState == now.PowerState:
		v.ok = now.LastError == ""
		return v, settled
	}
	v.ok = true
	return v, true
}

// BootDevice returns an action that sets the boot device of nodes.
func BootDevice(device string, persistent bool) Action {
	return requestAction{name: "boot-device " + device, request: func(n *models.Node) request.Request {
		return request.BootDevice(n.UUID, device, persistent)
	}}
}

// Maintenance returns an action that sets or clears the maintenance flag of nodes.
func Maintenance(on bool, reason string) Action {
	return requestAction{
		name:    "maintenance " + nameOf(on, "on", "off"),
		effect:  func(n *models.Node) models.Effect { return maintenanceEffect(n, on) },
		request: func(n *models.Node) request.Request { return request.Maintenance(n.UUID, on, reason) },
	}
}

// maintenanceEffect warns that maintenance stalls a running operation, because Ironic ignores heartbeats.
func maintenanceEffect(n *models.Node, on bool) models.Effect {
	text := "Ironic stops its power sync and ignores heartbeats; the node cannot be deployed"
	switch {
	case on == n.Maintenance:
		return models.Effect{}
	case !on && n.MaintenanceReason != "":
		text = "Ironic acts on the node again; the maintenance reason was: " + printable.Line(n.MaintenanceReason)
	case !on:
		text = "Ironic acts on the node again"
	case n.ProvisionState.Busy():
		text = fmt.Sprintf("the node is %s: maintenance stalls the operation", n.ProvisionState)
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: text}
}

// Protect returns an action that protects nodes against undeploy and rebuild, or removes the protection.
func Protect(on bool, reason string) Action {
	return flagAction(nameOf(on, "protect", "unprotect"), "protected", on, reason, func(a Action, n *models.Node) *models.Refusal {
		protectable := []models.ProvisionState{models.StateActive, models.StateRescue}
		if on && !slices.Contains(protectable, n.ProvisionState) {
			return refusal(a, n, models.RefusedState, models.NotPossibleIn(n.ProvisionState, protectable), "")
		}
		return unchangeable(a, n)
	})
}

// Retire returns an action that marks nodes as retired, or removes the mark.
func Retire(on bool, reason string) Action {
	return flagAction(nameOf(on, "retire", "unretire"), "retired", on, reason, func(a Action, n *models.Node) *models.Refusal {
		if on && n.ProvisionState == models.StateAvailable {
			return refusal(a, n, models.RefusedState, `not possible in state "available"`, "ironworks manage "+n.Label()+" first").
				WithScreenHint("manage the node first (:manage)")
		}
		return unchangeable(a, n)
	})
}

func nameOf(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

// flagAction returns an action that sets a flag of a node, with its reason.
func flagAction(name, field string, on bool, reason string, refuse func(a Action, n *models.Node) *models.Refusal) Action {
	ops := []models.PatchOp{{Op: "add", Path: "/" + field, Value: on}}
	if on && reason != "" {
		ops = append(ops, models.PatchOp{Op: "add", Path: "/" + field + "_reason", Value: reason})
	}
	return requestAction{name: name, refuse: refuse, request: func(n *models.Node) request.Request { return request.Patch(n.UUID, ops) }}
}
