package rules

import (
	"fmt"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Subject holds the data of a node that rules can read and change.
type Subject struct {
	// Node holds the node's fields in the form of the API.
	Node *hints.PythonDict
	// Ports holds the fields of the node's ports in the form of the API, with one object for each port.
	Ports  []*hints.PythonDict
	Traits []string
	// Inventory and PluginData hold the data that an inspection stored.
	Inventory, PluginData *hints.PythonDict
}

// Masking is the value of Ironic's [inspection_rules]mask_secrets option. It determines whether rules can read the
// secrets in the inventory.
type Masking string

// The values of the mask_secrets option.
const (
	MaskAlways    Masking = "always"
	MaskSensitive Masking = "sensitive" // sensitive rules can read secrets
	MaskNever     Masking = "never"
)

// Result is the outcome of all rules on one node.
type Result struct {
	// Outcomes holds the outcome of each rule that was evaluated, in the order of evaluation.
	Outcomes []Outcome
	// After is the state after all rules, as Ironic saves it.
	After Subject
	// Failure is the exception that ended the inspection in the last evaluated rule. It is nil if the inspection
	// succeeds. If Failure is unclear (see [Exception.Unclear]), the results of that rule and of all later ones are
	// unknown.
	Failure *Exception
	// Unstorable is the path of a value that prevents Ironic from storing the plugin data after the rules. It is
	// empty if there is none.
	Unstorable string
}

// Outcome is the result of one rule on one node.
type Outcome struct {
	Rule *Rule
	// Matched means that all conditions are true.
	Matched bool
	// Condition is the number of the condition that is false or failed, counted from 1. It is 0 if there is none.
	Condition int
	// Action is the number of the action that failed, counted from 1. It is 0 if there is none.
	Action int
	// Notes lists notes for the operator about what the rule did.
	Notes []string
	// Changes lists the changes that the actions made and that Ironic saves.
	Changes []Change
}

type run struct {
	node       *object
	ports      []*object
	traits     []string
	inventory  *hints.PythonDict
	pluginData *hints.PythonDict
	// hides means that secrets are hidden from the current rule.
	hides      bool
	notes      []string
	unstorable string
}

// Run evaluates rules as Ironic's engine does. It uses the order of [Sorted].
func Run(list []*Rule, s Subject, masking Masking) *Result {
	r := &run{
		node: newObject("Node", nodeFields(), s.Node), traits: slices.Clone(s.Traits), inventory: orEmpty(s.Inventory),
		pluginData: orEmpty(s.PluginData),
	}
	for _, p := range s.Ports {
		r.ports = append(r.ports, newObject("Port", portFields(), p))
	}
	result := &Result{}
	for _, rule := range Sorted(list) {
		r.hides = masking == MaskAlways || masking == MaskSensitive && !rule.Sensitive
		r.notes = nil
		before := r.saved()
		outcome, raised := r.apply(rule)
		outcome.Notes = r.notes
		if outcome.Matched {
			outcome.Changes = changes(before, r.subject())
		}
		result.Outcomes = append(result.Outcomes, outcome)
		if raised != nil {
			result.Failure = raised.asReported(rule, s.Node.Text("uuid"))
			break
		}
	}
	result.After, result.Unstorable = r.subject(), r.unstorable
	return result
}

// subject returns the current state. It is not a copy, so the next action changes it.
func (r *run) subject() Subject {
	s := Subject{Node: r.node.values, Traits: r.traits, Inventory: r.inventory, PluginData: r.pluginData}
	for _, p := range r.ports {
		s.Ports = append(s.Ports, p.values)
	}
	return s
}

func (r *run) saved() Subject {
	s := r.subject()
	s.Node, s.PluginData, s.Traits = orEmpty(s.Node), orEmpty(s.PluginData), slices.Clone(s.Traits)
	for i := range s.Ports {
		s.Ports[i] = orEmpty(s.Ports[i])
	}
	return s
}

func orEmpty(d *hints.PythonDict) *hints.PythonDict {
	if d == nil {
		return &hints.PythonDict{}
	}
	return hints.PythonCopy(d).(*hints.PythonDict) //nolint:forcetypeassert // of a PythonDict
}

// asReported returns an exception in the form in which Ironic's engine reports it. Ironic's own exceptions are
// unchanged. For any other exception, the text names the rule and the node.
func (e *Exception) asReported(rule *Rule, node string) *Exception {
	if e.isIronic() || e.Unclear() {
		return e
	}
	return &Exception{Class: classIronic, About: e.About, Text: fmt.Sprintf("Failed to apply rule %s to node %s: %s", rule.UUID, node, e.Text)}
}

func (r *run) scope() *scope {
	return &scope{
		node: r.node, inventory: masked{value: r.inventory, hides: r.hides}, pluginData: masked{value: r.pluginData, hides: r.hides},
		hidden: func(name string) {
			r.note("Ironic's API hides the value of {%s}; %s is used instead", name, models.Mask)
		},
	}
}

func (r *run) apply(rule *Rule) (Outcome, *Exception) {
	o := Outcome{Rule: rule}
	for i := range rule.Conditions {
		holds, raised := r.scope().isTrue(&rule.Conditions[i])
		if raised != nil || !holds {
			o.Condition = i + 1
			return o, raised
		}
	}
	o.Matched = true
	for i := range rule.Actions {
		if raised := r.perform(r.scope(), &rule.Actions[i]); raised != nil {
			o.Action = i + 1
			return o, raised
		}
	}
	return o, nil
}

func (r *run) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// breaks records that Ironic cannot store the plugin data: an action adds one of its masking wrappers at path.
func (r *run) breaks(path string) {
	r.unstorable = path
	r.note("extend-plugin-data on a list that exists makes Ironic 39.0.0 fail when it stores the inventory: %s", path)
}

// Exception is an exception in Python or Ironic that ends an inspection.
type Exception struct {
	Class, Text string
	// About means that Text describes the problem but is not the text that Ironic would use.
	About bool
}

// Error returns the text.
func (e *Exception) Error() string { return e.Text }

func raise(class, format string, args ...any) *Exception {
	return &Exception{Class: class, Text: fmt.Sprintf(format, args...)}
}

// These are the classes of Ironic's exceptions.
const (
	classInspection = "HardwareInspectionFailure"
	classExecution  = "InspectionRuleExecutionFailure"
	classAction     = "RuleActionExecutionFailure"
	classCondition  = "RuleConditionCheckFailure"
	classPort       = "PortNotFound"
	classIronic     = "IronicException"
)

// isIronic reports whether the class is one of Ironic's own. The engine reports such exceptions unchanged.
func (e *Exception) isIronic() bool {
	return slices.Contains([]string{classInspection, classExecution, classAction, classCondition, classPort, classIronic}, e.Class)
}

// about returns an exception whose text is not the text that Ironic would use.
func about(format string, args ...any) *Exception {
	return &Exception{Class: classExecution, Text: fmt.Sprintf(format, args...), About: true}
}

// actionFailed returns a RuleActionExecutionFailure, which is an exception of Ironic.
func actionFailed(format string, args ...any) *Exception {
	return raise(classAction, "Inspection rule action execution failed. Reason: "+format, args...)
}

// classUnclear marks a result that cannot be predicted, because Ironic's API does not show the necessary data or
// because the result depends on Python's internals.
const classUnclear = "unclear"

func unclear(format string, args ...any) *Exception { return raise(classUnclear, format, args...) }

// Unclear reports whether the result of the rule cannot be predicted.
func (e *Exception) Unclear() bool { return e.Class == classUnclear }
