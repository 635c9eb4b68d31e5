package models

import (
	"cmp"
	"slices"
)

// Verb is a provision verb. Its value is the name that follows `baremetal node` on the command line.
type Verb string

// The provision verbs.
const (
	VerbManage   Verb = "manage"
	VerbProvide  Verb = "provide"
	VerbInspect  Verb = "inspect"
	VerbClean    Verb = "clean"
	VerbAdopt    Verb = "adopt"
	VerbDeploy   Verb = "deploy"
	VerbRebuild  Verb = "rebuild"
	VerbUndeploy Verb = "undeploy"
	VerbRescue   Verb = "rescue"
	VerbUnrescue Verb = "unrescue"
	VerbService  Verb = "service"
	VerbAbort    Verb = "abort"
	VerbUnhold   Verb = "unhold"
)

// Verbs returns all verbs, in the order in which a machine usually needs them.
func Verbs() []Verb {
	return []Verb{
		VerbManage, VerbInspect, VerbClean, VerbProvide, VerbAdopt, VerbDeploy, VerbRebuild,
		VerbUndeploy, VerbRescue, VerbUnrescue, VerbService, VerbAbort, VerbUnhold,
	}
}

// Target returns the verb's name in PUT …/states/provision. For deploy and undeploy it returns the old names, because
// the new aliases do not accept a configdrive or deploy steps.
func (v Verb) Target() string {
	switch v {
	case VerbDeploy:
		return "active"
	case VerbUndeploy:
		return "deleted"
	default:
		return string(v)
	}
}

var verbHelp = map[Verb]string{
	VerbManage:   "Verify BMC credentials (enroll → manageable), or move nodes back to manageable",
	VerbProvide:  "Clean nodes and make them available",
	VerbInspect:  "Inspect hardware",
	VerbClean:    "Run clean steps",
	VerbAdopt:    "Adopt machines that already run an instance (manageable → active)",
	VerbDeploy:   "Deploy nodes (available → active)",
	VerbRebuild:  "Redeploy active or failed nodes",
	VerbUndeploy: "Undeploy and clean (active → available)",
	VerbRescue:   "Boot the rescue ramdisk",
	VerbUnrescue: "Leave the rescue ramdisk",
	VerbService:  "Run service steps on active nodes",
	VerbAbort:    "Abort the current operation",
	VerbUnhold:   "Resume held nodes",
}

// Help describes the verb in a few words.
func (v Verb) Help() string { return cmp.Or(verbHelp[v], string(v)) }

// Transition is a change of state that a verb triggers. From is the state in which the verb is allowed, and Enters is
// the state that the node enters first. Success lists the states in which the operation ends if it succeeds.
type Transition struct {
	From    ProvisionState
	Verb    Verb
	Enters  ProvisionState
	Success []ProvisionState
	// Minor is the minor API version (1.Minor) that the verb requires in this state.
	Minor int
}

// transitions is the part of Ironic's state machine that users can control with verbs. It is taken from
// ironic/common/state_machine.py of 39.0.0, and the required API versions from ironic/api/controllers/v1/utils.py
// (MIN_VERB_VERSIONS and check_allow_*). TestTransitionsAgainstIronic compares it with both releases. It must not be
// modified.
var transitions = buildTransitions()

func buildTransitions() []Transition {
	row := func(v Verb, enters, success ProvisionState, minor int, from ...ProvisionState) []Transition {
		rows := make([]Transition, 0, len(from))
		for _, f := range from {
			rows = append(rows, Transition{From: f, Verb: v, Enters: enters, Success: []ProvisionState{success}, Minor: minor})
		}
		return rows
	}
	return slices.Concat(
		row(VerbManage, StateVerifying, StateManageable, 4, StateEnroll),
		row(VerbManage, StateManageable, StateManageable, 4,
			StateAvailable, StateCleanFailed, StateInspectFailed, StateAdoptFailed),
		row(VerbProvide, StateCleaning, StateAvailable, 4, StateManageable),
		row(VerbInspect, StateInspecting, StateManageable, 6, StateManageable, StateInspectFailed),
		row(VerbClean, StateCleaning, StateManageable, 15, StateManageable),
		row(VerbAdopt, StateAdopting, StateActive, 17, StateManageable, StateAdoptFailed),
		row(VerbDeploy, StateDeploying, StateActive, 1, StateAvailable, StateDeployFailed),
		row(VerbRebuild, StateDeploying, StateActive, 1, StateActive, StateError, StateDeployFailed),
		row(VerbUndeploy, StateDeleting, StateAvailable, 1,
			StateActive, StateDeployWait, StateDeployFailed, StateError, StateRescue,
			StateRescueWait, StateRescueFailed, StateUnrescueFailed),
		row(VerbUndeploy, StateDeleting, StateAvailable, 87, StateServiceWait, StateServiceFailed),
		row(VerbRescue, StateRescuing, StateRescue, 38,
			StateActive, StateRescue, StateRescueFailed, StateUnrescueFailed),
		row(VerbRescue, StateRescuing, StateRescue, 87, StateServiceFailed),
		row(VerbUnrescue, StateUnrescuing, StateActive, 38,
			StateRescue, StateRescueFailed, StateUnrescueFailed),
		row(VerbService, StateServicing, StateActive, 87, StateActive, StateServiceFailed, StateServiceHold),
		row(VerbAbort, StateCleanFailed, StateCleanFailed, 13, StateCleanWait),
		row(VerbAbort, StateCleanFailed, StateCleanFailed, 85, StateCleanHold),
		row(VerbAbort, StateInspectFailed, StateInspectFailed, 41, StateInspectWait),
		row(VerbAbort, StateRescueFailed, StateRescueFailed, 38, StateRescueWait),
		row(VerbAbort, StateDeployFailed, StateDeployFailed, 110, StateDeployWait),
		row(VerbAbort, StateDeployFailed, StateDeployFailed, 85, StateDeployHold),
		row(VerbAbort, StateServiceFailed, StateServiceFailed, 87, StateServiceWait, StateServiceHold),
		row(VerbAbort, StateActive, StateActive, 87, StateServiceFailed),
		row(VerbUnhold, StateCleanWait, StateManageable, 85, StateCleanHold),
		row(VerbUnhold, StateDeployWait, StateActive, 85, StateDeployHold),
		row(VerbUnhold, StateServiceWait, StateActive, 85, StateServiceHold),
	)
}

// FindTransition returns the transition that the verb triggers in the given state, or false if there is none.
func FindTransition(from ProvisionState, v Verb) (Transition, bool) {
	for _, t := range transitions {
		if t.From == from && t.Verb == v {
			return widen(t), true
		}
	}
	return Transition{}, false
}

// widen adds successful outcomes that depend on earlier states. After a hold, manual cleaning ends in manageable and
// automated cleaning in available. If a service step is aborted, the node may end in service failed or return to
// active.
func widen(t Transition) Transition {
	switch {
	case t.Verb == VerbUnhold && t.From == StateCleanHold:
		t.Success = []ProvisionState{StateManageable, StateAvailable}
	case t.Verb == VerbAbort && t.Enters == StateServiceFailed:
		t.Success = []ProvisionState{StateServiceFailed, StateActive}
	}
	return t
}

// allowed reports whether the API version v supports the transition. If the version is unknown, the result is true.
func (t Transition) allowed(v APIVersion) bool { return v.IsZero() || v.Minor >= t.Minor }

func legalFrom(verb Verb, v APIVersion) []ProvisionState {
	var from []ProvisionState
	for _, t := range transitions {
		if t.Verb == verb && t.allowed(v) {
			from = append(from, t.From)
		}
	}
	return from
}

// LegalVerbs returns the verbs that are allowed in the state s with the API version v.
func LegalVerbs(s ProvisionState, v APIVersion) []Verb {
	var verbs []Verb
	for _, verb := range Verbs() {
		if t, ok := FindTransition(s, verb); ok && t.allowed(v) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}
