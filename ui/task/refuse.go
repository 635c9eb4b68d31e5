package task

import (
	"fmt"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/hardware"
)

// WhyNot returns the reason why the action is not possible on any of the nodes, or "" if it may be possible on at
// least one. It relies on the store, which may be outdated; check reads the nodes again before anything is sent.
func (w *Workflow) WhyNot(a *action.Action, nodes []models.NodeRef) string {
	if len(nodes) == 0 {
		return textNoNodeSelected
	}
	switch {
	case a.ID == action.Shell:
		return w.whyNoShell(nodes)
	case a.ID == action.WebConsole:
		return w.whyNoWebConsole(nodes)
	case (a.ID == action.Validate || hardware.Shows(a.ID)) && len(nodes) > 1:
		return textOneNodeOnly
	case a.ID == action.Validate, hardware.Shows(a.ID), a.ID == action.NodeVerbs, w.env.Session == nil:
		return ""
	}
	id := a.ID
	if id == action.DeployWizard {
		if why := deploy.TooMany(len(nodes)); why != "" {
			return why
		}
		id = action.Verb(models.VerbDeploy)
	}
	refuse, err := refuses(id)
	if err != nil {
		return ""
	}
	first, changing := "", w.changing()
	for _, ref := range nodes {
		row, _, ok := w.env.Session.Store.Get(ref.UUID)
		if !ok || changing[ref.UUID] {
			return "" // the store may be outdated; check reads the node again
		}
		why := noChangeReason(a.ID, &row.Node)
		if refusal := refuse(&row.Node, w.env.Status.Version); refusal != nil && refusal.Kind != models.RefusedArguments {
			why = refusal.WhyOnScreen()
		}
		if why == "" {
			return ""
		}
		if first == "" {
			first = why
		}
	}
	if len(nodes) > 1 {
		return fmt.Sprintf("not possible on any of the %d marked nodes: %s", len(nodes), first)
	}
	return first
}

// refuses returns a function that tells, without a request, why Ironic would refuse the action on a node.
func refuses(id action.ID) (func(*models.Node, models.APIVersion) *models.Refusal, error) {
	if verb, _ := action.AsVerb(id); deploys(id) {
		return func(n *models.Node, v models.APIVersion) *models.Refusal { return models.WhyNot(verb, n, v) }, nil
	}
	act, _, err := build(id, Arguments{FieldSettings: "description="})
	if err != nil {
		return nil, err
	}
	return act.Refuse, nil
}

func noChangeReason(id action.ID, n *models.Node) string {
	switch {
	case id == action.MaintenanceOff && !n.Maintenance:
		return "the node is not in maintenance"
	case id == action.Unprotect && !n.Protected:
		return "the node is not protected"
	case id == action.Unretire && !n.Retired:
		return "the node is not retired"
	}
	return ""
}
