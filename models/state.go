package models

// ProvisionState is where a node is in Ironic's state machine. The values are the
// API's own strings (ironic/common/states.py of 39.0.0).
type ProvisionState string

// Every provision state that a client can see.
const (
	StateEnroll     ProvisionState = "enroll"
	StateManageable ProvisionState = "manageable"
	StateAvailable  ProvisionState = "available"
	StateActive     ProvisionState = "active"
	StateRescue     ProvisionState = "rescue"

	StateVerifying  ProvisionState = "verifying"
	StateDeploying  ProvisionState = "deploying"
	StateCleaning   ProvisionState = "cleaning"
	StateDeleting   ProvisionState = "deleting"
	StateInspecting ProvisionState = "inspecting"
	StateAdopting   ProvisionState = "adopting"
	StateRescuing   ProvisionState = "rescuing"
	StateUnrescuing ProvisionState = "unrescuing"
	StateServicing  ProvisionState = "servicing"

	StateDeployWait  ProvisionState = "wait call-back"
	StateCleanWait   ProvisionState = "clean wait"
	StateInspectWait ProvisionState = "inspect wait"
	StateRescueWait  ProvisionState = "rescue wait"
	StateServiceWait ProvisionState = "service wait"

	StateDeployHold  ProvisionState = "deploy hold"
	StateCleanHold   ProvisionState = "clean hold"
	StateServiceHold ProvisionState = "service hold"

	StateError          ProvisionState = "error"
	StateDeployFailed   ProvisionState = "deploy failed"
	StateCleanFailed    ProvisionState = "clean failed"
	StateInspectFailed  ProvisionState = "inspect failed"
	StateAdoptFailed    ProvisionState = "adopt failed"
	StateRescueFailed   ProvisionState = "rescue failed"
	StateUnrescueFailed ProvisionState = "unrescue failed"
	StateServiceFailed  ProvisionState = "service failed"
)

// States lists every provision state, in the order of a machine's life.
func States() []ProvisionState {
	return []ProvisionState{
		StateEnroll, StateVerifying, StateManageable,
		StateInspecting, StateInspectWait, StateInspectFailed,
		StateCleaning, StateCleanWait, StateCleanHold, StateCleanFailed,
		StateAdopting, StateAdoptFailed, StateAvailable,
		StateDeploying, StateDeployWait, StateDeployHold, StateDeployFailed, StateActive,
		StateServicing, StateServiceWait, StateServiceHold, StateServiceFailed,
		StateRescuing, StateRescueWait, StateRescueFailed, StateRescue,
		StateUnrescuing, StateUnrescueFailed,
		StateDeleting, StateError,
	}
}

// Known says whether the state is one of [States]: a newer Ironic may have others.
func (s ProvisionState) Known() bool { return s.Class() != ClassUnknown }

// StateClass groups provision states by what an operator has to expect of them.
type StateClass string

// The classes.
const (
	ClassStable       StateClass = "stable"       // stays so until somebody acts
	ClassTransitional StateClass = "transitional" // the conductor works, the node is usually locked
	ClassWait         StateClass = "wait"         // unlocked, waits for the ramdisk or the BMC
	ClassHold         StateClass = "hold"         // waits for an unhold
	ClassFailed       StateClass = "failed"       // stays so, and somebody should look
	ClassUnknown      StateClass = "unknown"      // not a state that we know
)

// Class gives the state's class.
func (s ProvisionState) Class() StateClass {
	switch s {
	case StateEnroll, StateManageable, StateAvailable, StateActive, StateRescue:
		return ClassStable
	case StateVerifying, StateDeploying, StateCleaning, StateDeleting, StateInspecting,
		StateAdopting, StateRescuing, StateUnrescuing, StateServicing:
		return ClassTransitional
	case StateDeployWait, StateCleanWait, StateInspectWait, StateRescueWait, StateServiceWait:
		return ClassWait
	case StateDeployHold, StateCleanHold, StateServiceHold:
		return ClassHold
	case StateError, StateDeployFailed, StateCleanFailed, StateInspectFailed,
		StateAdoptFailed, StateRescueFailed, StateUnrescueFailed, StateServiceFailed:
		return ClassFailed
	}
	return ClassUnknown
}

// Resting says that the node stays in the state until somebody acts: stable, failed
// or held.
func (s ProvisionState) Resting() bool {
	switch s.Class() {
	case ClassStable, ClassFailed, ClassHold:
		return true
	case ClassTransitional, ClassWait, ClassUnknown:
		return false
	}
	return false
}

// Busy says that the node is on its way somewhere: working or waiting. An unknown
// state counts as busy, so that it is looked at often.
func (s ProvisionState) Busy() bool { return !s.Resting() }

// Failed says that the state is a failure.
func (s ProvisionState) Failed() bool { return s.Class() == ClassFailed }

// Phase folds the states that Ironic flaps between while one piece of work goes on
// (deploying ⇄ wait call-back between two deploy steps, within milliseconds) into the
// state that names the work. A resting state is its own phase.
func (s ProvisionState) Phase() ProvisionState {
	switch s {
	case StateDeployWait:
		return StateDeploying
	case StateCleanWait:
		return StateCleaning
	case StateInspectWait:
		return StateInspecting
	case StateRescueWait:
		return StateRescuing
	case StateServiceWait:
		return StateServicing
	case StateEnroll, StateManageable, StateAvailable, StateActive, StateRescue,
		StateVerifying, StateDeploying, StateCleaning, StateDeleting, StateInspecting,
		StateAdopting, StateRescuing, StateUnrescuing, StateServicing,
		StateDeployHold, StateCleanHold, StateServiceHold,
		StateError, StateDeployFailed, StateCleanFailed, StateInspectFailed,
		StateAdoptFailed, StateRescueFailed, StateUnrescueFailed, StateServiceFailed:
		return s
	}
	return s
}

// PowerState is a node's power as Ironic last knew it; "" is unknown.
type PowerState string

// The power states.
const (
	PowerOn    PowerState = "power on"
	PowerOff   PowerState = "power off"
	PowerError PowerState = "error"
)

// Short is the word for a narrow column: on, off, error, or ? for unknown.
func (p PowerState) Short() string {
	switch p {
	case PowerOn:
		return "on"
	case PowerOff:
		return "off"
	case PowerError:
		return "error"
	}
	if p == "" {
		return "?"
	}
	return string(p)
}
