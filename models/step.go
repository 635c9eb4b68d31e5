package models

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// Step is one deploy, clean or service step, as Ironic reports it in deploy_step and
// in driver_internal_info, and as it is sent with a provision verb.
type Step struct {
	// Interface is the driver interface that owns the step: deploy, bios, raid, …
	Interface string `json:"interface" yaml:"interface"`
	// Step is the step's name: install_coreos, erase_devices_metadata, …
	Step string `json:"step" yaml:"step"`
	// Priority orders deploy steps, higher first; Ironic refuses it in clean steps.
	Priority *int `json:"priority,omitempty" yaml:"priority,omitempty"`
	// Args go to the step. Ironic wants an object in a deploy step, if an empty one.
	Args map[string]any `json:"args,omitempty" yaml:"args,omitempty"`
	// Order sorts clean and service steps of runbooks.
	Order *int `json:"order,omitempty" yaml:"order,omitempty"`
	// Abortable says that an abort takes effect at once while this step runs.
	Abortable bool `json:"abortable,omitempty" yaml:"-"`
	// AbortAfter says that an abort was asked for and waits for this step's end.
	AbortAfter bool `json:"abort_after,omitempty" yaml:"-"`
}

// UnmarshalJSON reads a step, also where Ironic has the priority as a digit string.
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

// IsZero says that there is no step: Ironic writes null or {}.
func (s *Step) IsZero() bool { return s == nil || s.Step == "" }

// Label is interface.step, the way Ironic's own messages write it.
func (s *Step) Label() string {
	if s.IsZero() {
		return ""
	}
	return s.Interface + "." + s.Step
}

// StepKind says which list a step belongs to.
type StepKind string

// The three kinds of steps.
const (
	DeploySteps  StepKind = "deploy"
	CleanSteps   StepKind = "clean"
	ServiceSteps StepKind = "service"
)

// failedStep is how Ironic begins the reason of a step that failed, for all kinds
// (ironic/conductor/utils.py, drivers/modules/agent_base.py).
var failedStep = regexp.MustCompile(`^(?:Deploy|Clean|Service) step ([a-z]+)\.([A-Za-z0-9_]+) failed `)

// FailedStep is the step that the reason of a failure names: what was seen last may be
// an earlier one, where it all went too fast.
func FailedStep(reason string) (Step, bool) {
	m := failedStep.FindStringSubmatch(reason)
	if m == nil {
		return Step{}, false
	}
	return Step{Interface: m[1], Step: m[2]}, true
}
