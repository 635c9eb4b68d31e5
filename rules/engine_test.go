package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/models/hints"
	"ironworks/rules"
)

// object decodes a JSON object.
func object(t *testing.T, text string) *hints.PythonDict {
	t.Helper()
	v, err := hints.DecodePython([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, ok := v.(*hints.PythonDict)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return d
}

func subject(t *testing.T) rules.Subject {
	t.Helper()
	return rules.Subject{
		Node: object(t, `{"uuid":"u1","name":"r7-n01","properties":{"capabilities":"boot_mode:uefi"},"driver_info":{"redfish_password":"******"},
			"extra":{},"resource_class":null,"ports":[],"created_at":"2026-11-25T10:00:00+00:00"}`),
		Traits:     []string{"CUSTOM_OLD"},
		Ports:      []*hints.PythonDict{object(t, `{"uuid":"p1","address":"52:54:00:00:00:01","extra":{}}`)},
		Inventory:  object(t, `{"cpu":{"count":8},"bmc_address":"10.0.0.5","system_vendor":{"manufacturer":"Dell Inc."},"interfaces":[{"name":"eno1"}],"password":"p"}`),
		PluginData: object(t, `{"list":[1]}`),
	}
}

// TestRun checks one case for each surprising property of Ironic. test/upstream compares thousands of cases with
// Ironic itself.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, rule, want string }{
		{"a template is a string", `conditions: [{op: eq, args: {values: ["{inventory[cpu][count]}", 8]}}]
actions: [{op: fail, args: {msg: x}}]`, "condition 1 is false"},
		{"a loop compares strings", `conditions: [{op: eq, args: {values: ["{inventory[cpu][count]}", "{item}"]}, loop: [7, 8]}]
actions: [{op: set-attribute, args: {path: resource_class, value: big}}]`, `node resource_class: null → "big"`},
		{
			"comparing a template with a number fails", `conditions: [{op: gt, args: {values: ["{inventory[cpu][count]}", 4]}}]
actions: [{op: fail, args: {msg: x}}]`,
			"failed in condition 1: IronicException: Failed to apply rule  to node u1: '>' not supported between instances of 'str' and 'int'",
		},
		{
			"a missing value stays a template", `actions: [{op: set-attribute, args: {path: extra/a, value: "{inventory[nothing]}"}}]`,
			`node extra/a: "{inventory[nothing]}" (new)`,
		},
		{"a missing value is empty", `conditions: [{op: is-empty, args: {value: "{inventory[nothing]}"}}]
actions: [{op: add-trait, args: {name: CUSTOM_NEW}}]`, "add trait CUSTOM_NEW"},
		{
			"a message is not filled in", `actions: [{op: fail, args: {msg: "no {node.name}"}}]`,
			"failed in action 1: HardwareInspectionFailure: Failed to inspect hardware. Reason: no {node.name}",
		},
		{"secrets are hidden", `actions: [{op: set-attribute, args: {path: extra/a, value: "{inventory[password]}"}}]`, `node extra/a: "***" (new)`},
		{
			"a capability is added once more", `actions: [{op: set-capability, args: {name: boot_mode, value: bios}}]`,
			`note: set-capability adds the capability boot_mode again instead of replacing it
node properties/capabilities: "boot_mode:uefi" → "boot_mode:uefi,boot_mode:bios"`,
		},
		{
			"plugin data are not removed", `actions: [{op: unset-plugin-data, args: {path: list}}]`,
			"note: unset-plugin-data removes nothing in Ironic 39.0.0: list is kept",
		},
		{
			"extending an existing list", `actions: [{op: extend-plugin-data, args: {path: list, value: 2}}]`,
			`note: extend-plugin-data on a list that exists makes Ironic 39.0.0 fail when it stores the inventory: list
plugin data list: [1] → [1,2]`,
		},
		{
			"an unknown field", `actions: [{op: set-attribute, args: {path: chassis_uuid, value: x}}]`,
			"note: chassis_uuid is not a field of a node: Ironic does not save it",
		},
		{"a port", `actions: [{op: set-port-attribute, args: {port_id: p1, path: extra/speed, value: 10}}]`, "port 52:54:00:00:00:01 extra/speed: 10 (new)"},
		{"a password is set, and not shown", `actions: [{op: set-attribute, args: {path: driver_info/redfish_password, value: geheim}}]`, `node driver_info/redfish_password: "******" → "******"`},
		{
			"a password is used", `actions: [{op: set-attribute, args: {path: extra/a, value: "{node.driver_info[redfish_password]}"}}]`,
			`note: Ironic's API hides the value of {node.driver_info[redfish_password]}; ****** is used instead
node extra/a: "******" (new)`,
		},
		{
			"what the API does not show", `actions: [{op: set-attribute, args: {path: extra/a, value: "{node.id}"}}]`,
			"failed in action 1: unclear: Ironic's API does not return the id of a node",
		},
		{"a pattern without end", `conditions: [{op: matches, args: {value: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!, regex: (a+)+}}]
actions: [{op: fail, args: {msg: x}}]`, "failed in condition 1: unclear: the regular expression \"(a+)+$\" takes longer than 300ms on one value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list, _, err := rules.Parse([]byte(test.rule), "rules.yaml")
			if err != nil {
				t.Fatal(err)
			}
			before := subject(t)
			if got := describe(rules.Run(list, before, rules.MaskAlways)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func describe(r *rules.Result) string {
	var lines []string
	for _, o := range r.Outcomes {
		for _, note := range o.Notes {
			lines = append(lines, "note: "+note)
		}
		switch {
		case r.Failure != nil && o.Condition > 0:
			lines = append(lines, fmt.Sprintf("failed in condition %d: %s: %s", o.Condition, r.Failure.Class, r.Failure.Text))
		case r.Failure != nil:
			lines = append(lines, fmt.Sprintf("failed in action %d: %s: %s", o.Action, r.Failure.Class, r.Failure.Text))
		case o.Condition > 0 && len(r.Outcomes) == 1:
			lines = append(lines, fmt.Sprintf("condition %d is false", o.Condition))
		}
	}
	for _, o := range r.Outcomes {
		for _, c := range o.Changes {
			lines = append(lines, c.String())
		}
	}
	return strings.Join(lines, "\n")
}

// TestOrder checks that rules run in the order of their priority, or of their age if the priorities are equal. It
// also checks that a rule sees the changes made by earlier rules.
func TestOrder(t *testing.T) {
	t.Parallel()
	list, _, err := rules.Parse([]byte(`
- {priority: 1, actions: [{op: set-attribute, args: {path: description, value: "{node.description}c"}}]}
- {priority: 9, actions: [{op: set-attribute, args: {path: description, value: a}}]}
- {priority: 9, actions: [{op: set-attribute, args: {path: description, value: "{node.description}b"}}]}
`), "rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before := subject(t)
	before.Node.Set("description", nil)
	if got := rules.Run(list, before, rules.MaskAlways).After.Node.Text("description"); got != "abc" {
		t.Errorf("description %q", got)
	}
}
