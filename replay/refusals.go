package replay

import (
	"context"
	"time"

	"ironworks/models"
)

// What acts on nodes is refused: the machines of a recording are elsewhere, and later.

func refused(what string) error {
	return &models.Fault{
		Kind: models.FaultReadOnly, Op: what, Message: "a recording plays: nothing is sent", Hint: "open the console on the Ironic itself",
	}
}

// NodeAt gives a node as it was kept, and the moment that is shown.
func (a *Answers) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	n, err := a.Node(ctx, id, fields...)
	at, _ := a.player.moment()
	return n, at, err
}

// Provision is refused.
func (a *Answers) Provision(context.Context, string, models.ProvisionRequest) (string, error) {
	return "", refused("provision")
}

// SetPower is refused.
func (a *Answers) SetPower(context.Context, string, models.PowerTarget) (string, error) {
	return "", refused("set power")
}

// SetBootDevice is refused.
func (a *Answers) SetBootDevice(context.Context, string, string, bool) (string, error) {
	return "", refused("set boot device")
}

// SetMaintenance is refused.
func (a *Answers) SetMaintenance(context.Context, string, bool, string) (string, error) {
	return "", refused("set maintenance")
}

// PatchNode is refused.
func (a *Answers) PatchNode(context.Context, string, []models.PatchOp) (*models.Node, string, error) {
	return nil, "", refused("patch node")
}

// SetTraits is refused.
func (a *Answers) SetTraits(context.Context, string, []string) (string, error) {
	return "", refused("set traits")
}

// AddTrait is refused.
func (a *Answers) AddTrait(context.Context, string, string) (string, error) {
	return "", refused("add trait")
}

// RemoveTrait is refused.
func (a *Answers) RemoveTrait(context.Context, string, string) (string, error) {
	return "", refused("remove trait")
}
