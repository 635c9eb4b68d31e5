package api

import "ironworks/lab/fsm"

// actions are the events that a node can take in each provision state. Also those are there that only
// the conductor uses: the API lets them through this check and refuses them later.
var actions = fsm.States()

// verbs are the events of the targets that have another name.
var verbs = map[string]string{"active": "deploy", "deleted": "delete", "undeploy": "delete"}

// verbVersions are the minor versions that brought targets. Those of abort,
// unhold and service have more checks.
var verbVersions = map[string]int{
	"manage": 4, "provide": 4, "inspect": 6, "abort": 13, "clean": 15, "adopt": 17, "rescue": 38, "unrescue": 38,
	"deploy": 73, "delete": 73,
}

// isActionable says whether a target is possible in a state.
func isActionable(state, target string) bool {
	event := target
	if verb, ok := verbs[target]; ok {
		event = verb
	}
	_, ok := actions[state].On[event]
	return ok
}

// unstable are the states in which the conductor works or waits.
var unstable = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", "verifying", "deleting", stateInspecting,
	stateInspectWait, "adopting", "rescuing", "rescue wait", "unrescuing", "servicing", "service wait",
}

// updateAllowed are the states in which a node can be changed though it has a
// target.
var updateAllowed = []string{
	"deploy failed", stateInspecting, "inspect failed", stateInspectWait, "clean failed", "error", "verifying",
	"adopt failed", "rescue failed", "unrescue failed", "service", "service hold", "service failed",
}

// lookupAllowed are the states in which an agent can find its node.
var lookupAllowed = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", stateInspecting, stateInspectWait, "rescuing",
	"rescue wait", "service wait",
}
