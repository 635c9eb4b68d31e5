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

	// Installed is nil while there is nothing on the disk.
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
	d.Installed = &what
	m.emit(DiskInstalled, "%s: %s", disk, what.What)
	return nil
}

// Wipe forgets what is on a disk.
func (m *Machine) Wipe(disk string) error {
	m.mu.Lock()
	defer m.unlock()
	d, err := m.disk(disk)
	if err != nil {
		return fmt.Errorf("wiping: %w", err)
	}
	d.Installed = nil
	m.emit(DiskWiped, "%s", disk)
	return nil
}

// disk finds a disk. Called with mu held.
func (m *Machine) disk(name string) (*Disk, error) {
	for i := range m.spec.Disks {
		if m.spec.Disks[i].Name == name {
			return &m.spec.Disks[i], nil
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
		copies[i] = disk
	}
	return copies
}
