package provision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// ParseSteps reads steps from a JSON list. Each element is an object that contains "interface" and "step". It may
// also contain "args", and either "priority" (deploy steps) or "order" (clean and service steps).
func ParseSteps(data []byte) ([]models.Step, error) {
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("steps must be a JSON list such as "+
			`[{"interface":"deploy","step":"install_coreos","args":{},"priority":80}]: %w`, err)
	}
	steps := make([]models.Step, len(raw))
	for i, fields := range raw {
		s, err := parseStep(fields)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		steps[i] = s
	}
	return steps, nil
}

// parseStep parses one step. It rejects unknown fields, which would otherwise be ignored silently.
func parseStep(fields map[string]json.RawMessage) (models.Step, error) {
	var s models.Step
	known := []string{"interface", "step", "args", "priority", "order"}
	for name := range fields {
		if !slices.Contains(known, name) {
			return s, fmt.Errorf("unknown field %q; available: %s", printable.Line(name), strings.Join(known, ", "))
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if p, given := fields["priority"]; given && string(p) != "null" && (s.Priority == nil || *s.Priority < 0) {
		return s, fmt.Errorf("the priority %s is not a number", printable.Line(string(p)))
	}
	return s, checkStep(s)
}

// ParseStep reads the short form of a step: INTERFACE.STEP, followed by @PRIORITY for a deploy step. A missing
// priority is left unset; see [WithPriorities].
func ParseStep(text string) (models.Step, error) {
	name, prio, hasPrio := strings.Cut(text, "@")
	iface, step, _ := strings.Cut(name, ".")
	s := models.Step{Interface: iface, Step: step}
	if hasPrio {
		var n int
		if _, err := fmt.Sscanf(prio, "%d", &n); err != nil || fmt.Sprint(n) != prio || n < 0 {
			return s, fmt.Errorf("step %q: the priority %q is not a number", printable.Line(text), printable.Line(prio))
		}
		s.Priority = &n
	}
	return s, checkStep(s)
}

// ParseStepWords reads steps in the short form. Each step is followed by its arguments: INTERFACE.STEP KEY=VALUE …. A
// value that is not JSON is text.
func ParseStepWords(text string) ([]models.Step, error) {
	words, err := models.SplitSettings(text)
	if err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	var list []models.Step
	for _, word := range words {
		name, value, isArgument := strings.Cut(word, "=")
		if !isArgument {
			s, err := ParseStep(word)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
			continue
		}
		if len(list) == 0 || name == "" {
			return nil, fmt.Errorf("argument %q comes before any step: use INTERFACE.STEP KEY=VALUE", printable.Line(word))
		}
		s := &list[len(list)-1]
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		if _, twice := s.Args[name]; twice {
			return nil, fmt.Errorf("step %s: argument %s is given twice", printable.Line(s.Label()), printable.Line(name))
		}
		if s.Args[name], err = models.TypedValue(value); err != nil {
			return nil, fmt.Errorf("step %s: argument %s: %w", printable.Line(s.Label()), printable.Line(name), err)
		}
	}
	return list, nil
}

func checkStep(s models.Step) error {
	known := []string{"bios", "deploy", "firmware", "management", "network", "power", "raid", "vendor"}
	switch {
	case s.Step == "":
		return fmt.Errorf("no step name in %q: use INTERFACE.STEP, such as deploy.install_coreos", printable.Line(s.Interface))
	case !slices.Contains(known, s.Interface):
		return fmt.Errorf("%s: interface %q has no steps; available: %s",
			printable.Line(s.Label()), printable.Line(s.Interface), strings.Join(known, ", "))
	}
	return nil
}

// WithPriorities returns the deploy steps with missing priorities added, because Ironic requires them. If the first
// step has no priority, it gets 80, the priority of install steps. Any other step without one gets a priority that is
// one lower than that of the step before, but at least 1, so that it runs after that step. Steps with priority 0 are
// disabled and therefore skipped.
func WithPriorities(steps []models.Step) []models.Step {
	const installPriority = 80
	out := slices.Clone(steps)
	next := installPriority
	for i := range out {
		if out[i].Priority == nil {
			p := next
			out[i].Priority = &p
		}
		if *out[i].Priority > 0 { // 0 disables a step
			next = max(*out[i].Priority-1, 1)
		}
	}
	return out
}
