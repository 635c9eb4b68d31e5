package machine

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// ErrNoDisk says that the machine has no disk of that name.
var ErrNoDisk = errors.New("no such disk")

// Disk is a block device. Its fields are those that root device hints look at.
type Disk struct {
	// Name is the device's: /dev/sda.
	Name      string
	SizeBytes int64
	Model     string
	Vendor    string
	Serial    string
	WWN       string
	// Rotational is false for an SSD.
	Rotational bool
	// HCTL is the SCSI address, 0:0:0:0; ByPath the link in /dev/disk/by-path.
	HCTL   string
	ByPath string

	// Table is gpt or msdos; empty without a partition table.
	Table      string
	Partitions []Partition
	// Installed is nil while there is no system on the disk.
	Installed *Installation
}

// Installation is a system on a disk.
type Installation struct {
	// What was installed, in words: "Fedora CoreOS".
	What string
	// Image is where it came from; empty if it was on the medium.
	Image string
	// Ignition is the configuration of its first boot.
	Ignition []byte
	At       time.Time
	// Partitions are those that came with it; those of CoreOS if nil.
	Partitions []Partition
}

// Disks are copies: what is done to them is not done to the machine.
func (m *Machine) Disks() []Disk {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyDisks(m.spec.Disks)
}

// Install puts a system on a disk, over what was there. A zero time is now.
func (m *Machine) Install(disk string, what Installation) error {
	m.mu.Lock()
	defer m.unlock()
	d, err := m.disk(disk)
	if err != nil {
		return fmt.Errorf("installing %s: %w", what.What, err)
	}
	what.Ignition = bytes.Clone(what.Ignition)
	if what.At.IsZero() {
		what.At = m.options.Now()
	}
	parts := what.Partitions
	if parts == nil {
		parts = coreOSPartitions(d.SizeBytes)
	}
	what.Partitions = nil
	m.clear(d)
	d.Installed, d.Table, d.Partitions = &what, gpt, copyPartitions(parts)
	m.emit(DiskInstalled, "%s: %s", disk, what.What)
	return nil
}

// InstallInto puts a system into a partition: a root file system with the
// folders of any Linux. It answers the file system's identifier.
func (m *Machine) InstallInto(partition string, what Installation) (string, error) {
	m.mu.Lock()
	defer m.unlock()
	d, p := m.partition(partition)
	if p == nil {
		return "", fmt.Errorf("installing %s: %w: %s of machine %s", what.What, ErrNoDisk, partition, m.spec.Name)
	}
	if what.At.IsZero() {
		what.At = m.options.Now()
	}
	what.Ignition, what.Partitions = bytes.Clone(what.Ignition), nil
	d.Installed = &what
	p.Filesystem = Filesystem{Type: "ext4", Label: "root", FSID: newUUID(), Files: folders(rootFolders...)}
	m.emit(DiskInstalled, "%s: %s", partition, what.What)
	return p.FSID, nil
}

// Wipe forgets what is on a disk.
func (m *Machine) Wipe(disk string) error {
	m.mu.Lock()
	defer m.unlock()
	d, err := m.disk(disk)
	if err != nil {
		return fmt.Errorf("wiping: %w", err)
	}
	m.clear(d)
	m.emit(DiskWiped, "%s", disk)
	return nil
}

// clear leaves nothing on a disk: what was a member of an array no longer is.
// Called with mu held.
func (m *Machine) clear(d *Disk) {
	d.Installed, d.Table, d.Partitions = nil, "", nil
	m.dropArrays()
}

// disk finds a disk, or an array that runs. Called with mu held.
func (m *Machine) disk(name string) (*Disk, error) {
	for i := range m.spec.Disks {
		if m.spec.Disks[i].Name == name {
			return &m.spec.Disks[i], nil
		}
	}
	for _, a := range m.arrays {
		if a.Name == name && a.running {
			return &a.Disk, nil
		}
	}
	return nil, fmt.Errorf("%w: %s of machine %s", ErrNoDisk, name, m.spec.Name)
}

func copyDisks(disks []Disk) []Disk {
	copies := make([]Disk, len(disks))
	for i, disk := range disks {
		if disk.Installed != nil {
			installed := *disk.Installed
			installed.Ignition = bytes.Clone(installed.Ignition)
			disk.Installed = &installed
		}
		disk.Partitions = copyPartitions(disk.Partitions)
		copies[i] = disk
	}
	return copies
}
