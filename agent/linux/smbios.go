package linux

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"ironworks/agent"
)

// smbiosTable is the file with the SMBIOS structures (DMTF DSP0134) as the firmware passed them to the kernel.
const smbiosTable = "/sys/firmware/dmi/tables/DMI"

// The agent reads only SMBIOS structures of these types.
const (
	smbiosBIOS   = 0
	smbiosSystem = 1
	smbiosMemory = 17
	smbiosEnd    = 127
)

type structure struct {
	kind    byte
	data    []byte // including the header of four bytes
	strings []string
}

// parseSMBIOS returns the structures of a table, up to the first damaged one.
func parseSMBIOS(table []byte) []structure {
	const header = 4
	var all []structure
	for len(table) >= header {
		length := int(table[1])
		if length < header || length > len(table) {
			return all
		}
		s := structure{kind: table[0], data: table[:length]}
		rest := table[length:]
		// An empty string marks the end of the strings. Two zero bytes follow a structure without strings.
		for len(rest) > 0 && rest[0] != 0 {
			text, after, _ := bytes.Cut(rest, []byte{0})
			s.strings = append(s.strings, strings.TrimSpace(string(text)))
			rest = after
		}
		if len(s.strings) == 0 && len(rest) > 0 {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			rest = rest[1:]
		}
		all = append(all, s)
		if s.kind == smbiosEnd {
			return all
		}
		table = rest
	}
	return all
}

// text returns the string whose number is in the byte at the given offset, or "" if there is none.
func (s structure) text(offset int) string {
	if offset < len(s.data) {
		if number := int(s.data[offset]); number > 0 && number <= len(s.strings) {
			return s.strings[number-1]
		}
	}
	return ""
}

func (s structure) word(offset int) int {
	const size = 2
	if offset+size > len(s.data) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(s.data[offset:]))
}

// vendor implements get_system_vendor_info from ironic_python_agent/hardware.py. The real agent gets these values
// from lshw, which appends the SKU in parentheses to the name of the product.
func vendor(table []structure) agent.SystemVendor {
	var v agent.SystemVendor
	for _, s := range table {
		switch s.kind {
		case smbiosBIOS:
			if v.Firmware == (agent.Firmware{}) {
				v.Firmware = agent.Firmware{Vendor: s.text(0x04), Version: s.text(0x05), BuildDate: s.text(0x08)}
			}
		case smbiosSystem:
			v.Manufacturer, v.ProductName, v.SerialNumber = s.text(0x04), s.text(0x05), s.text(0x07)
			if sku := s.text(0x19); sku != "" {
				v.ProductName = fmt.Sprintf("%s (%s)", v.ProductName, sku)
			}
		}
	}
	return v
}

// moduleMiB returns the size of a memory module in MiB. It returns 0 if the size is unknown.
func moduleMiB(s structure) int64 {
	const (
		unknown  = 0xffff
		extended = 0x7fff // means that a different field, of 32 bits, contains the size
		inKiB    = 0x8000
		sizeAt   = 0x0c
		largeAt  = 0x1c
		kib      = 1024
	)
	switch size := s.word(sizeAt); {
	case size == unknown:
		return 0
	case size == extended:
		return int64(s.word(largeAt)) | int64(s.word(largeAt+2)&extended)<<16
	case size&inKiB != 0:
		return int64(size&extended) / kib
	default:
		return int64(size)
	}
}

const mib = 1 << 20

// memory implements get_memory from ironic_python_agent/hardware.py. It returns the size of the memory that the
// kernel can use, and the size of the installed memory as lshw would report it.
func (h Host) memory(table []structure) (agent.Memory, error) {
	info, err := h.read("/proc/meminfo")
	if err != nil {
		return agent.Memory{}, fmt.Errorf("reading the size of the memory: %w", err)
	}
	const kib = 1024
	total, err := strconv.ParseInt(strings.TrimSuffix(colonPairs(info)["memtotal"], " kB"), 10, 64)
	if err != nil {
		return agent.Memory{}, fmt.Errorf("reading the size of the memory: %w", err)
	}
	total *= kib
	var modules int64
	for _, s := range table {
		if s.kind == smbiosMemory {
			modules += moduleMiB(s)
		}
	}
	if modules*mib > total {
		return agent.Memory{Total: total, PhysicalMB: modules}, nil
	}
	return agent.Memory{Total: total, PhysicalMB: h.memoryOfKernel(total) / mib}, nil
}

// memoryOfKernel returns the size of the memory that lshw reports if the firmware does not describe all memory
// modules. The total argument is the size of the memory that the kernel can use. Both sizes are in bytes. If the
// online memory blocks are larger than total, the result is their size. Otherwise, it is the size of kcore if that is
// plausible, or else total. See scan_memory in lshw's mem.cc.
func (h Host) memoryOfKernel(total int64) int64 {
	const folder = "/sys/devices/system/memory"
	if blocks := h.memoryBlocks(folder); blocks > total {
		return blocks
	}
	// On most hosts, kcore is as large as the address space, which is too large to be the size of the memory.
	if core, err := os.Stat(h.path("/proc/kcore")); err == nil && core.Size() > total && core.Size() < 2*total {
		return core.Size()
	}
	return total
}

func (h Host) memoryBlocks(folder string) int64 {
	text, _ := h.read(folder + "/block_size_bytes")
	size, err := strconv.ParseInt(text, 16, 64)
	if err != nil {
		return 0
	}
	names, _ := h.list(folder)
	var sum int64
	for _, name := range names {
		if !strings.HasPrefix(name, "memory") {
			continue
		}
		if online, err := h.read(folder + "/" + name + "/online"); err == nil && online == "1" {
			sum += size
		}
	}
	return sum
}
