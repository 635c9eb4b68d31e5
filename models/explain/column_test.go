package explain

import (
	"testing"
	"time"

	"ironworks/models"
)

func TestStepColumn(t *testing.T) {
	t.Parallel()
	index := 1
	steps := []models.Step{{Interface: "deploy", Step: "deploy"}, {Interface: "deploy", Step: "write_image"}}
	c, err := FindColumn("step")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		row  models.Row
		want string
	}{
		"failure":             {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed, LastError: "boom"}, Reason: "older"}, "boom"},
		"reason from history": {models.Row{Node: models.Node{ProvisionState: models.StateDeployFailed}, Reason: "boom"}, "boom"},
		"enroll failed":       {models.Row{Node: models.Node{ProvisionState: models.StateEnroll, LastError: "no BMC"}}, "no BMC"},
		"maintenance":         {models.Row{Node: models.Node{ProvisionState: models.StateActive, Maintenance: true, Fault: "power failure"}}, "power unreadable; maintenance meanwhile"},
		"none":                {models.Row{Node: models.Node{ProvisionState: models.StateActive}}, ""},
		"without a list":      {models.Row{Node: models.Node{ProvisionState: models.StateDeploying, DeployStep: &steps[1]}}, "write_image"},
		"in its list": {models.Row{Node: models.Node{
			ProvisionState: models.StateDeploying, DeployStep: &steps[1], Internal: &models.Internal{DeploySteps: steps, DeployIndex: &index},
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
		_ = c.Text(&models.Row{}, time.Time{})
	}
}
