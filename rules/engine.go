package rules

import (
	"fmt"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Subject is the data of a node that rules can read and change.
type Subject struct {
	// Node has the node's fields as the API shows them.
	Node *hints.PythonDict
	// Ports has the fields of each port of the node as the API shows them.
	Ports  []*hints.PythonDict
	Traits []string
	// Inventory and PluginData are the data stored by an inspection.
	Inventory, PluginData *hints.PythonDict
}

// Masking is Ironic's option [inspection_rules]mask_secrets: it decides whether rules can read the secrets in the
// inventory.
type Masking string

// The values of the option mask_secrets.
const (
	MaskAlways    Masking = "always"
	MaskSensitive Masking = "sensitive" // except from rules that are sensitive
	MaskNever     Masking = "never"
)

// Result is the outcome of all rules on one node.
type Result struct {
	// Outcomes has the outcome of each rule that was evaluated, in the order of evaluation.
	Outcomes []Outcome
	// After is the state that Ironic saves after all rules.
	After Subject
	// Failure is the exception in the rule that was evaluated last, which ends the inspection; nil if the inspection
	// succeeds. If [Exception.Unclear] is true for it, the result of that rule and of all later ones is unknown.
	Failure *Exception
	// Unstorable is the path of the value because of which Ironic cannot store the plugin data after the rules; "" if
	// there is none.
	Unstorable string
}

// Outcome is the result of one rule on one node.
type Outcome struct {
	Rule *Rule
	// Matched means that all conditions hold.
	Matched bool
	// Condition is the number of the condition that does not hold, or that failed, from 1; 0 for none.
	Condition int
	// Action is the number of the action that failed, from 1; 0 for none.
	Action int
	// Notes are notes for the operator about the actions that ran.
	Notes []string
	// Changes are the changes of the actions that Ironic saves.
	Changes []Change
}

// run is the state of one evaluation of rules on one node.
type run struct {
	node       *object
	ports      []*object
	traits     []string
	inventory  *hints.PythonDict
	pluginData *hints.PythonDict
	// hides reports whether secrets are hidden from the current rule.
	hides      bool
	notes      []string
	unstorable string
}

// Run evaluates rules, in the order of [Sorted], as Ironic's engine does.
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

// subject returns the current state itself, which the next action changes.
func (r *run) subject() Subject {
	s := Subject{Node: r.node.values, Traits: r.traits, Inventory: r.inventory, PluginData: r.pluginData}
	for _, p := range r.ports {
		s.Ports = append(s.Ports, p.values)
	}
	return s
}

// saved returns a copy of the current state.
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
	return clone(d).(*hints.PythonDict) //nolint:forcetypeassert // of a PythonDict
}

// asReported returns an exception as the engine reports it: Ironic's own exceptions are unchanged, and the text of
// others names the rule and the node.
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

// breaks records that Ironic puts its masking wrapper into the plugin data, so that it cannot store them afterwards.
func (r *run) breaks(path string) {
	r.unstorable = path
	r.note("extend-plugin-data on a list that exists makes Ironic 39.0.0 fail when it stores the inventory: %s", path)
}
