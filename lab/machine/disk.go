package machine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// ErrNoDisk is returned if the machine has no disk with the given name.
var ErrNoDisk = errors.New("no such disk")

// Disk is a block device. Its attributes are those that root device hints can match.
type Disk struct {
	// Name is the device name, such as /dev/sda.
	Name      string
	SizeBytes int64
	Model     string
	Vendor    string
	Serial    string
	WWN       string
	// Rotational is false for an SSD.
	Rotational bool
	// HCTL is the SCSI address, such as 0:0:0:0. ByPath is the link to the disk in /dev/disk/by-path.
	HCTL   string
	ByPath string
	// RAID is true if the disk is a volume of the RAID controller.
	RAID bool

	// Table is the type of the partition table, gpt or msdos. It is empty if the disk has none.
	Table      string
	Partitions []Partition
	// Installed describes the system on the disk. It is nil if there is none.
	Installed *Installation
}

// Installation describes an operating system that was installed on a disk.
type Installation struct {
	// What describes the system, such as "Fedora CoreOS".
	What string
	// Image is the URL of the installed image. It is empty if the image was on the boot medium.
	Image string
	// Ignition is the Ignition configuration for the first boot of the system.
	Ignition []byte
	At       time.Time
	// Partitions contains the partitions of the image. If nil, the image is assumed to be a CoreOS image.
	Partitions []Partition
}

// Disks returns copies of the machine's disks. Changing the copies does not affect the machine.
func (m *Machine) Disks() []Disk {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyDisks(m.spec.Disks)
}

// Install replaces the content of a disk with a system. If what.At is zero, it is set to the current time.
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

// InstallInto replaces the content of a partition with a system. The system's root file system contains the usual
// Linux folders. InstallInto returns the UUID of this file system.
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
	p.Filesystem = Filesystem{Type: "ext4", Label: "root", FSID: uuid.NewString(), Files: folders(rootFolders...)}
	m.emit(DiskInstalled, "%s: %s", partition, what.What)
	return p.FSID, nil
}

// Wipe erases the named disk, including its partitions.
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

// clear erases a disk and removes its partitions from their arrays. Called with mu held.
func (m *Machine) clear(d *Disk) {
	d.Installed, d.Table, d.Partitions = nil, "", nil
	m.dropArrays()
}

// disk returns the disk or the active array with the given device name. Called with mu held.
func (m *Machine) disk(name string) (*Disk, error) {
	for _, d := range m.tables() {
		if d.Name == name {
			return d, nil
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

// Contents holds the part of a machine's state that survives a power loss: the content of its disks, the software
// RAID arrays and the RAID volumes on them, and the firmware's boot menu.
type Contents struct {
	Disks   []DiskContents `json:"disks,omitempty"`
	Arrays  []Array        `json:"arrays,omitempty"`
	Records []BootRecord   `json:"records,omitempty"`
	// Volumes contains the RAID volumes. VolumesMade is the number of volumes ever created.
	Volumes     []Volume `json:"volumes,omitempty"`
	VolumesMade int      `json:"volumes_made,omitempty"`
}

// DiskContents holds the content of one disk.
type DiskContents struct {
	Name       string        `json:"name"`
	Table      string        `json:"table,omitempty"`
	Partitions []Partition   `json:"partitions,omitempty"`
	Installed  *Installation `json:"installed,omitempty"`
}

// Contents returns a copy of the machine's contents. Empty disks are omitted.
func (m *Machine) Contents() Contents {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := Contents{
		Arrays: m.copyArrays(), Records: slices.Clone(m.records),
		Volumes: copyVolumes(m.raid.volumes), VolumesMade: m.raid.made,
	}
	for _, d := range copyDisks(m.spec.Disks) {
		if d.Table != "" || d.Installed != nil || len(d.Partitions) > 0 {
			c.Disks = append(c.Disks, DiskContents{Name: d.Name, Table: d.Table, Partitions: d.Partitions, Installed: d.Installed})
		}
	}
	return c
}

// Restore restores the contents of a new machine. The content of disks that the machine does not have is lost. Arrays
// start only when a ramdisk assembles them, and only if the machine has their members.
func (m *Machine) Restore(c Contents) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restoreRAID(copyVolumes(c.Volumes), c.VolumesMade)
	for _, saved := range c.Disks {
		i := slices.IndexFunc(m.spec.Disks, func(d Disk) bool { return d.Name == saved.Name })
		if i < 0 {
			continue
		}
		d := &m.spec.Disks[i]
		d.Table, d.Partitions, d.Installed = saved.Table, copyPartitions(saved.Partitions), saved.Installed
	}
	for _, a := range c.Arrays {
		m.arrays = append(m.arrays, &a)
	}
	m.dropArrays()
	if len(c.Records) > 0 {
		m.records = slices.Clone(c.Records)
	}
}
