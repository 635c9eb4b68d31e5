package provision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// ParseSteps reads steps from JSON: a list of objects with interface and step, and
// args, priority (deploy) or order (clean, service).
func ParseSteps(data []byte) ([]models.Step, error) {
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("steps: want a JSON list such as "+
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

// parseStep is strict: what it did not understand would silently not be sent.
func parseStep(fields map[string]json.RawMessage) (models.Step, error) {
	var s models.Step
	known := []string{"interface", "step", "args", "priority", "order"}
	for name := range fields {
		if !slices.Contains(known, name) {
			return s, fmt.Errorf("no field %q; there are %s", models.Printable(name), strings.Join(known, ", "))
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
		return s, fmt.Errorf("the priority %s is not a number", models.Printable(string(p)))
	}
	return s, checkStep(s)
}

// ParseStep reads the short form of a step: INTERFACE.STEP, and @PRIORITY for a deploy
// step; install_coreos is put at 80, where its makers put it, without.
func ParseStep(text string) (models.Step, error) {
	name, prio, hasPrio := strings.Cut(text, "@")
	iface, step, _ := strings.Cut(name, ".")
	s := models.Step{Interface: iface, Step: step}
	if hasPrio {
		var n int
		if _, err := fmt.Sscanf(prio, "%d", &n); err != nil || fmt.Sprint(n) != prio || n < 0 {
			return s, fmt.Errorf("step %q: the priority %q is not a number", models.Printable(text), models.Printable(prio))
		}
		s.Priority = &n
	}
	return s, checkStep(s)
}

func checkStep(s models.Step) error {
	known := []string{"bios", "deploy", "firmware", "management", "power", "raid", "vendor"}
	switch {
	case s.Step == "":
		return fmt.Errorf("no step name in %q: want INTERFACE.STEP, such as deploy.install_coreos", models.Printable(s.Interface))
	case !slices.Contains(known, s.Interface):
		return fmt.Errorf("%s: no interface %q has steps; there are %s",
			models.Printable(s.Label()), models.Printable(s.Interface), strings.Join(known, ", "))
	}
	return nil
}

// WithPriorities gives every deploy step without a priority that of install steps, 80,
// in falling order so that the list's order is kept; Ironic wants one in each.
func WithPriorities(steps []models.Step) []models.Step {
	const installPriority = 80
	out := slices.Clone(steps)
	next := installPriority
	for i := range out {
		if out[i].Priority == nil {
			p := next
			out[i].Priority = &p
		}
		if *out[i].Priority > 0 { // 0 switches a step off, and has no place in the order
			next = max(*out[i].Priority-1, 1)
		}
	}
	return out
}
