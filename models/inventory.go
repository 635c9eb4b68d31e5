package models

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Inventory is what inspection found in a machine, as far as the console reads it.
type Inventory struct {
	Disks  []Disk
	Vendor Vendor
}

// Vendor is who made a machine.
type Vendor struct {
	Manufacturer string `json:"manufacturer"`
	Product      string `json:"product_name"`
	Serial       string `json:"serial_number"`
}

// DecodeInventory reads the answer of GET /v1/nodes/{id}/inventory.
func DecodeInventory(data []byte) (Inventory, error) {
	var found struct {
		Inventory struct {
			Disks  []Disk `json:"disks"`
			Vendor Vendor `json:"system_vendor"`
		} `json:"inventory"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return Inventory{}, fmt.Errorf("inventory: %w", err)
	}
	return Inventory{Disks: found.Inventory.Disks, Vendor: found.Inventory.Vendor}, nil
}

// OutOfBand says that the disks were read from the BMC, which knows their names and
// sizes at most: other hints cannot be told from such an inventory.
func (inv *Inventory) OutOfBand() bool {
	for i := range inv.Disks {
		for _, name := range knownHints {
			if _, reported := inv.Disks[i].report().values[string(name)]; reported && name != HintName && name != HintSize {
				return false
			}
		}
	}
	return len(inv.Disks) > 0
}

// Details are the machine and its disks, one a line, safe to show. Nothing was found
// where inv is nil.
func (inv *Inventory) Details() []Detail {
	if inv == nil || len(inv.Disks) == 0 {
		return []Detail{{"disks", "not known: the node was not inspected"}}
	}
	var d details
	if v := inv.Vendor; v.Serial != "" {
		d.add("machine", strings.TrimSpace(v.Manufacturer+" "+v.Product+", serial "+v.Serial))
	}
	for _, disk := range inv.Disks {
		d.add("disk", fmt.Sprintf("%s %d GB %s serial %s", disk.Name, disk.Size/1e9, disk.Model, disk.Serial))
	}
	return d
}
