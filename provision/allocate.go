package provision

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
)

// allocateAtMost is how long is waited for Ironic's choice: it tries a node that is
// locked some times, and then gives up by itself.
const allocateAtMost = time.Minute

// allocationOf is the allocation that reserves a node: the node is its only candidate.
func allocationOf(n *models.Node, instance string, a *plan.Allocate) *models.AllocationRequest {
	return &models.AllocationRequest{
		UUID: instance, ResourceClass: cmp.Or(a.ResourceClass, n.ResourceClass), CandidateNodes: []string{n.UUID}, Traits: a.Traits,
	}
}

// allocateEntries reserve a node: the wish, and the wait for what Ironic says to it. A
// wish that was heard before, of a try that was interrupted, is as good.
func (a *DeployAction) allocateEntries(wish *models.AllocationRequest) []entry {
	heard := func(ctx context.Context, api API, err error) error {
		if models.IsFault(err, models.FaultConflict) {
			if _, missing := api.Allocation(ctx, wish.UUID); missing == nil {
				return nil
			}
		}
		return err
	}
	return []entry{
		{verb: "allocate", Request: request.Allocate(*wish), judge: heard, undo: undo{instance: wish.UUID, allocated: true}},
		{
			verb: "wait for the allocation", Request: request.Allocation(wish.UUID),
			ask: func(ctx context.Context, api API) error { return a.allocated(ctx, api, wish) },
		},
	}
}

// unallocate deletes the allocation. An allocation that Ironic does not have is no error.
func unallocate(uuid string) entry {
	return entry{verb: "give back the allocation", Request: request.Deallocate(uuid), judge: func(_ context.Context, _ API, err error) error {
		if models.IsFault(err, models.FaultNotFound) {
			return nil
		}
		return err
	}}
}

// allocated waits for Ironic's choice.
func (a *DeployAction) allocated(ctx context.Context, api API, wish *models.AllocationRequest) error {
	clock := a.checks.Clock
	for began, wait := clock.Now(), 100*time.Millisecond; ; wait = min(2*wait, time.Second) {
		got, err := api.Allocation(ctx, wish.UUID)
		switch {
		case err != nil:
			return err
		case got.State == "active":
			return nil
		case got.State == "error":
			return fmt.Errorf("the allocation failed: %s", models.Printable(got.LastError))
		case clock.Now().Sub(began) > allocateAtMost:
			return fmt.Errorf("the allocation is %s after %v", models.Printable(got.State), allocateAtMost)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-clock.After(wait):
		}
	}
}
