// Package inspection describes a machine's inspection data. This data consists of the inventory, which the ramdisk
// collects or Ironic reads over Redfish, and of data added by collectors and hooks (LLDP, PCI, NUMA, USB).
package inspection

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

// Section describes a part of a machine. It consists of one line for each item, such as a disk or a NIC.
type Section struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// maxLines limits the number of lines in a section. It leaves room for the hundreds of PCI devices that a machine may
// have.
const maxLines = 1000

// stored is the response to GET /v1/nodes/{id}/inventory (ironic_python_agent/hardware.py, inspector.py and
// numa_inspector.py; ironic/drivers/modules/redfish/inspect.py).
type stored struct {
	Inventory struct {
		Hostname string `json:"hostname"`
		BMC      string `json:"bmc_address"`
		Boot     struct {
			Mode string `json:"current_boot_mode"`
			PXE  string `json:"pxe_interface"`
		} `json:"boot"`
		CPU struct {
			Model        string          `json:"model_name"`
			Architecture string          `json:"architecture"`
			Count        int             `json:"count"`
			Sockets      int             `json:"socket_count"`
			Frequency    json.RawMessage `json:"frequency"` // text or a number, in MHz
		} `json:"cpu"`
		Memory struct {
			PhysicalMB int64 `json:"physical_mb"`
		} `json:"memory"`
		System struct {
			hints.Maker
			Firmware struct {
				Vendor  string `json:"vendor"`
				Version string `json:"version"`
				Date    string `json:"build_date"`
			} `json:"firmware"`
		} `json:"system_vendor"`
	} `json:"inventory"`
	Plugin struct {
		PCI []struct {
			Vendor   string `json:"vendor_id"`
			Product  string `json:"product_id"`
			Class    string `json:"class"`
			Revision string `json:"revision"`
			Bus      string `json:"bus"`
			NUMA     *int   `json:"numa_node_id"`
		} `json:"pci_devices"`
		USB []struct {
			Handle  string `json:"handle"`
			Product string `json:"product"`
			Vendor  string `json:"vendor"`
		} `json:"usb_devices"`
		NUMA struct {
			RAM []struct {
				Node int   `json:"numa_node"`
				KB   int64 `json:"size_kb"`
			} `json:"ram"`
			CPUs []struct {
				Node int `json:"numa_node"`
			} `json:"cpus"`
			NICs []struct {
				Name string `json:"name"`
				Node int    `json:"numa_node"`
			} `json:"nics"`
		} `json:"numa_topology"`
		RootDisk *hints.Disk     `json:"root_disk"`
		Error    json.RawMessage `json:"error"`
	} `json:"plugin_data"`
}

// Describe returns the sections that describe stored inspection data. It omits empty sections.
func Describe(raw []byte) ([]Section, error) {
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("inventory: %w", err)
	}
	inventory, err := hints.DecodeInventory(raw)
	if err != nil {
		return nil, err
	}
	nics, err := hints.DecodeNICs(raw)
	if err != nil {
		return nil, err
	}
	var list []Section
	add := func(title string, lines []string) {
		if len(lines) > maxLines {
			lines = append(lines[:maxLines:maxLines], fmt.Sprintf("… and %d more", len(lines)-maxLines))
		}
		if lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" }); len(lines) > 0 {
			list = append(list, Section{title, lines})
		}
	}
	add("System", s.system())
	add("CPU and memory", s.processors())
	add("Disks", diskLines(inventory.Disks, s.Plugin.RootDisk))
	add("Network interfaces", nicLines(nics))
	add("NUMA", s.numa())
	add("PCI devices", s.pci())
	add("USB devices", s.usb())
	return list, nil
}

// Text formats sections as text, with indented lines below each title.
func Text(sections []Section) string {
	var text strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&text, "%s\n  %s\n", s.Title, strings.Join(s.Lines, "\n  "))
	}
	return text.String()
}

func join(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.TrimSpace(w) == "" }), separator)
}

func (s *stored) system() []string {
	in := &s.Inventory
	return []string{
		join("  ", in.System.Manufacturer, in.System.Product, models.Labeled("serial", in.System.Serial)),
		models.Labeled("firmware", join(" ", in.System.Firmware.Vendor, in.System.Firmware.Version, in.System.Firmware.Date)),
		join("  ", models.Labeled("boot mode", in.Boot.Mode), models.Labeled("booted over", in.Boot.PXE)),
		join("  ", models.Labeled("BMC", in.BMC), models.Labeled("hostname", in.Hostname)),
		models.Labeled("ramdisk error:", s.ramdiskError()),
	}
}

// ramdiskError returns the reason why the ramdisk could not collect data, or "". The agent sends null if there was no
// error (ironic_python_agent/inspector.py, inspect).
func (s *stored) ramdiskError() string {
	if string(s.Plugin.Error) == "null" {
		return ""
	}
	return strings.Trim(string(s.Plugin.Error), `"`)
}

func (s *stored) processors() []string {
	cpu := &s.Inventory.CPU
	var count, sockets, memory string
	if cpu.Count > 0 {
		count = fmt.Sprintf("%d CPUs", cpu.Count)
	}
	if cpu.Sockets > 0 {
		sockets = fmt.Sprintf("%d sockets", cpu.Sockets)
	}
	if s.Inventory.Memory.PhysicalMB > 0 {
		memory = fmt.Sprintf("%.1f GiB memory", float64(s.Inventory.Memory.PhysicalMB)/1024)
	}
	frequency := strings.Trim(string(cpu.Frequency), `"`)
	if frequency == "null" {
		frequency = ""
	}
	if frequency != "" {
		frequency += " MHz"
	}
	return []string{join("  ", count, sockets, cpu.Model, cpu.Architecture, frequency), memory}
}

func diskLines(disks []hints.Disk, root *hints.Disk) []string {
	lines := make([]string, len(disks))
	for i := range disks {
		d := &disks[i]
		lines[i] = join("  ", d.Name, fmt.Sprintf("%.1f GiB", d.GiB()), d.Kind(), d.Transport, d.Model, models.Labeled("serial", d.Serial), models.Labeled("wwn", d.WWN))
		if root != nil && root.Name == d.Name {
			lines[i] += "  (root disk chosen by the root-device hook)"
		}
	}
	return lines
}

func nicLines(nics []hints.NIC) []string {
	lines := make([]string, len(nics))
	for i, n := range nics {
		link := "no link"
		switch {
		case n.CarrierUnknown:
			link = "link unknown"
		case n.HasCarrier:
			link = "link"
		}
		boot, neighbor := "", ""
		if n.Boot {
			boot = "booted over this NIC"
		}
		if n.Neighbor != (hints.Neighbor{}) {
			neighbor = "LLDP: " + join(" ", n.Neighbor.SwitchInfo, n.Neighbor.SwitchID, models.Labeled("port", n.Neighbor.PortID))
		}
		lines[i] = join("  ", n.Name, n.MAC, link, boot, neighbor)
	}
	return lines
}

func (s *stored) numa() []string {
	topology := &s.Plugin.NUMA
	lines := make([]string, 0, len(topology.RAM))
	for _, ram := range topology.RAM {
		cpus := 0
		for _, c := range topology.CPUs {
			if c.Node == ram.Node {
				cpus++
			}
		}
		var nics []string
		for _, n := range topology.NICs {
			if n.Node == ram.Node {
				nics = append(nics, n.Name)
			}
		}
		lines = append(lines, join("  ", fmt.Sprintf("node %d", ram.Node), fmt.Sprintf("%.1f GiB", float64(ram.KB)/(1<<20)), fmt.Sprintf("%d cores", cpus), strings.Join(nics, " ")))
	}
	return lines
}

func (s *stored) pci() []string {
	lines := make([]string, len(s.Plugin.PCI))
	for i, d := range s.Plugin.PCI {
		node := ""
		if d.NUMA != nil && *d.NUMA >= 0 {
			node = fmt.Sprintf("NUMA node %d", *d.NUMA)
		}
		lines[i] = join("  ", cmp.Or(d.Bus, "?"), d.Vendor+":"+d.Product, models.Labeled("class", d.Class), models.Labeled("revision", d.Revision), node)
	}
	return lines
}

func (s *stored) usb() []string {
	lines := make([]string, len(s.Plugin.USB))
	for i, d := range s.Plugin.USB {
		lines[i] = join("  ", d.Vendor, d.Product, d.Handle)
	}
	return lines
}
