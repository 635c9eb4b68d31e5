package models

import "slices"

// endStates returns where a phase (see [ProvisionState.Phase]) ends on its own.
func endStates(phase ProvisionState) []ProvisionState {
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

// place is a phase or stable state on a path. adopted means that the path has adopted the node.
type place struct {
	state   ProvisionState
	adopted bool
}

// next returns the places that can follow, by the operation itself or by an operator's verbs,
// also from the phase's wait state. A node adopted on this path is not rebuilt on it: see
// [Between].
func (p place) next() []place {
	var next []place
	for _, s := range endStates(p.state) {
		next = append(next, place{s, p.adopted})
	}
	for _, t := range transitions() {
		if t.From.Phase() == p.state && (!p.adopted || t.Verb != VerbRebuild) {
			next = append(next, place{t.Enters.Phase(), p.adopted || t.Verb == VerbAdopt})
		}
	}
	return next
}

// Between returns the stable states that a node must have passed through between two states, in order, without the
// two. These are the states on every path. They let a poller report states that lasted less than its interval.
//
// Paths that adopt and then rebuild the node do not count. Otherwise nothing could be inferred for a node that a
// script provides and deploys.
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

// reach returns the states that can be reached without passing through another, breadth first.
func reach(from, without ProvisionState) []ProvisionState {
	places := []place{{state: from}}
	states := []ProvisionState{from}
	for i := 0; i < len(places); i++ {
		for _, p := range places[i].next() {
			if p.state == without || slices.Contains(places, p) {
				continue
			}
			places = append(places, p)
			if !slices.Contains(states, p.state) {
				states = append(states, p.state)
			}
		}
	}
	return states
}
