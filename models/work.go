package models

import (
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// Work is a piece of work on a node, from leaving one resting state to coming to the
// next: a deployment, a cleaning, an inspection. It is made of what was seen from
// outside; times are on the server's clock.
type Work struct {
	Node          NodeRef `json:"node"`
	ResourceClass string  `json:"resource_class"`
	// Kind is the transitional state that names the work: deploying, cleaning, …
	Kind ProvisionState `json:"kind"`
	// Begin is when it was first seen, End when it ended; zero while it goes on, and
	// where nobody saw the end.
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	// Whole says that its beginning was seen. Otherwise it began earlier, and its first
	// phase did, too.
	Whole   bool    `json:"whole"`
	Phases  []Phase `json:"phases"`
	Outcome Outcome `json:"outcome"`
	// Reason is why it failed, as Ironic put it.
	Reason string `json:"reason"`
	// Evidence is what else was known of the work last; nil where nothing was.
	Evidence *Kept `json:"evidence,omitempty"`
}

// Kept is what a node said of a piece of work, and forgets with it: an earlier deployment
// is explained with that.
type Kept struct {
	AgentURL     string `json:"agent_url,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	// LastHeartbeat is on Ironic's clock.
	LastHeartbeat time.Time `json:"last_heartbeat,omitzero"`
	// Steps are the list of the work, of which StepIndex ran; -1 before the first.
	Kind      StepKind `json:"kind,omitempty"`
	Steps     []Step   `json:"steps,omitempty"`
	StepIndex int      `json:"step_index"`
	// Step is the label of the last step that was seen.
	Step      string `json:"step,omitempty"`
	LastError string `json:"last_error,omitempty"`
}

// WithoutSecrets is a copy that may be written down.
func (k *Kept) WithoutSecrets() *Kept {
	if k == nil {
		return nil
	}
	out := *k
	out.Steps = stepsWithoutSecrets(k.Steps)
	return &out
}

// Outcome is how a phase or a piece of work ended.
type Outcome string

// The outcomes.
const (
	OutcomeRunning Outcome = "running"
	OutcomeDone    Outcome = "done"
	OutcomeFailed  Outcome = "failed"
)

// Phase is a part of a piece of work that an operator tells apart.
type Phase struct {
	Kind PhaseKind `json:"kind"`
	// Step is the label of the step, interface.step, where the phase is one.
	Step    string    `json:"step"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"` // zero while it goes on
	Outcome Outcome   `json:"outcome"`
}

// PhaseKind says what the machine does in a phase.
type PhaseKind string

// The kinds of phases, in the order in which they come.
const (
	PhasePower    PhaseKind = "power-on"  // the conductor prepares, until the machine is on
	PhaseBoot     PhaseKind = "boot"      // until the first step of the ramdisk begins
	PhaseInspect  PhaseKind = "inspect"   // until the ramdisk has sent what it found
	PhaseStep     PhaseKind = "step"      // one deploy, clean or service step
	PhaseHold     PhaseKind = "hold"      // until somebody sends an unhold
	PhaseReboot   PhaseKind = "reboot"    // out of the ramdisk, into what was installed
	PhaseFinish   PhaseKind = "finish"    // what the conductor does after the last step
	PhaseTearDown PhaseKind = "tear-down" // an instance is taken away
	PhaseOther    PhaseKind = "work"      // work that nobody can see parts of
)

// Name is the phase as an operator says it; it is safe to show.
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

// Took is how long the phase lasted, or lasts already at the server's time now.
func (p *Phase) Took(now time.Time) time.Duration { return lasted(p.Begin, p.End, now) }

// Took is how long the work lasted, or lasts already at the server's time now.
func (w *Work) Took(now time.Time) time.Duration { return lasted(w.Begin, w.End, now) }

func lasted(begin, end, now time.Time) time.Duration {
	if end.IsZero() {
		end = now
	}
	return max(end.Sub(begin), 0)
}

// Noun is what the work is called: deployment, cleaning, …
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
	default: // cleaning is a noun already
		return printable.Line(string(w.Kind))
	}
}

// Current is the phase that goes on, or nil.
func (w *Work) Current() *Phase {
	if n := len(w.Phases); n > 0 && w.Phases[n-1].Outcome == OutcomeRunning {
		return &w.Phases[n-1]
	}
	return nil
}

// Blame says why the work failed. The reason may name a step that ran between two
// looks: it then was the last phase, and the one before it did not fail.
func (w *Work) Blame(reason string) {
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

// Work is what the evidence has of the work on a node, with the reason where it
// failed; false where none was seen.
func (e *Evidence) Work(row *Row) (Work, bool) {
	if e.Phase == "" {
		return Work{}, false
	}
	w := e.work(&row.Node)
	w.Blame(row.Reason)
	return w, true
}

func (e *Evidence) work(n *Node) Work {
	return Work{
		Node: n.Ref(), ResourceClass: n.ResourceClass, Kind: e.Phase, Begin: e.Since, End: e.Ended,
		Whole: e.Whole, Phases: e.Phases, Outcome: e.Outcome, Evidence: e.kept(),
	}
}

// kept is what the work has beside its phases; nil where nobody saw anything of it.
func (e *Evidence) kept() *Kept {
	if e.AgentURL == "" && e.LastHeartbeat.IsZero() && len(e.Steps) == 0 && e.Step == "" && e.LastError == "" {
		return nil
	}
	return &Kept{
		AgentURL: e.AgentURL, AgentVersion: e.AgentVersion, LastHeartbeat: e.LastHeartbeat,
		Kind: e.Kind, Steps: e.Steps, StepIndex: e.StepIndex, Step: e.Step, LastError: e.LastError,
	}
}

// Text says how the work went: its outcome, its phases, and why it failed. It is safe to show.
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
