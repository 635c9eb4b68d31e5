package stepform_test

import (
	"encoding/json"
	"testing"

	"ironworks/models"
	"ironworks/ui/screen/stepform"
)

// TestFirmwareForm checks that the form converts its values to the arguments of firmware.update and back. All updates
// share one wait.
func TestFirmwareForm(t *testing.T) {
	t.Parallel()
	n, k := offered(t, "firmware.update", `, "firmware_interface": "redfish"`)
	for name, c := range map[string]struct {
		values    map[string]string
		args, bad string
	}{
		"no wait":        {map[string]string{"settings": "bios=http://h/b"}, `{"settings":[{"component":"bios","url":"http://h/b"}]}`, ""},
		"wait":           {map[string]string{"settings": "bmc=http://h/m  nic:1=https://h/n", "wait": " 30 "}, `{"settings":[{"component":"bmc","url":"http://h/m","wait":30},{"component":"nic:1","url":"https://h/n","wait":30}]}`, ""},
		"zero":           {map[string]string{"settings": "bios=http://h/b", "wait": "0"}, "", "wait"},
		"negative":       {map[string]string{"settings": "bios=http://h/b", "wait": "-1"}, "", "wait"},
		"word":           {map[string]string{"settings": "bios=http://h/b", "wait": "long"}, "", "wait"},
		"fraction":       {map[string]string{"settings": "bios=http://h/b", "wait": "1.5"}, "", "wait"},
		"no URL":         {map[string]string{"settings": "bios"}, "", "settings"},
		"component":      {map[string]string{"settings": "disk=http://h/b"}, "", "settings"},
		"no updates":     {map[string]string{"settings": " ", "wait": "5"}, "", "settings"},
		"too many bytes": {map[string]string{"settings": "bios=http://h/b", "wait": "99999999999999999999"}, "", "wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, field, err := stepform.Arguments(k, c.values, n)
			if c.bad != "" {
				if err == nil || field != c.bad {
					t.Errorf("field %q, %v; want an error of %s", field, err, c.bad)
				}
				return
			}
			got, _ := json.Marshal(args)
			if err != nil || string(got) != c.args {
				t.Fatalf("%s, %v, want %s", got, err, c.args)
			}
			again := models.Step{}
			if err := json.Unmarshal([]byte(`{"args": `+c.args+`}`), &again); err != nil { // as read from a plan
				t.Fatal(err)
			}
			for _, shown := range []map[string]any{args, again.Args} {
				values, ok := stepform.Values(k, shown)
				same, _, err := stepform.Arguments(k, values, n)
				if text, _ := json.Marshal(same); !ok || err != nil || string(text) != c.args {
					t.Errorf("shown as %v and read as %s, %v", values, text, err)
				}
			}
		})
	}
	for _, other := range []string{
		`[{"component": "bios", "url": "http://h/b", "wait": 5}, {"component": "bmc", "url": "http://h/b"}]`,
		`[{"component": "bios", "url": "http://h/b"}, {"component": "bmc", "url": "http://h/b", "wait": 5}]`,
		`[{"component": "bios", "url": "http://h/b", "wait": 5, "checksum": "x"}]`, `[{"component": "bios", "url": "http://h/b", "wait": "5"}]`,
		`[{"component": "bios", "url": "http://h/b", "wait": {}}, {"component": "bmc", "url": "http://h/b", "wait": {}}]`,
		`[5]`, `{"a": 1}`,
	} {
		var settings any
		if err := json.Unmarshal([]byte(other), &settings); err != nil {
			t.Fatal(err)
		}
		if values, ok := stepform.Values(k, map[string]any{"settings": settings}); ok {
			t.Errorf("%s is shown as %v", other, values)
		}
	}
}
