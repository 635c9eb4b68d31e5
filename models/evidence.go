package models

import (
	"slices"
	"time"
)

// Evidence is the last known data of a node's operation. Ironic clears the agent's address, the steps and their index
// when an operation fails, but explanations need them.
type Evidence struct {
	// At is the time of the last update, Since the time when the operation started. Both are on the server's clock.
	At    time.Time
	Since time.Time
	// Phase is the operation: deploying, cleaning, inspecting, …
	Phase ProvisionState

	AgentURL      string
	AgentVersion  string
	LastHeartbeat time.Time

	Kind      StepKind
	Steps     []Step
	StepIndex int
	// Step is the label of the last step that ran or waited.
	Step string
	// LastError is the last error during the operation.
	LastError string

	// Phases are the phases of the operation so far; read-only. Whole means that the start of the operation was
	// observed.
	Phases []Phase
	Whole  bool
	// Outcome is the result of the operation, and Ended the time of its end. While the operation runs, Outcome says so
	// and Ended is zero.
	Outcome Outcome
	Ended   time.Time

	// rested means that the node was in a stable state at the last update, so that the start of the next operation is
	// seen. wasOff and wasSilent mean that during the operation the machine was off, or the ramdisk had no address.
	rested, wasOff, wasSilent bool
	// ended means that the operation has ended, so that the next one is new.
	ended bool
}

// Update takes the node's data into the evidence, and keeps values that the node no longer reports. A new operation
// (another phase, or the same phase after a stable state) starts with empty evidence. A hold belongs to its operation.
// Update returns the operations that changed phase or ended.
func (e *Evidence) Update(n *Node, at time.Time) []Work {
	var moved []Work
	phase := n.ProvisionState.Phase()
	if n.ProvisionState.Busy() && (phase != e.Phase || e.ended) {
		if e.Outcome == OutcomeRunning {
			// Some operations follow each other without a stable state: deleting, then cleaning.
			e.Ended, e.Outcome = at, OutcomeDone
			if len(e.Phases) > 0 {
				e.endPhase(at, OutcomeDone)
			}
			moved = append(moved, e.work(n))
			e.rested = true
		}
		*e = Evidence{Phase: phase, Since: at, StepIndex: -1, Outcome: OutcomeRunning, Whole: e.rested || e.ended}
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

// Begin resets the evidence at the start of an operation, so that the start counts as seen.
func (e *Evidence) Begin() { *e = Evidence{rested: true} }

// update stores the node's current values.
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

// FailureReason returns the newest error of the history since the start of the operation, or else last_error. The
// history is in the order newest first.
func FailureReason(n *Node, e Evidence, history []HistoryEntry) string {
	if n.LastError != "" {
		return n.LastError
	}
	i := slices.IndexFunc(history, func(h HistoryEntry) bool {
		return h.IsError() && (e.Since.IsZero() || h.CreatedAt.After(e.Since.Add(-5*time.Second)))
	})
	if i >= 0 {
		return history[i].Event
	}
	return e.LastError
}
