package linux

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"ironworks/agent"
)

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
	text, err := h.read(folder + "/block_size_bytes")
	if err != nil {
		return 0
	}
	size, err := strconv.ParseInt(text, 16, 64)
	if err != nil {
		return 0
	}
	names, err := h.list(folder)
	if err != nil {
		return 0
	}
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
