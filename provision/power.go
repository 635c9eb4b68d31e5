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
	switch {
	case a.target == models.TargetOn && n.PowerState == models.PowerOn, off && a.target.Ends() == models.PowerOff:
		return models.Effect{}
	case a.target == models.TargetOn:
		return models.Effect{Danger: models.DangerInterrupts, Text: a.Name() + " boots the machine"}
	case off:
		return models.Effect{Danger: models.DangerInterrupts, Text: "the machine is off: " + a.Name() + " switches it on"}
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: a.Name() + " interrupts the workload on the machine"}
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
	switch {
	case now.TargetPowerState != "":
		return v, false
	case fresh:
		return v, true
	case now.PowerState != a.target.Ends():
		return v, settled
	case a.reboots() && before.PowerState == now.PowerState:
		v.ok = now.LastError == ""
		return v, settled
	}
	v.ok = true
	return v, true
}

func (a powerAction) reboots() bool {
	return a.target == models.TargetReboot || a.target == models.TargetSoftReboot
}

// BootDevice returns an action that sets the boot device of nodes.
func BootDevice(device string, persistent bool) Action {
	return bootDeviceAction{device: device, persistent: persistent}
}

type bootDeviceAction struct {
	immediateAction
	device     string
	persistent bool
}

func (a bootDeviceAction) Name() string                                           { return "boot-device " + a.device }
func (a bootDeviceAction) Refuse(*models.Node, models.APIVersion) *models.Refusal { return nil }
func (a bootDeviceAction) Effect(*models.Node) models.Effect                      { return models.Effect{} }

func (a bootDeviceAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.BootDevice(n.UUID, a.device, a.persistent)}}, nil
}

// Maintenance returns an action that sets or clears the maintenance flag of nodes.
func Maintenance(on bool, reason string) Action { return maintenanceAction{on: on, reason: reason} }

type maintenanceAction struct {
	immediateAction
	on     bool
	reason string
}

func (a maintenanceAction) Name() string {
	if a.on {
		return "maintenance on"
	}
	return "maintenance off"
}

func (a maintenanceAction) Refuse(*models.Node, models.APIVersion) *models.Refusal { return nil }

// Effect warns that maintenance stalls a running operation, because Ironic ignores heartbeats.
func (a maintenanceAction) Effect(n *models.Node) models.Effect {
	switch {
	case a.on == n.Maintenance:
		return models.Effect{}
	case !a.on && n.MaintenanceReason != "":
		return models.Effect{Danger: models.DangerInterrupts, Text: "Ironic acts on the node again; the maintenance reason was: " + printable.Line(n.MaintenanceReason)}
	case !a.on:
		return models.Effect{Danger: models.DangerInterrupts, Text: "Ironic acts on the node again"}
	case n.ProvisionState.Busy():
		return models.Effect{Danger: models.DangerInterrupts, Text: fmt.Sprintf("the node is %s: maintenance stalls the operation", n.ProvisionState)}
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: "Ironic stops its power sync and ignores heartbeats; the node cannot be deployed"}
}

func (a maintenanceAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.Maintenance(n.UUID, a.on, a.reason)}}, nil
}

// Protect returns an action that protects nodes against undeploy and rebuild, or removes the protection.
func Protect(on bool, reason string) Action {
	return flagAction{name: nameOf(on, "protect", "unprotect"), field: "protected", on: on, reason: reason}
}

// Retire returns an action that marks nodes as retired, or removes the mark.
func Retire(on bool, reason string) Action {
	return flagAction{name: nameOf(on, "retire", "unretire"), field: "retired", on: on, reason: reason}
}

func nameOf(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

type flagAction struct {
	immediateAction
	name, field string
	on          bool
	reason      string
}

func (a flagAction) Name() string { return a.name }

func (a flagAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	s, protectable := n.ProvisionState, []models.ProvisionState{models.StateActive, models.StateRescue}
	switch {
	case a.field == "protected" && a.on && !slices.Contains(protectable, s):
		return refusal(a, n, models.RefusedState, models.NotPossibleIn(s, protectable), "")
	case a.field == "retired" && a.on && s == models.StateAvailable:
		return refusal(a, n, models.RefusedState, `not possible in state "available"`, "ironworks manage "+n.Label()+" first").
			WithScreenHint("manage the node first (:manage)")
	}
	return unchangeable(a, n)
}

func (a flagAction) Effect(*models.Node) models.Effect { return models.Effect{} }

func (a flagAction) entries(n *models.Node) ([]entry, error) {
	ops := []models.PatchOp{{Op: "add", Path: "/" + a.field, Value: a.on}}
	if a.on && a.reason != "" {
		ops = append(ops, models.PatchOp{Op: "add", Path: "/" + a.field + "_reason", Value: a.reason})
	}
	return []entry{patchEntry(a.name, n, ops)}, nil
}
