package agent

import (
	"context"
	"strings"
)

// eraseDevices overwrites every disk that may be erased.
func (a *agent) eraseDevices(ctx context.Context, node, _ *dict) (any, error) {
	disks, err := a.candidates(ctx, node, false)
	if err != nil {
		return nil, err
	}
	results := newDict()
	for _, d := range disks {
		switch {
		case d.VirtualMedia:
			a.log.hardware.info("Skipping erasure of virtual media device %s", d.Name)
		case a.raidMember(ctx, d.Name):
			a.log.hardware.info("Skipping erase of RAID member device %s", d.Name)
		case d.ReadOnly:
			a.log.hardware.info("Skipping erasure of read-only device %s", d.Name)
		default:
			if err := a.hardware.Erase(ctx, d.Name, EraseAll); err != nil {
				return nil, newFault(eraseError, "Error erasing block device: %v", err)
			}
		}
		results.Set(d.Name, nil)
	}
	return results, nil
}

// eraseMetadata continues after a disk that cannot be erased, and fails at the end.
func (a *agent) eraseMetadata(ctx context.Context, node, _ *dict) (any, error) {
	return nil, a.eraseEach(ctx, node, "Failed to erase the metadata on the device(s): ", "; ", func(Disk) Erasure { return EraseMetadata })
}

// eraseExpress erases NVMe disks completely, which is quick, and only the metadata of the others.
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
		if err := a.eraseOne(ctx, d, depth(d)); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.log.hardware.error(`Failed to erase the metadata on device "%s". Error: %v`, d.Name, err)
			failures = append(failures, `"`+d.Name+`": `+err.Error())
		}
	}
	if len(failures) > 0 {
		return newFault(eraseError, "%s", failure+strings.Join(failures, separator))
	}
	return nil
}

// eraseOne erases a disk, or a partition before its disk is erased.
func (a *agent) eraseOne(ctx context.Context, d Disk, depth Erasure) error {
	if d.partition {
		_, err := a.program(ctx, "wipefs", "--force", "--all", d.Name)
		return err
	}
	return a.hardware.Erase(ctx, d.Name, depth)
}
