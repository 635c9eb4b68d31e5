package conductor

import (
	"context"
	"strings"
	"time"

	"ironworks/lab/conductor/redfish"
)

// redfishPower implements the redfish power interface.
type redfishPower struct{}

func (redfishPower) state(ctx context.Context, t *task) (string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", err
	}
	return powerOf(system), nil
}

// resets maps Ironic's power changes to Redfish's reset types.
var resets = map[string]string{
	powerOn:      "On",
	powerOff:     "ForceOff",
	reboot:       "ForceRestart",
	softReboot:   "GracefulRestart",
	softPowerOff: "GracefulShutdown",
}

// change implements _set_power_state. Unlike Ironic, it does not try again after the status 409, which the lab's BMCs
// never send in response to a power command.
func (redfishPower) change(ctx context.Context, t *task, system *redfish.System, change string, timeout time.Duration) error {
	if err := system.Reset(ctx, resets[change]); err != nil {
		return err
	}
	if change == reboot {
		t.c.sleep(ctx, 15*time.Second) // wait until the machine has started to restart
	}
	return t.waitForPower(ctx, powerTarget(change), timeout)
}

func (p redfishPower) set(ctx context.Context, t *task, change string, timeout time.Duration) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if change == powerOn || change == reboot || change == softReboot {
		t.restoreBootDevice(ctx, system)
	}
	err = p.change(ctx, t, system, change, timeout)
	// Ironic returns without an error if the status is 400 or 409 and the machine is already in the requested state. The
	// lab's BMCs accept such commands.
	if redfish.AsError(err).IsHTTP() {
		return err
	}
	return redfishFailure(err, "Setting power state to %s failed for node %s. Error: %s", change, t.node.UUID)
}

func (p redfishPower) reboot(ctx context.Context, t *task, timeout time.Duration) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	next := powerOn
	err = func() error {
		if powerOf(system) == powerOn {
			if t.powerStaysOn() {
				next = reboot
			} else {
				next = powerOff
				if err := p.change(ctx, t, system, powerOff, timeout); err != nil {
					return err
				}
				next = powerOn
			}
		}
		t.restoreBootDevice(ctx, system)
		return p.change(ctx, t, system, next, timeout)
	}()
	return redfishFailure(err, "Reboot failed for node %s when setting power state to %s. Error: %s", t.node.UUID, next)
}

// restoreBootDevice sets the boot device again if the BMC supports it only for a single boot.
func (t *task) restoreBootDevice(ctx context.Context, system *redfish.System) {
	device, _ := t.internal("redfish_boot_device").(string)
	if target := bootTargets[strings.ToLower(device)]; target != "" && t.driver.names["management"] == "redfish" {
		_ = t.setOverride(ctx, system, target, false)
	}
}

// bootTargets maps Ironic's boot devices to Redfish's.
var bootTargets = map[string]string{"pxe": "Pxe", "disk": "Hdd", "cdrom": "Cd", "bios": "BiosSetup", "uefihttp": "UefiHttp"}

// setOverride implements _set_boot_device.
func (t *task) setOverride(ctx context.Context, system *redfish.System, target string, persistent bool) error {
	wanted := "Once"
	if persistent {
		wanted = "Continuous"
	}
	enabled := wanted
	if system.Boot.Enabled == wanted {
		enabled = ""
	}
	err := system.SetBoot(ctx, target, enabled, "")
	if redfish.AsError(err) == nil || enabled != "Continuous" {
		return err
	}
	if err := system.SetBoot(ctx, target, "Once", ""); err != nil {
		return err
	}
	t.setInternal("redfish_boot_device", keyOf(bootTargets, target))
	t.save()
	return nil
}
