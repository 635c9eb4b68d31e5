package provision

import (
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/request"
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

// powerSettles is the time that a power change may take to become visible. It is needed because the power state is the
// same before and after a reboot.
const powerSettles = 3 * time.Second

// ended reports whether the power change has ended. Ironic sets the target and clears last_error before it accepts a
// change. So without a target, the change has ended, and an error belongs to it even if it equals the previous error.
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
