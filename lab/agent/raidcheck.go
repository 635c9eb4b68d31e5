package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ironworks/lab/python"
)

// levelsOfRAID are the levels of the second logical disk.
var levelsOfRAID = []string{"0", "1", "1+0", "5", "6"}

// checkRAID validates a software RAID; all problems are reported at once.
func (a *agent) checkRAID(ctx context.Context, config any, node *dict) error {
	a.log.hardware.debug("Validating Software RAID config: %s", python.Repr(config))
	if !python.Truthy(config) {
		a.log.hardware.error("No RAID config passed")
		return nil
	}
	given, ok := config.(*dict)
	if !ok {
		return noAttribute(config, "get")
	}
	disks, err := logicalDisks(given)
	if err != nil {
		return err
	}
	if len(disks) == 0 {
		return newFault(raidError, "RAID config contains no logical disks")
	}
	c := raidCheck{age: a.options.age(), skipping: len(skippedVolumes(node)) > 0}
	if len(disks) > 2 {
		c.fail("Software RAID configuration requires one or two logical disks")
	}
	for _, disk := range disks {
		c.logicalDisk(disk)
	}
	if !disks[0].Has("raid_level") {
		return raise("KeyError", "'raid_level'")
	}
	if disks[0].Text("raid_level") != "1" {
		c.fail("Software RAID Configuration requires RAID-1 for the first logical disk")
	}
	if len(disks) == 2 {
		present, err := a.hardware.BlockDevices(ctx)
		if err != nil {
			return err
		}
		c.second(disks[0], disks[1], len(present))
	}
	if len(c.failures) > 0 {
		return newFault(raidError, "Could not validate Software RAID config for %s: %s", node.Text("uuid"), strings.Join(c.failures, "; "))
	}
	return nil
}

func logicalDisks(config *dict) ([]*dict, error) {
	given, _ := config.Get("logical_disks").(list)
	disks := make([]*dict, len(given))
	for i, one := range given {
		disk, ok := one.(*dict)
		if !ok {
			return nil, noAttribute(one, "get")
		}
		disks[i] = disk
	}
	return disks, nil
}

// raidCheck collects the problems.
type raidCheck struct {
	age      age
	skipping bool // some volume is preserved
	failures []string
	volumes  []string
	rooted   bool
}

func (c *raidCheck) fail(format string, args ...any) {
	c.failures = append(c.failures, fmt.Sprintf(format, args...))
}

func (c *raidCheck) logicalDisk(disk *dict) {
	if disk.Text("controller") != "software" {
		c.fail("Software RAID configuration requires all logical disks to have 'controller'='software'")
	}
	switch volume := disk.Get("volume_name"); {
	case volume == nil:
		if c.skipping && c.age == modern {
			c.fail("All logical disks are required to have a volume name specified as a volume name is mentioned in the property skip block devices.")
		}
	case slices.Contains(c.volumes, python.Str(volume)):
		c.fail("Duplicate software RAID device name %s detected", python.Str(volume))
	default:
		c.volumes = append(c.volumes, python.Str(volume))
	}
	if python.Truthy(disk.Get("is_root_volume")) && c.age == modern {
		if c.rooted {
			c.fail("Software RAID configuration allows only one logical disk to be marked as is_root_volume")
		}
		c.rooted = true
	}
	if disk.Get("physical_disks") == nil {
		return
	}
	physical, ok := disk.Get("physical_disks").(list)
	if !ok || len(physical) < 2 {
		c.fail("The physical_disks parameter for software RAID must be a list with at least 2 items, each specifying a disk in the device hints format")
	}
	if slices.ContainsFunc(physical, func(v any) bool { _, ok := v.(*dict); return !ok }) {
		c.fail("The physical_disks parameter for software RAID must be a list of device hints (dictionaries)")
	}
}

// second checks the second of two logical disks.
func (c *raidCheck) second(first, second *dict, devices int) {
	if first.Text("size_gb") == "MAX" && second.Text("size_gb") == "MAX" {
		c.fail("Software RAID can have only one RAID device with size 'MAX'")
	}
	level := second.Text("raid_level")
	if !slices.Contains(levelsOfRAID, level) {
		c.fail("Software RAID configuration does not support RAID level %s", level)
	}
	if least := map[string]int{"5": 3, "6": 4}[level]; devices < least {
		c.fail("Software RAID configuration is not possible for RAID level %s with only %d block devices found.", level, devices)
	}
}

// skippedVolumes returns the names of the RAID volumes that the node preserves.
func skippedVolumes(node *dict) []string {
	hints, _ := node.Dict("properties").Get("skip_block_devices").(list)
	var names []string
	for _, one := range hints {
		if hint, ok := one.(*dict); ok && hint.Has("volume_name") {
			names = append(names, python.Str(hint.Get("volume_name")))
		}
	}
	return names
}
