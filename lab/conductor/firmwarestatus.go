package conductor

import (
	"context"
	"fmt"
	"time"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/python"
)

// checkFirmwareUpdate implements _query_update_status.
func (t *task) checkFirmwareUpdate(ctx context.Context) error {
	if err := t.upgrade(ctx, locking{}); err != nil {
		return err
	}
	settings := dictsOf(t.internal(firmwareUpdates))
	if len(settings) == 0 {
		return nil
	}
	if start := t.internal(firmwareStart); start != nil && t.since(start) >= firmwareOverall {
		t.failUpdate(ctx, fmt.Sprintf("Firmware update on node %s has exceeded the overall timeout of %d seconds. Elapsed time: %d seconds.",
			t.node.UUID, int(firmwareOverall.Seconds()), int(t.since(start).Seconds())))
		return nil
	}
	if _, err := t.updateService(ctx); err != nil {
		return err // the BMC may be restarting, so the next round tries again
	}
	update := settings[0]
	if flagged(update, "bmc_update_completed") {
		delete(update, "bmc_update_completed")
		return t.continueUpdates(ctx, settings)
	}
	t.touch()
	if start := update["wait_start_time"]; python.Truthy(start) {
		if t.since(start) < time.Duration(toInt(update["wait"]))*time.Second {
			return nil
		}
		delete(update, "wait")
		delete(update, "wait_start_time")
		return t.endUpdateWait(ctx, settings)
	}
	return t.followUpdateTask(ctx, settings)
}

// endUpdateWait implements _handle_wait_completion.
func (t *task) endUpdateWait(ctx context.Context, settings []db.Dict) error {
	update := settings[0]
	switch {
	case flagged(update, "bmc_version_checking"):
		delete(update, "bmc_version_checking")
		return t.finishBMCUpdate(ctx, settings)
	case update.Text("component_type") == bmcComponent:
		// The BMC may be restarting, so the next round tries again. Sushy considers every task finished, because the
		// BMC answers requests for a Task resource with the status 200.
		if _, err := t.updateTask(ctx, update); err != nil && !redfish.AsError(err).NotFound() && !isKind(err, kindRedfish, kindRedfishConnection) {
			return err
		}
		return t.finishBMCUpdate(ctx, settings)
	default:
		return t.continueUpdates(ctx, settings)
	}
}

// finishBMCUpdate implements _handle_bmc_update_completion: it waits until the BMC reports another version.
func (t *task) finishBMCUpdate(ctx context.Context, settings []db.Dict) error {
	update := settings[0]
	before, _ := t.internal(bmcVersionBefore).(string)
	version, known := t.bmcVersion(ctx)
	if known && before != "" && version != before {
		t.dropInternal(bmcVersionBefore)
		if len(settings) == 1 {
			return t.continueUpdates(ctx, settings)
		}
		// Some hardware updates a network adapter only after a reboot with the new BMC firmware.
		update["bmc_update_completed"] = true
		t.saveUpdates(settings)
		return t.setPower(ctx, reboot)
	}
	limit := firmwareRebootDelay
	if wait := update["wait"]; wait != nil {
		limit = time.Duration(toInt(wait)) * time.Second
	}
	if start := update["bmc_check_start_time"]; python.Truthy(start) && t.since(start) >= limit {
		if !known || before == "" {
			t.setInternal(firmwareReboot, true)
			t.setStepFlags(stepFlagSet{reboot: true, polling: new(true)})
		}
		t.dropInternal(bmcVersionBefore)
		return t.continueUpdates(ctx, settings)
	}
	update["wait"], update["wait_start_time"], update["bmc_version_checking"] = int(firmwareVersionCheck.Seconds()), t.timestamp(), true
	t.saveUpdates(settings)
	return nil
}

// followUpdateTask implements _handle_firmware_update_task.
func (t *task) followUpdateTask(ctx context.Context, settings []db.Dict) error {
	update := settings[0]
	kind := componentType(update.Text("component"))
	found, err := t.updateTask(ctx, update)
	switch {
	case redfish.AsError(err).NotFound():
		if kind == biosComponent && !flagged(update, "bios_reboot_triggered") {
			return t.rebootOnce(ctx, settings, "bios_reboot_triggered")
		}
		return t.continueUpdates(ctx, settings)
	case err != nil:
		return err
	}
	switch found.TaskState {
	case "New", "Running", "Starting", "Pending":
	default:
		return t.endUpdateTask(ctx, settings, found)
	}
	switch {
	case kind == biosComponent && found.TaskState != "New" && !flagged(update, "bios_reboot_triggered"):
		return t.rebootOnce(ctx, settings, "bios_reboot_triggered")
	case kind == "nic":
		return t.followNICTask(ctx, settings, found.TaskState)
	}
	return nil
}

// rebootOnce reboots the machine and sets the given flag, so that this does not happen again.
func (t *task) rebootOnce(ctx context.Context, settings []db.Dict, flag string) error {
	settings[0][flag] = true
	t.saveUpdates(settings)
	return t.rebootForUpdate(ctx, settings[0])
}

// followNICTask implements _handle_nic_task_starting. A task that stays in the Starting state needs a reboot to
// continue. A task in the Running state needs a reboot after it has ended.
func (t *task) followNICTask(ctx context.Context, settings []db.Dict, state string) error {
	update := settings[0]
	switch state {
	case "Running":
		delete(update, "nic_starting_timestamp")
		delete(update, "nic_reboot_triggered")
		update["nic_needs_post_completion_reboot"] = true
	case "Starting":
		start := update["nic_starting_timestamp"]
		switch {
		case flagged(update, "nic_reboot_triggered"):
			return nil
		case !python.Truthy(start):
			update["nic_starting_timestamp"] = t.timestamp()
		case t.since(start) < firmwareNICWait:
			return nil
		default:
			delete(update, "nic_starting_timestamp")
			return t.rebootOnce(ctx, settings, "nic_reboot_triggered")
		}
	default:
		return nil
	}
	t.saveUpdates(settings)
	return nil
}

// endUpdateTask implements _handle_task_completion.
func (t *task) endUpdateTask(ctx context.Context, settings []db.Dict, found redfishTask) error {
	update := settings[0]
	if found.TaskState != "Completed" || found.TaskStatus != "OK" && found.TaskStatus != "Warning" {
		t.failUpdate(ctx, fmt.Sprintf("Firmware update failed for node %s, firmware %s. Error: %s", t.node.UUID, update.Text("url"), found.messages()))
		return nil
	}
	switch componentType(update.Text("component")) {
	case bmcComponent:
		return t.finishBMCUpdate(ctx, settings)
	case "nic":
		if !flagged(update, "nic_reboot_triggered") {
			t.setInternal(firmwareReboot, true)
		}
		for _, flag := range []string{"nic_needs_post_completion_reboot", "nic_starting_timestamp", "nic_reboot_triggered"} {
			delete(update, flag)
		}
	case biosComponent:
		if !flagged(update, "bios_reboot_triggered") {
			return t.rebootOnce(ctx, settings, "bios_reboot_triggered")
		}
		delete(update, "bios_reboot_triggered")
	}
	return t.continueUpdates(ctx, settings)
}

// continueUpdates implements _continue_updates: it starts to wait, or starts the next update, or ends the step.
func (t *task) continueUpdates(ctx context.Context, settings []db.Dict) error {
	update := settings[0]
	if python.Truthy(update["wait"]) {
		update["wait_start_time"] = t.timestamp()
		t.saveUpdates(settings)
		return nil
	}
	if len(settings) > 1 {
		return t.nextUpdate(ctx, settings[1:])
	}
	restart := python.Truthy(t.internal(firmwareReboot))
	t.clearUpdates()
	if restart {
		if err := t.setPower(ctx, reboot); err != nil {
			return err
		}
	}
	if err := t.waitStable(ctx); err != nil {
		return err
	}
	_ = t.cacheFirmware(ctx)
	return t.resumeStep(ctx)
}

func (t *task) nextUpdate(ctx context.Context, settings []db.Dict) error {
	if err := t.waitStable(ctx); err != nil {
		return err
	}
	if err := t.startUpdate(ctx, settings); err != nil {
		return err
	}
	flag, set := t.node.DriverInternalInfo[operations[t.currentKind()].gerund+"_reboot"]
	if set && !python.Truthy(flag) {
		return nil
	}
	return t.rebootForUpdate(ctx, settings[0])
}

// waitStable implements _validate_resources_stability: the BMC must respond firmwareStable times in a row. It returns
// an error if this takes longer than firmwareStableTimeout.
func (t *task) waitStable(ctx context.Context) error {
	began, stable := t.timestamp(), 0
	var last error
	for t.since(began) < firmwareStableTimeout {
		system, err := t.systemOf(ctx)
		if err == nil {
			_, err = managerOf(ctx, system)
		}
		if err == nil {
			_, err = adaptersOf(ctx, system)
		}
		if err == nil {
			if stable++; stable == firmwareStable {
				return nil
			}
		} else {
			stable, last = 0, err
		}
		if !t.c.sleep(ctx, firmwareStablePause) {
			return fmt.Errorf("waiting for the BMC: %w", ctx.Err())
		}
	}
	message := fmt.Sprintf("BMC resources failed to stabilize within %d seconds for node %s", int(firmwareStableTimeout.Seconds()), t.node.UUID)
	if last != nil {
		message += ", last error: " + messageOf(last)
	}
	return redfishFault("%s", message)
}
