package rules

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ironworks/document"
	"ironworks/spell"
)

// These are keys in a rules file.
const (
	keyActions = "actions"
	keyList    = "inspection_rules"
)

// Parse reads rules in YAML or JSON: a rule, a list of rules, or an object with an inspection_rules key, as written by
// the API and the baremetal command. The warnings are about rules that Ironic accepts but that probably do not work as
// intended. For invalid data, the error is a *document.Error that lists all problems.
func Parse(data []byte, file string) (list []*Rule, warnings []document.Problem, err error) {
	docs, err := document.Parse(data, file)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{seen: map[string]int{}}
	for _, doc := range docs {
		r.document(doc)
	}
	if len(r.rules) == 0 && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, document.Problem{Why: "no inspection rules; expected a list of rules, each with actions"})
	}
	if err := r.Err(file); err != nil {
		return nil, nil, err
	}
	return r.rules, r.warnings, nil
}

type reader struct {
	document.Checker
	rules    []*Rule
	warnings []document.Problem
	seen     map[string]int
}

func (r *reader) warn(v document.Value, format string, args ...any) {
	r.warnings = append(r.warnings, document.Problem{Line: v.Line, Column: v.Column, Why: fmt.Sprintf(format, args...)})
}

func (r *reader) document(v document.Value) {
	list := v.Get(keyList)
	switch {
	case v.Kind == document.List:
		list = v
	case !v.Has(keyList):
		r.rule(v)
		return
	case list.Kind != document.List:
		r.Problem(list, "%s is %s, not a list of rules", keyList, list.Kind)
		return
	}
	for _, item := range list.Items {
		r.rule(item)
	}
}

// answerKeys lists keys that occur in API responses. They are ignored in a file.
var answerKeys = []string{"created_at", "updated_at", "links"} //nolint:gochecknoglobals // a constant

func (r *reader) rule(v document.Value) {
	if v.Kind != document.Object {
		r.Problem(v, "a rule must be an object with actions, not %s", v.Kind)
		return
	}
	rule := &Rule{Phase: phaseMain}
	for _, m := range v.Members {
		if !slices.Contains(answerKeys, m.Key) {
			r.field(rule, m)
		}
	}
	switch actions := v.Get(keyActions); {
	case !v.Has(keyActions):
		r.Problem(v, "the rule has no actions")
	case actions.Kind == document.List && len(actions.Items) == 0:
		r.Problem(actions, "actions is an empty list; add an action")
	}
	if rule.UUID != "" {
		if line := r.seen[rule.UUID]; line != 0 {
			r.Problem(v, "the rule on line %[2]d also has the UUID %[1]s", rule.UUID, line)
		}
		r.seen[rule.UUID] = v.Line
	}
	r.rules = append(r.rules, rule)
}

func (r *reader) field(rule *Rule, m document.Member) {
	v := m.Value
	switch m.Key {
	case "uuid":
		rule.UUID = r.UUID(v)
	case "description":
		rule.Description = v.Literal
		if v.Kind != document.Text && v.Kind != document.Null {
			r.Problem(v, "description is %s, not a string", v.Kind)
		}
		if n := utf8.RuneCountInString(v.Literal); n > maxDescription {
			r.Problem(v, "description has %d characters; Ironic allows at most %d", n, maxDescription)
		}
	case "phase":
		if v.Kind != document.Text || v.Literal != phaseMain {
			r.Problem(v, "phase %q is unknown; the only phase is main", v.Literal)
		}
	case "priority":
		r.priority(rule, v)
	case "sensitive":
		if v.Kind != document.Bool && v.Kind != document.Null {
			r.Problem(v, "sensitive is %s, not a boolean", v.Kind)
		}
		if rule.Sensitive = v.True(); rule.Sensitive {
			r.warn(v, "a sensitive rule stays sensitive: Ironic hides its conditions and actions for good, so they cannot be compared")
		}
	case "conditions":
		rule.Conditions = r.operations(v, "conditions", conditionKeys, r.condition)
	case keyActions:
		rule.Actions = r.operations(v, keyActions, actionKeys, r.action)
	default:
		r.Unknown(m, []string{"uuid", "description", "phase", "priority", "sensitive", "conditions", keyActions}, "a rule")
	}
}

func (r *reader) priority(rule *Rule, v document.Value) {
	n, err := strconv.Atoi(v.Literal)
	switch {
	case v.Kind != document.Number || err != nil:
		r.Problem(v, "priority %q is not a whole number", v.Literal)
	case n < 0 || n > maxPriority:
		r.Problem(v, "priority %d is out of range: 0 to %d; the highest runs first", n, maxPriority)
	}
	rule.Priority = n
}

var (
	actionKeys    = []string{"op", "args", "loop"}                            //nolint:gochecknoglobals // a constant
	conditionKeys = append(slices.Clone(actionKeys), "multiple")              //nolint:gochecknoglobals // a constant
	multiples     = []string{"any", "all", "first", "last"}                   //nolint:gochecknoglobals // a constant
	logLevels     = []string{"debug", "info", "warning", "error", "critical"} //nolint:gochecknoglobals // a constant
)

// operations reads the conditions or the actions of a rule. what is the word that messages use for them, and check is
// called for each operation.
func (r *reader) operations(v document.Value, what string, keys []string, check func(o *Operation, v document.Value)) []Operation {
	if v.Kind != document.List {
		r.Problem(v, "%s is %s, not a list", what, v.Kind)
		return nil
	}
	var operations []Operation
	for _, item := range v.Items {
		if item.Kind != document.Object {
			r.Problem(item, "each of the %s must be an object with op and args, not %s", what, item.Kind)
			continue
		}
		for _, m := range item.Members {
			if !slices.Contains(keys, m.Key) {
				r.Unknown(m, keys, "the "+what)
			}
		}
		op, args, loop, multiple := item.Get("op"), item.Get("args"), item.Get("loop"), item.Get("multiple")
		o := Operation{Op: op.Literal, Args: withoutPluginData(args.Python()), Multiple: multiple.Literal}
		if item.Has("multiple") && !slices.Contains(multiples, multiple.Literal) {
			r.Problem(multiple, "multiple %q is unknown; available: %s", multiple.Literal, strings.Join(multiples, ", "))
		}
		if item.Has("loop") {
			if o.Loop = loop.Python(); loop.Kind != document.List && loop.Kind != document.Object {
				r.Problem(loop, "loop is %s, not a list or an object", loop.Kind)
			}
		}
		if op.Kind != document.Text {
			r.Problem(item, "op is missing; set it to the name of an operator or action")
			continue
		}
		check(&o, item)
		operations = append(operations, o)
	}
	return operations
}

func (r *reader) condition(o *Operation, v document.Value) {
	name, _ := inverted(o.Op)
	if r.operation(v, "operator", o.Op, strings.TrimPrefix(o.Op, "!"), operators()) {
		r.checkCondition(o, name, v)
	}
}

func (r *reader) action(o *Operation, v document.Value) {
	if r.operation(v, "action", o.Op, o.Op, actions()) {
		r.checkAction(o, v)
	}
}

// operation reports whether an operation is known and the names of its arguments are valid. op is its name in messages.
func (r *reader) operation(v document.Value, what, op, name string, known map[string]signature) bool {
	if sig, ok := known[name]; ok {
		return r.arguments(v, op, sig)
	}
	names := slices.Sorted(maps.Keys(known))
	if nearest := spell.Nearest(op, slices.Values(names)); nearest != "" {
		r.Problem(v.Get("op"), "unknown %s %q; did you mean %s?", what, op, nearest)
		return false
	}
	r.Problem(v.Get("op"), "unknown %s %q; available: %s", what, op, strings.Join(names, ", "))
	return false
}

// arguments checks the names of the arguments, and reports whether their values should be checked, too.
func (r *reader) arguments(v document.Value, op string, sig signature) bool {
	args := v.Get("args")
	required := slices.DeleteFunc(slices.Clone(sig.required), func(name string) bool { return name == "plugin_data" })
	switch {
	case !v.Has("args"):
		r.Problem(v, "%s has no args; expected: %s", op, strings.Join(sig.parameters(), ", "))
		return false
	case args.Kind == document.List && len(args.Items) < len(required):
		r.Problem(args, "%s needs %s", op, strings.Join(required[len(args.Items):], ", "))
		return false
	case args.Kind == document.List:
		r.warn(args, "args as a list is deprecated; use %s: …", strings.Join(sig.parameters(), ": …, "))
		return true
	case args.Kind != document.Object:
		r.Problem(args, "args is %s, not an object", args.Kind)
		return false
	}
	ok := true
	for _, name := range required {
		if !args.Has(name) {
			r.Problem(args, "%s needs the %s argument", op, name)
			ok = false
		}
	}
	for _, m := range args.Members {
		if !slices.Contains(sig.parameters(), m.Key) && (!sig.pluginData || m.Key != "plugin_data") {
			r.Unknown(m, sig.parameters(), op)
			ok = false
		}
	}
	return ok
}
