package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Allocator reserves nodes by allocations; *ironicclient.Client has it.
type Allocator interface {
	CreateAllocation(ctx context.Context, r models.AllocationRequest) (requestID string, err error)
	Allocation(ctx context.Context, id string) (*models.Allocation, error)
	DeleteAllocation(ctx context.Context, id string) (requestID string, err error)
}

// errNoAllocations is for an API that is not asked for them.
var errNoAllocations = errors.New("allocations cannot be made here")

// allocateAtMost is how long is waited for Ironic's choice: it tries a node that is
// locked some times, and then gives up by itself.
const allocateAtMost = time.Minute

// allocationOf is the allocation that reserves a node: the node is its only candidate.
func allocationOf(n *models.Node, instance string, a *plan.Allocate) *models.AllocationRequest {
	return &models.AllocationRequest{
		UUID: instance, ResourceClass: cmp.Or(a.ResourceClass, n.ResourceClass), CandidateNodes: []string{n.UUID}, Traits: a.Traits,
	}
}

// allocateRequests reserve a node: the wish, and the wait for what Ironic says to it. A
// wish that was heard before, of a try that was interrupted, is as good.
func (a *DeployAction) allocateRequests(wish *models.AllocationRequest) []request {
	create := func(ctx context.Context, api API) (string, error) {
		allocator, can := api.(Allocator)
		if !can {
			return "", errNoAllocations
		}
		id, err := allocator.CreateAllocation(ctx, *wish)
		if models.IsFault(err, models.FaultConflict) {
			if _, there := allocator.Allocation(ctx, wish.UUID); there == nil {
				return id, nil
			}
		}
		return id, err
	}
	return []request{
		{verb: "allocate", send: create, undo: undo{instance: wish.UUID, allocated: true}},
		{verb: "wait for the allocation", ask: func(ctx context.Context, api API) error { return a.allocated(ctx, api, wish) }},
	}
}

// unallocate deletes the allocation. An allocation that Ironic does not have is no error.
func unallocate(uuid string) request {
	return request{verb: "give back the allocation", send: func(ctx context.Context, api API) (string, error) {
		allocator, can := api.(Allocator)
		if !can {
			return "", errNoAllocations
		}
		id, err := allocator.DeleteAllocation(ctx, uuid)
		if models.IsFault(err, models.FaultNotFound) {
			err = nil
		}
		return id, err
	}}
}

// allocated waits for Ironic's choice.
func (a *DeployAction) allocated(ctx context.Context, api API, wish *models.AllocationRequest) error {
	allocator, can := api.(Allocator)
	if !can {
		return errNoAllocations
	}
	clock := a.checks.Clock
	for began, wait := clock.Now(), 100*time.Millisecond; ; wait = min(2*wait, time.Second) {
		got, err := allocator.Allocation(ctx, wish.UUID)
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

// plannedAllocation are the requests of an allocation, to be shown.
func plannedAllocation(wish *models.AllocationRequest) []PlannedRequest {
	return []PlannedRequest{
		{Method: http.MethodPost, Path: "/v1/allocations", Body: wish},
		{Method: http.MethodGet, Path: "/v1/allocations/" + wish.UUID},
	}
}

// allocateCommand does the same with the baremetal command.
func allocateCommand(wish *models.AllocationRequest) string {
	words := []string{"baremetal", "allocation", "create", "--uuid", wish.UUID, "--resource-class", shellWord(wish.ResourceClass)}
	for _, node := range wish.CandidateNodes {
		words = append(words, "--candidate-node", shellWord(node))
	}
	for _, trait := range wish.Traits {
		words = append(words, "--trait", shellWord(trait))
	}
	return strings.Join(append(words, "--wait"), " ")
}
