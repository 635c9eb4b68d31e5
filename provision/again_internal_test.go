package provision

import (
	"slices"
	"testing"

	"ironworks/models"
)

func TestChangesSince(t *testing.T) {
	t.Parallel()
	item := func(name string, state models.ProvisionState, effect string) Item {
		return Item{Node: models.Node{UUID: "u-" + name, Name: name, ProvisionState: state}, Effect: models.Effect{Text: effect}}
	}
	action := Power(models.TargetOn)
	before := shownStatesOf(action, []Item{item("n2", models.StateActive, ""), item("n1", models.StateAvailable, "erases"), item("n3", models.StateActive, "")})
	now := shownStatesOf(action, []Item{item("n2", models.StateError, ""), item("n1", models.StateAvailable, "keeps"), item("n3", models.StateActive, "")})
	want := []string{`n1: effect changed from "erases" to "keeps"`, "n2: state changed from active to error"}
	if got := now.changesSince(before); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := now.changesSince(now); len(got) > 0 {
		t.Errorf("changed: %q", got)
	}
}
