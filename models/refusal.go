package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/printable"
)

// RefusalKind classifies the reason why an action was refused before any request was sent.
type RefusalKind string

// The reasons for refusing an action.
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

// Refusal explains why an action is not possible on a node, and what to do about it.
type Refusal struct {
	Kind RefusalKind
	// Action is the requested action. Node is the node's name or UUID.
	Action string
	Node   string
	// Why is the reason, formulated as a clause. Hint is the remedy, or "" if there is none.
	Why  string
	Hint string
	// ScreenWhy and ScreenHint replace Why and Hint in the console. They are empty if Why and Hint do not mention a
	// command.
	ScreenWhy, ScreenHint string
}

// Error returns a whole sentence that names the remedy as a command.
func (r *Refusal) Error() string { return r.sentence(r.Why, r.Hint) }

// OnScreen returns a whole sentence that names the remedy for a user of the console.
func (r *Refusal) OnScreen() string { return r.sentence(r.WhyOnScreen(), cmp.Or(r.ScreenHint, r.Hint)) }

// WhyOnScreen returns the reason to show in the console.
func (r *Refusal) WhyOnScreen() string { return cmp.Or(r.ScreenWhy, r.Why) }

// WithScreenHint sets the remedy that the console shows, and returns r.
func (r *Refusal) WithScreenHint(hint string) *Refusal {
	r.ScreenHint = hint
	return r
}

func (r *Refusal) sentence(why, hint string) string {
	text := r.Action
	if r.Node != "" {
		text += " " + printable.Line(r.Node)
	}
	text += ": " + why
	if hint != "" {
		text += "; " + hint
	}
	return text
}

// WhyNot returns the reason why verb is not allowed for the node, or nil if it is allowed. The console's keys, the
// commands and the code that sends requests all use this function.
func WhyNot(verb Verb, n *Node, v APIVersion) *Refusal {
	refuse := func(k RefusalKind, hint, why string, args ...any) *Refusal {
		return &Refusal{Kind: k, Action: string(verb), Node: n.Label(), Why: fmt.Sprintf(why, args...), Hint: hint}
	}
	flagged := func(k RefusalKind, clear, why, reason string) *Refusal {
		r := refuse(k, "ironworks "+clear+" "+n.Label(), "the node is %s%s", why, ReasonSuffix(reason))
		r.ScreenHint = RunKey(strings.ReplaceAll(clear, " ", "-"))
		return r
	}
	t, ok := FindTransition(n.ProvisionState, verb)
	switch {
	case !ok:
		return refuse(RefusedState, nextHint(n.ProvisionState, v), "%s", NotPossibleIn(n.ProvisionState, legalFrom(verb, v)))
	case !t.allowed(v):
		return refuse(RefusedVersion, "", "needs API 1.%d in state %q; this Ironic has %s", t.Minor, n.ProvisionState, v)
	case n.Maintenance && refusedInMaintenance(verb):
		return flagged(RefusedMaintenance, "maintenance off", "in maintenance", n.MaintenanceReason)
	case n.Protected && (verb == VerbUndeploy || verb == VerbRebuild):
		return flagged(RefusedProtected, "unprotect", "protected", n.ProtectedReason)
	case n.Retired && verb == VerbProvide:
		return flagged(RefusedRetired, "unretire", "retired", n.RetiredReason)
	}
	return nil
}

// refusedInMaintenance reports whether Ironic refuses the verb for a node in maintenance
// (ironic/conductor/manager.py, deployments.py: validate_node).
func refusedInMaintenance(verb Verb) bool {
	return slices.Contains([]Verb{VerbDeploy, VerbRebuild, VerbRescue, VerbUnrescue, VerbClean, VerbService}, verb)
}

// ReasonSuffix returns a colon and the sanitized reason, to be appended to a clause. It returns "" if there is no
// reason.
func ReasonSuffix(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + printable.Line(reason)
}

func nextHint(s ProvisionState, v APIVersion) string {
	verbs := LegalVerbs(s, v)
	if len(verbs) == 0 {
		if s.Busy() {
			return "wait until the node's operation ends"
		}
		return ""
	}
	return "possible now: " + strings.Join(Texts(verbs), ", ")
}

// NotPossibleIn explains that an action is not possible in the state s, and lists the states in which it is possible.
func NotPossibleIn(s ProvisionState, possible []ProvisionState) string {
	if len(possible) == 0 {
		return fmt.Sprintf("not possible in state %q, nor in any other state of this Ironic", s)
	}
	quoted := make([]string, len(possible))
	for i, p := range possible {
		quoted[i] = fmt.Sprintf("%q", string(p))
	}
	return fmt.Sprintf("not possible in state %q, only in %s", s, strings.Join(quoted, ", "))
}
