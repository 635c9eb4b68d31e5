package raid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// fits reports whether the group's drives have the disk type and the interface type that the logical disk requires.
func (g *group) fits(disk *LogicalDisk) (bool, error) {
	if disk.DiskType != "" {
		if g.media == "" {
			return false, &Error{Class: AttributeError, Reason: "'NoneType' object has no attribute 'lower'"}
		}
		if !strings.EqualFold(disk.DiskType, g.media) {
			return false, nil
		}
	}
	if disk.InterfaceType != "" {
		if g.protocol != "SAS" && g.protocol != "SATA" {
			return false, &Error{Class: KeyError, Reason: protocolRepr(g.protocol)}
		}
		return strings.EqualFold(disk.InterfaceType, g.protocol), nil
	}
	return true, nil
}

// protocolRepr returns the Python repr of the protocol's value in sushy's enumeration. It appears in errors about
// protocols for which Ironic has no name.
func protocolRepr(protocol string) string {
	names := map[string]string{
		"NVMeOverFabrics": "NVMe_OVER_FABRICS", "GenZ": "GEN_Z", "MultiProtocol": "MULTI_PROTOCOL", "InfiniBand": "INFINI_BAND",
		"Ethernet": "ETHERNET", "NVLink": "NVLINK", "DisplayPort": "DISPLAY_PORT",
	}
	if protocol == "" {
		return "None"
	}
	return fmt.Sprintf("<Protocol.%s: '%s'>", cmp.Or(names[protocol], protocol), protocol)
}

// candidates returns the group's drives that can be used for the disk. Drives with the least free space come first.
func (s *search) candidates(g *group, disk *LogicalDisk, free []int64) []int {
	drives := slices.DeleteFunc(slices.Clone(g.drives), func(i int) bool {
		return free[i] <= 0 || !disk.Share && free[i] != s.drives[i].CapacityBytes
	})
	slices.SortStableFunc(drives, func(a, b int) int { return cmp.Compare(free[a], free[b]) })
	return drives
}

// candidateCounts returns the drive counts that Ironic tries for the disk, in ascending order.
func candidateCounts(disk *LogicalDisk, drives int) ([]int, error) {
	most, err := spans(disk.RAIDLevel, drives)
	if err != nil {
		return nil, err
	}
	least, err := simple(disk.RAIDLevel, min(2, most))
	if err != nil {
		return nil, err
	}
	limit, err := simple(disk.RAIDLevel, most)
	if err != nil {
		return nil, err
	}
	var counts []int
	for n := least.least * min(2, most); n <= min(limit.most*most, drives); n++ {
		if (disk.DriveCount == 0 || disk.DriveCount == n) && usable(disk.RAIDLevel, n) {
			counts = append(counts, n)
		}
	}
	return counts, nil
}
