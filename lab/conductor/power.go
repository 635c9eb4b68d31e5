package conductor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ironworks/python"
)

// SetPower starts a power change. The timeout is in seconds; 0 means the configured timeout.
func (c *Conductor) SetPower(ctx context.Context, uuid, target string, timeout int) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if err := t.validateRedfish("power"); err != nil {
			return err
		}
		if powerTarget(target) == "" {
			return invalid("The driver %s does not support the power state, %s", t.node.Driver, target)
		}
		limit := time.Duration(timeout) * time.Second
		if limit == 0 && (target == softReboot || target == softPowerOff) {
			limit = softOffTimeout
		}
		before := t.node.PowerState
		t.node.TargetPowerState, t.node.LastError = powerOff, ""
		if powerTarget(target) == powerOn {
			t.node.TargetPowerState = powerOn
		}
		t.save()
		t.refused = func(err error) {
			if isKind(err, kindNoWorker) {
				t.node.PowerState, t.node.TargetPowerState = before, ""
				t.recordError(err)
			}
		}
		t.continueWith("node_power_action", func(t *task, ctx context.Context) error { return t.setPowerWithin(ctx, target, limit) })
		return nil
	})
}

// setPower implements node_power_action, with the configured timeout.
func (t *task) setPower(ctx context.Context, change string) error {
	return t.setPowerWithin(ctx, change, 0)
}

func (t *task) setPowerWithin(ctx context.Context, change string, timeout time.Duration) error {
	target := powerTarget(change)
	if target == powerOff && t.powerStaysOn() {
		return powerFailure(change)
	}
	skip, err := t.powerIsAlready(ctx, change)
	if err != nil {
		return err
	}
	if skip {
		if target == powerOff {
			t.wipeOnPowerOff()
			t.save()
		}
		return nil
	}
	t.node.TargetPowerState = target
	if !isFailure(t.node.ProvisionState) {
		t.node.LastError = ""
	}
	t.stamp("last_power_state_change")
	if change != powerOn {
		t.wipeOnPowerOff()
	}
	t.save()
	if change == reboot {
		err = t.driver.power.reboot(ctx, t, timeout)
	} else {
		err = t.driver.power.set(ctx, t, change, timeout)
	}
	t.node.TargetPowerState = ""
	if err != nil {
		t.record(fmt.Sprintf("Failed to change power state to '%s' by '%s': %s", target, change, messageOf(err)), "", true)
		t.save()
		return err
	}
	t.node.PowerState = target
	t.save()
	return nil
}

// powerIsAlready reports whether the machine is already in that state. If so, it clears the last error.
func (t *task) powerIsAlready(ctx context.Context, change string) (bool, error) {
	if change != powerOn && change != powerOff && change != softPowerOff {
		return false, nil
	}
	now, err := t.driver.power.state(ctx, t)
	if err != nil {
		t.record(fmt.Sprintf("Failed to change power state to '%s': %s", change, messageOf(err)), "", true)
		t.node.TargetPowerState = ""
		t.save()
		return false, err
	}
	if now != powerTarget(change) {
		return false, nil
	}
	t.node.LastError, t.node.PowerState, t.node.TargetPowerState = "", now, ""
	t.save()
	return true, nil
}

// wipeOnPowerOff removes the agent's data from the node, because the agent does not survive a power-off.
func (t *task) wipeOnPowerOff() {
	t.dropInternal("agent_url")
	if !python.Truthy(t.internal("agent_secret_token_pregenerated")) {
		t.dropInternal("agent_secret_token")
	}
	t.dropInternal("agent_cached_deploy_steps", "agent_cached_clean_steps", "agent_verify_ca", "agent_start_attempted")
}

// waitForPower waits until the machine is in the given power state. A timeout of 0 means the configured timeout.
func (t *task) waitForPower(ctx context.Context, state string, timeout time.Duration) error {
	deadline := time.Now().Add(cmp.Or(timeout, t.c.options.Timeouts.PowerChange))
	for {
		if !t.c.sleep(ctx, time.Second) {
			return fmt.Errorf("waiting for %s: %w", state, ctx.Err())
		}
		now, err := t.driver.power.state(ctx, t)
		if err != nil {
			return err
		}
		if now == state {
			return nil
		}
		if time.Now().After(deadline) {
			return powerFailure(state)
		}
	}
}

// powerOffAndOn calls do while the machine is off, or restarts it afterwards if it must stay powered on.
func (t *task) powerOffAndOn(ctx context.Context, do func() error) error {
	if !t.powerStaysOn() {
		if err := t.setPower(ctx, powerOff); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	return t.setPower(ctx, t.powerOnAgain())
}

// restartIntoAgent restarts a machine with an instance into the agent.
func (t *task) restartIntoAgent(ctx context.Context) error {
	return t.powerOffAndOn(ctx, func() error {
		t.node.PowerState = powerOn
		t.save()
		if err := t.driver.boot.cleanUpInstance(ctx, t); err != nil {
			return err
		}
		return t.prepareAgentBoot(ctx)
	})
}

// powerOnAgain returns the change that starts a machine, or restarts one that must stay powered on.
func (t *task) powerOnAgain() string {
	if t.powerStaysOn() {
		return reboot
	}
	return powerOn
}

// powerStaysOn implements disable_power_off.
func (t *task) powerStaysOn() bool { return t.node.DisablePowerOff != nil && *t.node.DisablePowerOff }

// wipeAgent removes the agent's address and token from the node (wipe_token_and_url).
func (t *task) wipeAgent() {
	t.dropInternal("agent_secret_token", "agent_secret_token_pregenerated", "agent_url", "agent_verify_ca")
}

// stepFlags lists the fields of driver_internal_info that steps leave behind.
var stepFlags = []string{
	"cleaning_reboot", "deployment_reboot", "servicing_reboot", "skip_current_clean_step", "skip_current_deploy_step",
	"skip_current_service_step", "cleaning_polling", "deployment_polling", "servicing_polling",
}

// wipeSteps removes the node's data about steps of the given kind (wipe_*_internal_info).
func (t *task) wipeSteps(kind stepKind) {
	t.wipeAgent()
	t.setInternal(string(kind)+"_steps", nil)
	t.dropInternal("agent_cached_"+string(kind)+"_steps", string(kind)+"_step_index", "steps_validated", "agent_start_attempted")
	switch kind {
	case deploySteps:
		t.dropInternal("user_deploy_steps", "image_source")
	case cleanSteps:
		t.dropInternal("cleaning_disable_ramdisk", "declarative_cleaning")
	case serviceSteps:
		t.dropInternal("service_disable_ramdisk", "image_source")
	}
	t.dropInternal(stepFlags...)
}
