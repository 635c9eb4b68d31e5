package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// ruleOperation describes an action, or the operator of a condition. required and optional list the names of its
// arguments, separated by spaces.
type ruleOperation struct{ name, required, optional string }

// ruleOperators and ruleActions list the operators and actions of Ironic 39.0.0 in the order of
// ironic/common/inspection_rules.
var (
	ruleOperators = []ruleOperation{
		{"eq", "values", "force_strings"},
		{"lt", "values", "force_strings"},
		{"gt", "values", "force_strings"},
		{"is-empty", "value", ""},
		{"in-net", "address subnet", ""},
		{"matches", "value regex", ""},
		{"contains", "value regex", ""},
		{"one-of", "value", "values"},
		{"is-none", "value", ""},
		{"is-true", "value", ""},
		{"is-false", "value", ""},
	}
	ruleActions = []ruleOperation{
		{"fail", "msg", ""},
		{"log", "msg", "level"},
		{"set-attribute", "path value", ""},
		{"extend-attribute", "path value", "unique"},
		{"del-attribute", "path", ""},
		{"set-capability", "name value", ""},
		{"unset-capability", "name", ""},
		{"add-trait", "name", ""},
		{"remove-trait", "name", ""},
		{"set-plugin-data", "path value plugin_data", ""},
		{"extend-plugin-data", "path value plugin_data", "unique"},
		{"unset-plugin-data", "path plugin_data", ""},
		{"set-port-attribute", "port_id path value", ""},
		{"extend-port-attribute", "port_id path value", "unique"},
		{"del-port-attribute", "port_id path", ""},
		{"api-call", "url", "headers proxies timeout retries backoff_factor"},
	}
)

const maxPriority = 9999

// ruleSchema is the schema of requests that create a rule, and of a rule after a patch.
var ruleSchema = &schema{
	Types: []string{"object"}, Required: []string{"actions"}, Closed: true, Properties: map[string]*schema{
		"actions": {Types: []string{"array"}, MinItems: 1, Items: operationSchema(operationNames(ruleActions, ""), nil)},
		"conditions": {Types: []string{"array"}, Items: operationSchema(
			operationNames(ruleOperators, "", "!"), &schema{Enum: []string{"any", "all", "first", "last"}})},
		"description": longText(nullableText, 255), "phase": longText(nullableText, 16),
		"priority":  {Types: []string{"integer"}, Minimum: &zero},
		"sensitive": {Types: []string{"boolean", "null"}}, "uuid": textOrNull,
	},
}

func operationSchema(names []string, multiple *schema) *schema {
	listOrObject := &schema{Types: []string{"array", "object"}}
	return &schema{
		Types: []string{"object"}, Required: []string{"op", "args"}, RequiredFirst: true,
		Order:      []string{"op", "args", "multiple", "loop"},
		Properties: map[string]*schema{"op": {Enum: names}, "args": listOrObject, "loop": listOrObject, "multiple": multiple},
	}
}

// operationNames returns the names of the operations, once with each prefix. The prefix ! negates a condition.
func operationNames(operations []ruleOperation, prefixes ...string) []string {
	var names []string
	for _, prefix := range prefixes {
		for _, o := range operations {
			names = append(names, prefix+o.name)
		}
	}
	return names
}

// checkRule runs the checks that Ironic's schema does not cover. Like Ironic, it adds plugin_data to the arguments of
// the actions that need it.
func checkRule(rule db.Dict) error {
	if err := checkOperations(rule["conditions"], ruleOperators); err != nil {
		return err
	}
	if err := checkOperations(rule["actions"], ruleActions); err != nil {
		return err
	}
	var mistakes []string
	if phase, given := rule["phase"]; given && phase != "main" {
		mistakes = append(mistakes, "Invalid phase: "+python.Str(phase)+". Valid phases are: main")
	}
	if rulePriority(rule) > maxPriority {
		mistakes = append(mistakes, "Priority must be between 0 and 9999 for user-defined rules.")
	}
	switch len(mistakes) {
	case 0:
		return nil
	case 1:
		return invalid("%s", mistakes[0])
	default:
		return invalid("Multiple validation errors occurred: %s", strings.Join(mistakes, "; "))
	}
}

// rulePriority returns the priority in a rule's document, 0 by default. It is a whole number, but may be written as
// 5.0.
func rulePriority(rule db.Dict) float64 {
	number, _ := rule["priority"].(json.Number)
	priority, _ := number.Float64()
	return priority
}

func checkOperations(list any, known []ruleOperation) error {
	for _, operation := range dicts(list) {
		name := strings.TrimPrefix(operation.Text("op"), "!")
		at := slices.IndexFunc(known, func(o ruleOperation) bool { return o.name == name })
		if err := known[at].checkArgs(operation); err != nil {
			return err
		}
	}
	return nil
}

// checkArgs checks the arguments of an operation. They form an object or, in the deprecated form, a list. Extra items
// of a list are ignored. Ironic reports its own validation errors with status 500.
func (o ruleOperation) checkArgs(operation db.Dict) error {
	required := strings.Fields(o.required)
	needsData := slices.Contains(required, "plugin_data")
	switch args := operation["args"].(type) {
	case []any:
		if needsData {
			args = append(args, map[string]any{})
			operation["args"] = args
		}
		if len(args) < len(required) {
			return pythonError("('Not enough arguments provided. Missing: %%s', '%s')", strings.Join(required[len(args):], ", "))
		}
	case map[string]any:
		if needsData {
			args["plugin_data"] = map[string]any{}
		}
		return checkArgNames(args, required, strings.Fields(o.optional))
	}
	return nil
}

func checkArgNames(args map[string]any, required, optional []string) error {
	missing := slices.DeleteFunc(slices.Clone(required), func(name string) bool { return hasKey(args, name) })
	unexpected := slices.DeleteFunc(slices.Sorted(maps.Keys(args)), func(name string) bool {
		return slices.Contains(required, name) || slices.Contains(optional, name)
	})
	var mistakes []string
	if len(missing) > 0 {
		mistakes = append(mistakes, "missing required argument(s): "+strings.Join(missing, ", "))
	}
	if len(unexpected) > 0 {
		mistakes = append(mistakes, "unexpected argument(s): "+strings.Join(unexpected, ", "))
	}
	if len(mistakes) > 0 {
		return pythonError("%s", strings.Join(mistakes, "; "))
	}
	return nil
}
