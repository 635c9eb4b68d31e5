package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/printable"
)

// validate returns a function that lets Ironic validate the changed node, and returns a refusal if it is invalid.
func (a *DeployAction) validate(n *models.Node) func(ctx context.Context, api API) error {
	return func(ctx context.Context, _ API) error {
		answers, err := a.checks.Reader.Validate(ctx, n.UUID)
		if err != nil {
			return err
		}
		r := a.checked(n)
		f := *r.facts
		f.Validations, f.ValidateError, f.Plan = answers, "", plan.Fields{DeployInterface: f.DeployInterface()}
		node := *f.Node
		node.DeployInterface = f.DeployInterface()
		f.Node = &node
		c, asked := a.checks.choices(r.deployment, r.overrides).Check(&f, plan.CheckValidate)
		if !asked || c.Severity != plan.CheckRefuse {
			return nil
		}
		reasons := textsOf(c.Evidence, models.Observation.String)
		return refusal(a, n, models.RefusedArguments, c.Text+": "+strings.Join(reasons, "; "), "the changes to the node are reverted")
	}
}

// checkedFields returns the node fields to whose values the operator agreed by confirming the checks.
func checkedFields() []string {
	return []string{
		"provision_state", "maintenance", "driver", "deploy_interface", "boot_interface", "driver_info", "instance_info", "properties", "target_raid_config",
	}
}

// verifyUnchanged returns a function that compares the reserved node with the checked one before anything else is
// written to it. Another client may have changed the node's hints meanwhile. If a PATCH request reserved the node, its
// response contained the stored node (ironic/objects/node.py, save). Otherwise, the node is read.
func (a *DeployAction) verifyUnchanged(n *models.Node, reserved **models.Node) func(ctx context.Context, api API) error {
	return func(ctx context.Context, api API) error {
		now := *reserved
		if now == nil {
			var err error
			if now, err = api.Node(ctx, n.UUID); err != nil {
				return err
			}
		}
		var before, after map[string]any
		if json.Unmarshal(n.Raw, &before) != nil || json.Unmarshal(now.Raw, &after) != nil {
			return refusal(a, n, models.RefusedState, "cannot compare the node with the state that was checked", "")
		}
		if a.checked(n).allocate != nil { // the allocation has set the instance's traits
			for _, node := range []map[string]any{before, after} {
				if info, is := node["instance_info"].(map[string]any); is {
					delete(info, "traits")
				}
			}
		}
		var changed []string
		for _, field := range checkedFields() {
			if !reflect.DeepEqual(before[field], after[field]) {
				changed = append(changed, field)
			}
		}
		if changed != nil {
			return refusal(a, n, models.RefusedState, "changed since the checks: "+strings.Join(changed, ", "), "review the changes, then deploy again")
		}
		return nil
	}
}

// allocateTimeout is the maximum time to wait for an allocation. Ironic retries a locked node a few times.
const allocateTimeout = time.Minute

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

// unallocate returns the entry that deletes an allocation, and does not fail if it no longer exists.
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
