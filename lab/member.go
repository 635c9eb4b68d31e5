package lab

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"slices"

	"ironworks/lab/machine"
)

// Member describes a machine of a lab, before the lab is started.
type Member struct {
	// Name is the name of the node and of the Redfish system.
	Name     string
	Scenario Scenario
	// ResourceClass is the resource class of the node; empty means gp-1x.
	ResourceClass string
	CPUs          int
	MemoryMiB     int
	// Disks and MACs are the machine's disks and MAC addresses; both have defaults. MACs are in lower case with colons.
	Disks []machine.Disk
	MACs  []string
	// RAID puts the disks behind a RAID controller.
	RAID *machine.RAIDController
}

const (
	gib         = 1 << 30
	smallClass  = "gp-1x"
	largeClass  = "gp-2x"
	defaultCPUs = 16
	defaultMiB  = 64 << 10
	twinModel   = "Samsung SSD 870"
	twinSize    = 480_103_981_056
	linkSpeed   = 25_000
	bmcUser     = "admin"
	// BMCPassword is the password of all BMCs of a lab. It is no secret: it protects nothing, and users need it to
	// access the BMCs directly.
	BMCPassword = "machines-of-the-lab" //nolint:gosec // see above
)

// castLine contains the scenarios and resource classes of a lab's default machines. Most machines work, and each of
// the most frequent faults occurs once.
var castLine = []struct{ scenario, class string }{
	{"ok", largeClass},
	{"no-disk-matches", largeClass},
	{"never-boots", smallClass},
	{"ok", smallClass},
	{"ok", smallClass},
	{"bmc-password", smallClass},
	{"ok", largeClass},
	{"clean-fails", smallClass},
	{"shared-disk", smallClass},
	{"shared-disk", smallClass},
	{"slow", largeClass},
	{"ok", smallClass},
}

// Cast returns n machines. The first twelve have the scenarios in castLine; the others work. r7-n01 is the name of the
// first machine, and each rack has 40 machines.
func Cast(n int) []Member {
	members := make([]Member, n)
	for i := range members {
		role := struct{ scenario, class string }{"ok", smallClass}
		if i < len(castLine) {
			role = castLine[i]
		}
		scenario, err := FindScenario(role.scenario)
		if err != nil {
			panic(err) // castLine contains only known scenarios
		}
		members[i] = Member{Name: fmt.Sprintf("r%d-n%02d", 7+i/40, 1+i%40), Scenario: scenario, ResourceClass: role.class}
	}
	return members
}

// complete sets the defaults of fields that are not set. taken contains the MAC addresses that are already in use.
func (m *Member) complete(taken map[string]bool) error {
	m.ResourceClass = cmp.Or(m.ResourceClass, smallClass)
	m.CPUs, m.MemoryMiB = cmp.Or(m.CPUs, defaultCPUs), cmp.Or(m.MemoryMiB, defaultMiB)
	if len(m.Disks) == 0 {
		m.Disks = defaultDisks(m.Name, m.ResourceClass)
	}
	if m.Scenario.Twins {
		m.Disks = append(m.Disks, sameModelDisks(m.Name)...)
	}
	if m.Scenario.SharedDisk != "" {
		m.Disks = append(m.Disks, machine.Disk{
			Name: diskName(len(m.Disks)), SizeBytes: 200 * gib, Vendor: "3PARdata", Model: "VV", Serial: "1628561",
			WWN: m.Scenario.SharedDisk, HCTL: "1:0:0:1",
		})
	}
	if len(m.MACs) == 0 {
		m.MACs = []string{macOf(m.Name, 0, taken), macOf(m.Name, 1, taken)}
	}
	for _, mac := range m.MACs {
		if parsed, err := net.ParseMAC(mac); err != nil || parsed.String() != mac {
			return fmt.Errorf("machine %s: %q is not a MAC address in lower case with colons", m.Name, mac)
		}
		taken[mac] = true
	}
	return nil
}

// hasRAID reports whether any of the machines has a RAID controller.
func hasRAID(members []Member) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.RAID != nil })
}

// checkMembers returns an error if several machines have the same name. The error contains all such names.
func checkMembers(members []Member) error {
	names := map[string]bool{}
	var errs []error
	for _, m := range members {
		if names[m.Name] {
			errs = append(errs, fmt.Errorf("duplicate machine %s", m.Name))
		}
		names[m.Name] = true
	}
	return errors.Join(errs...)
}

func defaultDisks(name, class string) []machine.Disk {
	nvme := machine.Disk{
		Name: "/dev/nvme0n1", SizeBytes: 960_197_124_096, Model: "SAMSUNG MZQL2960HCJR-00A07", Serial: serialOf(name, "S64F"),
		WWN: "eui." + digest(name, "nvme", 16), ByPath: "/dev/disk/by-path/pci-0000:01:00.0-nvme-1",
	}
	ssd := machine.Disk{
		Name: "/dev/sda", SizeBytes: 480_103_981_056, Vendor: "ATA", Model: "INTEL SSDSC2KB48", Serial: serialOf(name, "BTYF"),
		WWN: "0x55cd2e4" + digest(name, "sda", 9), HCTL: "0:0:0:0", ByPath: "/dev/disk/by-path/pci-0000:00:17.0-ata-1",
	}
	hdd := machine.Disk{
		Name: "/dev/sdb", SizeBytes: 4_000_787_030_016, Vendor: "ATA", Model: "ST4000NM000A-2HZ", Serial: serialOf(name, "WS2"), Rotational: true,
		WWN: "0x5000c50" + digest(name, "sdb", 9), HCTL: "0:0:1:0", ByPath: "/dev/disk/by-path/pci-0000:00:17.0-ata-2",
	}
	if class == largeClass {
		return []machine.Disk{nvme, ssd, hdd}
	}
	return []machine.Disk{ssd, hdd}
}

// sameModelDisks returns two disks that differ only in serial number and WWN.
func sameModelDisks(name string) []machine.Disk {
	disks := make([]machine.Disk, 2)
	for i := range disks {
		disks[i] = machine.Disk{
			Name: fmt.Sprintf("/dev/sd%c", 'x'+rune(i)), SizeBytes: twinSize, Vendor: "ATA", Model: twinModel,
			Serial: serialOf(name, fmt.Sprintf("S%dPT", i)), WWN: "0x5002538" + digest(name, fmt.Sprint("twin", i), 9), HCTL: fmt.Sprintf("2:0:%d:0", i),
		}
	}
	return disks
}

func diskName(i int) string { return "/dev/sd" + string("abcdefghijklmnopqrstuvwxyz"[i%26]) }

// digest derives a hexadecimal string from a machine's name, so that it is the same after a restart.
func digest(name, what string, length int) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(name+" "+what)))[:length]
}

func serialOf(name, prefix string) string { return prefix + digest(name, prefix, 10) }

// macOf derives a locally administered MAC address from a name. The address is not in taken.
func macOf(name string, nic int, taken map[string]bool) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s nic %d %d", name, nic, try))
		mac := net.HardwareAddr{0x52, 0x54, sum[0], sum[1], sum[2], sum[3]}.String()
		if !taken[mac] {
			return mac
		}
	}
}

// spec returns the description of the machine's hardware.
func (m Member) spec(password string) machine.Spec {
	spec := machine.Spec{
		Name: m.Name, Serial: serialOf(m.Name, "LAB"), CPUs: m.CPUs, MemoryMiB: m.MemoryMiB,
		Disks: slices.Clone(m.Disks), RAID: m.RAID, User: bmcUser, Password: password,
	}
	for i, mac := range m.MACs {
		spec.NICs = append(spec.NICs, machine.NIC{Name: fmt.Sprintf("eno%d", i+1), MAC: mac, SpeedMbps: linkSpeed})
	}
	return spec
}
