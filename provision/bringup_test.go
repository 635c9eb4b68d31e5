package provision_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

// TestBringUpRequests checks which requests bring a node from its current state to the goal, and which consent they
// require.
func TestBringUpRequests(t *testing.T) {
	t.Parallel()
	off := false
	for name, test := range map[string]struct {
		node      models.Node
		goal      provision.Goal
		noInspect bool
		want      string
		consent   models.Consent
	}{
		"new node":                    {models.Node{ProvisionState: models.StateEnroll}, provision.GoalAvailable, false, "manage; inspect when manageable; provide when manageable", models.ConsentTyped},
		"without inspection":          {models.Node{ProvisionState: models.StateEnroll}, provision.GoalAvailable, true, "manage; provide when manageable", models.ConsentTyped},
		"without cleaning":            {models.Node{ProvisionState: models.StateEnroll, AutomatedClean: &off}, provision.GoalAvailable, true, "manage; provide when manageable", models.ConsentNone},
		"to manageable":               {models.Node{ProvisionState: models.StateEnroll}, provision.GoalManageable, false, "manage", models.ConsentNone},
		"to inspected":                {models.Node{ProvisionState: models.StateEnroll}, provision.GoalInspected, false, "manage; inspect when manageable", models.ConsentYes},
		"inspected before":            {models.Node{ProvisionState: models.StateManageable, InspectInterface: "no-inspect"}, provision.GoalAvailable, false, "provide", models.ConsentTyped},
		"failed inspection":           {models.Node{ProvisionState: models.StateInspectFailed}, provision.GoalAvailable, false, "inspect; provide when manageable", models.ConsentTyped},
		"failed cleaning":             {models.Node{ProvisionState: models.StateCleanFailed}, provision.GoalAvailable, true, "manage; provide when manageable", models.ConsentTyped},
		"verifying":                   {models.Node{ProvisionState: models.StateVerifying, TargetProvisionState: models.StateManageable}, provision.GoalAvailable, true, "provide when manageable", models.ConsentTyped},
		"inspecting":                  {models.Node{ProvisionState: models.StateInspecting, TargetProvisionState: models.StateManageable}, provision.GoalAvailable, false, "provide when manageable", models.ConsentTyped},
		"cleaning before available":   {models.Node{ProvisionState: models.StateCleanWait, TargetProvisionState: models.StateAvailable}, provision.GoalAvailable, false, "", models.ConsentNone},
		"available":                   {models.Node{ProvisionState: models.StateAvailable}, provision.GoalAvailable, false, "", models.ConsentNone},
		"available, beyond inspected": {models.Node{ProvisionState: models.StateAvailable}, provision.GoalInspected, false, "", models.ConsentNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.node.UUID, test.node.Name = "u", "r7-n01"
			action := provision.BringUp(nil, test.goal, test.noInspect)
			if refused := action.Refuse(&test.node, models.APIVersion{Minor: 115}); refused != nil {
				t.Fatal(refused)
			}
			batch := provision.Batch{Action: action, Items: []provision.Item{{Node: test.node, Effect: action.Effect(&test.node)}}}
			var got []string
			for _, r := range batch.Preview()[0].Requests {
				var body struct{ Target string }
				decode(t, r.Payload(), &body)
				got = append(got, strings.TrimSpace(body.Target+" "+strings.Replace(r.When, "when the node is", "when", 1)))
			}
			if text := strings.Join(got, "; "); text != test.want || batch.Consent() != test.consent {
				t.Errorf("%s, consent %v; want %s, %v", text, batch.Consent(), test.want, test.consent)
			}
		})
	}
}

// TestBringUpRefuses checks that deployed, failed, held and retired nodes are refused, each with a hint.
func TestBringUpRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		node models.Node
		want string
	}{
		{models.Node{ProvisionState: models.StateActive}, `not possible in state "active"`},
		{models.Node{ProvisionState: models.StateDeployFailed}, `not possible in state "deploy failed"`},
		{models.Node{ProvisionState: models.StateError}, `not possible in state "error"`},
		{models.Node{ProvisionState: models.StateCleanHold}, "held (clean hold)"},
		{models.Node{ProvisionState: models.StateEnroll, Retired: true}, "retired"},
		{models.Node{ProvisionState: models.StateManageable, Retired: true, InspectInterface: "no-inspect"}, "retired"},
	} {
		test.node.Name = "r7-n01"
		refused := provision.BringUp(nil, provision.GoalAvailable, false).Refuse(&test.node, models.APIVersion{Minor: 115})
		if refused == nil || !strings.Contains(fmt.Sprint(refused), test.want) || refused.Hint == "" {
			t.Errorf("%s: %v, want %s", test.node.ProvisionState, refused, test.want)
		}
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}
