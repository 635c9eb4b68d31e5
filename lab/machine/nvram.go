package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// BootRecord is an entry of the firmware's boot menu.
type BootRecord struct {
	Number int
	Label  string
	// Path is the device path, such as HD(…)/File(\EFI\fedora\shimx64.efi).
	Path string
}

// BootRecords returns the boot menu of the UEFI firmware.
func (m *Machine) BootRecords() []BootRecord {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records)
}

// AddBootRecord adds a boot loader on the given disk to the boot menu, in place of one with the same label.
func (m *Machine) AddBootRecord(label, disk, loader string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = slices.DeleteFunc(m.records, func(r BootRecord) bool { return r.Label == label })
	number := firstFree(func(n int) bool {
		return slices.ContainsFunc(m.records, func(r BootRecord) bool { return r.Number == n })
	})
	identifier := uuid.NewString()
	if d, err := m.disk(disk); err == nil {
		for _, p := range d.Partitions {
			if slices.Contains(p.Flags, "esp") {
				identifier = p.UUID
			}
		}
	}
	m.records = append(m.records, BootRecord{Number: number, Label: label, Path: fmt.Sprintf("HD(2,GPT,%s,0x1000,0x3f800)/File(%s)", identifier, loader)})
}

// firmwareRecords returns the entries that the firmware adds to its boot menu by default.
func firmwareRecords(s Spec) []BootRecord {
	var records []BootRecord
	for i, nic := range s.NICs {
		records = append(records, BootRecord{
			Number: i + 1, Label: "UEFI PXEv4 (MAC:" + strings.ToUpper(strings.ReplaceAll(nic.MAC, ":", "")) + ")",
			Path: fmt.Sprintf("PciRoot(0x0)/Pci(0x1c,0x0)/Pci(0x0,0x%x)/MAC(%s,0)/IPv4(0.0.0.0,0,0)", i, strings.ReplaceAll(nic.MAC, ":", "")),
		})
	}
	return records
}

// efibootmgr simulates efibootmgr: it deletes an entry of the boot menu if requested, and lists the entries.
func (m *Machine) efibootmgr(args []string) Output {
	if i := slices.Index(args, "-b"); i >= 0 && i+1 < len(args) && slices.Contains(args, "-B") {
		before := len(m.records)
		m.records = slices.DeleteFunc(m.records, func(r BootRecord) bool { return fmt.Sprintf("%04X", r.Number) == args[i+1] })
		if len(m.records) == before {
			return fails(15, "Could not delete variable: No such file or directory\n")
		}
	}
	var b, order strings.Builder
	for i, r := range m.records {
		if i > 0 {
			order.WriteByte(',')
		}
		fmt.Fprintf(&order, "%04X", r.Number)
		fmt.Fprintf(&b, "Boot%04X* %s\t%s\n", r.Number, r.Label, r.Path)
	}
	return Output{Stdout: "BootCurrent: 0000\nTimeout: 1 seconds\nBootOrder: " + order.String() + "\n" + b.String()}
}
