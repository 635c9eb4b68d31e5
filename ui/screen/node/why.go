package node

import (
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
)

// WhyNot says why an action on nodes cannot be done to a node now, "" when it can. It is
// what the plan would refuse, without arguments: these are asked for later.
func WhyNot(id action.ID, n *models.Node, v models.APIVersion) string {
	if verb, ok := action.AsVerb(id); ok {
		return why(models.WhyNot(verb, n, v))
	}
	switch {
	case id == action.MaintenanceOff && !n.Maintenance:
		return "the node is not in maintenance"
	case id == action.Unprotect && !n.Protected:
		return "the node is not protected"
	case id == action.Unretire && !n.Retired:
		return "the node is not retired"
	}
	if a := onNode(id); a != nil {
		return why(a.Refuse(n, v))
	}
	return ""
}

func why(r *models.Refusal) string {
	if r == nil {
		return ""
	}
	return models.Printable(r.Why)
}

// onNode is the action that an id stands for, where it needs no arguments to be refused.
func onNode(id action.ID) provision.Action {
	switch id {
	case action.PowerOn:
		return provision.Power(models.TargetOn)
	case action.PowerOff:
		return provision.Power(models.TargetOff)
	case action.SoftOff:
		return provision.Power(models.TargetSoftOff)
	case action.Reboot:
		return provision.Power(models.TargetReboot)
	case action.SoftReboot:
		return provision.Power(models.TargetSoftReboot)
	case action.Protect, action.Unprotect:
		return provision.Protect(id == action.Protect, "")
	case action.Retire, action.Unretire:
		return provision.Retire(id == action.Retire, "")
	default:
		return nil
	}
}

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	a, ok := action.Find(id)
	if ok && a.Scope == action.Nodes {
		return s.whyNode(a)
	}
	switch id {
	case action.Open:
		return "there is no more to it than what is shown"
	case action.Diff:
		switch {
		case s.tab != rawTab:
			return "the Raw tab has it"
		case s.raw.before == nil:
			return "the node was read only once so far; ctrl+r reads it again"
		}
	case action.NextMatch, action.PrevMatch:
		if p := s.pane(); p != nil && p.Query() == "" {
			return "nothing is searched for"
		}
	case action.WrapLines:
		if s.tab == overviewTab {
			return "lines are wrapped already"
		}
	default:
	}
	return ""
}

func (s *Screen) whyNode(a *action.Action) string {
	switch {
	case s.session == nil:
		return "there is no connection"
	case s.gone():
		return "the node was deleted"
	case !s.known():
		return "the node is not known yet"
	case a.Changes && s.env.ReadOnly:
		return "this context is read-only"
	}
	row := s.picture()
	v, _ := s.session.API.Version()
	return WhyNot(a.ID, &row.Node, v)
}
