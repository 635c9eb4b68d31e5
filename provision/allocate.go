package provision

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/printable"
)

// allocateTimeout is the maximum time to wait for an allocation. Ironic retries a locked node a few times, and then
// gives up.
const allocateTimeout = time.Minute

// allocationOf returns a request for an allocation that has instance as its UUID and n as its only candidate node.
func allocationOf(n *models.Node, instance string, a *plan.Allocate) *models.AllocationRequest {
	return &models.AllocationRequest{
		UUID: instance, ResourceClass: cmp.Or(a.ResourceClass, n.ResourceClass), CandidateNodes: []string{n.UUID}, Traits: a.Traits,
	}
}

// allocateEntries returns two entries that reserve a node. The first one creates the allocation; the second one waits
// for the result. If an interrupted attempt has already created the allocation, it is reused.
func (a *DeployAction) allocateEntries(req *models.AllocationRequest) []entry {
	existing := func(ctx context.Context, api API, err error) error {
		if models.IsFault(err, models.FaultConflict) {
			if _, missing := api.Allocation(ctx, req.UUID); missing == nil {
				return nil
			}
		}
		return err
	}
	return []entry{
		{verb: "allocate", Request: request.Allocate(*req), judge: existing, undo: undo{instance: req.UUID, allocated: true}},
		{
			verb: "wait for the allocation", Request: request.Allocation(req.UUID),
			ask: func(ctx context.Context, api API) error { return a.waitForAllocation(ctx, api, req) },
		},
	}
}

// unallocate returns the entry that deletes the allocation with the given UUID. It does not fail if the allocation no
// longer exists.
func unallocate(uuid string) entry {
	return entry{verb: "release the allocation", Request: request.Deallocate(uuid), judge: func(_ context.Context, _ API, err error) error {
		if models.IsFault(err, models.FaultNotFound) {
			return nil
		}
		return err
	}}
}

// waitForAllocation waits until Ironic has granted or rejected the allocation, but not longer than allocateTimeout.
func (a *DeployAction) waitForAllocation(ctx context.Context, api API, req *models.AllocationRequest) error {
	for start, pause := time.Now(), 100*time.Millisecond; ; pause = min(2*pause, time.Second) {
		got, err := api.Allocation(ctx, req.UUID)
		switch {
		case err != nil:
			return err
		case got.State == "active":
			return nil
		case got.State == "error":
			return fmt.Errorf("the allocation failed: %s", printable.Line(got.LastError))
		case time.Since(start) > allocateTimeout:
			return fmt.Errorf("the allocation is still %s after %v", printable.Line(got.State), allocateTimeout)
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}
