package models

// ProvisionState is a state of Ironic's state machine, spelled as in the API (ironic/common/states.py, 39.0.0).
type ProvisionState string

// All provision states that the API can report.
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

// States returns all provision states, in the order in which a machine usually passes through them.
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

// Known reports whether the state is in [States]. Newer releases of Ironic may use other states.
func (s ProvisionState) Known() bool { return s.Class() != ClassUnknown }

// StateClass is a class of provision states in which nodes are treated alike.
type StateClass string

// The classes of provision states.
const (
	ClassStable       StateClass = "stable"       // the node stays in the state until an operator acts
	ClassTransitional StateClass = "transitional" // the conductor is working; the node is usually locked
	ClassWait         StateClass = "wait"         // the node is unlocked and waits for the ramdisk or the BMC
	ClassHold         StateClass = "hold"         // the node waits for an unhold
	ClassFailed       StateClass = "failed"       // the operation failed; the node waits for an operator
	ClassUnknown      StateClass = "unknown"      // the state is not in [States]
)

// Class returns the class to which the state belongs.
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

// Resting reports whether the node stays in the state until an operator acts. This applies to stable, failed and held
// nodes.
func (s ProvisionState) Resting() bool {
	class := s.Class()
	return class == ClassStable || class == ClassFailed || class == ClassHold
}

// Busy reports whether an operation is running. Unknown states count as busy, so that nodes in these states are
// polled often.
func (s ProvisionState) Busy() bool { return !s.Resting() }

// Failed reports whether the state means that an operation has failed.
func (s ProvisionState) Failed() bool { return s.Class() == ClassFailed }

// FailureAfter reports whether the state means that the operation in the earlier state has failed. Verifying has no
// failed state; a failed verification ends in enroll.
func (s ProvisionState) FailureAfter(earlier ProvisionState) bool {
	return s.Failed() || earlier == StateVerifying && s == StateEnroll
}

// Phase returns the state that represents the whole operation. During an operation, Ironic alternates between this
// state and a wait state, for example between deploying and wait call-back within milliseconds. For a stable state,
// Phase returns the state itself.
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
	default:
		return s
	}
}

// PowerState is the last known power state of a node. It is "" if unknown.
type PowerState string

// The power states.
const (
	PowerOn    PowerState = "power on"
	PowerOff   PowerState = "power off"
	PowerError PowerState = "error"
)

// Short returns the power state as text for a narrow column: on, off, error, or ? if unknown.
func (p PowerState) Short() string {
	switch p {
	case PowerOn:
		return "on"
	case PowerOff:
		return "off"
	case "":
		return "?"
	default:
		return string(p)
	}
}
