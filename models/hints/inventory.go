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

// Maker is the manufacturer's data of a machine.
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

// OutOfBand reports whether the disks were read from the BMC. The BMC uses other names than the ramdisk (/dev/sda) and
// reports no WWNs and paths. Redfish inspection of old releases stores only name and size. That of 39.0 also stores
// vendor, model, serial and rotational (ironic/drivers/modules/redfish/inspect.py).
func (inv *Inventory) OutOfBand() bool {
	device := func(d Disk) bool { return strings.HasPrefix(d.Name, "/dev/") }
	return len(inv.Disks) > 0 && !slices.ContainsFunc(inv.Disks, device)
}

// Unreported returns those hints whose attribute no disk of the inventory reports, so that their effect is unknown.
// Only a ramdisk reports names.
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

// Details returns the machine and its disks, one per line, sanitized. inv may be nil.
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

// DecodeHardware parses the response of GET /v1/nodes/{id}/inventory for filters.
func DecodeHardware(data []byte) (models.Hardware, error) {
	var found struct {
		Inventory struct {
			Disks  []json.RawMessage `json:"disks"`
			Memory struct {
				// Size is the size of the memory in MiB.
				Size any `json:"physical_mb"`
			} `json:"memory"`
			CPU struct {
				Count any `json:"count"`
			} `json:"cpu"`
		} `json:"inventory"`
		PluginData struct {
			// Discovered is AUTO_DISCOVERED_FLAG of ironic/drivers/modules/inspect_utils.py.
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
