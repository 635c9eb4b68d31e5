package provision

import (
	"context"
	"errors"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// Provision is an action that sends a provision verb. Nothing but [Deploy] and [Rebuild]
// sends theirs: for these it is an action that refuses every node.
func Provision(r models.ProvisionRequest) Action {
	if r.Verb == models.VerbDeploy || r.Verb == models.VerbRebuild {
		return unchecked{verbAction: verbAction{req: r}}
	}
	return verbAction{req: r}
}

// unchecked is a deployment that nobody checks.
type unchecked struct{ verbAction }

func (a unchecked) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	return refusal(a, n, models.RefusedArguments, "a deployment is not sent without its checks", "ironworks "+a.Name()+" "+n.Label())
}

func (a unchecked) entries(n *models.Node) ([]entry, error) {
	return nil, a.Refuse(n, models.APIVersion{})
}

type verbAction struct {
	plain
	req models.ProvisionRequest
}

func (a verbAction) Name() string { return string(a.req.Verb) }

func (a verbAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := models.WhyNot(a.req.Verb, n, v); r != nil {
		return r
	}
	if why, hint := a.badArguments(); why != "" {
		return refusal(a, n, models.RefusedArguments, why, hint)
	}
	return nil
}

// badArguments are what Ironic would turn down.
func (a verbAction) badArguments() (why, hint string) {
	r := a.req
	switch {
	case r.Verb == models.VerbClean && len(r.CleanSteps) == 0 && r.Runbook == "":
		return "manual cleaning needs its steps", "--step deploy.erase_devices_metadata, or --steps FILE"
	case r.Verb == models.VerbService && len(r.ServiceSteps) == 0 && r.Runbook == "":
		return "service needs its steps", "--step INTERFACE.STEP, or --steps FILE"
	case r.Verb == models.VerbRescue && !r.RescuePassword.IsSet():
		return "rescue needs a password for the rescue user", "--password-file FILE"
	}
	return "", ""
}

func (a verbAction) Effect(n *models.Node) models.Effect {
	steps := a.req.CleanSteps
	if a.req.Verb == models.VerbService {
		steps = a.req.ServiceSteps
	}
	return models.VerbEffect(a.req.Verb, n, steps)
}

func (a verbAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{
		verb: a.Name(), Request: request.Provision(n.UUID, a.req),
		judge: func(_ context.Context, _ API, err error) error { return rebuildHint(err, a.req.Verb, n) },
	}}, nil
}

// rebuildHint: the newest Ironics answer 500 to a rebuild of a node without an image
// source (an unassigned variable in conductor/deployments.py: start_deploy), which
// nobody would guess from what they say.
func rebuildHint(err error, verb models.Verb, n *models.Node) error {
	var f *models.Fault
	if verb == models.VerbRebuild && n.InstanceInfo["image_source"] == nil && errors.As(err, &f) && f.Kind == models.FaultServer {
		f.Hint = "this Ironic cannot rebuild a node without instance_info.image_source: undeploy it, then deploy"
	}
	return err
}

// ended: once Ironic has accepted a verb the node has left its state, so the first
// resting state that is seen is the outcome, also where it is the state before.
func (a verbAction) ended(before, now *models.Node, _ time.Duration) (verdict, bool) {
	s := now.ProvisionState
	if !s.Resting() {
		return verdict{}, false
	}
	t, _ := models.FindTransition(before.ProvisionState, a.req.Verb)
	return verdict{ok: slices.Contains(t.Success, s), state: string(s)}, true
}
