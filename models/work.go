package models

import (
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// Work is an operation on a node, from leaving one stable state to reaching the next: a deployment, a cleaning, an
// inspection. It is derived from observations; times are on the server's clock.
type Work struct {
	Node          NodeRef `json:"node"`
	ResourceClass string  `json:"resource_class"`
	// Kind is the transitional state that names the operation: deploying, cleaning, …
	Kind ProvisionState `json:"kind"`
	// Begin is the time when the operation was first seen. End is the time of its end; it is zero while the operation
	// runs, and if its end was not seen.
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	// Whole means that the start was seen. Otherwise the operation and its first phase started
	// before Begin.
	Whole   bool    `json:"whole"`
	Phases  []Phase `json:"phases"`
	Outcome Outcome `json:"outcome"`
	// Reason is the reason that Ironic gives for a failure.
	Reason string `json:"reason"`
	// Evidence has the operation's data that the node clears; nil if unknown.
	Evidence *Kept `json:"evidence,omitempty"`
}

// Kept is the data of an operation that the node clears at its end. Explanations of past
// operations use it.
type Kept struct {
	AgentURL     string `json:"agent_url,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	// LastHeartbeat is on Ironic's clock.
	LastHeartbeat time.Time `json:"last_heartbeat,omitzero"`
	// Steps are the operation's steps. StepIndex is the index of the running one, or -1 before
	// the first.
	Kind      StepKind `json:"kind,omitempty"`
	Steps     []Step   `json:"steps,omitempty"`
	StepIndex int      `json:"step_index"`
	// Step is the label of the last seen step.
	Step      string `json:"step,omitempty"`
	LastError string `json:"last_error,omitempty"`
}

// WithoutSecrets returns a copy to store.
func (k *Kept) WithoutSecrets() *Kept {
	if k == nil {
		return nil
	}
	out := *k
	out.Steps = stepsWithoutSecrets(k.Steps)
	return &out
}

// Outcome is the result of a phase or an operation.
type Outcome string

// The outcomes.
const (
	OutcomeRunning Outcome = "running"
	OutcomeDone    Outcome = "done"
	OutcomeFailed  Outcome = "failed"
)

// Phase is a part of an operation that has its own duration.
type Phase struct {
	Kind PhaseKind `json:"kind"`
	// Step is the label interface.step, for a phase that is a step.
	Step    string    `json:"step"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"` // zero while it runs
	Outcome Outcome   `json:"outcome"`
}

// PhaseKind is the machine's activity in a phase.
type PhaseKind string

// The kinds of phases, in the order of an operation.
const (
	PhasePower    PhaseKind = "power-on"  // the conductor prepares, until the machine is powered on
	PhaseBoot     PhaseKind = "boot"      // the ramdisk boots, until its first step starts
	PhaseInspect  PhaseKind = "inspect"   // until the ramdisk has sent its inventory to Ironic
	PhaseStep     PhaseKind = "step"      // one deploy, clean or service step
	PhaseHold     PhaseKind = "hold"      // the node is held until an unhold
	PhaseReboot   PhaseKind = "reboot"    // the reboot from the ramdisk to the installed system
	PhaseFinish   PhaseKind = "finish"    // the conductor's work after the last step
	PhaseTearDown PhaseKind = "tear-down" // the instance is removed
	PhaseOther    PhaseKind = "work"      // an operation without observable parts
)

// Name returns the phase's name for operators, sanitized.
func (p *Phase) Name() string {
	switch p.Kind {
	case PhasePower:
		return "power on"
	case PhaseBoot:
		return "boot to ramdisk"
	case PhaseInspect:
		return "boot and inspect"
	case PhaseStep:
		return printable.Line(strings.TrimPrefix(p.Step, "deploy."))
	case PhaseHold:
		return "held"
	case PhaseReboot:
		return "reboot"
	case PhaseFinish:
		return "finish"
	case PhaseTearDown:
		return "tear down"
	case PhaseOther:
		return "work"
	}
	return printable.Line(string(p.Kind))
}

// Took returns the duration of the phase so far, at the server's time now.
func (p *Phase) Took(now time.Time) time.Duration { return lasted(p.Begin, p.End, now) }

// Took returns the duration of the operation so far, at the server's time now.
func (w *Work) Took(now time.Time) time.Duration { return lasted(w.Begin, w.End, now) }

func lasted(begin, end, now time.Time) time.Duration {
	if end.IsZero() {
		end = now
	}
	return max(end.Sub(begin), 0)
}

// Noun returns the operation's name: deployment, cleaning, …
func (w *Work) Noun() string {
	switch w.Kind {
	case StateDeploying:
		return "deployment"
	case StateDeleting:
		return "undeployment"
	case StateInspecting:
		return "inspection"
	case StateServicing:
		return "service"
	case StateRescuing:
		return "rescue"
	case StateUnrescuing:
		return "unrescue"
	case StateAdopting:
		return "adoption"
	case StateVerifying:
		return "verification"
	default: // "cleaning" is a noun already
		return printable.Line(string(w.Kind))
	}
}

// Current returns the running phase, or nil.
func (w *Work) Current() *Phase {
	if n := len(w.Phases); n > 0 && w.Phases[n-1].Outcome == OutcomeRunning {
		return &w.Phases[n-1]
	}
	return nil
}

// SetFailureReason sets the reason for a failure. If it names a step that ran between two observations,
// that step becomes the last phase, and the previous phase counts as done.
func (w *Work) SetFailureReason(reason string) {
	if w.Outcome != OutcomeFailed || reason == "" {
		return
	}
	w.Reason = reason
	failed, named := FailedStep(reason)
	kind, step := phaseOfStep(failed.Label())
	n := len(w.Phases)
	if !named || kind == "" || n == 0 || w.Phases[n-1].Kind == kind && w.Phases[n-1].Step == step {
		return
	}
	w.Phases = slices.Clone(w.Phases)
	last := &w.Phases[n-1]
	last.Outcome = OutcomeDone
	w.Phases = append(w.Phases, Phase{Kind: kind, Step: step, Begin: last.End, End: last.End, Outcome: OutcomeFailed})
}

// Work returns the operation that the evidence is about, with the reason for a failure; false if
// none was seen.
func (e *Evidence) Work(row *Row) (Work, bool) {
	if e.Phase == "" {
		return Work{}, false
	}
	w := e.work(&row.Node)
	w.SetFailureReason(row.Reason)
	return w, true
}

func (e *Evidence) work(n *Node) Work {
	return Work{
		Node: n.Ref(), ResourceClass: n.ResourceClass, Kind: e.Phase, Begin: e.Since, End: e.Ended,
		Whole: e.Whole, Phases: e.Phases, Outcome: e.Outcome, Evidence: e.kept(),
	}
}

// kept returns the operation's data besides its phases, or nil.
func (e *Evidence) kept() *Kept {
	if e.AgentURL == "" && e.LastHeartbeat.IsZero() && len(e.Steps) == 0 && e.Step == "" && e.LastError == "" {
		return nil
	}
	return &Kept{
		AgentURL: e.AgentURL, AgentVersion: e.AgentVersion, LastHeartbeat: e.LastHeartbeat,
		Kind: e.Kind, Steps: e.Steps, StepIndex: e.StepIndex, Step: e.Step, LastError: e.LastError,
	}
}

// Text describes the operation: outcome, phases, and the reason for a failure. It is sanitized.
func (w *Work) Text() string {
	took := ""
	if !w.End.IsZero() {
		took = Age(w.Took(w.End))
		if !w.Whole {
			took = "more than " + took
		}
	}
	text := ""
	switch w.Outcome {
	case OutcomeDone:
		text = "done in " + took
	case OutcomeFailed:
		text = "failed after " + took
	case OutcomeRunning:
		text = "running, or end not observed"
	}
	var phases []string
	for i := range w.Phases {
		p := &w.Phases[i]
		one := p.Name()
		if !p.End.IsZero() {
			one += " " + Age(p.Took(p.End))
		}
		if p.Outcome == OutcomeFailed {
			one += " failed"
		}
		phases = append(phases, one)
	}
	if len(phases) > 0 {
		text += ": " + strings.Join(phases, ", ")
	}
	if w.Reason != "" {
		text += "; " + w.Reason
	}
	return printable.Line(text)
}
