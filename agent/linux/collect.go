package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"ironworks/agent"
)

// Collect implements the collectors of ironic_python_agent/inspector.py.
func (m *Machine) Collect(ctx context.Context, name string) (key string, value any, err error) {
	switch name {
	case "pci-devices":
		value, err = m.host.pciDevices()
		return "pci_devices", value, err
	case "usb-devices":
		value, err = m.host.usbDevices()
		return "usb_devices", value, err
	case "numa-topology":
		found := m.host.numa()
		if found == nil {
			return "numa_topology", nil, nil
		}
		return "numa_topology", found, nil
	case "dmi-decode":
		value, err = m.host.dmi(ctx)
		return "dmi", value, err
	case "lldp":
		names, err := m.host.interfaceNames()
		if err != nil {
			return "", nil, err
		}
		raw := map[string][]any{}
		for name, frame := range m.received(ctx, names) {
			raw[name] = parseTLVs(frame)
		}
		return "lldp_raw", raw, nil
	}
	return "", nil, agent.ErrNoCollector
}

// pciDevice is an element of the pci-devices collector's data. IDs, class and revision are hexadecimal without 0x.
type pciDevice struct {
	Vendor   string  `json:"vendor_id"`
	Product  string  `json:"product_id"`
	Class    string  `json:"class"`
	Revision *string `json:"revision"`
	Bus      string  `json:"bus"`
	NUMANode *string `json:"numa_node_id"`
}

// pciDevices implements collect_pci_devices_info.
func (h Host) pciDevices() ([]pciDevice, error) {
	const folder = "/sys/bus/pci/devices"
	names, err := h.list(folder)
	if err != nil {
		return nil, fmt.Errorf("listing PCI devices: %w", err)
	}
	devices := []pciDevice{}
	for _, bus := range names {
		d := pciDevice{Bus: bus, NUMANode: h.optional(path.Join(folder, bus, "numa_node"))}
		vendor, err1 := h.hexadecimal(path.Join(folder, bus, "vendor"))
		product, err2 := h.hexadecimal(path.Join(folder, bus, "device"))
		class, err3 := h.hexadecimal(path.Join(folder, bus, "class"))
		if err := errors.Join(err1, err2, err3); err != nil {
			h.warn("Failed to read PCI device %s: %v", bus, err)
			continue
		}
		d.Vendor, d.Product, d.Class = vendor, product, class
		if revision, err := h.hexadecimal(path.Join(folder, bus, "revision")); err == nil {
			d.Revision = &revision
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// hexadecimal returns the hexadecimal number in the given file, without its 0x prefix.
func (h Host) hexadecimal(name string) (string, error) {
	text, err := h.read(name)
	if err != nil {
		return "", err
	}
	_, digits, ok := strings.Cut(text, "x")
	if !ok {
		return "", fmt.Errorf("%s has %q, not a hexadecimal number", name, text)
	}
	return digits, nil
}

type usbDevice struct {
	Product string `json:"product"`
	Vendor  string `json:"vendor"`
	Handle  string `json:"handle"`
}

// usbDevices returns the USB devices that the kernel lists, except those of a specific class. The real agent reports
// only devices to which lshw assigns no class. For example, it omits hubs, disks, keyboards and network adapters.
func (h Host) usbDevices() ([]usbDevice, error) {
	const folder = "/sys/bus/usb/devices"
	devices := []usbDevice{}
	names, err := h.list(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return devices, nil // a host without USB
	case err != nil:
		return nil, fmt.Errorf("listing USB devices: %w", err)
	}
	for _, name := range names {
		in := path.Join(folder, name)
		bus, err1 := h.read(in + "/busnum")
		number, err2 := h.read(in + "/devnum")
		if err1 != nil || err2 != nil || !h.genericUSB(in, names) {
			continue
		}
		product, _ := h.read(in + "/product")
		vendor, _ := h.read(in + "/manufacturer")
		devices = append(devices, usbDevice{Product: product, Vendor: vendor, Handle: "USB:" + bus + ":" + number})
	}
	return devices, nil
}

// genericUSB reports whether neither the device (2-1) nor its interfaces (2-1:1.0) have a specific class.
func (h Host) genericUSB(device string, names []string) bool {
	generic := func(file string) bool {
		class, err := h.read(file)
		return err != nil || class == "00" || class == "ff"
	}
	if !generic(device + "/bDeviceClass") {
		return false
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(name, path.Base(device)+":") && !generic(path.Join(path.Dir(device), name, "bInterfaceClass"))
	})
}

type numaTopology struct {
	RAM  []numaRAM `json:"ram"`
	CPUs []numaCPU `json:"cpus"`
	NICs []numaNIC `json:"nics"`
}

type numaRAM struct {
	Node int   `json:"numa_node"`
	KiB  int64 `json:"size_kb"`
}

type numaCPU struct {
	CPU      int   `json:"cpu"`
	Node     int   `json:"numa_node"`
	Siblings []int `json:"thread_siblings"`
}

type numaNIC struct {
	Name string `json:"name"`
	Node int    `json:"numa_node"`
}

// numa implements collect_numa_topology_info. It returns nil if the host has no NUMA.
func (h Host) numa() *numaTopology {
	const folder = "/sys/devices/system/node"
	names, err := h.list(folder)
	if err != nil {
		h.warn("Failed to get list of NUMA nodes: %v", err)
		return nil
	}
	found := &numaTopology{RAM: []numaRAM{}, CPUs: []numaCPU{}, NICs: []numaNIC{}}
	for _, name := range names {
		node, isNode := suffix(name, "node")
		if !isNode {
			continue
		}
		if err := h.addNode(found, node, path.Join(folder, name)); err != nil {
			h.warn("Failed to get some NUMA information: %v", err)
			return nil
		}
	}
	nics, err := h.list(netFolder)
	if err != nil {
		return nil
	}
	for _, name := range nics {
		if node, err := h.integer(netFolder + name + "/device/numa_node"); err == nil {
			found.NICs = append(found.NICs, numaNIC{name, node})
		}
	}
	return found
}

// addNode adds the memory and the cores of a NUMA node to found. folder is the node's folder in /sys.
func (h Host) addNode(found *numaTopology, node int, folder string) error {
	info, err := h.read(folder + "/meminfo")
	if err != nil {
		return err
	}
	total := colonPairs(info)["node "+strconv.Itoa(node)+" memtotal"]
	size, err := strconv.ParseInt(strings.TrimSuffix(total, " kB"), 10, 64)
	if err != nil {
		return fmt.Errorf("size of node %d: %w", node, err)
	}
	found.RAM = append(found.RAM, numaRAM{node, size})
	names, err := h.list(folder)
	if err != nil {
		return err
	}
	cores := map[int]int{} // index of each core in found
	for _, name := range names {
		thread, isCPU := suffix(name, "cpu")
		if !isCPU {
			continue
		}
		core, err := h.integer(path.Join(folder, name, "topology/core_id"))
		if err != nil {
			return err
		}
		if at, known := cores[core]; known {
			found.CPUs[at].Siblings = append(found.CPUs[at].Siblings, thread)
			continue
		}
		cores[core] = len(found.CPUs)
		found.CPUs = append(found.CPUs, numaCPU{core, node, []int{thread}})
	}
	return nil
}

func suffix(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

func (h Host) integer(name string) (int, error) {
	text, err := h.read(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}
