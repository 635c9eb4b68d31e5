// Package bios checks changes to BIOS settings against Ironic's data, and compares the settings of two machines.
package bios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/spell"
)

// Change is a BIOS setting and its new value.
type Change struct {
	Name  string
	Value string
}

// ParseChange parses a change of the form NAME=VALUE.
func ParseChange(text string) (Change, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return Change{}, fmt.Errorf("BIOS setting %q: must be NAME=VALUE", text)
	}
	return Change{name, value}, nil
}

// Pending returns the wanted changes that the machine still needs, with their values converted to the types that
// Redfish expects. It also returns a problem for each change that is not possible. settings holds the machine's
// current settings. If it is empty, Ironic has not read them yet, and Pending does not check the values.
func Pending(settings []models.BIOSSetting, wanted []Change) (pending []Value, problems []string) {
	byName := map[string]models.BIOSSetting{}
	for _, s := range settings {
		byName[s.Name] = s
	}
	for _, c := range wanted {
		s, known := byName[c.Name]
		switch {
		case !known && len(settings) > 0:
			names := slices.Sorted(maps.Keys(byName))
			problems = append(problems, fmt.Sprintf("no BIOS setting %s%s", c.Name, spell.DidYouMean(c.Name, names)))
			continue
		case known && same(s, c.Value):
			continue
		}
		value, problem := typed(s, c.Value)
		if problem != "" {
			problems = append(problems, fmt.Sprintf("BIOS setting %s: %s", c.Name, problem))
			continue
		}
		pending = append(pending, Value{Name: c.Name, Value: value, Before: Shown(s)})
	}
	return pending, problems
}

// same reports whether the setting already has the given value. Booleans are compared by meaning, because Ironic
// stores them as 0, False or false, depending on its database.
func same(s models.BIOSSetting, value string) bool {
	if s.Type != "Boolean" {
		return s.Value == value
	}
	now, err := strconv.ParseBool(strings.ToLower(s.Value))
	wanted, wrong := strconv.ParseBool(strings.ToLower(value))
	return err == nil && wrong == nil && now == wanted
}

// Shown returns the setting's value for display. A boolean is shown as true or false, as on the BMC, regardless of
// how Ironic stores it.
func Shown(s models.BIOSSetting) string {
	if on, err := strconv.ParseBool(strings.ToLower(s.Value)); err == nil && s.Type == "Boolean" {
		return strconv.FormatBool(on)
	}
	return s.Value
}

// Value is a new value in the form that Redfish expects: a string, a number or a boolean.
type Value struct {
	Name   string
	Value  any
	Before string
}

// Arguments returns the arguments of a bios.apply_configuration step that makes the changes.
func Arguments(changes []Value) map[string]any {
	settings := make([]any, len(changes))
	for i, c := range changes {
		settings[i] = map[string]any{"name": c.Name, "value": c.Value}
	}
	return map[string]any{"settings": settings}
}

// typed converts a value to the type of its setting. It makes the same checks as Ironic 39.0.0
// (_validate_and_convert_settings in ironic/drivers/modules/redfish/bios.py); Ironic 21.4.4 does not check values.
func typed(s models.BIOSSetting, value string) (converted any, problem string) {
	if s.ReadOnly != nil && *s.ReadOnly {
		return nil, "read-only"
	}
	switch s.Type {
	case "Enumeration":
		if len(s.Allowed) > 0 && !slices.Contains(s.Allowed, value) {
			return nil, fmt.Sprintf("%q is not allowed%s; allowed: %s", value, spell.DidYouMean(value, s.Allowed), strings.Join(s.Allowed, ", "))
		}
	case "Integer":
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
			return nil, fmt.Sprintf("%q is not a number", value)
		case outside(n, s.Lower, s.Upper):
			return nil, fmt.Sprintf("%d is not allowed; allowed: %s", n, Allowed(s))
		}
		return n, ""
	case "Boolean":
		on, err := strconv.ParseBool(strings.ToLower(value))
		if err != nil {
			return nil, fmt.Sprintf("%q is not true or false", value)
		}
		return on, ""
	case "String":
		if outside(len([]rune(value)), s.MinLength, s.MaxLength) {
			return nil, fmt.Sprintf("%d characters; allowed: %s", len([]rune(value)), Allowed(s))
		}
	}
	return value, ""
}

func outside(n int, low, high *int) bool {
	return low != nil && n < *low || high != nil && n > *high
}

// Allowed describes the values that a setting accepts. It returns an empty string if they are unknown.
func Allowed(s models.BIOSSetting) string {
	low, high, unit := s.Lower, s.Upper, ""
	switch s.Type {
	case "Enumeration":
		return strings.Join(s.Allowed, ", ")
	case "Boolean":
		return "true, false"
	case "String", "Password":
		low, high, unit = s.MinLength, s.MaxLength, " characters"
	}
	switch {
	case low != nil && high != nil:
		return fmt.Sprintf("%d to %d%s", *low, *high, unit)
	case high != nil:
		return fmt.Sprintf("at most %d%s", *high, unit)
	case low != nil:
		return fmt.Sprintf("at least %d%s", *low, unit)
	}
	return ""
}

// Notes returns the reasons why the setting should not be copied between machines.
func Notes(s models.BIOSSetting) []string {
	var notes []string
	for _, n := range []struct {
		is   *bool
		text string
	}{{s.ReadOnly, "read-only"}, {s.Unique, "unique"}} {
		if n.is != nil && *n.is {
			notes = append(notes, n.text)
		}
	}
	return notes
}

// Difference is a setting whose value differs between a machine and the golden machine.
type Difference struct {
	Name   string `json:"name"`
	Golden string `json:"golden"`
	// Value is the machine's value; it is empty if the machine lacks the setting.
	Value string `json:"value"`
	// Note explains why the setting cannot be copied: it is read-only, unique, or missing on one of the machines.
	Note string `json:"note,omitempty"`
}

// Compare returns the settings that differ from those of the golden machine, sorted by name.
func Compare(golden, settings []models.BIOSSetting) []Difference {
	have := map[string]models.BIOSSetting{}
	for _, s := range settings {
		have[s.Name] = s
	}
	var list []Difference
	for _, g := range golden {
		s, there := have[g.Name]
		delete(have, g.Name)
		switch {
		case !there:
			list = append(list, Difference{Name: g.Name, Golden: Shown(g), Note: "missing on the node"})
		case !same(s, g.Value):
			list = append(list, Difference{Name: g.Name, Golden: Shown(g), Value: Shown(s), Note: strings.Join(Notes(s), ", ")})
		}
	}
	for name, s := range have {
		list = append(list, Difference{Name: name, Value: Shown(s), Note: "missing on the golden node"})
	}
	slices.SortFunc(list, func(a, b Difference) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Copied returns the changes that copy the golden machine's settings, except those that cannot be copied.
func Copied(list []Difference) []Change {
	var changes []Change
	for _, d := range list {
		if d.Note == "" {
			changes = append(changes, Change{d.Name, d.Golden})
		}
	}
	return changes
}
