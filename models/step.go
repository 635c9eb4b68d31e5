package models

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// Step is a deploy, clean or service step, as in deploy_step, driver_internal_info, and provision requests.
type Step struct {
	// Interface is the driver interface of the step: deploy, bios, raid, …
	Interface string `json:"interface" yaml:"interface"`
	// Step is the name of the step: install_coreos, erase_devices_metadata, …
	Step string `json:"step" yaml:"step"`
	// Priority orders deploy steps, highest first. Ironic refuses a priority in clean steps.
	Priority *int `json:"priority,omitempty" yaml:"priority,omitempty"`
	// Args are the arguments of the step. Ironic requires an object in a deploy step.
	Args map[string]any `json:"args,omitempty" yaml:"args,omitempty"`
	// Order sorts the steps of runbooks.
	Order *int `json:"order,omitempty" yaml:"order,omitempty"`
	// Abortable means that an abort takes effect during this step.
	Abortable bool `json:"abortable,omitempty" yaml:"-"`
	// AbortAfter means that an abort which was requested waits for the end of this step.
	AbortAfter bool `json:"abort_after,omitempty" yaml:"-"`
}

// UnmarshalJSON also accepts a priority as text.
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

// IsZero reports whether there is no step: Ironic writes null or {}.
func (s *Step) IsZero() bool { return s == nil || s.Step == "" }

// Label returns interface.step, as in Ironic's messages.
func (s *Step) Label() string {
	if s.IsZero() {
		return ""
	}
	return s.Interface + "." + s.Step
}

// StepKind is the kind of a step.
type StepKind string

// The kinds of steps.
const (
	DeploySteps  StepKind = "deploy"
	CleanSteps   StepKind = "clean"
	ServiceSteps StepKind = "service"
)

// failedStep is the start of the reason of a failed step (ironic/conductor/utils.py,
// drivers/modules/agent_base.py).
var failedStep = regexp.MustCompile(`^(?:Deploy|Clean|Service) step ([a-z]+)\.([A-Za-z0-9_]+) failed `)

// FailedStep returns the step that the reason of a failure names. The step that was seen last may be an earlier one.
func FailedStep(reason string) (Step, bool) {
	m := failedStep.FindStringSubmatch(reason)
	if m == nil {
		return Step{}, false
	}
	return Step{Interface: m[1], Step: m[2]}, true
}
