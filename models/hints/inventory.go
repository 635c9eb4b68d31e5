package hints

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Inventory is what inspection found in a machine, as far as the console reads it.
type Inventory struct {
	Disks  []Disk
	Vendor Maker
}

// Maker is who made a machine.
type Maker struct {
	Manufacturer string `json:"manufacturer"`
	Product      string `json:"product_name"`
	Serial       string `json:"serial_number"`
}

// DecodeInventory reads the answer of GET /v1/nodes/{id}/inventory.
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

// OutOfBand says that the disks were read from the BMC: it calls them something else than
// the ramdisk does (/dev/sda), and does not know their WWNs and places. Redfish
// inspection of old releases stores name and size alone, that of 39.0 vendor, model,
// serial and rotational as well (ironic/drivers/modules/redfish/inspect.py).
func (inv *Inventory) OutOfBand() bool {
	device := func(d Disk) bool { return strings.HasPrefix(d.Name, "/dev/") }
	return len(inv.Disks) > 0 && !slices.ContainsFunc(inv.Disks, device)
}

// Untold are those of the hints that no disk of the inventory reports: what they choose
// cannot be known from it. A name is told by a ramdisk only.
func (inv *Inventory) Untold(hints []Hint) []Hint {
	var untold []Hint
	for _, h := range hints {
		reports := func(d Disk) bool { _, reported := d.report().values[string(h)]; return reported }
		if h == Name && inv.OutOfBand() || !slices.ContainsFunc(inv.Disks, reports) {
			untold = append(untold, h)
		}
	}
	return untold
}

// Details are the machine and its disks, one a line, safe to show. Nothing was found
// where inv is nil.
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
