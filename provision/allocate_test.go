package provision_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/provision"
)

// allocatingAPI is a fake Ironic that supports allocations.
type allocatingAPI struct {
	*fakeAPI
	made []models.AllocationRequest
	// ends is the final state of every allocation, and why contains its last error.
	ends, why string
	// conflict makes the fake Ironic report that the allocation already exists.
	conflict bool
}

func (a *allocatingAPI) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	switch allocation, is := r.Body.(models.AllocationRequest); {
	case is:
		a.made = append(a.made, allocation)
		id, err := a.call(ctx, allocation.CandidateNodes[0], "allocate %s %v", allocation.ResourceClass, allocation.Traits)
		if a.conflict {
			err = &models.Fault{Kind: models.FaultConflict, Status: 409}
		}
		return request.Answer{ID: id}, err
	case !strings.HasPrefix(r.Path, "/v1/allocations/"):
		return a.fakeAPI.Send(ctx, r)
	case !slices.ContainsFunc(a.made, func(allocation models.AllocationRequest) bool { return r.Path == "/v1/allocations/"+allocation.UUID }):
		return request.Answer{}, errors.New("an allocation that was not requested")
	}
	id, err := a.call(ctx, "uuid-n1", "unallocate")
	return request.Answer{ID: id}, err
}

func (a *allocatingAPI) Allocation(_ context.Context, id string) (*models.Allocation, error) {
	return &models.Allocation{UUID: id, State: a.ends, LastError: a.why}, nil
}

func TestDeployByAllocation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends, why string
		conflict  bool
		on        func(call, id string) error
		want      []string
		says      string
	}{
		"it goes well":        {ends: "active", want: []string{"allocate gp [CUSTOM_A]", "patch", "provision active"}},
		"it was heard before": {ends: "active", conflict: true, want: []string{"allocate gp [CUSTOM_A]", "patch", "provision active"}},
		"Ironic takes none": {
			ends: "error", why: "none of the requested nodes are available", says: "the allocation failed: none of the requested",
			want: []string{"allocate gp [CUSTOM_A]", "unallocate"},
		},
		"it is not valid": {
			ends: "active", says: "no", want: []string{"allocate gp [CUSTOM_A]", "patch", "provision active", "patch", "unallocate"},
			on: func(call, _ string) error {
				if strings.HasPrefix(call, "provision") {
					return &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "no"}
				}
				return nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deployable(t)
			n.ResourceClass, n.Traits = "gp", []string{"CUSTOM_A"}
			api := &allocatingAPI{fakeAPI: newAPI(n), ends: c.ends, why: c.why, conflict: c.conflict}
			api.onCall = c.on
			action := provision.Deploy(&provision.Preflighter{Reader: &reader{inventory: oneDisk}}, func(*models.Node) (provision.Deployment, error) {
				d := deployment(t)
				d.Fields.Allocate = &plan.Allocate{Traits: []string{"CUSTOM_A"}}
				return d, nil
			})
			action.Preflight(t.Context(), []models.Node{n})
			if shown := action.Requests(&n); len(shown) != 6 || shown[0].Path != "/v1/allocations" {
				t.Errorf("shown: %v", shown)
			}
			if words := action.Commands(&n); !strings.HasPrefix(words[0], "baremetal allocation create --uuid ") {
				t.Errorf("shown: %q", words)
			}
			runner := &provision.Runner{API: api, Audit: &memAudit{}, Context: "test"}
			res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{})[0]
			if (res.Err == nil) != (c.says == "") || res.Err != nil && !strings.Contains(res.Err.Error(), c.says) {
				t.Errorf("%+v", res)
			}
			var did []string
			for _, call := range api.calls {
				call = strings.TrimPrefix(call, "n1 ")
				if strings.HasPrefix(call, "patch") {
					call = "patch"
				}
				did = append(did, call)
			}
			if !slices.Equal(did, c.want) {
				t.Errorf("did %q, want %q", did, c.want)
			}
		})
	}
}

// TestAllocationOverwritesTraits checks that the plan's traits are sent even if the node already has them, because
// Ironic overwrites the node's traits with those of the allocation.
func TestAllocationOverwritesTraits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan, allocation []string
		patched          bool
	}{
		"the node has them":       {plan: []string{"CUSTOM_A"}, patched: true},
		"the allocation has them": {plan: []string{"CUSTOM_A"}, allocation: []string{"CUSTOM_A"}},
		"none, as then":           {plan: []string{}},
		"nothing is said":         {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deployable(t)
			n.ResourceClass, n.Traits = "gp", []string{"CUSTOM_A"}
			n.InstanceInfo = map[string]any{"traits": []any{"CUSTOM_A"}}
			action := provision.Deploy(&provision.Preflighter{Reader: &reader{inventory: oneDisk}}, func(*models.Node) (provision.Deployment, error) {
				d := deployment(t)
				d.Fields.Traits, d.Fields.Allocate = c.plan, &plan.Allocate{Traits: c.allocation}
				return d, nil
			})
			action.Preflight(t.Context(), []models.Node{n})
			shown := fmt.Sprint(action.Requests(&n))
			if got := strings.Contains(shown, "/instance_info/traits"); got != c.patched || !strings.Contains(shown, "/v1/allocations") {
				t.Errorf("patched: %v\n%s", got, shown)
			}
		})
	}
}
