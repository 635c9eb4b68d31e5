package provision

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
)

// Requests are what will be sent to a node, in order; none to one that is refused.
func (a *DeployAction) Requests(n *models.Node) []PlannedRequest {
	r := a.of(n)
	switch {
	case a.refuse(n) != nil:
		return nil
	case r.rest == restFollow:
		return plannedRootDisk(n, r.before.RootDisk)
	case r.rest != restNone:
		return nil
	}
	path := "/v1/nodes/" + n.UUID
	var list []PlannedRequest
	if r.allocate != nil {
		list = plannedAllocation(r.allocate)
	}
	for _, ops := range [][]models.PatchOp{r.reserve, r.patch} {
		if len(ops) > 0 {
			list = append(list, PlannedRequest{Method: http.MethodPatch, Path: path, Body: ops})
		}
	}
	list = append(list,
		PlannedRequest{Method: http.MethodGet, Path: path + "/validate"},
		PlannedRequest{Method: http.MethodPut, Path: path + "/states/provision", Body: provisionBody(r.request)})
	return append(list, plannedRootDisk(n, identityOf(r.facts))...)
}

// plannedRootDisk is the request that records the disk that was installed to, none where
// that is not known.
func plannedRootDisk(n *models.Node, disk map[string]string) []PlannedRequest {
	ops, err := rootDiskPatch(n, disk)
	if err != nil || ops == nil {
		return nil
	}
	return []PlannedRequest{{Method: http.MethodPatch, Path: "/v1/nodes/" + n.UUID, Body: ops, When: "if it is followed, and ends well"}}
}

// Commands do the same with the baremetal command.
func (a *DeployAction) Commands(n *models.Node) []string {
	r := a.of(n)
	if a.refuse(n) != nil || r.rest != restNone {
		return nil
	}
	var list []string
	if r.allocate != nil {
		list = append(list, allocateCommand(r.allocate))
	}
	for _, op := range r.reserve {
		list = append(list, fmt.Sprintf("baremetal node set --instance-uuid %s %s", shellWord(fmt.Sprint(op.Value)), shellWord(n.UUID)))
	}
	var fields []models.PatchOp
	for _, op := range maskedOps(r.patch) {
		if op.Path == "/deploy_interface" {
			list = append(list, fmt.Sprintf("baremetal node set --deploy-interface %s %s", shellWord(fmt.Sprint(op.Value)), shellWord(n.UUID)))
			continue
		}
		fields = append(fields, op)
	}
	list = append(list, baremetalCommands(n, fields)...)
	return append(list, "baremetal node validate "+shellWord(n.UUID), deployCommand(n, r.request))
}

// requests are those of [DeployAction.Requests], after what an earlier try has sent.
func (a *DeployAction) requests(n *models.Node) ([]request, error) {
	if refused := a.Refuse(n, models.APIVersion{}); refused != nil {
		return nil, refused
	}
	r := a.take(n)
	if r == nil {
		return nil, refusal(a, n, models.RefusedArguments, "it is being sent already", "")
	}
	list := r.sentBefore()
	if r.allocate != nil {
		list = append(list, a.allocateRequests(r.allocate)...)
	}
	if len(r.reserve) > 0 {
		reserve := patchRequest("reserve instance_uuid", n, r.reserve)
		reserve.undo = undo{instance: r.instance, reserved: true}
		list = append(list, reserve)
	}
	list = append(list, request{verb: "look again", ask: a.unchanged(n)})
	if len(r.patch) > 0 {
		paths := make([]string, len(r.patch))
		for i, op := range r.patch {
			paths[i] = op.Path
		}
		patch := patchRequest("set "+strings.Join(paths, " "), n, r.patch)
		patch.undo = undo{instance: r.instance, restore: r.undoPatch(n)}
		list = append(list, patch)
	}
	send := verbAction{r.request}
	last, err := send.requests(n)
	if err != nil {
		return nil, err
	}
	last[0].overrides, last[0].stage = overridden(r.checks), StageSending
	return append(append(list, request{verb: "validate", ask: a.validate(n)}), last...), nil
}

func (a *DeployAction) wasSent(n *models.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	return r != nil && r.sent
}

// take gives what is sent to a node, once.
func (a *DeployAction) take(n *models.Node) *readyNode {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	if r == nil || r.sent {
		return nil
	}
	r.sent = true
	return r
}

// validate asks Ironic once more, with what was written.
func (a *DeployAction) validate(n *models.Node) func(ctx context.Context, api API) error {
	return func(ctx context.Context, _ API) error {
		answers, err := a.checks.Reader.Validate(ctx, n.UUID)
		if err != nil {
			return err
		}
		f := *a.of(n).facts
		f.Validations, f.ValidateError, f.Plan = answers, "", plan.Fields{DeployInterface: f.DeployInterface()}
		node := *f.Node
		node.DeployInterface = f.DeployInterface()
		f.Node = &node
		d, err := a.of(n).asked.deployment()
		if err != nil {
			return err
		}
		choices := a.checks.choices(d, a.of(n).overrides)
		for _, c := range plan.Checks(&f, choices) {
			if c.ID == plan.CheckValidate && c.Severity == plan.CheckRefuse {
				reasons := make([]string, len(c.Evidence))
				for i, e := range c.Evidence {
					reasons[i] = e.String()
				}
				return refusal(a, n, models.RefusedArguments, c.Text+": "+strings.Join(reasons, "; "), "what was written is taken back")
			}
		}
		return nil
	}
}
