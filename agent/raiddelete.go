package agent

import (
	"context"
	"slices"
	"strings"

	"ironworks/python"
)

type arrayAction int

const (
	remove arrayAction = iota
	wipe               // erase the content but keep the array, because it shares disks with a preserved array
	keep
)

type plannedArray struct {
	name, volume    string
	action          arrayAction
	preservedVolume string // preserved volume that shares disks with this array
}

// planDeletion decides for each array whether to remove, wipe or keep it. The volumes in skipped are preserved.
func (a *agent) planDeletion(ctx context.Context, arrays, skipped []string) []plannedArray {
	all := make([]plannedArray, len(arrays))
	holders := map[string][]string{}
	for i, name := range arrays {
		all[i] = plannedArray{name: name}
		if len(skipped) > 0 || a.options.generation() == legacyAgent {
			all[i].volume = a.volumeName(ctx, name)
			holders[name] = a.holderDisks(ctx, name)
		}
	}
	for i := range all {
		if all[i].volume == "" || !slices.Contains(skipped, all[i].volume) {
			continue
		}
		a.log.hardware.warning("RAID device %s will not be deleted", all[i].name)
		all[i].action = keep
		if a.options.generation() == legacyAgent {
			continue
		}
		for j := range all {
			shares := slices.ContainsFunc(holders[all[j].name], func(d string) bool { return slices.Contains(holders[all[i].name], d) })
			if j != i && shares && all[j].action == remove && !slices.Contains(skipped, all[j].volume) {
				all[j].action, all[j].preservedVolume = wipe, all[i].volume
			}
		}
	}
	for i := range all {
		if all[i].volume == "esp" && all[i].action == wipe {
			all[i].action = keep
		}
	}
	return all
}

func (a *agent) deleteRAID(ctx context.Context, node, _ *dict) (any, error) {
	skipped := skippedVolumes(node)
	arrays, err := a.scanArrays(ctx)
	if err != nil {
		return nil, err
	}
	const attempts = 2
	for range attempts {
		planned, err := a.deletePass(ctx, arrays, skipped)
		if err != nil {
			return nil, err
		}
		if arrays, err = a.scanArrays(ctx); err != nil {
			return nil, err
		}
		if len(skipped) > 0 && a.options.generation() == currentAgent {
			arrays = slices.DeleteFunc(arrays, func(name string) bool {
				return slices.ContainsFunc(planned, func(f plannedArray) bool { return f.name == name && f.action != remove })
			})
		}
		if len(arrays) == 0 {
			return nil, nil
		}
	}
	f := newFault(raidError, "Unable to clean all softraid correctly. Remaining %s", python.Repr(listOf(arrays)))
	a.log.hardware.error("%s", f.Details)
	return nil, f
}

// scanArrays assembles all arrays, and returns their names.
func (a *agent) scanArrays(ctx context.Context) ([]string, error) {
	if _, err := a.program(ctx, "mdadm", "--assemble", "--scan"); err != nil && !failedProgram(err) {
		return nil, err
	}
	return a.lsblk(ctx, "raid", "md")
}

func (a *agent) deletePass(ctx context.Context, arrays, skipped []string) ([]plannedArray, error) {
	planned := a.planDeletion(ctx, arrays, skipped)
	var holders, kept []string
	partitions := map[string][]string{} // the partitions to delete, keyed by disk
	for _, f := range planned {
		members, err := a.componentDevices(ctx, f.name)
		if err != nil {
			return nil, err
		}
		if len(members) == 0 {
			a.log.hardware.info("Software RAID cleaning is skipping partition %s", f.name)
			continue
		}
		holders = append(holders, a.holderDisks(ctx, f.name)...)
		switch f.action {
		case keep, wipe:
			kept = append(kept, members...)
			a.log.hardware.warning("Software RAID device %s was not deleted", f.name)
			if f.action == wipe {
				a.tryProgram(ctx, "Failed to wipefs "+f.name, "wipefs", "-af", f.name)
			}
		case remove:
			a.log.hardware.info("Deleting Software RAID device %s", f.name)
			a.tryProgram(ctx, "Failed to wipefs "+f.name, "wipefs", "-af", f.name)
			a.tryProgram(ctx, "Failed to stop "+f.name, "mdadm", "--stop", f.name)
			for _, member := range members {
				if err := a.zeroSuperblock(ctx, member); err != nil {
					return nil, err
				}
				disk, part := splitPartition(member)
				partitions[disk] = append(partitions[disk], part)
			}
			a.log.hardware.info("Deleted Software RAID device %s", f.name)
		}
	}
	return planned, a.deleteTraces(ctx, holders, kept, partitions)
}

// tryProgram runs a program and only logs its error. failure is the start of the log message.
func (a *agent) tryProgram(ctx context.Context, failure string, argv ...string) {
	if _, err := a.program(ctx, argv...); err != nil {
		a.log.hardware.warning("%s: %v", failure, err)
	}
}

func (a *agent) zeroSuperblock(ctx context.Context, member string) error {
	_, err := a.program(ctx, "mdadm", "--examine", member)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "No md superblock detected"):
		return nil
	default:
		return newFault(raidError, "Failed to examine device %s: %v", member, err)
	}
	a.log.hardware.debug("Deleting md superblock on %s", member)
	a.tryProgram(ctx, "Failed to remove superblock from"+member, "mdadm", "--zero-superblock", member)
	return nil
}

// deleteTraces removes the superblocks of arrays from all devices that are not kept. On each disk that held an array,
// it then removes the partitions of the deleted arrays, or the whole partition table if nothing on the disk is kept.
func (a *agent) deleteTraces(ctx context.Context, holders, kept []string, partitions map[string][]string) error {
	all, err := a.withPartitions(ctx)
	if err != nil {
		return err
	}
	var keptDisks []string
	for _, name := range slices.Backward(all) {
		if slices.Contains(kept, name) {
			disk, _ := splitPartition(name)
			keptDisks = append(keptDisks, disk)
			continue
		}
		if slices.Contains(keptDisks, name) {
			continue
		}
		if _, err := a.program(ctx, "mdadm", "--examine", name); err != nil {
			continue // the device is not a member of an array
		}
		a.tryProgram(ctx, "Failed to remove superblock from"+name, "mdadm", "--zero-superblock", name)
	}
	done := map[string]bool{}
	for _, disk := range holders {
		if done[disk] {
			continue
		}
		done[disk] = true
		if !slices.Contains(keptDisks, disk) {
			a.log.hardware.info("Removing partitions on holder disk %s", disk)
			a.tryProgram(ctx, "Failed to remove partitions on "+disk, "wipefs", "-af", disk)
			continue
		}
		if len(partitions[disk]) == 0 {
			if a.options.generation() == legacyAgent {
				return raise("KeyError", "%s", python.Repr(disk))
			}
			a.log.hardware.warning("Holder disk %s contains only logical disk(s) on the skip list", disk)
		}
		for _, part := range partitions[disk] {
			if _, err := a.program(ctx, "parted", disk, "rm", part); err != nil {
				return asUncaught(err)
			}
		}
	}
	a.log.hardware.debug("Finished deleting Software RAID(s)")
	return nil
}

// withoutPresent omits the logical disks whose arrays were preserved or only wiped, and returns all others. It
// returns an error if there is any other array, unless that array is named esp and is kept.
func (a *agent) withoutPresent(ctx context.Context, logical []*dict, skipped []string) ([]*dict, error) {
	if len(skipped) == 0 {
		return logical, nil
	}
	arrays, err := a.lsblk(ctx, "raid", "md")
	if a.options.generation() == legacyAgent {
		// Like the real agent, examine the arrays as if they were members, and ignore those without a superblock.
		arrays = slices.DeleteFunc(arrays, func(name string) bool {
			_, err := a.program(ctx, "mdadm", "--examine", name)
			return err != nil && strings.Contains(err.Error(), "No md superblock detected")
		})
	}
	if err != nil || len(arrays) == 0 {
		return logical, err
	}
	present := a.planDeletion(ctx, arrays, skipped)
	unexpected := newFault(raidError, "Existing Software RAID device detected that should not")
	if a.options.generation() == currentAgent && slices.ContainsFunc(present, func(f plannedArray) bool { return f.volume == "" }) {
		return nil, newFault(raidError, "A Software RAID device detected that does not have a volume name. This is not allowed because there is a volume_name hint in the property 'skip_block_devices'.")
	}
	var left []*dict
	for _, disk := range logical {
		volume := python.Str(disk.Get("volume_name"))
		i := slices.IndexFunc(present, func(f plannedArray) bool { return f.volume == volume })
		if i < 0 || a.options.generation() == legacyAgent && !slices.Contains(skipped, volume) {
			left = append(left, disk)
			continue
		}
		if !slices.Contains(skipped, volume) && (present[i].action != wipe || present[i].preservedVolume == "") {
			return nil, unexpected
		}
		present = slices.Delete(present, i, i+1)
	}
	present = slices.DeleteFunc(present, func(f plannedArray) bool {
		return a.options.generation() == currentAgent && f.volume == "esp" && f.action == keep
	})
	if len(present) > 0 {
		return nil, unexpected
	}
	return left, nil
}
