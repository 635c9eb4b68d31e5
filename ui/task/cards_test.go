package task

import (
	"testing"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/theme"
)

// TestCardsWarn checks that a confirmation warns about steps that Ironic accepts but that will not run.
func TestCardsWarn(t *testing.T) {
	t.Parallel()
	node := models.Node{Name: "n1", ProvisionState: models.StateManageable}
	clean := provision.Provision(models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: []models.Step{{Interface: "power", Step: "hold"}}})
	batch := (&provision.Runner{API: newest{}}).Plan(clean, []models.Node{node})
	for _, line := range confirmationCards(nil, batch.Legal(), batch.Refused()) {
		if line.Role == theme.Warn && line.Text == "  warning     power.hold: Ironic drops hold, wait and power steps, so this step does not run" {
			return
		}
	}
	t.Errorf("no warning in %+v", batch.Items)
}

// newest is a fake Ironic that supports the newest API version and panics on every request.
type newest struct{ provision.API }

func (newest) Version() (models.APIVersion, bool) {
	return models.APIVersion{Minor: models.NewestMinor}, true
}
