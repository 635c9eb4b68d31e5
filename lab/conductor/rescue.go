package conductor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ironworks/python"
)

// Rescue starts booting the node into a rescue system that accepts the given password.
func (c *Conductor) Rescue(ctx context.Context, uuid, password string) error {
	return c.withTask(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		if t.node.Maintenance {
			return inMaintenance("rescuing", t.node.UUID)
		}
		t.wipeAgent()
		t.node.InstanceInfo["rescue_password"] = password
		t.node.InstanceInfo["hashed_rescue_password"] = hashPassword(password)
		t.save()
		err := t.validateRedfish("power")
		if err == nil {
			err = t.driver.rescue.validate(ctx, t)
		}
		if err != nil {
			if isInvalid(err) || isKind(err, kindUnsupported) {
				t.dropRescuePassword()
				t.save()
				return t.rescueFailure("Validation failed: " + messageOf(err))
			}
			return err
		}
		if err := t.start(onRescue, "", ""); err != nil {
			t.dropRescuePassword()
			t.save()
			return invalidRequest("rescue", t.node.UUID, t.node.ProvisionState)
		}
		t.refused = func(err error) {
			if isKind(err, kindNoWorker) {
				t.dropRescuePassword()
				t.recordError(err)
			}
		}
		t.continueWith("_do_node_rescue", (*task).rescueNode)
		return nil
	})
}

// nameOrNone returns the name s, or Python's None if it is empty.
func nameOrNone(s string) string { return cmp.Or(s, "None") }

func (t *task) rescueFailure(reason string) error {
	return failure(kindRescueFailure, "Failed to rescue instance %s for node %s: %s", nameOrNone(t.node.InstanceUUID), t.node.UUID, reason)
}

func (t *task) dropRescuePassword() {
	delete(t.node.InstanceInfo, "rescue_password")
	delete(t.node.InstanceInfo, "hashed_rescue_password")
}

// rescueNode implements _do_node_rescue.
func (t *task) rescueNode(ctx context.Context) error {
	state, err := t.driver.rescue.rescue(ctx, t)
	if err != nil {
		t.dropRescuePassword()
		t.rescueProblem(err, "rescue")
		return err
	}
	if state == rescueWait {
		return t.process(onWait)
	}
	return t.process(onDone)
}

func (t *task) rescueProblem(err error, what string) {
	format := "Failed to %s. Exception: %s"
	if isIronic(err) {
		format = "Failed to %s: %s"
	}
	t.record(fmt.Sprintf(format, what, messageOf(err)), "rescue", true)
	_ = t.process(onFail)
}

// Unrescue starts booting the node's instance again.
func (c *Conductor) Unrescue(ctx context.Context, uuid string) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		t.dropInternal("agent_url")
		if t.node.Maintenance {
			return inMaintenance("unrescuing", t.node.UUID)
		}
		if err := t.validateRedfish("power"); err != nil {
			return failure("InstanceUnrescueFailure", "Failed to unrescue instance %s for node %s: Validation failed: %s", nameOrNone(t.node.InstanceUUID), t.node.UUID, messageOf(err))
		}
		return t.begin(onUnrescue, "", "_do_node_unrescue", func(t *task, ctx context.Context) error {
			if _, err := t.driver.rescue.unrescue(ctx, t); err != nil {
				t.rescueProblem(err, "unrescue")
				return err
			}
			t.wipeAgent()
			return t.process(onDone)
		})
	})
}

// abortRescue implements _do_node_rescue_abort.
func (t *task) abortRescue(ctx context.Context) {
	if err := t.driver.rescue.cleanUp(ctx, t); err != nil {
		message := "Failed to clean up rescue after aborting the operation"
		t.refresh()
		t.record(message, "rescue", true)
		t.node.Maintenance, t.node.MaintenanceReason, t.node.Fault = true, message, faultRescueAbort
		t.save()
		return
	}
	t.record("By request, the rescue operation was aborted.", "rescue", false)
	t.refresh()
	t.dropInternal("agent_url")
	t.save()
}

// failRescue implements rescuing_error_handler. noChange is for nodes that are already in a failed state.
func (t *task) failRescue(ctx context.Context, message string, noChange bool) {
	err := t.setPower(ctx, powerOff)
	if err == nil {
		err = t.driver.rescue.cleanUp(ctx, t)
	}
	switch {
	case err == nil:
		t.record(message, "rescue", true)
	case isIronic(err):
		t.record("Rescue operation was unsuccessful, clean up failed for node: "+messageOf(err), "rescue", true)
	default:
		t.record("Rescue failed, but an unhandled exception was encountered while aborting: "+messageOf(err), "rescue", true)
	}
	t.dropInternal("agent_url")
	t.save()
	if !noChange {
		_ = t.process(onFail)
	}
}

// heartbeatInRescue completes the rescue operation by sending the password to the agent.
func (t *task) heartbeatInRescue(ctx context.Context) {
	if err := t.finalizeRescue(ctx); err != nil && ctx.Err() == nil && (t.node.ProvisionState == rescuing || t.node.ProvisionState == rescueWait) {
		t.failRescue(ctx, "Node failed to perform rescue operation: "+messageOf(err), false)
	}
}

func (t *task) finalizeRescue(ctx context.Context) error {
	hash := t.node.InstanceInfo.Text("hashed_rescue_password")
	if hash == "" {
		return t.rescueFailure("Agent rescue requires rescue_password in instance_info")
	}
	answer, err := t.command(ctx, "rescue.finalize_rescue", map[string]any{"rescue_password": hash, "hashed": true}, false)
	switch {
	case isKind(err, kindAgentAPI):
		return t.rescueFailure("Unable to rescue node due to an out of date agent ramdisk. Please contact the administrator to update the rescue ramdisk to contain an ironic-python-agent version of at least 6.0.0.")
	case isIronic(err):
		return t.rescueFailure(messageOf(err))
	case err != nil:
		return err
	case answer.Text("command_status") != "SUCCEEDED":
		return t.rescueFailure("Agent returned bad result for command finalize_rescue: " + commandError(answer))
	}
	if err := t.process(onResume); err != nil {
		return err
	}
	if err := t.driver.rescue.cleanUp(ctx, t); err != nil {
		return err
	}
	return t.process(onDone)
}

// agentRescue implements the agent rescue interface.
type agentRescue struct{}

func (agentRescue) validate(ctx context.Context, t *task) error {
	if err := t.driver.boot.validate(ctx, t); err != nil {
		return err
	}
	if err := t.driver.boot.validateRescue(t); err != nil {
		return err
	}
	password, given := t.node.InstanceInfo["rescue_password"].(string)
	if !given {
		return missing("Node %s is missing 'instance_info/rescue_password'. It is required for rescuing node.", t.node.UUID)
	}
	if strings.TrimSpace(password) == "" {
		return invalid("The 'instance_info/rescue_password' is an empty string for node %s. The 'rescue_password' must be a non-empty string value.", t.node.UUID)
	}
	return nil
}

func (agentRescue) rescue(ctx context.Context, t *task) (string, error) {
	return rescueWait, t.restartIntoAgent(ctx)
}

func (r agentRescue) unrescue(ctx context.Context, t *task) (string, error) {
	return active, t.powerOffAndOn(ctx, func() error {
		t.node.PowerState = powerOn
		t.save()
		if err := r.cleanUp(ctx, t); err != nil {
			return err
		}
		return t.driver.boot.prepareInstance(ctx, t)
	})
}

// cleanUp removes the rescue password and, unless the fast track keeps the ramdisk running, cleans up its boot
// (clean_up_ramdisk in drivers/modules/redfish/boot.py).
func (agentRescue) cleanUp(ctx context.Context, t *task) error {
	t.dropRescuePassword()
	t.save()
	fast, err := t.onFastTrack(ctx)
	if err != nil || fast {
		return err
	}
	return t.driver.boot.cleanUpRamdisk(ctx, t)
}

type fakeRescue struct{}

func (fakeRescue) validate(context.Context, *task) error           { return nil }
func (fakeRescue) rescue(context.Context, *task) (string, error)   { return rescue, nil }
func (fakeRescue) unrescue(context.Context, *task) (string, error) { return active, nil }
func (fakeRescue) cleanUp(context.Context, *task) error            { return nil }

type noRescue struct{ fakeRescue }

func (noRescue) validate(_ context.Context, t *task) error {
	return unsupported(t.node.Driver, "rescue")
}

func (noRescue) unrescue(_ context.Context, t *task) (string, error) {
	return "", unsupported(t.node.Driver, "rescue")
}

// fastTrackTimeout is the value of [deploy]fast_track_timeout.
const fastTrackTimeout = 300 * time.Second

// onFastTrack implements is_fast_track (conductor/utils.py) for rescue, the only operation for which the lab uses the
// fast track. It reports whether driver_info.fast_track is set, the node has no error, the machine is on, and its
// agent has sent a heartbeat within fastTrackTimeout. The setting in driver_info is required because
// [deploy]fast_track is off by default.
func (t *task) onFastTrack(ctx context.Context) (bool, error) {
	enabled, err := fastTrackEnabled(t.node.DriverInfo["fast_track"])
	if err != nil || !enabled || t.node.LastError != "" {
		return false, err
	}
	power, err := t.driver.power.state(ctx, t)
	if err != nil || power != powerOn || !python.Truthy(t.internal("agent_url")) {
		return false, err
	}
	last, _ := t.internal("agent_last_heartbeat").(string)
	at, err := time.Parse(stampFormat, last)
	return err == nil && t.c.now().UTC().Sub(at) < fastTrackTimeout, nil
}

// fastTrackEnabled parses driver_info.fast_track like bool_from_string of oslo.utils in strict mode. Nil means false.
func fastTrackEnabled(value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	if enabled, ok := python.Bool(value); ok {
		return enabled, nil
	}
	return false, invalid("Invalid value of fast_track: Unrecognized value '%s', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'", python.Str(value))
}
