package api

import "ironworks/lab/fsm"

// actions maps each provision state to its events. The events include those that only the conductor may trigger:
// isActionable accepts them as targets, but the request is rejected later.
var actions = fsm.States()

// verbs maps the targets of provision requests to the names of their events, where the two names differ.
var verbs = map[string]string{"active": "deploy", "deleted": "delete", "undeploy": "delete"}

// verbVersions maps the targets of states/provision to the minor API versions that introduced them. The abort, unhold
// and service targets are subject to further checks.
var verbVersions = map[string]int{
	"manage": 4, "provide": 4, "inspect": 6, "abort": 13, "clean": 15, "adopt": 17, "rescue": 38, "unrescue": 38,
	"deploy": 73, "delete": 73,
}

// isActionable reports whether the provision state allows the target.
func isActionable(state, target string) bool {
	event := target
	if verb, ok := verbs[target]; ok {
		event = verb
	}
	_, ok := actions[state].On[event]
	return ok
}

// unstable contains the states in which the conductor is working or waiting.
var unstable = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", "verifying", "deleting", stateInspecting,
	stateInspectWait, "adopting", "rescuing", "rescue wait", "unrescuing", "servicing", "service wait",
}

// updateAllowed lists the states in which a node may be changed although it has a target state.
var updateAllowed = []string{
	"deploy failed", stateInspecting, "inspect failed", stateInspectWait, "clean failed", "error", "verifying",
	"adopt failed", "rescue failed", "unrescue failed", "service", "service hold", "service failed",
}

// lookupAllowed lists the states in which an agent can find its node.
var lookupAllowed = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", stateInspecting, stateInspectWait, "rescuing",
	"rescue wait", "service wait",
}
