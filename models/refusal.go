package models

import (
	"fmt"
	"strings"
)

// RefusalKind says why an action was refused before anything was sent.
type RefusalKind string

// The reasons.
const (
	RefusedState       RefusalKind = "state"
	RefusedVersion     RefusalKind = "version"
	RefusedMaintenance RefusalKind = "maintenance"
	RefusedProtected   RefusalKind = "protected"
	RefusedRetired     RefusalKind = "retired"
	RefusedArguments   RefusalKind = "arguments"
	RefusedReadOnly    RefusalKind = "read-only"
	RefusedUnconfirmed RefusalKind = "unconfirmed"
)

// Refusal is why an action cannot be done on a node now, and the way out.
type Refusal struct {
	Kind RefusalKind
	// Action is what was asked for, Node the node's name or uuid.
	Action string
	Node   string
	// Why is one clause; Hint is what to do instead, or empty.
	Why  string
	Hint string
}

// Error is the whole sentence.
func (r *Refusal) Error() string {
	var b strings.Builder
	if r.Node != "" {
		fmt.Fprintf(&b, "%s %s: ", r.Action, Printable(r.Node))
	} else {
		fmt.Fprintf(&b, "%s: ", r.Action)
	}
	b.WriteString(r.Why)
	if r.Hint != "" {
		b.WriteString("; ")
		b.WriteString(r.Hint)
	}
	return b.String()
}

// WhyNot says why the verb is not legal for the node now, or nil when it is. It is
// the same answer for a disabled key, a command and the code that sends the verb.
func WhyNot(verb Verb, n *Node, v APIVersion) *Refusal {
	refuse := func(k RefusalKind, hint, why string, args ...any) *Refusal {
		return &Refusal{Kind: k, Action: string(verb), Node: n.Label(), Why: fmt.Sprintf(why, args...), Hint: hint}
	}
	t, ok := FindTransition(n.ProvisionState, verb)
	switch {
	case !ok:
		return refuse(RefusedState, nextHint(n.ProvisionState, v),
			"not possible in state %q, only in %s", n.ProvisionState, quotedStates(legalFrom(verb, v)))
	case !t.allowed(v):
		return refuse(RefusedVersion, "", "needs API 1.%d from state %q; this Ironic has %s", t.Minor, n.ProvisionState, v)
	case n.Maintenance && refusedInMaintenance(verb):
		return refuse(RefusedMaintenance, "ironworks maintenance off "+n.Label(), "the node is in maintenance%s", ReasonSuffix(n.MaintenanceReason))
	case n.Protected && (verb == VerbUndeploy || verb == VerbRebuild):
		return refuse(RefusedProtected, "ironworks unprotect "+n.Label(), "the node is protected%s", ReasonSuffix(n.ProtectedReason))
	case n.Retired && verb == VerbProvide:
		return refuse(RefusedRetired, "ironworks unretire "+n.Label(), "the node is retired%s", ReasonSuffix(n.RetiredReason))
	}
	return nil
}

// refusedInMaintenance are the verbs that Ironic itself turns down for a node in
// maintenance (ironic/conductor/manager.py, deployments.py: validate_node).
func refusedInMaintenance(verb Verb) bool {
	switch verb {
	case VerbDeploy, VerbRebuild, VerbRescue, VerbUnrescue, VerbClean, VerbService:
		return true
	case VerbManage, VerbProvide, VerbInspect, VerbAdopt, VerbUndeploy, VerbAbort, VerbUnhold:
		return false
	}
	return false
}

// ReasonSuffix is a reason as it follows a clause, safe to show; empty for no reason.
func ReasonSuffix(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + Printable(reason)
}

func nextHint(s ProvisionState, v APIVersion) string {
	verbs := LegalVerbs(s, v)
	if len(verbs) == 0 {
		if s.Busy() {
			return "wait for the node to come to rest"
		}
		return ""
	}
	names := make([]string, len(verbs))
	for i, verb := range verbs {
		names[i] = string(verb)
	}
	return "possible now: " + strings.Join(names, ", ")
}

func quotedStates(states []ProvisionState) string {
	if len(states) == 0 {
		return "no state of this Ironic"
	}
	q := make([]string, len(states))
	for i, s := range states {
		q[i] = fmt.Sprintf("%q", string(s))
	}
	return strings.Join(q, ", ")
}
