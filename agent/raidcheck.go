package agent

import (
	"context"
	"strings"

	"ironworks/models/raid"
	"ironworks/python"
)

// checkRAID validates the configuration of a software RAID. The error lists all problems that are found.
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
	if !disks[0].Has("raid_level") {
		return raise("KeyError", "'raid_level'")
	}
	known := raid.Software{Generation: a.options.generation().generation(), KeepsVolumes: len(skippedVolumes(node)) > 0}
	if len(disks) == 2 {
		present, err := a.hardware.BlockDevices(ctx)
		if err != nil {
			return err
		}
		known.Devices = len(present)
	}
	if problems := known.Problems(disks); len(problems) > 0 {
		return newFault(raidError, "Could not validate Software RAID config for %s: %s", node.Text("uuid"), strings.Join(problems, "; "))
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

// skippedVolumes returns the names of the RAID volumes that the node's skip_block_devices preserves.
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
