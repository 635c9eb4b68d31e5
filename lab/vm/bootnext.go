package vm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
)

// The lab selects the device of a single boot with the BootNext variable, as a BMC does. With QEMU's bootindex, OVMF
// would rewrite BootOrder, and the boot entries of an installed system would be lost.
const (
	// cdOption and netOption are the numbers of the lab's boot options. They are not in BootOrder.
	cdOption  = 0xBC01
	netOption = 0xBC02
)

// node returns a node of an EFI device path (UEFI specification 2.10, §10.3).
func node(kind, subKind byte, data ...byte) []byte {
	return append([]byte{kind, subKind, byte(4 + len(data)), 0}, data...) //nolint:gosec // short
}

var (
	rootNode = node(0x02, 0x01, 0xd0, 0x41, 0x03, 0x0a, 0, 0, 0, 0) // PciRoot(0x0)
	endNode  = node(0x7f, 0xff)
)

func pciNode(device, function byte) []byte { return node(0x01, 0x01, function, device) }

// sataNode returns a Sata(port,0xFFFF,0x0) node.
func sataNode(port byte) []byte { return node(0x03, 0x12, port, 0, 0xff, 0xff, 0, 0) }

// macNode returns a MAC(address,0x1) node. ipv4Node returns the empty IPv4() node of a PXE option.
func macNode(mac net.HardwareAddr) []byte {
	data := make([]byte, 33)
	copy(data, mac)
	data[32] = 1 // Ethernet
	return node(0x03, 0x0b, data...)
}

func ipv4Node() []byte { return node(0x03, 0x0c, make([]byte, 23)...) }

// bootOption returns the data of a boot option, an EFI_LOAD_OPTION.
func bootOption(description string, path ...[]byte) []byte {
	joined := bytes.Join(append(path, endNode), nil)
	option := binary.LittleEndian.AppendUint32(nil, 1)                     // LOAD_OPTION_ACTIVE
	option = binary.LittleEndian.AppendUint16(option, uint16(len(joined))) //nolint:gosec // short
	option = append(option, utf16Bytes(description)...)
	return append(option, joined...)
}

// optionPath returns the device path of an EFI_LOAD_OPTION, or nil if the option is damaged.
func optionPath(option []byte) []byte {
	if len(option) < 8 {
		return nil
	}
	length := int(binary.LittleEndian.Uint16(option[4:]))
	for at := 6; at+1 < len(option); at += 2 {
		if option[at] == 0 && option[at+1] == 0 {
			if at+2+length > len(option) {
				return nil
			}
			return option[at+2 : at+2+length]
		}
	}
	return nil
}

// isDisk reports whether a device path leads to a disk: HD(), NVMe() or Scsi(). Only the CD drive has a Sata() node.
func isDisk(path []byte) bool {
	for len(path) >= 4 {
		length := int(binary.LittleEndian.Uint16(path[2:]))
		if length < 4 || length > len(path) {
			return false
		}
		switch kind := [2]byte{path[0], path[1]}; kind {
		case [2]byte{0x04, 0x01}, [2]byte{0x03, 0x17}, [2]byte{0x03, 0x02}:
			return true
		case [2]byte{0x03, 0x0b}, [2]byte{0x03, 0x12}:
			return false
		}
		path = path[length:]
	}
	return false
}

// firstDisk returns the number of the first boot option in BootOrder that boots from a disk.
func (s *variableStore) firstDisk() (number uint16, found bool) {
	order, _ := s.get("BootOrder")
	for ; len(order) >= 2; order = order[2:] {
		number = binary.LittleEndian.Uint16(order)
		option, _ := s.get(optionName(number))
		if isDisk(optionPath(option)) {
			return number, true
		}
	}
	return 0, false
}

func optionName(number uint16) string { return fmt.Sprintf("Boot%04X", number) }

// bootNext selects the device of the next boot. TargetDefault leaves the choice to BootOrder. If there is no option for
// TargetDisk yet, it sets nothing: the firmware then creates one, and tries disks before the network.
func (s *variableStore) bootNext(target Target, mac net.HardwareAddr) error {
	var number uint16
	var option []byte
	switch target {
	case TargetCD:
		number, option = cdOption, bootOption("Virtual CD", rootNode, pciNode(sataDevice, sataFunction), sataNode(cdPort))
	case TargetNetwork:
		number, option = netOption, bootOption("Network", rootNode, pciNode(nicDevice, 0), macNode(mac), ipv4Node())
	case TargetDisk:
		var found bool
		if number, found = s.firstDisk(); !found {
			return nil
		}
	case TargetDefault:
		return nil
	}
	if option != nil {
		if err := s.set(optionName(number), option); err != nil {
			return err
		}
	}
	return s.set("BootNext", binary.LittleEndian.AppendUint16(nil, number))
}
