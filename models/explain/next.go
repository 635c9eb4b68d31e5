package explain

import (
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// nodeName returns the node's name, or its UUID if the name is not safe on a command line.
func (x *explaining) nodeName() string {
	if x.node == nil {
		return "NODE"
	}
	label := x.node.Label()
	if strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-") != "" || strings.HasPrefix(label, "-") {
		return x.node.UUID
	}
	return label
}

// next returns the rule's next action, or the history and the reason if the action is not safe for this node now.
func (x *explaining) next(r *Rule) Next {
	next := r.Next
	next.Text = x.fill(next.Text)
	if next.Retry {
		next.Verb = x.retryVerb()
	}
	switch {
	case next.Verb != "":
		next.Key, next.Command = string(next.Verb), "ironworks "+string(next.Verb)+" {node}"
	case next.Command == "" && next.Key == "":
		next.Key, next.Command = "overview", "ironworks node {node}"
	}
	if stop := x.stop(next.Verb); stop != "" {
		next.Text = stop + " Then: " + next.Text
		next.Verb, next.Key, next.Command = "", "history", "ironworks history {node}"
	}
	next.Command = x.fill(next.Command)
	return next
}

// stop returns the reason not to propose the verb, or "" if there is none. For example, a machine with an instance is
// in use and must not be erased.
func (x *explaining) stop(verb models.Verb) string {
	n := x.node
	if verb == "" || n == nil {
		return ""
	}
	mayErase := models.VerbEffect(verb, n, nil).Danger >= models.DangerMayErase
	switch {
	case n.Maintenance && n.Fault == "" && n.ProvisionState != models.StateCleanFailed:
		return "Stop: the node is in maintenance, set by an operator" + reasonSuffix(printable.Line(n.MaintenanceReason)) + "; ask the operator first."
	case mayErase && n.ProvisionState == models.StateActive && n.InstanceUUID == "":
		return "Stop: the node is active without an instance_uuid; ask its owner first."
	case mayErase && n.InstanceUUID != "" && !x.reservedHere() && (n.ProvisionState.Failed() || n.ProvisionState == models.StateActive):
		return "Stop: instance_uuid is set, so the node has an owner; ask before you clean, undeploy or deploy."
	}
	if refusal := models.WhyNot(verb, n, x.Version); refusal != nil {
		return "Not now (" + string(verb) + "): " + refusal.Why + "."
	}
	return ""
}

// retryVerb returns the verb that retries the failed operation or ends the wait. In deploy wait, the verb is undeploy
// if the current step is not abortable. The agent's deploy steps are not abortable: Ironic would abort such a step
// only at its end, which may never come (ironic/conductor/manager.py, _do_abort).
func (x *explaining) retryVerb() models.Verb {
	s := x.state()
	if x.node != nil && s == models.StateDeployWait {
		if step, _ := x.node.CurrentStep(); step != nil && !step.Abortable {
			return models.VerbUndeploy
		}
	}
	switch s {
	case models.StateDeployFailed:
		return models.VerbDeploy
	case models.StateCleanFailed, models.StateEnroll:
		return models.VerbManage
	case models.StateInspectFailed:
		return models.VerbInspect
	case models.StateAdoptFailed:
		return models.VerbAdopt
	case models.StateRescueFailed:
		return models.VerbRescue
	case models.StateUnrescueFailed:
		return models.VerbUnrescue
	case models.StateServiceFailed:
		return models.VerbService
	case models.StateDeployWait, models.StateCleanWait, models.StateInspectWait, models.StateRescueWait, models.StateServiceWait,
		models.StateDeployHold, models.StateCleanHold, models.StateServiceHold:
		return models.VerbAbort
	default:
		return ""
	}
}
