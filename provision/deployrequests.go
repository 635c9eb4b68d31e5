package provision

import (
	"context"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
)

// Requests are what will be sent to a node, in order; none to one that is refused.
func (a *DeployAction) Requests(n *models.Node) []request.Request {
	entries, err := a.entries(n)
	if err != nil {
		return nil
	}
	return requestsOf(entries)
}

// Commands do the same with the baremetal command.
func (a *DeployAction) Commands(n *models.Node) []string {
	entries, err := a.entries(n)
	if err != nil {
		return nil
	}
	return commandsOf(entries)
}

// entries are what is sent, after what an earlier try has sent.
func (a *DeployAction) entries(n *models.Node) ([]entry, error) {
	if refused := a.refuse(n); refused != nil {
		return nil, refused
	}
	r := a.of(n)
	var list []entry
	if r.rest == restNone {
		list = a.deployEntries(n, r)
	}
	if r.rest == restNone || r.rest == restFollow {
		// What is in the way of it is told when it would be sent.
		if last, err := rootDiskEntry(n, r); err == nil && last != nil {
			list = append(list, *last)
		}
	}
	return list, nil
}

func (a *DeployAction) deployEntries(n *models.Node, r *readyNode) []entry {
	list := r.sentBefore()
	if r.allocate != nil {
		list = append(list, a.allocateEntries(r.allocate)...)
	}
	if len(r.reserve) > 0 {
		reserve := patchEntry("reserve instance_uuid", n, r.reserve)
		reserve.undo = undo{instance: r.instance, reserved: true}
		list = append(list, reserve)
	}
	list = append(list, entry{verb: "look again", ask: a.unchanged(n)})
	if len(r.patch) > 0 {
		patch := patchEntry("set "+pathsOf(r.patch), n, r.patch)
		patch.undo = undo{instance: r.instance, restore: r.undoPatch(n)}
		list = append(list, patch)
	}
	return append(list, entry{verb: "validate", Request: request.Validate(n.UUID), ask: a.validate(n)}, entry{
		verb: string(r.verb), Request: request.Provision(n.UUID, r.request), overrides: overridden(r.checks), stage: StageSending,
		judge: func(_ context.Context, _ API, err error) error { return rebuildHint(err, r.verb, n) },
	})
}

func (a *DeployAction) wasSent(n *models.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	return r != nil && r.sent
}

// take says that a node's entries are sent now, once.
func (a *DeployAction) take(n *models.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	if r == nil || r.sent {
		return false
	}
	r.sent = true
	return true
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
