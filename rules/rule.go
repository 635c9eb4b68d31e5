// Package rules reads, checks and evaluates Ironic's inspection rules (API 1.96). It evaluates rules against a node's
// stored inventory, in the same way as the conductor of Ironic 39.0.0, but does not change the node. It is based on
// the modules below ironic/common/inspection_rules. It does no I/O.
package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/models/hints"
)

// These are the API's limits for rules that are not built in.
const (
	maxPriority    = 9999
	maxDescription = 255
)

// phaseMain is the only phase with rules. It follows the inspection hooks and precedes storing the inventory.
const phaseMain = "main"

// Rule is an inspection rule, either stored in Ironic or declared in a file.
type Rule struct {
	// UUID is the rule's UUID. It is empty if a file lets Ironic choose the UUID.
	UUID        string
	Description string
	// Phase is always "main".
	Phase string
	// Priority determines the order of rules. Rules with a higher priority run first. Rules with the same priority
	// run in the order in which they were created.
	Priority int
	// Sensitive makes the API hide the conditions and actions permanently.
	Sensitive bool
	// Conditions lists the conditions, all of which must be true. A rule without conditions always applies.
	Conditions []Operation
	Actions    []Operation
	// Hidden means that the API did not show the rule's conditions and actions.
	Hidden bool
}

// Operation is a condition or an action of a rule.
type Operation struct {
	// Op is the name of the action or of the operator. A leading ! inverts the operator.
	Op string
	// Args holds the arguments. It is a *hints.PythonDict with the arguments by name, or a hints.PythonList with the
	// arguments in the order of the parameters, which is deprecated.
	Args any
	// Loop, if it is a list, makes the operation run once for each item. If it is an object, the operation runs once
	// with the object as the item. If it is nil, the operation runs once without an item.
	Loop any
	// Multiple selects how a condition combines the results of a loop: any (the default), all, first or last.
	Multiple string
}

// Label returns the description of the rule for display, or its UUID if there is no description.
func (r *Rule) Label() string { return cmp.Or(r.Description, r.UUID, "rule without description") }

// Body returns the rule in the API's form.
func (r *Rule) Body() *hints.PythonDict {
	d := &hints.PythonDict{}
	if r.UUID != "" {
		d.Set("uuid", r.UUID)
	}
	if r.Description != "" {
		d.Set("description", r.Description)
	}
	d.Set("priority", hints.PythonInt(fmt.Sprint(r.Priority)))
	d.Set("phase", cmp.Or(r.Phase, phaseMain))
	d.Set("sensitive", r.Sensitive)
	d.Set("conditions", bodies(r.Conditions, true))
	d.Set("actions", bodies(r.Actions, false))
	return d
}

func bodies(operations []Operation, conditions bool) hints.PythonList {
	list := hints.PythonList{}
	for _, o := range operations {
		d := &hints.PythonDict{}
		d.Set("op", o.Op)
		d.Set("args", o.Args)
		if o.looped() {
			d.Set("loop", o.Loop)
			if conditions {
				d.Set("multiple", cmp.Or(o.Multiple, "any"))
			}
		}
		list = append(list, d)
	}
	return list
}

// Names returns the names of the operators or actions, joined by commas.
func Names(list []Operation) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Op
	}
	return strings.Join(names, ", ")
}

// looped reports whether the operation has a loop that is not empty. Ironic ignores an empty loop.
func (o *Operation) looped() bool { return hints.PythonTruthy(o.Loop) }

// Decode decodes a rule in the API's form.
func Decode(raw json.RawMessage) (*Rule, error) {
	value, err := hints.DecodePython(raw)
	if err != nil {
		return nil, err
	}
	d, ok := value.(*hints.PythonDict)
	if !ok {
		return nil, fmt.Errorf("an inspection rule is %s, not an object", hints.PythonTypeName(value))
	}
	r := &Rule{UUID: d.Text("uuid"), Description: d.Text("description"), Phase: cmp.Or(d.Text("phase"), phaseMain)}
	if n, ok := hints.PythonFloat(d.Get("priority")); ok {
		r.Priority = int(n)
	}
	r.Sensitive, _ = d.Get("sensitive").(bool)
	r.Hidden = r.Sensitive && d.Get("actions") == nil
	r.Conditions, r.Actions = decoded(d.Get("conditions")), decoded(d.Get("actions"))
	return r, nil
}

func decoded(list any) []Operation {
	items, _ := list.(hints.PythonList)
	var operations []Operation
	for _, item := range items {
		if d, ok := item.(*hints.PythonDict); ok {
			operations = append(operations, Operation{
				Op: d.Text("op"), Args: withoutPluginData(d.Get("args")), Loop: d.Get("loop"), Multiple: d.Text("multiple"),
			})
		}
	}
	return operations
}

// withoutPluginData removes plugin_data from arguments. Ironic's validation adds an empty plugin_data argument to
// actions on plugin data, and Ironic stores this argument.
func withoutPluginData(args any) any {
	d, ok := args.(*hints.PythonDict)
	if !ok || !d.Has("plugin_data") {
		return args
	}
	copied := d.Ordered()
	copied.Delete("plugin_data")
	return copied
}

// Sorted returns the rules in the order in which Ironic runs them. list must be in the API's order.
func Sorted(list []*Rule) []*Rule {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *Rule) int { return cmp.Compare(b.Priority, a.Priority) })
	return sorted
}

// inverted returns an operator without its exclamation mark, and reports whether it had one.
func inverted(op string) (string, bool) {
	rest, not := strings.CutPrefix(strings.TrimSpace(op), "!")
	return strings.TrimSpace(rest), not
}

// flowFrom is the depth from which values are written on one line, which is that of an operation's arguments.
const flowFrom = 4

// YAML writes rules as a file that [Parse] reads.
func YAML(list []*Rule) ([]byte, error) {
	bodies := make(hints.PythonList, len(list))
	for i, r := range list {
		inOrder := *r
		inOrder.Conditions, inOrder.Actions = argumentsInOrder(r.Conditions), argumentsInOrder(r.Actions)
		body := inOrder.Body()
		if r.Hidden {
			body.Delete("conditions")
			body.Delete("actions")
		}
		bodies[i] = body
	}
	return document.YAML(bodies, flowFrom)
}

// argumentsInOrder sorts the arguments of operations by parameter, because Ironic does not store an order.
func argumentsInOrder(operations []Operation) []Operation {
	ordered := slices.Clone(operations)
	for i := range ordered {
		args, ok := ordered[i].Args.(*hints.PythonDict)
		if !ok {
			continue
		}
		op, _ := inverted(ordered[i].Op)
		sig, known := operators()[op]
		if !known {
			sig = actions()[op]
		}
		ordered[i].Args = args.Ordered(sig.parameters()...)
	}
	return ordered
}

// signature describes the arguments of an operator or action, according to its class in Ironic.
type signature struct {
	required, optional []string
	// formatted lists the arguments in which templates are expanded. In a loop, all arguments are expanded.
	formatted []string
	// pluginData means that Ironic passes the plugin data to the class as an argument.
	pluginData bool
}

func operators() map[string]signature {
	values := signature{required: []string{"values"}, optional: []string{"force_strings"}, formatted: []string{"values"}}
	value := signature{required: []string{"value"}, formatted: []string{"value"}}
	regex := signature{required: []string{"value", "regex"}, formatted: []string{"value"}}
	return map[string]signature{
		"eq": values, "lt": values, "gt": values,
		"is-empty": value, "is-none": value, "is-true": value, "is-false": value,
		"in-net":  {required: []string{"address", "subnet"}, formatted: []string{"address", "subnet"}},
		"one-of":  {required: []string{"value"}, optional: []string{"values"}, formatted: []string{"value"}},
		"matches": regex, "contains": regex,
	}
}

func actions() map[string]signature {
	name := signature{required: []string{"name"}}
	return map[string]signature{
		"fail":               {required: []string{"msg"}},
		"log":                {required: []string{"msg"}, optional: []string{"level"}, formatted: []string{"msg"}},
		"set-attribute":      {required: []string{"path", "value"}, formatted: []string{"value"}},
		"extend-attribute":   {required: []string{"path", "value"}, optional: []string{"unique"}, formatted: []string{"value"}},
		"del-attribute":      {required: []string{"path"}},
		"set-capability":     {required: []string{"name", "value"}, formatted: []string{"value"}},
		"unset-capability":   name,
		"add-trait":          name,
		"remove-trait":       name,
		"set-plugin-data":    {required: []string{"path", "value", "plugin_data"}, formatted: []string{"value"}, pluginData: true},
		"extend-plugin-data": {required: []string{"path", "value", "plugin_data"}, optional: []string{"unique"}, formatted: []string{"value"}, pluginData: true},
		"unset-plugin-data":  {required: []string{"path", "plugin_data"}, pluginData: true},
		"set-port-attribute": {required: []string{"port_id", "path", "value"}, formatted: []string{"value"}},
		"extend-port-attribute": {
			required: []string{"port_id", "path", "value"}, optional: []string{"unique"}, formatted: []string{"value"},
		},
		"del-port-attribute": {required: []string{"port_id", "path"}},
		"api-call": {
			required: []string{"url"}, optional: []string{"headers", "proxies", "timeout", "retries", "backoff_factor"}, formatted: []string{"url"},
		},
	}
}

// parameters returns the names of the arguments that may occur in a file.
func (s signature) parameters() []string {
	all := append(slices.Clone(s.required), s.optional...)
	return slices.DeleteFunc(all, func(name string) bool { return name == "plugin_data" })
}
