package models

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// Work is an operation on a node, such as a deployment, a cleaning or an inspection. It starts when the node leaves a
// stable state, and ends when the node reaches the next one. Its data is derived from observations. Times are on the
// server's clock.
type Work struct {
	Node          NodeRef `json:"node"`
	ResourceClass string  `json:"resource_class"`
	// Kind is the transitional state that represents the operation: deploying, cleaning, …
	Kind ProvisionState `json:"kind"`
	// Begin is the time when the operation was first observed. End is the time when it ended. End is zero while the
	// operation is running, and also if its end was not observed.
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	// Whole means that the start of the operation was observed. Otherwise, it and its first phase started before Begin.
	Whole   bool    `json:"whole"`
	Phases  []Phase `json:"phases"`
	Outcome Outcome `json:"outcome"`
	// Reason is the reason that Ironic gives for the failure.
	Reason string `json:"reason"`
	// Evidence holds details of the operation that Ironic later clears from the node, or nil if they are unknown.
	Evidence *Kept `json:"evidence,omitempty"`
}

// Kept holds data that Ironic clears when an operation ends. It is used to explain past operations.
type Kept struct {
	AgentURL     string `json:"agent_url,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	// LastHeartbeat is the time of the last heartbeat, on Ironic's clock.
	LastHeartbeat time.Time `json:"last_heartbeat,omitzero"`
	// Steps lists the steps of the operation, all of which belong to Kind. StepIndex is the index of the running
	// step, or -1 before the first one.
	Kind      StepKind `json:"kind,omitempty"`
	Steps     []Step   `json:"steps,omitempty"`
	StepIndex int      `json:"step_index"`
	// Step is the label of the step that was observed last.
	Step      string `json:"step,omitempty"`
	LastError string `json:"last_error,omitempty"`
}

// WithoutSecrets returns a copy that can be stored, because the secrets in step arguments are masked.
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

// The possible outcomes.
const (
	OutcomeRunning Outcome = "running"
	OutcomeDone    Outcome = "done"
	OutcomeFailed  Outcome = "failed"
)

// Phase is a part of an operation, such as a step or a reboot. Its duration is measured separately.
type Phase struct {
	Kind PhaseKind `json:"kind"`
	// Step is the label of the step in the form interface.step. It is empty for phases that are not steps.
	Step    string    `json:"step"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"` // zero while the phase is running
	Outcome Outcome   `json:"outcome"`
}

// PhaseKind says what happens in a phase.
type PhaseKind string

// The kinds of phases, in the order in which they occur in an operation.
const (
	PhasePower    PhaseKind = "power-on"  // the conductor prepares the machine and powers it on
	PhaseBoot     PhaseKind = "boot"      // the ramdisk boots, until the first step starts
	PhaseInspect  PhaseKind = "inspect"   // the ramdisk boots and inspects the machine, until it has sent the inventory to Ironic
	PhaseStep     PhaseKind = "step"      // one deploy, clean or service step
	PhaseHold     PhaseKind = "hold"      // the node is held until an unhold
	PhaseReboot   PhaseKind = "reboot"    // the reboot from the ramdisk to the installed system
	PhaseFinish   PhaseKind = "finish"    // the conductor's work after the last step
	PhaseTearDown PhaseKind = "tear-down" // the instance is removed
	PhaseOther    PhaseKind = "work"      // an operation without observable parts
)

var phaseNames = map[PhaseKind]string{
	PhasePower:    "power on",
	PhaseBoot:     "boot to ramdisk",
	PhaseInspect:  "boot and inspect",
	PhaseHold:     "held",
	PhaseReboot:   "reboot",
	PhaseFinish:   "finish",
	PhaseTearDown: "tear down",
	PhaseOther:    "work",
}

// Name returns the phase's sanitized display name.
func (p *Phase) Name() string {
	if p.Kind == PhaseStep {
		return printable.Line(strings.TrimPrefix(p.Step, "deploy."))
	}
	return printable.Line(cmp.Or(phaseNames[p.Kind], string(p.Kind)))
}

// Took returns the duration of the phase, until now if it is running. now is on the server's clock.
func (p *Phase) Took(now time.Time) time.Duration { return lasted(p.Begin, p.End, now) }

// Took returns the duration of the operation, until now if it is running. now is on the server's clock.
func (w *Work) Took(now time.Time) time.Duration { return lasted(w.Begin, w.End, now) }

func lasted(begin, end, now time.Time) time.Duration {
	if end.IsZero() {
		end = now
	}
	return max(end.Sub(begin), 0)
}

// workNouns holds the nouns for the operations whose kind, unlike "cleaning", is not a noun.
var workNouns = map[ProvisionState]string{
	StateDeploying:  "deployment",
	StateDeleting:   "undeployment",
	StateInspecting: "inspection",
	StateServicing:  "service",
	StateRescuing:   "rescue",
	StateUnrescuing: "unrescue",
	StateAdopting:   "adoption",
	StateVerifying:  "verification",
}

// Noun returns the noun for the operation: deployment, cleaning, …
func (w *Work) Noun() string { return printable.Line(cmp.Or(workNouns[w.Kind], string(w.Kind))) }

// Current returns the phase that is running, or nil if there is none.
func (w *Work) Current() *Phase {
	if n := len(w.Phases); n > 0 && w.Phases[n-1].Outcome == OutcomeRunning {
		return &w.Phases[n-1]
	}
	return nil
}

// SetFailureReason sets the reason for the failure. If the reason names a step that started and failed between two
// observations, this step becomes the last phase, and the phase before it counts as done.
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

// Work returns the operation that the evidence describes, with the reason if it failed, or false if there is none.
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

// kept returns the operation's data except its phases, or nil if there is none.
func (e *Evidence) kept() *Kept {
	if e.AgentURL == "" && e.LastHeartbeat.IsZero() && len(e.Steps) == 0 && e.Step == "" && e.LastError == "" {
		return nil
	}
	kept := e.Kept
	return &kept
}

// Text describes the operation: its outcome, its phases, and the reason if it failed. The text is sanitized.
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
		text = "running, or its end was not observed"
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
