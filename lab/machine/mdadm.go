package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// mdadm simulates mdadm, the program that manages software RAID.
func (m *Machine) mdadm(args []string) Output {
	last := args[len(args)-1]
	switch args[0] {
	case "--assemble":
		for _, a := range m.arrays {
			a.running = true
		}
		return Output{}
	case "--create":
		return m.createArray(args[1:])
	case "--detail":
		return m.arrayDetail(last)
	case "--examine":
		return m.examine(last)
	case "--stop":
		a := m.array(last)
		if a == nil {
			return fails(1, "mdadm: error opening %s: No such file or directory\n", last)
		}
		a.running = false
		return Output{Stderr: "mdadm: stopped " + last + "\n"}
	case "--zero-superblock":
		return m.zeroSuperblock(last)
	}
	return Output{}
}

// array returns the active array with the given device name, or nil.
func (m *Machine) array(name string) *Array {
	for _, a := range m.arrays {
		if a.Name == name && a.running {
			return a
		}
	}
	return nil
}

func (m *Machine) createArray(args []string) Output {
	devices := slices.Index(args, "--raid-devices")
	if devices < 0 || devices+2 > len(args) {
		return fails(1, "mdadm: no raid-devices specified.\n")
	}
	members := args[devices+2:]
	a := &Array{Disk: Disk{Name: args[0]}, Level: after(args, "--level"), Volume: after(args, "--name"), UUID: mdUUID(), running: true}
	if m.array(a.Name) != nil {
		return fails(1, "mdadm: cannot open %s: Device or resource busy\n", a.Name)
	}
	least := map[string]int{"0": 1, "1": 1, "5": 2, "6": 4, "10": 2}[a.Level]
	if len(members) < least {
		return fails(1, "mdadm: at least %d raid-devices needed for level %s\n", least, a.Level)
	}
	var sizes []int64
	for _, name := range members {
		_, p := m.partition(name)
		if p == nil {
			return fails(1, "mdadm: cannot open %s: No such file or directory\n", name)
		}
		sizes = append(sizes, p.Size)
	}
	for _, name := range members {
		d, p := m.partition(name)
		p.Array, p.Filesystem = a.UUID, Filesystem{Type: raidMember, FSID: a.UUID, Label: "localhost:" + a.Volume}
		a.Rotational = a.Rotational || d.Rotational
	}
	a.SizeBytes, a.Members = arraySize(a.Level, sizes), slices.Clone(members)
	m.arrays = append(slices.DeleteFunc(m.arrays, func(other *Array) bool { return other.Name == a.Name }), a)
	m.dropArrays()
	return Output{Stderr: "mdadm: array " + a.Name + " started.\n"}
}

func (m *Machine) arrayDetail(name string) Output {
	a := m.array(name)
	if a == nil {
		_, err := m.disk(name)
		if _, p := m.partition(name); err == nil || p != nil {
			return fails(1, "mdadm: %s does not appear to be an md device\n", name)
		}
		return fails(1, "mdadm: cannot open %s: No such file or directory\n", name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n           Version : 1.2\n        Raid Level : %s\n        Array Size : %d\n", a.Name, a.Kind(), a.SizeBytes>>10)
	fmt.Fprintf(&b, "      Raid Devices : %d\n     Total Devices : %[1]d\n       Persistence : Superblock is persistent\n\n             State : clean\n", len(a.Members))
	fmt.Fprintf(&b, "              Name : localhost:%s  (local to host localhost)\n              UUID : %s\n            Events : 17\n\n", a.Volume, a.UUID)
	b.WriteString("    Number   Major   Minor   RaidDevice State\n")
	for i, member := range a.Members {
		fmt.Fprintf(&b, "%8d%8d%9d%9d      active sync   %s\n", i, 8, 16*i+1, i, member)
	}
	return Output{Stdout: b.String()}
}

func (m *Machine) examine(device string) Output {
	_, p := m.partition(device)
	if p == nil {
		d, err := m.disk(device)
		if err != nil {
			return fails(1, "mdadm: cannot open %s: No such file or directory\n", device)
		}
		if d.Table == "" {
			return fails(1, "mdadm: No md superblock detected on %s.\n", device)
		}
		return Output{Stdout: device + ":\n   MBR Magic : aa55\n"}
	}
	for _, a := range m.arrays {
		if a.UUID == p.Array {
			return Output{Stdout: fmt.Sprintf("%s:\n          Magic : a92b4efc\n        Version : 1.2\n     Array UUID : %s\n           Name : localhost:%s  (local to host localhost)\n     Raid Level : %s\n   Raid Devices : %d\n",
				device, a.UUID, a.Volume, a.Kind(), len(a.Members))}
		}
	}
	return fails(1, "mdadm: No md superblock detected on %s.\n", device)
}

func (m *Machine) zeroSuperblock(device string) Output {
	_, p := m.partition(device)
	if p == nil {
		if _, err := m.disk(device); err != nil {
			return fails(1, "mdadm: Couldn't open %s for write - not zeroing\n", device)
		}
		return fails(0, "mdadm: Unrecognised md component device - %s\n", device)
	}
	for _, a := range m.arrays {
		if a.running && a.UUID == p.Array {
			return fails(1, "mdadm: Couldn't open %s for write - not zeroing\n", device)
		}
	}
	if p.Array != "" {
		p.Array, p.Filesystem = "", Filesystem{}
	}
	m.dropArrays()
	return Output{}
}

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
