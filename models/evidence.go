package models

import (
	"time"
)

// Evidence holds the last known data about a node's operation. When an operation fails, Ironic clears the agent's
// address, the steps and their index, but explanations need them.
type Evidence struct {
	// At is the time of the last update. Since is the time when the operation started. Both are on the server's
	// clock.
	At    time.Time
	Since time.Time
	// Phase is the operation: deploying, cleaning, inspecting, …
	Phase ProvisionState

	Kept

	// Phases lists the phases of the operation so far; callers must not modify it. Whole means that the start of the
	// operation was observed.
	Phases []Phase
	Whole  bool
	// Outcome is the result of the operation. Ended is the time when it ended, or zero while it is running.
	Outcome Outcome
	Ended   time.Time

	// rested means that the node was in a stable state at the last update, so that the start of its next operation
	// will be observed. wasOff means that the machine was off at some time during the operation, and wasSilent that
	// the ramdisk's address was missing at some time.
	rested, wasOff, wasSilent bool
	// ended means that the operation has ended, so that the next operation counts as a new one even in the same
	// phase.
	ended bool
}

// Update adds the node's current data to the evidence, and keeps values that the node no longer reports. When a new
// operation starts, Update clears the evidence first. An operation is new if its phase differs from the previous one
// or the previous operation has ended. A hold counts as part of its operation. Update returns the operations that
// ended or entered another phase.
func (e *Evidence) Update(n *Node, at time.Time) []Work {
	var moved []Work
	phase := n.ProvisionState.Phase()
	if n.ProvisionState.Busy() && (phase != e.Phase || e.ended) {
		if e.Outcome == OutcomeRunning {
			// Some operations follow each other without a stable state between them, such as deleting and cleaning.
			e.Ended, e.Outcome = at, OutcomeDone
			if len(e.Phases) > 0 {
				e.endPhase(at, OutcomeDone)
			}
			moved = append(moved, e.work(n))
			e.rested = true
		}
		*e = Evidence{Phase: phase, Since: at, Kept: Kept{StepIndex: -1}, Outcome: OutcomeRunning, Whole: e.rested || e.ended}
	}
	e.ended = n.ProvisionState.Resting() && n.ProvisionState.Class() != ClassHold
	e.rested = e.ended
	if e.Phase == "" {
		return nil
	}
	e.update(n, at)
	if e.advance(n, at) {
		moved = append(moved, e.work(n))
	}
	return moved
}

// Begin clears the evidence when an operation starts. It records that the start of the operation was observed.
func (e *Evidence) Begin() { *e = Evidence{rested: true} }

// update stores the node's current values, and keeps earlier values that the node no longer reports.
func (e *Evidence) update(n *Node, at time.Time) {
	e.At = at
	e.wasOff = e.wasOff || n.PowerState == PowerOff
	if step, kind := n.CurrentStep(); step != nil {
		e.Step, e.Kind = step.Label(), kind
	}
	if n.LastError != "" {
		e.LastError = n.LastError
	}
	i := n.Internal
	if i == nil {
		return
	}
	e.wasSilent = e.wasSilent || i.AgentURL == ""
	if i.AgentURL != "" {
		e.AgentURL, e.AgentVersion = i.AgentURL, i.AgentVersion
	}
	if at := i.Heartbeat(); at.After(e.LastHeartbeat) {
		e.LastHeartbeat = at
	}
	for _, kind := range []StepKind{DeploySteps, CleanSteps, ServiceSteps} {
		if steps, index := i.Progress(kind); len(steps) > 0 {
			e.Kind, e.Steps, e.StepIndex = kind, steps, index
		}
	}
}

// FailureReason returns the reason why the operation failed: the node's last_error, or else the newest error in the
// history since the start of the operation, or else the last error in the evidence. The history must be sorted,
// newest entries first.
func FailureReason(n *Node, e Evidence, history []HistoryEntry) string {
	if n.LastError != "" {
		return n.LastError
	}
	if h := NewestError(history, e.Since); h != nil {
		return h.Event
	}
	return e.LastError
}
