package raid

import (
	"fmt"
	"slices"

	"ironworks/models/hints"
)

// Software holds the data about the agent and its machine on which the software RAID check depends.
type Software struct {
	// Generation is the agent's generation. The old one lacks some checks.
	Generation hints.Generation
	// KeepsVolumes means that the node's skip_block_devices preserves a volume.
	KeepsVolumes bool
	// Devices is the number of block devices in the machine.
	Devices int
}

// Problems returns all problems that the agent finds in the logical disks. The agent reports them in a single error
// (validate_configuration of GenericHardwareManager in ironic_python_agent/hardware.py). disks must not be empty.
func (s Software) Problems(disks []*hints.PythonDict) []string {
	c := softwareCheck{Software: s}
	if len(disks) > 2 {
		c.fail("Software RAID configuration requires one or two logical disks")
	}
	for _, disk := range disks {
		c.logicalDisk(disk)
	}
	if disks[0].Text(KeyLevel) != "1" {
		c.fail("Software RAID Configuration requires RAID-1 for the first logical disk")
	}
	if len(disks) == 2 {
		c.second(disks[0], disks[1])
	}
	return c.problems
}

// Check returns the problems that the agent finds in a configuration that the function [Check] accepts. config is a
// value decoded from YAML or JSON.
func (s Software) Check(config any) []string {
	given, _ := pythonOf(config).(*hints.PythonDict)
	disks := disksOf(given)
	if len(disks) == 0 {
		return []string{"RAID config contains no logical disks"}
	}
	return s.Problems(disks)
}

type softwareCheck struct {
	Software
	problems []string
	names    []string
	rooted   bool
}

func (c *softwareCheck) fail(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *softwareCheck) logicalDisk(disk *hints.PythonDict) {
	if disk.Text(KeyController) != "software" {
		c.fail("Software RAID configuration requires all logical disks to have 'controller'='software'")
	}
	switch name := disk.Get(KeyName); {
	case name == nil:
		if c.KeepsVolumes && c.Generation == hints.GenerationNewest {
			c.fail("All logical disks are required to have a volume name specified as a volume name is mentioned in the property skip block devices.")
		}
	case slices.Contains(c.names, hints.PythonStr(name)):
		c.fail("Duplicate software RAID device name %s detected", hints.PythonStr(name))
	default:
		c.names = append(c.names, hints.PythonStr(name))
	}
	if hints.PythonTruthy(disk.Get(KeyRoot)) && c.Generation == hints.GenerationNewest {
		if c.rooted {
			c.fail("Software RAID configuration allows only one logical disk to be marked as is_root_volume")
		}
		c.rooted = true
	}
	if disk.Get(KeyDrives) == nil {
		return
	}
	physical, ok := disk.Get(KeyDrives).(hints.PythonList)
	if !ok || len(physical) < 2 {
		c.fail("The physical_disks parameter for software RAID must be a list with at least 2 items, each specifying a disk in the device hints format")
	}
	if slices.ContainsFunc(physical, func(v any) bool { _, ok := v.(*hints.PythonDict); return !ok }) {
		c.fail("The physical_disks parameter for software RAID must be a list of device hints (dictionaries)")
	}
}

func (c *softwareCheck) second(first, second *hints.PythonDict) {
	if first.Text(KeySize) == allMax && second.Text(KeySize) == allMax {
		c.fail("Software RAID can have only one RAID device with size 'MAX'")
	}
	level := second.Text(KeyLevel)
	if !slices.Contains([]string{"0", "1", "1+0", "5", "6"}, level) {
		c.fail("Software RAID configuration does not support RAID level %s", level)
	}
	if least := map[string]int{"5": 3, "6": 4}[level]; c.Devices < least {
		c.fail("Software RAID configuration is not possible for RAID level %s with only %d block devices found.", level, c.Devices)
	}
}
