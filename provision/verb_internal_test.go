package provision

import (
	"testing"

	"ironworks/models"
)

// TestCleaningThatFailsAndEndsManageable checks that cleaning counts as failed if the fault remains set. Ironic
// 39.0.0 continues cleaning even if the firmware has ignored a BIOS setting.
func TestCleaningThatFailsAndEndsManageable(t *testing.T) {
	t.Parallel()
	clean := verbAction{req: models.ProvisionRequest{Verb: models.VerbClean}}
	before := models.Node{ProvisionState: models.StateManageable}
	for name, tc := range map[string]struct {
		now models.Node
		ok  bool
	}{
		"done":                          {models.Node{ProvisionState: models.StateManageable}, true},
		"in maintenance as before":      {models.Node{ProvisionState: models.StateManageable, Maintenance: true}, true},
		"with the fault of the failure": {models.Node{ProvisionState: models.StateManageable, Maintenance: true, Fault: "clean failure"}, false},
		"clean failed":                  {models.Node{ProvisionState: models.StateCleanFailed}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if v, over := clean.ended(&before, &tc.now, 0); !over || v.ok != tc.ok {
				t.Errorf("%+v, over %v, want ok %v", v, over, tc.ok)
			}
		})
	}
}
