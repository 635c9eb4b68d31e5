package provision

import (
	"context"
	"encoding/json"

	"ironworks/models"
)

// Inventories is where what inspection found can be read; *ironicclient.Client has it.
type Inventories interface {
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
}

// Disks are the machine's serial and its disks, for whoever is asked whether they may be
// erased; that they are not known is said too.
func Disks(ctx context.Context, api Inventories, uuid string) []models.Detail {
	var inv models.Inventory
	raw, err := api.Inventory(ctx, uuid)
	if err == nil {
		inv, err = models.DecodeInventory(raw)
	}
	if err != nil {
		return (*models.Inventory)(nil).Details()
	}
	return inv.Details()
}
