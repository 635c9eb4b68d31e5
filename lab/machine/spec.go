package machine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
)

// Spec describes a machine's hardware.
type Spec struct {
	// Name is the Redfish ID of the machine's system, manager and chassis. It consists of letters, digits, dots,
	// dashes and underscores.
	Name string
	// UUID is the UUID of the system. If empty, it is derived from the name.
	UUID string
	// Vendor, Product and Serial are the values in the firmware's tables.
	Vendor, Product, Serial string
	// BIOSVersion and BMCVersion are the firmware versions of the BIOS and the BMC.
	BIOSVersion, BMCVersion string

	// CPUs is the number of cores. MemoryMiB is the size of the memory in MiB.
	CPUs      int
	MemoryMiB int

	// Disks contains the machine's disks. If it has a RAID controller, they are the controller's drives.
	Disks []Disk
	RAID  *RAIDController
	NICs  []NIC

	// User and Password are the credentials that the BMC accepts.
	User, Password string
}

// NIC is a network interface.
type NIC struct {
	// Name is the interface's name in Linux, such as eno1.
	Name string
	// MAC is the MAC address in lower case, with colons.
	MAC string
	// SpeedMbps is the speed of the link in Mbit/s. 0 means that there is no link.
	SpeedMbps int
}

// validName allows only characters that need no escaping in paths.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Completed returns a copy of the Spec in which missing values have the defaults that a [Machine] uses.
func (s Spec) Completed() (Spec, error) {
	s = s.copied()
	return s, s.complete()
}

// complete sets the defaults. It returns an error if a value is invalid.
func (s *Spec) complete() error {
	if !validName.MatchString(s.Name) {
		return fmt.Errorf("machine %q: the name may have letters, digits, dots, dashes and underscores", s.Name)
	}
	if s.User == "" || s.Password == "" {
		return fmt.Errorf("machine %s: the BMC needs a user and a password", s.Name)
	}
	for value, fallback := range map[*string]string{
		&s.UUID: uuidOf(s.Name), &s.Vendor: "ironworks", &s.Product: "Lab machine",
		&s.Serial: s.Name, &s.BIOSVersion: "2.4.1", &s.BMCVersion: "1.12.0",
	} {
		if *value == "" {
			*value = fallback
		}
	}
	s.CPUs, s.MemoryMiB = max(s.CPUs, 1), max(s.MemoryMiB, 1024)
	if s.RAID != nil {
		if err := s.RAID.complete(); err != nil {
			return fmt.Errorf("machine %s: %w", s.Name, err)
		}
	}
	if err := errors.Join(checkNICs(s.NICs), checkDisks(s.Disks)); err != nil {
		return fmt.Errorf("machine %s: %w", s.Name, err)
	}
	return nil
}

func checkNICs(nics []NIC) error {
	names := map[string]bool{}
	for _, nic := range nics {
		// Ironic compares MAC addresses as strings in this form.
		if mac, err := net.ParseMAC(nic.MAC); err != nil || mac.String() != nic.MAC {
			return fmt.Errorf("network interface %s: %q is not a MAC address in lower case with colons", nic.Name, nic.MAC)
		}
		if !validName.MatchString(nic.Name) || names[nic.Name] {
			return fmt.Errorf("network interface %q: the name is not valid or there twice", nic.Name)
		}
		names[nic.Name] = true
	}
	return nil
}

func checkDisks(disks []Disk) error {
	names := map[string]bool{}
	for _, disk := range disks {
		if disk.Name == "" || names[disk.Name] {
			return fmt.Errorf("disk %q: the name is empty or there twice", disk.Name)
		}
		names[disk.Name] = true
	}
	return nil
}

// copied returns a deep copy of the Spec.
func (s Spec) copied() Spec {
	s.NICs, s.Disks = slices.Clone(s.NICs), copyDisks(s.Disks)
	if s.RAID != nil {
		raid := *s.RAID
		raid.Types = slices.Clone(raid.Types)
		s.RAID = &raid
	}
	return s
}

// uuidOf derives a UUID (version 8, RFC 9562 §5.8) from a name, so that it is the same after a restart of the lab.
func uuidOf(name string) string {
	sum := sha256.Sum256([]byte("ironworks lab machine " + name))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
