package models

import "slices"

// endStates maps each phase to the states in which it may end without action by an operator. For phases see
// [ProvisionState.Phase].
var endStates = map[ProvisionState][]ProvisionState{
	StateVerifying:  {StateManageable, StateEnroll},
	StateDeploying:  {StateActive, StateDeployFailed, StateDeployHold},
	StateCleaning:   {StateAvailable, StateManageable, StateCleanFailed, StateCleanHold},
	StateDeleting:   {StateCleaning, StateError},
	StateInspecting: {StateManageable, StateInspectFailed},
	StateAdopting:   {StateActive, StateAdoptFailed},
	StateRescuing:   {StateRescue, StateRescueFailed},
	StateUnrescuing: {StateActive, StateUnrescueFailed},
	StateServicing:  {StateActive, StateServiceFailed, StateServiceHold},
}

// place is a phase or a stable state on a path through the state machine. adopted means that the node was adopted
// earlier on this path.
type place struct {
	state   ProvisionState
	adopted bool
}

// next returns the places that can follow p. Either the operation ends, or an operator applies a verb. The verb may
// be one that is allowed only in the phase's wait state. A node that was adopted on this path is not rebuilt on it;
// see [Between].
func (p place) next() []place {
	var next []place
	for _, s := range endStates[p.state] {
		next = append(next, place{s, p.adopted})
	}
	for _, t := range transitions {
		if t.From.Phase() == p.state && (!p.adopted || t.Verb != VerbRebuild) {
			next = append(next, place{t.Enters.Phase(), p.adopted || t.Verb == VerbAdopt})
		}
	}
	return next
}

// Between returns the stable states that a node must have passed through on its way from one state to another, in
// order and without these two states. They are the states that all possible paths have in common. This allows a
// poller to report states that lasted for less than its polling interval.
//
// Paths on which the node is first adopted and then rebuilt do not count. If they did, nothing could be inferred for
// a node that a script provides and deploys.
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

// reach returns the states that a node in the first state can reach without entering the second one, in breadth-first
// order. If without is "", no state is excluded.
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
