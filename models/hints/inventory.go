package hints

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Inventory is the part of an inventory that the console uses.
type Inventory struct {
	Disks  []Disk
	Vendor Maker
}

// Maker holds what the manufacturer recorded about a machine.
type Maker struct {
	Manufacturer string `json:"manufacturer"`
	Product      string `json:"product_name"`
	Serial       string `json:"serial_number"`
}

// DecodeInventory parses the response of GET /v1/nodes/{id}/inventory.
func DecodeInventory(data []byte) (Inventory, error) {
	var found struct {
		Inventory struct {
			Disks  []Disk `json:"disks"`
			Vendor Maker  `json:"system_vendor"`
		} `json:"inventory"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return Inventory{}, fmt.Errorf("inventory: %w", err)
	}
	return Inventory{Disks: found.Inventory.Disks, Vendor: found.Inventory.Vendor}, nil
}

// OutOfBand reports whether the disks were read from the BMC and not by a ramdisk. A BMC does not use the ramdisk's
// names (/dev/sda), and reports no WWNs or paths. In old releases, Redfish inspection stores only the name and the
// size. In Ironic 39.0, it also stores the vendor, the model, the serial number and the rotational attribute
// (ironic/drivers/modules/redfish/inspect.py).
func (inv *Inventory) OutOfBand() bool {
	device := func(d Disk) bool { return strings.HasPrefix(d.Name, "/dev/") }
	return len(inv.Disks) > 0 && !slices.ContainsFunc(inv.Disks, device)
}

// Unreported returns the hints whose attributes are not reported for any disk in the inventory. The effect of these
// hints is unknown. The name counts as unreported if the disks were read from the BMC, because only a ramdisk knows
// the names.
func (inv *Inventory) Unreported(hints []Hint) []Hint {
	var untold []Hint
	for _, h := range hints {
		reports := func(d Disk) bool { _, reported := d.report().values[string(h)]; return reported }
		if h == Name && inv.OutOfBand() || !slices.ContainsFunc(inv.Disks, reports) {
			untold = append(untold, h)
		}
	}
	return untold
}

// Details describes the machine and each of its disks. The details are sanitized. inv may be nil.
func (inv *Inventory) Details() []models.Detail {
	if inv == nil || len(inv.Disks) == 0 {
		return []models.Detail{{Name: "disks", Value: "not known: the node was not inspected"}}
	}
	var d models.Details
	if v := inv.Vendor; v.Serial != "" {
		d.Add("machine", strings.TrimSpace(v.Manufacturer+" "+v.Product+", serial "+v.Serial))
	}
	for _, disk := range inv.Disks {
		d.Add("disk", fmt.Sprintf("%s %d GB %s serial %s", disk.Name, disk.Size/1e9, disk.Model, disk.Serial))
	}
	return d
}

// DecodeHardware extracts the data that filters need from the response of GET /v1/nodes/{id}/inventory.
func DecodeHardware(data []byte) (models.Hardware, error) {
	var found struct {
		Inventory struct {
			Disks  []json.RawMessage `json:"disks"`
			Memory struct {
				// Size is the amount of memory in MiB.
				Size any `json:"physical_mb"`
			} `json:"memory"`
			CPU struct {
				Count any `json:"count"`
			} `json:"cpu"`
		} `json:"inventory"`
		PluginData struct {
			// Discovered is the flag that Ironic names AUTO_DISCOVERED_FLAG
			// (ironic/drivers/modules/inspect_utils.py).
			Discovered any `json:"auto_discovered"`
		} `json:"plugin_data"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return models.Hardware{}, fmt.Errorf("inventory: %w", err)
	}
	size, _ := models.Number(found.Inventory.Memory.Size)
	cpus, _ := models.Number(found.Inventory.CPU.Count)
	return models.Hardware{
		RAM: int64(size) << 20, CPUs: int(cpus), Disks: len(found.Inventory.Disks), Inspected: true, Discovered: found.PluginData.Discovered == true,
	}, nil
}
