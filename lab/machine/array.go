package machine

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Array is a software RAID array. Its metadata is stored on its members, so the array survives a reboot.
type Array struct {
	// Disk describes the array as a block device, with its content.
	Disk
	// Level is the RAID level: "0", "1", "5", "6" or "10". Volume is the array's name.
	Level, Volume string
	// UUID identifies the array, in mdadm's format with colons.
	UUID string
	// Members contains the names of the partitions or disks that make up the array.
	Members []string

	running bool
}

// Arrays returns copies of the active arrays.
func (m *Machine) Arrays() []Array {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(m.copyArrays(), func(a Array) bool { return !a.running })
}

// copyArrays returns copies of all arrays. Called with mu held.
func (m *Machine) copyArrays() []Array {
	var arrays []Array
	for _, a := range m.arrays {
		one := *a
		one.Disk, one.Members = copyDisks([]Disk{a.Disk})[0], slices.Clone(a.Members)
		arrays = append(arrays, one)
	}
	return arrays
}

// Kind returns the name that lsblk gives to the array's type, such as raid1.
func (a Array) Kind() string { return "raid" + a.Level }

// dropArrays removes missing members from arrays, and arrays that have no members left. Called with mu held.
func (m *Machine) dropArrays() {
	for again := true; again; {
		again = false
		m.arrays = slices.DeleteFunc(m.arrays, func(a *Array) bool {
			a.Members = slices.DeleteFunc(a.Members, func(name string) bool {
				_, p := m.partition(name)
				return p == nil || p.Array != a.UUID
			})
			// The partitions on a removed array are gone, too, so arrays on them must be checked again.
			again = again || len(a.Members) == 0
			return len(a.Members) == 0
		})
	}
}

// arraySize returns mdadm's size of an array with members of the given sizes, less superblocks and bitmaps.
func arraySize(level string, sizes []int64) int64 {
	const small, reserve = 100 * gib, 132 * mib
	least := slices.Min(sizes)
	if least >= small {
		least -= reserve
	} else {
		least -= 2 * mib
	}
	least = max(least, mib) / (64 << 10) * (64 << 10)
	n := int64(len(sizes))
	switch level {
	case "0":
		return n * least
	case "5":
		return max(n-1, 1) * least
	case "6":
		return max(n-2, 1) * least
	case "10":
		return n * least / 2
	}
	return least
}

// mdUUID returns a new UUID in mdadm's format.
func mdUUID() string {
	plain := strings.ReplaceAll(uuid.NewString(), "-", "")
	return strings.Join([]string{plain[:8], plain[8:16], plain[16:24], plain[24:]}, ":")
}
