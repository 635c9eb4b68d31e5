package raid

import (
	"math"
	"slices"
)

// stripe is the size in KiB that Ironic uses for a stripe. According to its name in Ironic it is 64 KiB, but its
// value is 64 MiB.
const stripe = 64 * kib

// place sets the volume's size, spans and controller. It also updates free, which holds the number of free bytes on
// each drive (_calculate_volume_props). among lists the indexes of the drives that may be used.
func (s *search) place(v *Volume, among []int, free []int64) error {
	var drives []int
	for _, i := range among {
		if slices.Contains(v.Drives, s.drives[i].ID) {
			drives = append(drives, i)
		}
	}
	count, err := spans(v.RAIDLevel, len(drives))
	if err != nil {
		return err
	}
	if count == 0 || len(drives)%count != 0 {
		return redfishError("For RAID level %s, the number of physical disks provided (%d) must be a multiple of the spans count (%d)", v.RAIDLevel, len(drives), count)
	}
	if v.RAIDLevel != "1+0" {
		v.SpanDepth, v.SpanLength = count, len(drives)/count
	}
	data, err := dataDrives(v.RAIDLevel, len(drives), count, drives)
	if err != nil {
		return err
	}
	if err := v.fit(s.largest(drives, free, data)); err != nil {
		return err
	}
	use := usagePerDrive(v.Bytes, data)
	for _, i := range drives {
		if free[i] < use {
			return redfishError("The free space of a disk (%d bytes) is not enough for the per-disk size of the logical disk (%d bytes)", free[i], use)
		}
		free[i] -= use
	}
	if v.Controller == "" {
		v.Controller = s.drives[drives[0]].Controller
	}
	return nil
}

// dataDrives returns the number of drives that hold data. If there are no drives, it returns the ValueError that
// Ironic gets from Python's min().
func dataDrives(name string, count, spans int, drives []int) (int, error) {
	if len(drives) == 0 {
		return 0, &Error{Class: ValueError, Reason: "min() arg is an empty sequence"}
	}
	l, err := simple(name, spans)
	if err != nil {
		return 0, err
	}
	overhead := l.overhead * spans
	if count <= overhead {
		return 0, redfishError("The number of physical drives (%d) is too few for the required number of overhead drives (%d)", count, overhead)
	}
	return count - overhead, nil
}

// largest returns the size in bytes of the largest volume that fits on the drives (_max_volume_size_bytes).
func (s *search) largest(drives []int, free []int64, data int) int64 {
	least := free[drives[0]]
	for _, i := range drives {
		least = min(least, free[i])
	}
	return least / kib / stripe * stripe * int64(data) * kib
}

func (v *Volume) fit(largest int64) error {
	if v.Max {
		if largest == 0 {
			return redfishError("size set to 'MAX' but could not allocate physical disk space")
		}
		v.Bytes = largest
		return nil
	}
	v.Bytes = v.SizeGB * gib
	if largest < v.Bytes {
		return redfishError("The physical disk space (%d bytes) is not enough for the size of the logical disk (%d bytes)", largest, v.Bytes)
	}
	return nil
}

// usagePerDrive returns the number of bytes that a volume takes from each drive. It rounds as Python does
// (_volume_usage_per_disk_bytes).
func usagePerDrive(bytes int64, data int) int64 {
	stripes := math.Ceil(float64(bytes/kib) / stripe)
	return int64(math.Ceil(stripes/float64(data))) * stripe * kib
}
