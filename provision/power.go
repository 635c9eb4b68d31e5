package provision

import (
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// Power is an action that changes the node's power.
func Power(target models.PowerTarget) Action { return powerAction{target: target} }

type powerAction struct {
	plain
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

// Refuse: Ironic turns power changes down while it cleans, because the ramdisk works
// on the disks then.
func (a powerAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if n.ProvisionState.Phase() == models.StateCleaning {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("not possible in state %q", n.ProvisionState), "abort the cleaning first")
	}
	return nil
}

func (a powerAction) Effect(n *models.Node) models.Effect {
	if a.target == models.TargetOn || n.PowerState == models.PowerOff {
		return models.Effect{}
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: a.Name() + " stops what runs on the machine"}
}

func (a powerAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.Power(n.UUID, a.target)}}, nil
}

// powerSettles is how long a power change is given to show: before and after a reboot
// the power state is the same.
const powerSettles = 3 * time.Second

// ended: Ironic sets the target and clears last_error before it accepts a power change,
// so a target that is gone means the end, and an error is one of this change, also
// where it reads as the one before.
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

// BootDevice is an action that sets what the node boots from.
func BootDevice(device string, persistent bool) Action {
	return bootDeviceAction{device: device, persistent: persistent}
}

type bootDeviceAction struct {
	immediate
	device     string
	persistent bool
}

func (a bootDeviceAction) Name() string                                           { return "boot-device " + a.device }
func (a bootDeviceAction) Refuse(*models.Node, models.APIVersion) *models.Refusal { return nil }
func (a bootDeviceAction) Effect(*models.Node) models.Effect                      { return models.Effect{} }

func (a bootDeviceAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.BootDevice(n.UUID, a.device, a.persistent)}}, nil
}

// Maintenance is an action that takes a node out of Ironic's hands, or gives it back.
func Maintenance(on bool, reason string) Action { return maintenanceAction{on: on, reason: reason} }

type maintenanceAction struct {
	immediate
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

// Effect: with maintenance on Ironic ignores heartbeats, and what goes on stalls.
func (a maintenanceAction) Effect(n *models.Node) models.Effect {
	if a.on && n.ProvisionState.Busy() {
		return models.Effect{Danger: models.DangerInterrupts, Text: fmt.Sprintf("the node is %s: in maintenance that stalls", n.ProvisionState)}
	}
	return models.Effect{}
}

func (a maintenanceAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.Maintenance(n.UUID, a.on, a.reason)}}, nil
}

// Protect is an action that guards a node against undeploy and rebuild, or lifts that.
func Protect(on bool, reason string) Action {
	return flagAction{name: named(on, "protect", "unprotect"), field: "protected", on: on, reason: reason}
}

// Retire is an action that marks a node as leaving the fleet, or lifts that.
func Retire(on bool, reason string) Action {
	return flagAction{name: named(on, "retire", "unretire"), field: "retired", on: on, reason: reason}
}

func named(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

type flagAction struct {
	immediate
	name, field string
	on          bool
	reason      string
}

func (a flagAction) Name() string { return a.name }

func (a flagAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	s := n.ProvisionState
	switch {
	case a.field == "protected" && a.on && s != models.StateActive && s != models.StateRescue:
		return refusal(a, n, models.RefusedState, fmt.Sprintf("not possible in state %q, only in \"active\", \"rescue\"", s), "")
	case a.field == "retired" && a.on && s == models.StateAvailable:
		return refusal(a, n, models.RefusedState, `not possible in state "available"`, "ironworks manage "+n.Label()+" first")
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
