package conductor

import (
	"context"
	"slices"

	"ironworks/lab/db"
)

// volumeDeleteStates lists the states in which volumes may be deleted whatever the power state is
// (DELETE_ALLOWED_STATES in ironic/common/states.py of 39.0.0).
var volumeDeleteStates = []string{manageable, enroll, adoptFail}

// UpdateVolume changes a volume connector or target by calling change. It returns an error if the node is not powered
// off.
func (c *Conductor) UpdateVolume(ctx context.Context, node, kind string, change func() error) error {
	return c.changeVolume(ctx, node, kind+" update", change, func(n *db.Node) bool { return n.PowerState == powerOff })
}

// DestroyVolume deletes a volume connector or target by calling destroy. It returns an error unless the node is
// powered off or in one of volumeDeleteStates.
func (c *Conductor) DestroyVolume(ctx context.Context, node, kind string, destroy func() error) error {
	return c.changeVolume(ctx, node, kind+" deletion", destroy, func(n *db.Node) bool {
		return n.PowerState == powerOff || slices.Contains(volumeDeleteStates, n.ProvisionState)
	})
}

// changeVolume locks the node and, if the node's state allows it, calls change.
func (c *Conductor) changeVolume(ctx context.Context, node, action string, change func() error, allowed func(*db.Node) bool) error {
	return c.withTask(ctx, node, locking{}, func(_ context.Context, t *task) error {
		if !allowed(t.node) {
			return invalidRequest(action, t.node.UUID, nameOrNone(t.node.PowerState))
		}
		return change()
	})
}
