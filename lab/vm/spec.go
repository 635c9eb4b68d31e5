package vm

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Spec describes a virtual machine.
type Spec struct {
	// Name is the machine's name in the firmware's tables, and its DHCP host name.
	Name string
	// UUID, Vendor, Product, Serial and BIOSVersion go into the SMBIOS tables; Processor is the CPU's model name.
	UUID, Vendor, Product, Serial, BIOSVersion, Processor string
	CPUs, MemoryMiB                                       int
	Disks                                                 []Disk
	// MAC is the MAC address of the network interface, in lower case with colons.
	MAC string
	// Address is the guest's address in user networking, for example 10.0.2.16. The host's address is HostAddress.
	Address netip.Addr
	// Forwards contains the ports that are forwarded from the host to the guest.
	Forwards []Forward
	// BootFile is the URL that DHCP sends to machines that boot from the network, or empty for none. The iPXE in
	// QEMU's network card fetches it.
	BootFile string
	// Isolated blocks all traffic of the guest except for DHCP. Forwards still work.
	Isolated bool
	// ClockOffset is the time by which the guest's clock is ahead.
	ClockOffset time.Duration
}

// NICName is Linux's name of the network interface, from its PCI address, and NICSpeed its speed in Mbit/s.
const (
	NICName  = "enp0s2"
	NICSpeed = 10_000
)

// HostAddress is the address at which a guest reaches services on the host's 127.0.0.1.
var HostAddress = netip.AddrFrom4([4]byte{10, 0, 2, 2})

const diskExtension = ".qcow2"

// Disk is a virtual disk.
type Disk struct {
	Kind DiskKind
	// Name is the name of the image in the machine's folder, without the .qcow2 extension.
	Name string
	// SizeBytes is the size in bytes, a multiple of 512.
	SizeBytes int64
	Serial    string
	// WWN is the NAA name of a SCSI disk; for an NVMe disk, see [NVMeWWN].
	WWN uint64
	// Vendor (8 characters) and Product (16 characters) describe a SCSI disk; NVMe disks have neither.
	Vendor, Product string
}

func (d *Disk) file(folder string) string { return filepath.Join(folder, d.Name+diskExtension) }

// NVMeModel is the model that QEMU's NVMe controllers report; it cannot be changed.
const NVMeModel = "QEMU NVMe Ctrl"

// NVMeWWN returns the WWN that Linux shows for an NVMe disk. For QEMU's controllers, Linux generates the WWN itself
// and ignores the reported one (drivers/nvme/host: NVME_QUIRK_BOGUS_NID, wwid_show).
func NVMeWWN(serial string) string {
	return fmt.Sprintf("nvme.1b36-%x-%x-%08x", serial, NVMeModel, 1)
}

// Forward forwards a TCP port of the host to a port of the guest.
type Forward struct {
	From netip.AddrPort
	To   uint16
}

// plainText matches values of a Spec that can be used in QEMU's comma-separated options and in file names.
var plainText = regexp.MustCompile(`^[A-Za-z0-9 ._+:-]*$`)

func (s *Spec) check() error {
	texts := []string{s.Name, s.UUID, s.Vendor, s.Product, s.Serial, s.BIOSVersion, s.Processor}
	for _, d := range s.Disks {
		texts = append(texts, d.Name, d.Serial, d.Vendor, d.Product)
		if d.Name == "" || d.SizeBytes <= 0 || d.SizeBytes%512 != 0 {
			return fmt.Errorf("machine %s: disk %q: no name, or a size that is not a multiple of 512", s.Name, d.Name)
		}
	}
	if strings.ContainsAny(s.BootFile, ", ") {
		return fmt.Errorf("machine %s: boot file %q: QEMU options carry neither commas nor spaces", s.Name, s.BootFile)
	}
	for _, text := range texts {
		if !plainText.MatchString(text) {
			return fmt.Errorf("machine %s: %q has characters that QEMU options cannot carry", s.Name, text)
		}
	}
	if len(s.Disks) > maxDisks {
		return fmt.Errorf("machine %s: %d disks: a machine has at most %d", s.Name, len(s.Disks), maxDisks)
	}
	if _, err := net.ParseMAC(s.MAC); err != nil {
		return fmt.Errorf("machine %s: %w", s.Name, err)
	}
	if s.Name == "" || s.CPUs < 1 || s.MemoryMiB < 1 {
		return errors.New("a machine needs a name, CPUs and memory")
	}
	return nil
}

// Target is the device from which a machine boots.
type Target int

// The devices from which a machine can boot. TargetDefault leaves the choice to the firmware's BootOrder.
const (
	TargetDefault Target = iota
	TargetCD
	TargetDisk
	TargetNetwork
)

// Boot holds the parameters of one boot of a machine.
type Boot struct {
	Target Target
	// CD is the file of the medium in the CD drive. If it is empty, the drive is empty.
	CD string
	// Started is called when the machine runs. It may be nil.
	Started func()
}

// End is the reason why a boot ended.
type End string

// The reasons why a boot can end.
const (
	EndPowerOff End = "powered off" // by the guest
	EndReset    End = "reset"       // by the guest
	EndCut      End = "power cut"   // the context was canceled
)
