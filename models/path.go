package models

import "slices"

// settles is where a phase (see [ProvisionState.Phase]) goes on its own.
func settles(phase ProvisionState) []ProvisionState {
	switch phase {
	case StateVerifying:
		return []ProvisionState{StateManageable, StateEnroll}
	case StateDeploying:
		return []ProvisionState{StateActive, StateDeployFailed, StateDeployHold}
	case StateCleaning:
		return []ProvisionState{StateAvailable, StateManageable, StateCleanFailed, StateCleanHold}
	case StateDeleting:
		return []ProvisionState{StateCleaning, StateError}
	case StateInspecting:
		return []ProvisionState{StateManageable, StateInspectFailed}
	case StateAdopting:
		return []ProvisionState{StateActive, StateAdoptFailed}
	case StateRescuing:
		return []ProvisionState{StateRescue, StateRescueFailed}
	case StateUnrescuing:
		return []ProvisionState{StateActive, StateUnrescueFailed}
	case StateServicing:
		return []ProvisionState{StateActive, StateServiceFailed, StateServiceHold}
	case StateEnroll, StateManageable, StateAvailable, StateActive, StateRescue,
		StateDeployWait, StateCleanWait, StateInspectWait, StateRescueWait, StateServiceWait,
		StateDeployHold, StateCleanHold, StateServiceHold,
		StateError, StateDeployFailed, StateCleanFailed, StateInspectFailed,
		StateAdoptFailed, StateRescueFailed, StateUnrescueFailed, StateServiceFailed:
		return nil
	}
	return nil
}

// nextStates are the phases and resting states that can follow a phase or resting
// state: where it settles by itself, and where users' verbs take it, from its wait
// state too. Rebuilding counts only at the start of a way.
func nextStates(s ProvisionState, start bool) []ProvisionState {
	next := settles(s)
	for _, t := range transitions() {
		if t.From.Phase() == s && (start || t.Verb != VerbRebuild) {
			next = append(next, t.Enters.Phase())
		}
	}
	return next
}

// Between gives the resting states that a node must have passed through on its way
// from one state to another, in order, the two ends excluded: those that lie on
// every way. A poller that looks once a second does not see a state that lasted a
// tenth of one; what it can know, it can still report.
//
// One way does not count: that a node came to a state between two looks and was rebuilt
// from there. Otherwise a node that was provided and deployed by a script could as well
// have been adopted and rebuilt, and nothing could be said of it.
func Between(from, to ProvisionState) []ProvisionState {
	from, to = from.Phase(), to.Phase()
	order := reach(from, "")
	if from == to || !slices.Contains(order, to) {
		return nil
	}
	var certain []ProvisionState
	for _, s := range order {
		if s != from && s != to && s.Resting() && !slices.Contains(reach(from, s), to) {
			certain = append(certain, s)
		}
	}
	return certain
}

// reach lists what can be reached from a state without passing through another, in
// breadth-first order, the start first.
func reach(from, without ProvisionState) []ProvisionState {
	seen := []ProvisionState{from}
	for i := 0; i < len(seen); i++ {
		for _, next := range nextStates(seen[i], i == 0) {
			if next != without && !slices.Contains(seen, next) {
				seen = append(seen, next)
			}
		}
	}
	return seen
}
