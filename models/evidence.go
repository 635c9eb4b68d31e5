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

	// ended says that the node came to rest since: what begins next is other work, of
	// the same phase or not.
	ended bool
}

// Update takes from the node what is there now and keeps what it no longer says. New
// work (another phase than the one before, or the same again after a rest) starts from
// nothing. A hold is a part of the work.
func (e *Evidence) Update(n *Node, at time.Time) {
	phase := n.ProvisionState.Phase()
	if n.ProvisionState.Busy() && (phase != e.Phase || e.ended) {
		*e = Evidence{Phase: phase, Since: at, StepIndex: -1}
	}
	if e.Phase == "" {
		return
	}
	e.ended = n.ProvisionState.Resting() && n.ProvisionState.Class() != ClassHold
	e.At = at
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
	if i.AgentURL != "" {
		e.AgentURL, e.AgentVersion = i.AgentURL, i.AgentVersion
	}
	if i.LastHeartbeat.After(e.LastHeartbeat) {
		e.LastHeartbeat = i.LastHeartbeat.Time
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
