package models

import (
	"slices"
	"time"
)

// Evidence is the last that was known of a piece of work on a node. Ironic wipes the
// agent's address, the steps and their index at the moment of failure; whoever wants
// to explain the failure needs what stood there before.
type Evidence struct {
	// At is when it was last updated, Since when the work began, both on the server's
	// clock.
	At    time.Time
	Since time.Time
	// Phase is the work: deploying, cleaning, inspecting, …
	Phase ProvisionState

	AgentURL      string
	AgentVersion  string
	LastHeartbeat time.Time

	Kind      StepKind
	Steps     []Step
	StepIndex int
	// Step is the label of the last step that was seen to run or wait.
	Step string
	// LastError is the last one that was seen during the work.
	LastError string

	// Phases are the parts of the work so far; nobody may change them. Whole says that
	// the beginning of the work was seen.
	Phases []Phase
	Whole  bool
	// Outcome is how the work ended, at Ended; running and zero while it goes on.
	Outcome Outcome
	Ended   time.Time

	// rested says that the node was at rest when it was last looked at: what begins next
	// begins before our eyes. wasOff and wasSilent say that during the work the machine
	// was off, and the ramdisk had no address.
	rested, wasOff, wasSilent bool
	// ended says that the node came to rest since: what begins next is other work, of
	// the same phase or not.
	ended bool
}

// Update takes from the node what is there now and keeps what it no longer says. New
// work (another phase than the one before, or the same again after a rest) starts from
// nothing. A hold is a part of the work. What comes back is the work that moved on: into
// another phase, to its end, or first the end of the one before and then the next.
func (e *Evidence) Update(n *Node, at time.Time) []Work {
	var moved []Work
	phase := n.ProvisionState.Phase()
	if n.ProvisionState.Busy() && (phase != e.Phase || e.ended) {
		if e.Outcome == OutcomeRunning {
			// One work goes over into the next without a rest: deleting into cleaning.
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
	e.take(n, at)
	if e.advance(n, at) {
		moved = append(moved, e.work(n))
	}
	return moved
}

// Begin forgets the work that was: what comes next begins before our eyes.
func (e *Evidence) Begin() { *e = Evidence{rested: true} }

// take keeps what the node says now.
func (e *Evidence) take(n *Node, at time.Time) {
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

// FailureReason picks the reason of a failure: the newest error of the node's history
// (newest first) since the work began, or what last_error says or said.
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
