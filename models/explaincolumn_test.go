package models

import (
	"testing"
	"time"
)

func TestStepColumn(t *testing.T) {
	t.Parallel()
	index := 1
	steps := []Step{{Interface: "deploy", Step: "deploy"}, {Interface: "deploy", Step: "write_image"}}
	c, err := FindColumn("step")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		row  Row
		want string
	}{
		"failure":             {Row{Node: Node{ProvisionState: StateDeployFailed, LastError: "boom"}, Reason: "older"}, "boom"},
		"reason from history": {Row{Node: Node{ProvisionState: StateDeployFailed}, Reason: "boom"}, "boom"},
		"enroll failed":       {Row{Node: Node{ProvisionState: StateEnroll, LastError: "no BMC"}}, "no BMC"},
		"maintenance":         {Row{Node: Node{ProvisionState: StateActive, Maintenance: true, Fault: "power failure"}}, "power unreadable; maintenance meanwhile"},
		"none":                {Row{Node: Node{ProvisionState: StateActive}}, ""},
		"without a list":      {Row{Node: Node{ProvisionState: StateDeploying, DeployStep: &steps[1]}}, "write_image"},
		"in its list": {Row{Node: Node{
			ProvisionState: StateDeploying, DeployStep: &steps[1], Internal: &Internal{DeploySteps: steps, DeployIndex: &index},
		}}, "2/2 write_image"},
	} {
		if got := c.Text(&tt.row, time.Unix(10_000, 0)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestColumnsOfNothing: every column has to work for an empty row.
func TestColumnsOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range Columns() {
		_ = c.Text(&Row{}, time.Time{})
	}
}
