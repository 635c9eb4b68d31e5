package agent

import (
	"context"
	"errors"
	"time"

	"ironworks/python"
)

// actions returns all commands that the agent supports, keyed first by extension and then by name.
func (a *agent) actions() map[string]map[string]action {
	return map[string]map[string]action{
		"deploy":  a.stepActions(deploying),
		"clean":   a.stepActions(cleaning),
		"service": a.stepActions(servicing),
		"standby": {
			"power_off":           {background: true, do: a.shutDown("Powering off system", a.hardware.PowerOff)},
			"run_image":           {background: true, do: a.shutDown("Rebooting system", a.hardware.Reboot)},
			"sync":                {do: func(ctx context.Context, _ *dict) (any, error) { return nil, a.hardware.Sync(ctx) }},
			"get_partition_uuids": {do: a.getPartitionUUIDs},
		},
		"system": {"lockdown": {do: a.lockdown}},
		"rescue": {"finalize_rescue": {do: a.finalizeRescue}},
		"log":    {"collect_system_logs": {do: a.collectSystemLogs}},
		"image":  {"install_bootloader": {background: true, do: a.installBootloader}},
	}
}

const (
	// shutdownDelay is the delay between a power-off or reboot command and its execution, if the agent's speed is 1.
	shutdownDelay = time.Second
	// minShutdown is the minimum delay, whatever the agent's speed. It leaves the agent time to answer the command.
	minShutdown = 100 * time.Millisecond
)

// shutDown returns the command that powers off or reboots the machine by calling how. Before that, the command writes
// cached data to disk and waits, so that its response can be sent.
func (a *agent) shutDown(message string, how func(context.Context) error) func(context.Context, *dict) (any, error) {
	return func(ctx context.Context, _ *dict) (any, error) {
		a.log.standby.info("%s", message)
		if err := a.hardware.Sync(ctx); err != nil {
			a.log.standby.warning("Failed to sync file system buffers: %v", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(max(a.scale(shutdownDelay), minShutdown)):
		}
		return nil, how(ctx)
	}
}

// getPartitionUUIDs implements the get_partition_uuids command. The last write_image step determined the UUIDs.
func (a *agent) getPartitionUUIDs(context.Context, *dict) (any, error) {
	if a.partitionUUIDs == nil {
		a.log.standby.warning("No partition UUIDs recorded yet, prepare_image has to be called before get_partition_uuids")
		return newDict(), nil
	}
	return a.partitionUUIDs, nil
}

func (a *agent) lockdown(context.Context, *dict) (any, error) {
	a.requestEnd(endByLockdown)
	return nil, nil
}

// errPlainPassword is returned for a rescue password in plain text. Conductors have hashed passwords for many years.
var errPlainPassword = errors.New("the rescue password is not hashed")

func (a *agent) finalizeRescue(ctx context.Context, params *dict) (any, error) {
	if !python.Truthy(params.Get("hashed")) {
		return nil, errPlainPassword
	}
	if err := a.hardware.SetRescuePassword(ctx, params.Text("rescue_password")); err != nil {
		return nil, err
	}
	a.requestEnd(endByRescue)
	return nil, nil
}

func (a *agent) collectSystemLogs(ctx context.Context, _ *dict) (any, error) {
	return newDict("system_logs", a.collectLogs(ctx, allLines)), nil
}

// installBootloader prepares booting from the root disk. It assumes a whole-disk image, which contains its own boot
// loader. With UEFI, it therefore only creates a boot entry in the firmware. With BIOS, it does nothing.
func (a *agent) installBootloader(ctx context.Context, params *dict) (any, error) {
	device, err := a.rootDisk(ctx, false)
	if err != nil {
		return nil, err
	}
	if a.inventory.Boot.Mode != UEFI {
		a.log.image.info("Not using grub2-install since root UUID is not provided. Assuming a whole disk image")
		return nil, nil
	}
	if err := a.bootFrom(ctx, device); err != nil {
		a.log.image.error("Error setting up bootloader. Error %v", err)
		if !python.Truthy(params.Get("ignore_bootloader_failure")) {
			return nil, err
		}
	}
	return nil, nil
}
