package stepform_test

import (
	"reflect"
	"slices"
	"testing"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/ui/screen/stepform"
	"ironworks/ui/widget/form"
)

// ownForms lists steps with special forms, which are tested separately.
var ownForms = []string{"deploy.inject_files", "bios.apply_configuration", "firmware.update"}

// sample returns a sample value for the argument a. text is the input in the form, and value is the value to send.
func sample(a steps.Argument) (text string, value any) {
	switch a.Type {
	case steps.Boolean:
		return "true", true
	case steps.Number:
		return "7", 7.0
	case steps.List:
		return `["a"]`, []any{"a"}
	case steps.Object:
		return `{"a":1}`, map[string]any{"a": 1.0}
	case steps.Text:
	}
	return "some text", "some text"
}

// TestEveryStepHasAForm checks the steps of both releases of Ironic and of the agent. The form of each step must have
// a field for each argument, send the typed values, and show them again. TestStepsOfReleases compares the table of
// steps with the releases.
func TestEveryStepHasAForm(t *testing.T) {
	t.Parallel()
	list := steps.All()
	if len(list) < 80 {
		t.Fatalf("only %d steps", len(list))
	}
	for i := range list {
		k := list[i]
		fields := stepform.Fields(k, nil)
		if k.Interface == "raid" || slices.Contains(ownForms, k.Label()) {
			if len(fields) == 0 && len(k.Args) > 0 {
				t.Errorf("%s: no form", k.Label())
			}
			continue
		}
		typed, want := map[string]string{}, map[string]any{}
		for _, a := range k.Args {
			at := slices.IndexFunc(fields, func(f form.Field) bool { return f.Key == a.Name })
			if at < 0 || fields[at].Required != a.Required || fields[at].Help == "" {
				t.Errorf("%s: the field of %s is %+v", k.Label(), a.Name, fields)
				continue
			}
			typed[a.Name], want[a.Name] = sample(a)
		}
		args, field, err := stepform.Arguments(k, typed, nil)
		if err != nil || !sameJSON(t, args, want) {
			t.Errorf("%s: %v, want %v; %s %v", k.Label(), args, want, field, err)
		}
		if again, ok := stepform.Values(k, args); !ok || !reflect.DeepEqual(again, typed) {
			t.Errorf("%s: shows %v, want %v", k.Label(), again, typed)
		}
	}
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := models.JSONText(a)
	two, errTwo := models.JSONText(b)
	return err == nil && errTwo == nil && one == two
}
