package conductor

import (
	"fmt"
	"slices"

	"ironworks/lab/python"
)

// The states of provisioning (ironic/common/states.py).
const (
	enroll       = "enroll"
	verifying    = "verifying"
	manageable   = "manageable"
	available    = "available"
	active       = "active"
	deployWait   = "wait call-back"
	deploying    = "deploying"
	deployFail   = "deploy failed"
	deployHold   = "deploy hold"
	deleting     = "deleting"
	cleaning     = "cleaning"
	cleanWait    = "clean wait"
	cleanFail    = "clean failed"
	cleanHold    = "clean hold"
	stateError   = "error"
	inspecting   = "inspecting"
	inspectFail  = "inspect failed"
	inspectWait  = "inspect wait"
	adopting     = "adopting"
	adoptFail    = "adopt failed"
	rescue       = "rescue"
	rescueFail   = "rescue failed"
	rescueWait   = "rescue wait"
	rescuing     = "rescuing"
	unrescueFail = "unrescue failed"
	unrescuing   = "unrescuing"
	servicing    = "servicing"
	serviceWait  = "service wait"
	serviceFail  = "service failed"
	serviceHold  = "service hold"
)

// event moves a node from one state to another.
type event string

const (
	onAbort    event = "abort"
	onAdopt    event = "adopt"
	onClean    event = "clean"
	onDelete   event = "delete"
	onDeploy   event = "deploy"
	onDone     event = "done"
	onFail     event = "fail"
	onHold     event = "hold"
	onInspect  event = "inspect"
	onManage   event = "manage"
	onProvide  event = "provide"
	onRebuild  event = "rebuild"
	onRescue   event = "rescue"
	onResume   event = "resume"
	onService  event = "service"
	onUnhold   event = "unhold"
	onUnrescue event = "unrescue"
	onWait     event = "wait"
)

// stateInfo is a state of the machine: where it leads to at last, or that it is
// stable, and where each event takes it.
type stateInfo struct {
	target string // empty: stable
	on     map[event]string
}

type transitions = map[event]string

// fsmStates is ironic/common/state_machine.py.
var fsmStates = map[string]stateInfo{
	enroll:     {on: transitions{onManage: verifying}},
	verifying:  {target: manageable, on: transitions{onDone: manageable, onFail: enroll}},
	manageable: {on: transitions{onProvide: cleaning, onClean: cleaning, onInspect: inspecting, onAdopt: adopting}},
	available:  {on: transitions{onDeploy: deploying, onManage: manageable}},
	active:     {on: transitions{onRebuild: deploying, onDelete: deleting, onRescue: rescuing, onService: servicing}},
	stateError: {on: transitions{onRebuild: deploying, onDelete: deleting}},
	rescue:     {on: transitions{onRescue: rescuing, onDelete: deleting, onUnrescue: unrescuing}},

	deploying:  {target: active, on: transitions{onFail: deployFail, onWait: deployWait, onHold: deployHold, onDone: active}},
	deployWait: {target: active, on: transitions{onHold: deployHold, onResume: deploying, onFail: deployFail, onAbort: deployFail, onDelete: deleting}},
	deployFail: {target: active, on: transitions{onRebuild: deploying, onDeploy: deploying, onDelete: deleting}},
	deployHold: {target: active, on: transitions{onUnhold: deployWait, onAbort: deployFail}},

	deleting:  {target: available, on: transitions{onFail: stateError, onClean: cleaning}},
	cleaning:  {target: available, on: transitions{onDone: available, onFail: cleanFail, onWait: cleanWait, onHold: cleanHold, onManage: manageable}},
	cleanWait: {target: available, on: transitions{onFail: cleanFail, onAbort: cleanFail, onHold: cleanHold, onResume: cleaning}},
	cleanFail: {target: available, on: transitions{onManage: manageable}},
	cleanHold: {target: available, on: transitions{onAbort: cleanFail, onUnhold: cleanWait}},

	inspecting:  {target: manageable, on: transitions{onDone: manageable, onFail: inspectFail, onWait: inspectWait}},
	inspectWait: {target: manageable, on: transitions{onDone: manageable, onFail: inspectFail, onAbort: inspectFail, onResume: inspecting}},
	inspectFail: {target: manageable, on: transitions{onManage: manageable, onInspect: inspecting}},

	adopting:  {target: active, on: transitions{onDone: active, onFail: adoptFail}},
	adoptFail: {target: active, on: transitions{onAdopt: adopting, onManage: manageable}},

	rescuing:     {target: rescue, on: transitions{onDone: rescue, onWait: rescueWait, onFail: rescueFail}},
	rescueWait:   {target: rescue, on: transitions{onResume: rescuing, onFail: rescueFail, onAbort: rescueFail, onDelete: deleting}},
	rescueFail:   {target: rescue, on: transitions{onRescue: rescuing, onUnrescue: unrescuing, onDelete: deleting}},
	unrescuing:   {target: active, on: transitions{onDone: active, onFail: unrescueFail}},
	unrescueFail: {target: active, on: transitions{onRescue: rescuing, onUnrescue: unrescuing, onDelete: deleting}},

	servicing:   {target: active, on: transitions{onDone: active, onFail: serviceFail, onWait: serviceWait, onHold: serviceHold}},
	serviceWait: {target: active, on: transitions{onHold: serviceHold, onResume: servicing, onFail: serviceFail, onAbort: serviceFail, onDelete: deleting}},
	serviceHold: {target: active, on: transitions{onService: servicing, onUnhold: serviceWait, onFail: serviceFail, onAbort: serviceFail}},
	serviceFail: {target: active, on: transitions{onService: servicing, onRescue: rescuing, onWait: serviceWait, onHold: serviceHold, onDelete: deleting, onAbort: active}},
}

func actionable(state string, e event) bool {
	_, ok := fsmStates[state].on[e]
	return ok
}

// move is where an event takes a node, and with which target. A target that is
// given goes before that of the state.
func move(state, target string, e event, wanted string) (newState, newTarget string, err error) {
	next, ok := fsmStates[state].on[e]
	if !ok {
		return "", "", conflict("InvalidState", "Can not transition from state '%s' on event '%s' (no defined transition)", state, string(e))
	}
	if target == next {
		target = ""
	}
	if t := fsmStates[next].target; t != "" {
		target = t
	}
	if wanted != "" {
		target = wanted
	}
	return next, target, nil
}

func stable(state string) bool { return fsmStates[state].target == "" }

// failureStates keep the last error through a change of power.
func isFailure(state string) bool {
	return slices.Contains([]string{deployFail, cleanFail, inspectFail, rescueFail, unrescueFail, adoptFail, serviceFail}, state)
}

// stuckStates cannot be resumed by a conductor that starts.
func stuckStates() []string {
	return []string{deploying, cleaning, verifying, inspecting, adopting, rescuing, unrescuing, deleting, servicing}
}

// updateAllowed are the states in which a node with a target may be changed.
func updateAllowed(state string) bool {
	return slices.Contains([]string{
		deployFail, inspecting, inspectFail, inspectWait, cleanFail, stateError, verifying, adoptFail,
		rescueFail, unrescueFail, "service", serviceHold, serviceFail,
	}, state)
}

// deleteAllowed are the states in which a node may be deleted, as Python shows
// them.
func deleteAllowed() []string { return []string{manageable, enroll, adoptFail, available} }

// The states of power.
const (
	powerOn      = "power on"
	powerOff     = "power off"
	reboot       = "rebooting"
	softReboot   = "soft rebooting"
	softPowerOff = "soft power off"
)

// powerTarget is the state in which a change of power ends.
func powerTarget(change string) string {
	switch change {
	case powerOn, reboot, softReboot:
		return powerOn
	case powerOff, softPowerOff:
		return powerOff
	default:
		return ""
	}
}

// tuple is how Python shows a tuple of strings.
func tuple(words []string) string {
	text := ""
	for i, word := range words {
		if i > 0 {
			text += ", "
		}
		text += python.Repr(word)
	}
	if len(words) == 1 {
		text += ","
	}
	return fmt.Sprintf("(%s)", text)
}
