package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// StepInterfaces lists the kinds of interfaces that have steps, in the order of their priority.
var StepInterfaces = []string{"vendor", "power", "management", "firmware", "deploy", "bios", "raid"}

var zero = 0

// countSchema is the schema of a priority or an order: a whole number, or its digits as a string.
var countSchema = &schema{AnyOf: []*schema{
	{Types: []string{"integer"}, Minimum: &zero},
	{Types: []string{"string"}, MinLength: 1, Pattern: "^[0-9]+$"},
}}

// stepSchema returns the schema of a step with the given fields, some of which are required.
func stepSchema(fields map[string]*schema, required ...string) *schema {
	properties := map[string]*schema{
		"args": {Types: []string{"object"}}, "interface": {Types: []string{"string"}, Enum: StepInterfaces},
		"step": {Types: []string{"string"}, MinLength: 1},
	}
	maps.Copy(properties, fields)
	return &schema{
		Types: []string{"object"}, Required: append([]string{"interface", "step"}, required...), Closed: true,
		Properties: properties,
	}
}

// Schemas of steps. A deployStep occurs in deployments and deploy templates, a runbookStep in runbooks. The userSteps
// for manual cleaning or a service run in the given order.
var (
	deployStep  = stepSchema(map[string]*schema{"priority": countSchema}, "args", "priority")
	runbookStep = stepSchema(map[string]*schema{"order": countSchema}, "order")
	deploySteps = &schema{Types: []string{"array"}, Items: deployStep}
	userSteps   = &schema{Types: []string{"array"}, Items: stepSchema(map[string]*schema{
		"interface": {Enum: StepInterfaces}, "order": countSchema,
		"execute_on_child_nodes":     {Types: []string{"boolean"}},
		"limit_child_node_execution": {Types: []string{"array"}},
	})}
)

// disallowedSteps is the default of the [api] disallow_deploy_steps option and of similar options.
const disallowedSteps = "vendor.send_raw"

// checkSteps rejects malformed and disallowed steps.
func checkSteps(kind string, steps []any, s *schema) error {
	if len(steps) == 0 {
		return nil
	}
	if v := s.Validate(python.Value(steps)); v != nil {
		return invalidValue("Invalid %s_steps: %s", kind, withInstance(v))
	}
	for _, step := range dicts(steps) {
		nodes, _ := step["limit_child_node_execution"].([]any)
		for _, node := range nodes {
			if step["execute_on_child_nodes"] == true && !isUUID(node) {
				return pythonError("'str' object has no attribute 'get'")
			}
		}
	}
	for _, step := range dicts(steps) {
		if id := fmt.Sprintf("%v.%v", step["interface"], step["step"]); id == disallowedSteps {
			return invalid("%s step '%s' is not allowed. Disallowed by operator configuration [api]disallow_%s_steps.",
				kind, id, kind)
		}
	}
	return nil
}

// checkDuplicates rejects a list that contains a step twice. Ironic uses the same message for templates and runbooks.
func checkDuplicates(list any) error {
	var known, twice []string
	for _, step := range dicts(list) {
		id := fmt.Sprintf("interface: %s, step: %s", step.Text("interface"), step.Text("step"))
		if slices.Contains(known, id) && !slices.Contains(twice, id) {
			twice = append(twice, id)
		}
		known = append(known, id)
	}
	if len(twice) == 0 {
		return nil
	}
	return db.Faultf(http.StatusBadRequest, "InvalidDeployTemplate", "Deploy template invalid: Duplicate deploy "+
		"steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: %s.",
		strings.Join(twice, "; "))
}

// shownSteps returns the steps of a template or a runbook as the API shows them. position is the name of the field
// that holds their rank: priority or order.
func shownSteps(steps []db.Dict, position string) []document {
	shown := make([]document, len(steps))
	for i, step := range steps {
		args, _ := step["args"].(map[string]any)
		if dict, ok := step["args"].(db.Dict); ok {
			args = dict
		}
		shown[i] = inOrder("step", map[string]any{
			"interface": step["interface"], "step": step["step"], "args": maskSecrets(args), position: step[position],
		})
	}
	return shown
}

// storedSteps converts the steps of a template or a runbook to the form that the database stores. The steps must have
// been checked. position is the name of the field that holds their rank: priority or order. A client may send the
// rank as a string or as 5.0.
func storedSteps(list any, position string) []db.Dict {
	steps := dicts(list)
	for _, step := range steps {
		text := python.Str(step[position])
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			step[position] = json.Number(strconv.Itoa(int(n)))
		}
	}
	return steps
}
