package rules_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/document"
	"ironworks/rules"
)

// TestParseRefuses checks that each problem is reported with its line, its column and a remedy.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"an empty file", "", "r.yaml: no inspection rules; expected a list of rules, each with actions"},
		{"no actions", "- description: a\n", "r.yaml:1:3: the rule has no actions"},
		{"empty actions", "actions: []\n", "r.yaml:1:10: actions is an empty list; add an action"},
		{"a mistyped key", "- actoins: []\n  actions: [{op: fail, args: {msg: m}}]\n", `r.yaml:1:3: unknown key "actoins" of a rule; did you mean actions?`},
		{"a mistyped action", "actions:\n- op: set-attributes\n  args: {}\n", `r.yaml:2:7: unknown action "set-attributes"; did you mean set-attribute?`},
		{"an operator among the actions", "actions:\n- op: eq\n  args: {}\n", `r.yaml:2:7: unknown action "eq"; available: add-trait, api-call, del-attribute, del-port-attribute, extend-attribute, extend-plugin-data, extend-port-attribute, fail, log, remove-trait, set-attribute, set-capability, set-plugin-data, set-port-attribute, unset-capability, unset-plugin-data`},
		{
			"missing and unknown arguments", "actions:\n- op: set-attribute\n  args: {pth: a, value: b}\n",
			"r.yaml:3:9: set-attribute needs the path argument\nr.yaml:3:10: unknown key \"pth\" of set-attribute; did you mean path?",
		},
		{"a phase", "phase: preprocess\nactions: [{op: fail, args: {msg: m}}]\n", `r.yaml:1:8: phase "preprocess" is unknown; the only phase is main`},
		{"a priority", "priority: 10000\nactions: [{op: fail, args: {msg: m}}]\n", "r.yaml:1:11: priority 10000 is out of range: 0 to 9999; the highest runs first"},
		{"a fraction", "priority: 1.5\nactions: [{op: fail, args: {msg: m}}]\n", `r.yaml:1:11: priority "1.5" is not a whole number`},
		{
			"a regular expression", "conditions: [{op: matches, args: {value: a, regex: '['}}]\nactions: [{op: fail, args: {msg: m}}]\n",
			"r.yaml:1:52: regex \"[\" is not a regular expression: error parsing regexp: unterminated [] set in `[`",
		},
		{
			"a network", "conditions: [{op: in-net, args: {address: a, subnet: 10.0.0.0/40}}]\nactions: [{op: fail, args: {msg: m}}]\n",
			`r.yaml:1:54: subnet "10.0.0.0/40" is not a network such as 10.0.0.0/24`,
		},
		{"one value", "conditions: [{op: eq, args: {values: 5}}]\nactions: [{op: fail, args: {msg: m}}]\n", "r.yaml:1:38: values is a number, not a list of values to compare"},
		{"a loop over a string", "actions: [{op: fail, args: {msg: m}, loop: abc}]\n", "r.yaml:1:44: loop is a string, not a list or an object"},
		{
			"multiple", "conditions: [{op: is-true, args: {value: a}, loop: [1], multiple: some}]\nactions: [{op: fail, args: {msg: m}}]\n",
			`r.yaml:1:67: multiple "some" is unknown; available: any, all, first, last`,
		},
		{"a level", "actions: [{op: log, args: {msg: m, level: loud}}]\n", `r.yaml:1:43: level "loud" is unknown; available: debug, info, warning, error, critical`},
		{
			"a UUID twice", "- {uuid: 0f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11, actions: [{op: fail, args: {msg: m}}]}\n- {uuid: 0f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11, actions: [{op: fail, args: {msg: m}}]}\n",
			"r.yaml:2:3: the rule on line 1 also has the UUID 0f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11",
		},
		{"not a UUID", "uuid: x\nactions: [{op: fail, args: {msg: m}}]\n", `r.yaml:1:7: uuid "x" is not a UUID; leave it out, and Ironic chooses one`},
		{"a list of strings", "[a]", "r.yaml:1:2: a rule must be an object with actions, not a string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := rules.Parse([]byte(test.text), "r.yaml")
			if err == nil || err.Error() != test.want {
				t.Errorf("got\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

// TestWarnings checks the warnings about rules that Ironic accepts but that do not work as intended.
func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "actions: [{op: set-attribute, args: {path: properties/cpus, value: '{inventory[cpu][count]}'}}]", ""},
		{
			"a template equals no number", "conditions: [{op: eq, args: {values: ['{inventory[cpu][count]}', 8]}}]\nactions: [{op: fail, args: {msg: m}}]",
			"r.yaml:1:38: a template is always a string, which never equals a number or a boolean: quote the value",
		},
		{
			"a template is not less than a number", "conditions: [{op: lt, args: {values: ['{inventory[cpu][count]}', 8]}}]\nactions: [{op: fail, args: {msg: m}}]",
			"r.yaml:1:38: a template is always a string: comparing it with a number fails the inspection",
		},
		{
			"strings in their order", "conditions: [{op: gt, args: {values: ['{inventory[cpu][count]}', '8']}}]\nactions: [{op: fail, args: {msg: m}}]",
			`r.yaml:1:38: gt compares templates as strings: "9" is greater than "10"`,
		},
		{
			"a template in a message", "actions: [{op: fail, args: {msg: 'no {node.name}'}}]",
			"r.yaml:1:34: msg of fail is used literally: Ironic expands templates there only in a loop",
		},
		{
			"an unknown name", "actions: [{op: log, args: {msg: '{invetory[cpu]}'}}]",
			`r.yaml:1:33: "{invetory[cpu]}" is not expanded: "invetory" is unknown; available: node, inventory, plugin_data, and item in a loop`,
		},
		{
			"an unknown field", "actions: [{op: log, args: {msg: '{node.propertis[cpus]}'}}]",
			`r.yaml:1:33: "{node.propertis[cpus]}" is not expanded: a node has no field "propertis"`,
		},
		{"a brace", "actions: [{op: log, args: {msg: 'a { b'}}]", `r.yaml:1:33: "a { b" is not expanded: a { without }; use {{ for a literal brace`},
		{"a list of arguments", "actions: [{op: add-trait, args: [CUSTOM_A]}]", "r.yaml:1:33: args as a list is deprecated; use name: …"},
		{
			"a sensitive rule", "sensitive: true\nactions: [{op: fail, args: {msg: m}}]",
			"r.yaml:1:12: a sensitive rule stays sensitive: Ironic hides its conditions and actions for good, so they cannot be compared",
		},
		{"an attribute that is not a field", "actions: [{op: set-attribute, args: {path: chassis_uuid, value: a}}]", `r.yaml:1:44: a node has no field "chassis_uuid": Ironic saves nothing`},
		{
			"none", "conditions: [{op: is-none, args: {value: '{node.owner}'}}]\nactions: [{op: fail, args: {msg: m}}]",
			"r.yaml:1:42: a template is a string, which is never none: use is-empty",
		},
		{
			"a trait", "actions: [{op: add-trait, args: {name: fast}}]",
			`r.yaml:1:40: the trait "fast" is not a standard trait and does not start with CUSTOM_: Ironic stores it, but Nova and allocations refuse it`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, warnings, err := rules.Parse([]byte(test.text), "r.yaml")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if warnings != nil {
				got = (&document.Error{File: "r.yaml", Problems: warnings}).Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestExamples checks that the examples contain no problems and make the expected changes.
func TestExamples(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"bmc-credentials": `node driver: null → "redfish"
node driver_info/redfish_address: "https://10.0.0.5" (new)
node driver_info/redfish_username: "admin" (new)
node driver_info/redfish_password: "******" (new)`,
		"resource-class": `node resource_class: null → "baremetal-large"`,
		"capabilities":   `node properties/capabilities: "boot_mode:bios,a:b" → "a:b,boot_mode:uefi"`,
		"traits":         "add trait CUSTOM_VIRTUALIZATION\nadd trait CUSTOM_VENDOR_DELL",
		"discovered":     "node extra/auto_discovered: true (new)",
		"root-device":    `node properties/root_device: {"model":"<in> BOSS"} (new)`,
	}
	for _, name := range rules.Examples() {
		text, ok := rules.Example(name)
		list, warnings, err := rules.Parse([]byte(text), name)
		if !ok || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, w := range warnings {
			if !strings.Contains(w.Why, "stays sensitive") {
				t.Errorf("%s:%d: %s", name, w.Line, w.Why)
			}
		}
		if rules.Purpose(text) == "" {
			t.Errorf("%s: no purpose", name)
		}
		before := rules.Subject{
			Node:       object(t, `{"uuid":"u","driver":null,"driver_info":{},"properties":{"capabilities":"boot_mode:bios,a:b"},"resource_class":null,"extra":{}}`),
			PluginData: object(t, `{"auto_discovered":true}`),
			Inventory: object(t, `{"bmc_address":"10.0.0.5","memory":{"physical_mb":524288},"cpu":{"flags":["fpu","vmx"]},
				"boot":{"current_boot_mode":"uefi"},"system_vendor":{"manufacturer":"Dell Inc.","product_name":"PowerEdge R640"}}`),
		}
		if got := describe(rules.Run(list, before, rules.MaskAlways)); got != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want[name])
		}
	}
}

// TestBody checks that a rule is unchanged after conversion to the API's form and back, and that YAML and JSON have
// the same result.
func TestBody(t *testing.T) {
	t.Parallel()
	list, _, err := rules.Parse([]byte(`
description: class
priority: 7
conditions:
- {op: "!eq", args: {values: ["{item}", 0x10, 1.5, null, true]}, loop: [a], multiple: all}
actions:
- {op: set-plugin-data, args: {path: a.b, value: {k: [1]}}}
`), "r.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"description":"class","priority":7,"phase":"main","sensitive":false,"conditions":[{"op":"!eq",` +
		`"args":{"values":["{item}",16,1.5,null,true]},"loop":["a"],"multiple":"all"}],"actions":[{"op":"set-plugin-data","args":{"path":"a.b","value":{"k":[1]}}}]}`
	body, err := json.Marshal(list[0].Body())
	if err != nil || string(body) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, body, want)
	}
	decoded, err := rules.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(decoded.Body()); err != nil || string(again) != want {
		t.Errorf("%v\n%s", err, again)
	}
	again, _, err := rules.Parse(body, "r.json")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(again[0].Body()); err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}

// FuzzParse checks that no input makes the parser or the engine crash.
func FuzzParse(f *testing.F) {
	f.Add([]byte("actions: [{op: set-attribute, args: {path: extra/a, value: '{node.name!r:>5}'}, loop: [1]}]"))
	f.Add([]byte("- conditions: [{op: matches, args: {value: '{item}', regex: '(?P<a>x)[]a-]{,3}\\Z'}, loop: {a: b}}]\n  actions: [{op: fail, args: [m]}]"))
	f.Add([]byte(`{"actions":[{"op":"extend-plugin-data","args":["a.b",{"x":"{plugin_data}"},1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, err := rules.Parse(data, "r.yaml")
		if err != nil {
			return
		}
		before := subject(t)
		for _, masking := range []rules.Masking{rules.MaskAlways, rules.MaskSensitive, rules.MaskNever} {
			rules.Run(list, before, masking)
		}
	})
}

// TestYAML checks that rules are the same after they have been written and read again.
func TestYAML(t *testing.T) {
	t.Parallel()
	for _, name := range rules.Examples() {
		text, _ := rules.Example(name)
		list, _, err := rules.Parse([]byte(text), name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := rules.YAML(list)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := rules.Parse(written, name)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		for i := range list {
			a, errA := json.Marshal(list[i].Body())
			b, errB := json.Marshal(again[i].Body())
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s\nbecame\n%s\n%s", a, b, written)
			}
		}
	}
	text := "- description: \"yes\"\n  priority: 3\n  phase: main\n  sensitive: false\n  conditions: []\n  actions:\n    - op: log\n      args: {msg: \"no\", level: info}\n"
	list, _, err := rules.Parse([]byte(text), "r.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if written, err := rules.YAML(list); err != nil || string(written) != text {
		t.Errorf("%v\n%s\nwant\n%s", err, written, text)
	}
}
