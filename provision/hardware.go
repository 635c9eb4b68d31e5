package provision

import (
	"context"

	"ironworks/models"
	"ironworks/models/hints"
)

// ReadHardware reads the inventories of nodes for filters, [Concurrency] at a time. each is called from several
// goroutines; a node that was not inspected has hardware without Inspected.
func ReadHardware(ctx context.Context, api Inventories, uuids []string, each func(uuid string, hardware *models.Hardware, err error)) {
	inParallel(ctx, len(uuids), func(going context.Context, i int) {
		raw, err := api.Inventory(going, uuids[i])
		var hardware models.Hardware
		switch {
		case models.IsFault(err, models.FaultNotFound):
			err = nil
		case err == nil:
			hardware, err = hints.DecodeHardware(raw)
		}
		if err != nil {
			each(uuids[i], nil, err)
			return
		}
		each(uuids[i], &hardware, nil)
	})
}
