package steps

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/spell"
)

// reserved lists the names of steps that are handled by Ironic itself (ironic/conductor/steps.py,
// RESERVED_STEP_HANDLER_MAPPING). If a user requests them, _validate_user_steps drops them without an error (39.0.0).
var reserved = []string{"hold", "wait", "power_on", "power_off", "reboot"}

// Reserved reports whether the step with the given name is handled by the conductor instead of an interface.
func Reserved(step string) bool { return slices.Contains(reserved, step) }

// Problem describes why a step would fail or not run.
type Problem struct {
	// Text describes the problem and how to correct it.
	Text string
	// Certain means that Ironic or the agent certainly rejects the step. If it is false, either a custom hardware
	// manager in the ramdisk may offer the step, or Ironic drops the step.
	Certain bool
	// Argument is the name of the argument that is wrong or missing. It is empty for other problems.
	Argument string
	// Setting is the change to the node that would make the step available, such as raid_interface=redfish. It is
	// empty if unknown.
	Setting string
}

// Check returns the problems that occur if an operation of the given kind runs the step on a node with these
// interfaces.
func (all Interfaces) Check(s models.Step, kind models.StepKind) []Problem {
	if Reserved(s.Step) {
		return []Problem{{Text: s.Label() + ": Ironic drops hold, wait and power steps, so this step does not run"}}
	}
	rows := Named(s.Interface, s.Step)
	if len(rows) == 0 {
		return all.unknown(s)
	}
	name, known := all[s.Interface]
	if !known {
		return wrongArguments(s, rows)
	}
	offered := slices.DeleteFunc(slices.Clone(rows), func(k *Known) bool { return !all.offer(k) })
	if len(offered) == 0 {
		return []Problem{{
			Text:    fmt.Sprintf("%s: not offered by %s interface %s; %s", s.Label(), s.Interface, name, offeredBy(rows)),
			Certain: true, Setting: all.setting(rows),
		}}
	}
	here := slices.DeleteFunc(slices.Clone(offered), func(k *Known) bool { return !slices.Contains(k.Kinds, kind) })
	if len(here) == 0 {
		return []Problem{{Text: fmt.Sprintf("%s: not a %s step of %s interface %s; it is a %s step", s.Label(), kind, s.Interface, name, kindsOf(offered)), Certain: true}}
	}
	if kind == models.ServiceSteps && s.Step == "write_image" {
		return []Problem{{Text: s.Label() + ": fails as a service step: the agent requires the image_info argument, which Ironic does not pass on; use rebuild", Certain: true}}
	}
	return wrongArguments(s, here)
}

// unknown returns the problem with a step that is not in the table. Hardware managers in the ramdisk may add steps to
// the deploy interface, and to the agent RAID interface.
func (all Interfaces) unknown(s models.Step) []Problem {
	var labels []string
	for i := range table {
		labels = append(labels, table[i].Label())
	}
	custom := s.Interface == "deploy" || s.Interface == "raid" && all["raid"] == Agent
	if name := all[s.Interface]; !custom && strings.HasPrefix(name, "no-") {
		return []Problem{{Text: fmt.Sprintf("%s: the node has no %s interface (%s)", s.Label(), s.Interface, name), Certain: true}}
	}
	return []Problem{{Text: s.Label() + " is unknown" + spell.DidYouMean(s.Label(), labels), Certain: !custom}}
}

// setting returns the change to the node that would make a step available, such as raid_interface=redfish. It prefers
// the implementations used for power or management to the agent, because a vendor usually implements all kinds of
// interfaces.
func (all Interfaces) setting(rows []*Known) string {
	for _, want := range []string{all["power"], all["management"], Agent} {
		for _, k := range rows {
			if want != "" && slices.Contains(k.Drivers, want) && k.Interface != "deploy" {
				return k.Interface + "_interface=" + want
			}
		}
	}
	return ""
}

func offeredBy(rows []*Known) string {
	names := make([]string, len(rows))
	for i, k := range rows {
		names[i] = k.OfferedBy()
	}
	return "offered by " + strings.Join(names, ", ")
}

func kindsOf(rows []*Known) string {
	var kinds []models.StepKind
	for _, k := range rows {
		kinds = append(kinds, k.Kinds...)
	}
	return strings.Join(models.Texts(models.Unique(kinds)), " and ")
}

// wrongArguments returns the problems with the arguments of a step. An argument is accepted if any of the rows lists
// it, and the first row determines the required arguments. The rows of a step differ in their arguments only if they
// belong to different implementations.
func wrongArguments(s models.Step, rows []*Known) []Problem {
	var problems []Problem
	add := func(argument, format string, values ...any) {
		problems = append(problems, Problem{Text: s.Label() + ": " + fmt.Sprintf(format, values...), Certain: true, Argument: argument})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		a := argumentOf(rows, name)
		if a == nil {
			add(name, "%s", unknownArgument(rows, name))
			continue
		}
		if !a.Type.accepts(s.Args[name]) {
			add(name, "argument %s must be a %s (%s)", name, a.Type, a.Description)
		}
	}
	for _, a := range rows[0].Args {
		if _, given := s.Args[a.Name]; a.Required && !given {
			add(a.Name, "argument %s is required: %s", a.Name, a.Description)
		}
	}
	return problems
}

func argumentOf(rows []*Known, name string) *Argument {
	for _, k := range rows {
		if a := k.Argument(name); a != nil {
			return a
		}
	}
	return nil
}

func unknownArgument(rows []*Known, name string) string {
	var names []string
	for _, a := range rows[0].Args {
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		return fmt.Sprintf("takes no arguments, but has %s", name)
	}
	return fmt.Sprintf("unknown argument %s; available: %s", name, strings.Join(names, ", "))
}

// accepts reports whether value, which was decoded from JSON, has the type. Some of Ironic's steps also convert text:
// inject_files, for example, accepts a list as JSON text. Other steps do not, so values of another type are never
// accepted.
func (t Type) accepts(value any) bool {
	switch v := value.(type) {
	case string:
		return t == Text
	case bool:
		return t == Boolean
	case int:
		return t == Number
	case float64:
		return t == Number && v == math.Trunc(v)
	case json.Number:
		return t == Number
	case []any, []map[string]any:
		return t == List
	case map[string]any:
		return t == Object
	}
	return false
}
