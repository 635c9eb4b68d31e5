package stepfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/stepfile"
)

// TestParseRefuses checks that the error names the line, column and remedy of each problem.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const step = "{interface: deploy, step: s, priority: 1}"
	for _, test := range []struct {
		name string
		kind stepfile.Kind
		text string
		want string
	}{
		{"an empty file", stepfile.Template, "", "f.yaml: no deploy templates; use a list of objects, each with name and steps"},
		{"no name and no steps", stepfile.Runbook, "{}", "f.yaml:1: the runbook has no name\nf.yaml:1: the runbook has no steps"},
		{"a mistyped key", stepfile.Template, "nme: CUSTOM_A\nname: CUSTOM_A\nsteps: [" + step + "]", `f.yaml:1:1: unknown key "nme" of a deploy template; did you mean name?`},
		{
			"a name that is no trait", stepfile.Template, "name: fast disks\nsteps: [" + step + "]",
			`f.yaml:1:7: name "fast disks" is not a trait: the name of a template is the trait that selects it, such as CUSTOM_FAST_DISKS`,
		},
		{"a runbook with a space", stepfile.Runbook, "name: a b\nsteps: [{interface: deploy, step: s, order: 1}]", `f.yaml:1:7: name "a b" has characters other than letters, digits and - . _ ~`},
		{"a name twice", stepfile.Template, "- {name: CUSTOM_A, steps: [" + step + "]}\n- {name: CUSTOM_A, steps: [" + step + "]}", "f.yaml:2:10: the deploy template on line 1 also has the name CUSTOM_A"},
		{"an incomplete step", stepfile.Template, "name: CUSTOM_A\nsteps: [{}]", "f.yaml:2:9: the step has no interface\nf.yaml:2:9: the step has no step\nf.yaml:2:9: the step has no priority"},
		{"a step twice", stepfile.Template, "name: CUSTOM_A\nsteps:\n- " + step + "\n- " + step, "f.yaml:4:3: step deploy.s is also on line 3: Ironic accepts each step only once"},
		{
			"an interface without steps", stepfile.Template, "name: CUSTOM_A\nsteps: [{interface: boot, step: s, priority: 1}]",
			`f.yaml:2:21: interface "boot" has no steps; available: bios, deploy, firmware, management, power, raid, vendor`,
		},
		{"the order of a runbook", stepfile.Runbook, "name: A\nsteps: [{interface: deploy, step: s, priority: 1}]", "f.yaml:2:38: unknown key \"priority\" of a step; known keys: interface, step, args, order\nf.yaml:2:9: the step has no order"},
		{"a negative priority", stepfile.Template, "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: -1}]", `f.yaml:2:48: priority "-1" is not a whole number ≥ 0`},
		{"a mask", stepfile.Template, "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: 1, args: {password: '******'}}]", "f.yaml:2:68: ****** is Ironic's mask for a secret; enter the secret itself"},
		{
			"types", stepfile.Runbook, "name: A\npublic: 1\nowner: 5\nextra: []\ntraits: [a b]\ndescription: {}\nsteps: [{interface: deploy, step: s, order: 1, args: []}]",
			"f.yaml:2:9: public is a number, not a boolean\nf.yaml:3:8: owner is a number, not a string\nf.yaml:4:8: extra is a list, not an object\n" +
				"f.yaml:5:10: \"a b\" is not a valid trait; use a name such as CUSTOM_A_B\nf.yaml:6:14: description is an object, not a string\nf.yaml:7:54: args is a list, not an object",
		},
		{"a UUID", stepfile.Template, "uuid: x\nname: CUSTOM_A\nsteps: [" + step + "]", `f.yaml:1:7: uuid "x" is not a UUID; leave it out, and Ironic chooses one`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := stepfile.Parse([]byte(test.text), "f.yaml", test.kind)
			if err == nil || err.Error() != test.want {
				t.Errorf("got\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

const runbook = `- name: wipe
  description: wipe and upgrade
  steps:
    - interface: firmware
      step: update
      args: {settings: [{component: bios, url: "http://x"}]}
      order: 1
    - interface: deploy
      step: erase_devices
      args: {}
      order: 2
  disable_ramdisk: true
  public: true
  extra:
    team: a
  traits:
    - CUSTOM_A
`

func parse(t *testing.T, text string, kind stepfile.Kind) stepfile.Item {
	t.Helper()
	list, err := stepfile.Parse([]byte(text), "f.yaml", kind)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	item := parse(t, runbook, stepfile.Runbook)
	text, err := stepfile.YAML([]stepfile.Item{item})
	if err != nil || string(text) != strings.ReplaceAll(runbook, `"http://x"`, "'http://x'") {
		t.Errorf("%v\n%s", err, text)
	}
	body, err := json.Marshal(item.Body())
	const want = `{"name":"wipe","description":"wipe and upgrade","steps":[{"interface":"firmware","step":"update","args":{"settings":[{"component":"bios","url":"http://x"}]},"order":1},` +
		`{"interface":"deploy","step":"erase_devices","args":{},"order":2}],"disable_ramdisk":true,"public":true,"extra":{"team":"a"}}`
	if err != nil || string(body) != want {
		t.Errorf("%v\n%s", err, body)
	}
	if got := strings.Join(item.StepNames(), " "); got != "firmware.update deploy.erase_devices" {
		t.Errorf("steps %s", got)
	}
	for traits, want := range map[string]int{"CUSTOM_A": 1, "CUSTOM_B": 0, "wipe": 0} {
		if got := stepfile.OnNode([]stepfile.Item{item}, []string{traits}); len(got) != want {
			t.Errorf("%s: %v", traits, got)
		}
	}
}

// TestDifferent checks comparisons with the API's responses, which have keys in another order, more fields, and
// masked secrets.
func TestDifferent(t *testing.T) {
	t.Parallel()
	existing, err := stepfile.Decode(json.RawMessage(`{"uuid":"u","name":"CUSTOM_A","description":null,"extra":{},"created_at":"x","steps":[{"priority":70,"args":{"password":"******","b":1},`+
		`"step":"s","interface":"deploy"}]}`), stepfile.Template)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, fields, hidden string }{
		{"masked", "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: 70, args: {b: 1, password: p}}]", "", "steps"},
		{"another argument", "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: 70, args: {b: 2, password: p}}]", "steps", ""},
		{"a priority as a string", "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: '70', args: {b: 1, password: p}}]", "", "steps"},
		{"empty is null", "name: CUSTOM_A\ndescription: ''\nextra:\nsteps: [{interface: deploy, step: s, priority: 71}]", "steps", ""},
		{"more fields", "name: CUSTOM_B\ndescription: d\nextra: {a: b}\nsteps: [{interface: deploy, step: s, priority: 71}]", "name description steps extra", ""},
	} {
		wanted := parse(t, test.text, stepfile.Template)
		fields, hidden := stepfile.Different(&existing, &wanted)
		if strings.Join(fields, " ") != test.fields || strings.Join(hidden, " ") != test.hidden {
			t.Errorf("%s: %v, hidden %v", test.name, fields, hidden)
		}
	}
	reversed := parse(t, "name: A\nsteps: [{interface: bios, step: b, order: 2}, {interface: deploy, step: a, order: 1}]", stepfile.Runbook)
	straight := parse(t, "name: A\nsteps: [{interface: deploy, step: a, order: 1}, {interface: bios, step: b, order: 2}]", stepfile.Runbook)
	if fields, hidden := stepfile.Different(&reversed, &straight); fields != nil || hidden != nil {
		t.Errorf("the order of a list counts: %v %v", fields, hidden)
	}
	masked := parse(t, "name: CUSTOM_A\nsteps: [{interface: deploy, step: s, priority: 1, args: {password: p, url: u}}]", stepfile.Template)
	masked = stepfile.Masked(&masked)
	if text, err := stepfile.YAML([]stepfile.Item{masked}); err != nil || !strings.Contains(string(text), "args: {password: '******', url: u}") {
		t.Errorf("%v %s", err, text)
	}
}
