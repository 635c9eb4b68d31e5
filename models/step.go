package models

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// Step is a deploy, clean or service step. It appears in deploy_step and similar fields, in driver_internal_info, and
// in provision requests.
type Step struct {
	// Interface is the driver interface that runs the step: deploy, bios, raid, …
	Interface string `json:"interface"`
	// Step is the name of the step: install_coreos, erase_devices_metadata, …
	Step string `json:"step"`
	// Priority determines the order of deploy steps; the highest comes first. Ironic rejects clean steps that have a
	// priority.
	Priority *int `json:"priority,omitempty"`
	// Args holds the arguments of the step. In a deploy step, Ironic requires this object even if it is empty.
	Args map[string]any `json:"args,omitempty"`
	// Order determines the position of a step in a runbook.
	Order *int `json:"order,omitempty"`
	// Abortable means that an abort takes effect during this step.
	Abortable bool `json:"abortable,omitempty"`
	// AbortAfter means that an abort was requested and takes effect when this step ends.
	AbortAfter bool `json:"abort_after,omitempty"`
}

// UnmarshalJSON decodes a step. It also accepts a priority that is given as a string.
func (s *Step) UnmarshalJSON(data []byte) error {
	type plain Step
	var in struct {
		plain
		Priority json.RawMessage `json:"priority"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Step(in.plain)
	if n, err := strconv.Atoi(string(trimQuotes(in.Priority))); err == nil {
		s.Priority = &n
	}
	return nil
}

func trimQuotes(raw []byte) []byte {
	if len(raw) >= 2 && raw[0] == '"' && raw[len(raw)-1] == '"' {
		return raw[1 : len(raw)-1]
	}
	return raw
}

// IsZero reports whether s is empty. Ironic writes null or {} if there is no step.
func (s *Step) IsZero() bool { return s == nil || s.Step == "" }

// Label returns the step in the form interface.step, as in Ironic's messages.
func (s *Step) Label() string {
	if s.IsZero() {
		return ""
	}
	return s.Interface + "." + s.Step
}

// StepKind is the kind of operation to which a step belongs.
type StepKind string

// The kinds of steps.
const (
	DeploySteps  StepKind = "deploy"
	CleanSteps   StepKind = "clean"
	ServiceSteps StepKind = "service"
)

// failedStep matches the beginning of the failure reason when a step has failed (ironic/conductor/utils.py,
// drivers/modules/agent_base.py).
var failedStep = regexp.MustCompile(`^(?:Deploy|Clean|Service) step ([a-z]+)\.([A-Za-z0-9_]+) failed `)

// FailedStep returns the step that a failure reason names. It may be a later step than the one that was observed
// last.
func FailedStep(reason string) (Step, bool) {
	m := failedStep.FindStringSubmatch(reason)
	if m == nil {
		return Step{}, false
	}
	return Step{Interface: m[1], Step: m[2]}, true
}
