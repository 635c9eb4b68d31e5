package conductor

import (
	"slices"

	"ironworks/lab/fsm"
)

// Provision states (ironic/common/states.py).
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

// event is an event of the provision state machine. It moves a node from one state to another.
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

var fsmStates = fsm.States()

func actionable(state string, e event) bool {
	_, ok := fsmStates[state].On[string(e)]
	return ok
}

// nextState returns the state and the target state after an event. wanted, if set, replaces the default target.
func nextState(state, target string, e event, wanted string) (newState, newTarget string, err error) {
	next, ok := fsmStates[state].On[string(e)]
	if !ok {
		return "", "", conflict("InvalidState", "Can not transition from state '%s' on event '%s' (no defined transition)", state, string(e))
	}
	if target == next {
		target = ""
	}
	if t := fsmStates[next].Target; t != "" {
		target = t
	}
	if wanted != "" {
		target = wanted
	}
	return next, target, nil
}

// isFailure reports whether state is one of the failed states, in which a power change does not clear the last error.
func isFailure(state string) bool {
	return slices.Contains([]string{deployFail, cleanFail, inspectFail, rescueFail, unrescueFail, adoptFail, serviceFail}, state)
}

// updateAllowed reports whether a node in the given state may be changed even though it has a target state.
func updateAllowed(state string) bool {
	return slices.Contains([]string{
		deployFail, inspecting, inspectFail, inspectWait, cleanFail, stateError, verifying, adoptFail,
		rescueFail, unrescueFail, "service", serviceHold, serviceFail,
	}, state)
}

// Power states, and power changes that a client can request.
const (
	powerOn      = "power on"
	powerOff     = "power off"
	reboot       = "rebooting"
	softReboot   = "soft rebooting"
	softPowerOff = "soft power off"
)

// powerTarget returns the power state of a machine after the given power change, or "" if the change is unknown.
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
