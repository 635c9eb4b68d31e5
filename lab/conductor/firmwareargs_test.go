package conductor

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestFirmwareArgs checks that the messages match those of Ironic 39.0.0 (validate_firmware_interface_update_args),
// which reports the best match among the errors found by jsonschema.
func TestFirmwareArgs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ settings, problem, at, instance string }{
		{`"x"`, "'x' is not of type 'array'", "'type' in schema:", "On instance:\n    'x'"},
		{`null`, "None is not of type 'array'", "'type' in schema:", "On instance:\n    None"},
		{`[]`, "[] should be non-empty", "'minItems' in schema:", "On instance:\n    []"},
		{`["x"]`, "'x' is not of type 'object'", "'type' in schema['items']:", "On instance[0]:\n    'x'"},
		{`[{}]`, "'component' is a required property", "'required' in schema['items']:", "On instance[0]:\n    {}"},
		{`[{"component": "psu"}]`, "'url' is a required property", "'required' in schema['items']:", "On instance[0]:\n    {'component': 'psu'}"},
		{`[{"component": "bios", "url": "u", "x": 1}]`, "Additional properties are not allowed ('x' was unexpected)", "'additionalProperties' in schema['items']:", "On instance[0]:"},
		{`[{"component": 5, "url": "u"}]`, "5 is not of type 'string'", "'type' in schema['items']['properties']['component']:", "On instance[0]['component']:\n    5"},
		{`[{"component": "bios", "url": "u"}, {"component": "psu", "url": "u"}]`, "'psu' is not valid under any of the given schemas", "'anyOf' in schema['items']['properties']['component']:", "On instance[1]['component']:\n    'psu'"},
		{`[{"component": "psu", "url": ""}]`, "'' should be non-empty", "'minLength' in schema['items']['properties']['url']:", "On instance[0]['url']:\n    ''"},
		{`[{"component": "bios", "url": 5}]`, "5 is not of type 'string'", "'type' in schema['items']['properties']['url']:", "On instance[0]['url']:\n    5"},
		{`[{"component": "bios", "url": "u", "wait": "x"}]`, "'x' is not of type 'integer'", "'type' in schema['items']['properties']['wait']:", "On instance[0]['wait']:\n    'x'"},
		{`[{"component": "bios", "url": "u", "wait": true}]`, "True is not of type 'integer'", "'type' in schema['items']['properties']['wait']:", "On instance[0]['wait']:\n    True"},
		{`[{"component": "bios", "url": "u", "wait": 0}]`, "0 is less than the minimum of 1", "'minimum' in schema['items']['properties']['wait']:", "On instance[0]['wait']:\n    0"},
		{`[{"component": "nic:", "url": "u", "wait": 1}, {"component": "bmc", "url": "u"}]`, "", "", ""},
	} {
		var settings any
		decoder := json.NewDecoder(strings.NewReader(test.settings))
		decoder.UseNumber()
		if err := decoder.Decode(&settings); err != nil {
			t.Fatal(err)
		}
		err := checkFirmwareArgs(settings)
		if test.problem == "" {
			if err != nil {
				t.Errorf("%s: %v", test.settings, err)
			}
			continue
		}
		_, got, _ := strings.Cut(fmt.Sprint(err), " Errors: ")
		if !strings.HasPrefix(got, test.problem+"\n\nFailed validating "+test.at+"\n    {") || !strings.Contains(got, "\n\n"+test.instance) {
			t.Errorf("%s: %s", test.settings, got)
		}
	}
}

// TestPythonInt checks that values become the whole numbers that the BMC expects (_validate_and_convert_settings).
func TestPythonInt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  int
		ok    bool
	}{
		{" 90 ", 90, true},
		{"-1", -1, true},
		{"9.5", 0, false},
		{"", 0, false},
		{json.Number("90.9"), 90, true},
		{true, 1, true},
		{nil, 0, false},
		{json.Number("NaN"), 0, false},
		{json.Number("1e30"), 0, false},
	} {
		if got, ok := pythonInt(test.value); ok != test.ok || ok && got != test.want {
			t.Errorf("int(%v) = %d, %v", test.value, got, ok)
		}
	}
	for number, want := range map[string]int{"5.0": 5, "NaN": 0, "-Infinity": 0, "1e400": 0} {
		if got := toInt(json.Number(number)); got != want {
			t.Errorf("the priority %s counts as %d, want %d", number, got, want)
		}
	}
}
