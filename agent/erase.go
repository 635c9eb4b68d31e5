package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"ironworks/python"
)

// eraseDevices overwrites all disks that may be erased. Like the real agent, it continues after a failure and reports
// only the first failure. However, it stops at a protected disk.
func (a *agent) eraseDevices(ctx context.Context, node, _ *dict) (any, error) {
	disks, err := a.candidates(ctx, node, false)
	if err != nil {
		return nil, err
	}
	results := newDict()
	var failure error
	for _, d := range disks {
		err := a.eraseCompletely(ctx, node, d)
		if f, ok := errors.AsType[*fault](err); ctx.Err() != nil || ok && f.Type == protectedDevice {
			return nil, err
		}
		failure = cmp.Or(failure, err)
		results.Set(d.Name, nil)
	}
	if failure != nil {
		return nil, failure
	}
	return results, nil
}

// eraseCompletely erases all content of one disk, if it may be erased.
func (a *agent) eraseCompletely(ctx context.Context, node *dict, d Disk) error {
	skipReadOnly := python.Truthy(node.Dict("driver_internal_info").Get("agent_erase_skip_read_only"))
	switch {
	case d.VirtualMedia:
		a.log.hardware.info("Skipping erase of virtual media device %s", d.Name)
	case a.raidMember(ctx, d.Name):
		a.log.hardware.info("Skipping erase of RAID member device %s", d.Name)
	case d.ReadOnly && skipReadOnly:
		a.log.hardware.info("Skipping erase of read-only device %s", d.Name)
	case d.ReadOnly:
		return newFault(eraseError, "Failed to invoke erase of device %s as the device is flagged read-only, and the conductor has not signaled this is a permitted case.", d.Name)
	default:
		if err := a.hardware.Erase(ctx, eraseOf(node, d, EraseAll)); err != nil {
			return eraseFault(err)
		}
	}
	return nil
}

// eraseMetadata erases the partition tables and signatures of all disks that may be erased. If a disk cannot be
// erased, it continues with the next one and returns an error at the end. It stops only at a protected disk.
func (a *agent) eraseMetadata(ctx context.Context, node, _ *dict) (any, error) {
	return nil, a.eraseEach(ctx, node, "Failed to erase the metadata on the device(s): ", "; ", func(Disk) Erasure { return EraseMetadata })
}

// eraseExpress erases NVMe disks completely, as they can erase themselves quickly, and the metadata of other disks.
func (a *agent) eraseExpress(ctx context.Context, node, _ *dict) (any, error) {
	return nil, a.eraseEach(ctx, node, "Failed to conduct an express erase on the device(s): ", "\n", func(d Disk) Erasure {
		if strings.HasPrefix(d.Name, "/dev/nvme") {
			return EraseAll
		}
		return EraseMetadata
	})
}

func (a *agent) eraseEach(ctx context.Context, node *dict, failure, separator string, depth func(Disk) Erasure) error {
	disks, err := a.erasable(ctx, node)
	if err != nil {
		return err
	}
	var failures []string
	for _, d := range disks {
		var err error
		if d.partition { // the whole disk follows
			_, err = a.program(ctx, "wipefs", "--force", "--all", d.Name)
		} else {
			err = a.hardware.Erase(ctx, eraseOf(node, d, depth(d)))
		}
		_, protected := errors.AsType[*ProtectedError](err)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case protected:
			return eraseFault(err)
		default:
			a.log.hardware.error(`Failed to erase the metadata on device "%s". Error: %v`, d.Name, err)
			failures = append(failures, `"`+d.Name+`": `+err.Error())
		}
	}
	if len(failures) > 0 {
		return newFault(eraseError, "%s", failure+strings.Join(failures, separator))
	}
	return nil
}

// eraseOf returns the parameters for erasing d. Ironic stores the options in the node's driver_internal_info.
func eraseOf(node *dict, d Disk, depth Erasure) Erase {
	info := node.Dict("driver_internal_info")
	allowed := func(key string) bool { return !info.Has(key) || python.Truthy(info.Get(key)) }
	shred := info.Get("agent_continue_if_secure_erase_failed")
	if shred == nil {
		shred = info.Get("agent_continue_if_ata_erase_failed")
	}
	return Erase{
		Device: d.Name, Depth: depth,
		NoNVMe: !allowed("agent_enable_nvme_secure_erase"), NoATA: !allowed("agent_enable_ata_secure_erase"), Shred: python.Truthy(shred),
		Passes: toMode(info.Get("agent_erase_devices_iterations")), Random: !allowed("agent_erase_devices_zeroize"),
		Unguarded: !allowed("wipe_special_filesystems"),
	}
}

// eraseFault converts err, which occurred while erasing a disk, to the error that the agent reports. If the disk is
// protected, this error ends the step even if other disks have not been erased yet.
func eraseFault(err error) error {
	if protected, ok := errors.AsType[*ProtectedError](err); ok {
		return &fault{Type: protectedDevice, Message: protected.Error(), Details: protected.Error()}
	}
	return newFault(eraseError, "Error erasing block device: %v", err)
}
