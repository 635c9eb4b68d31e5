package conductor

import (
	"context"
	"slices"

	"ironworks/lab/db"
)

// volumeDeleteStates are the states in which volumes are deleted whatever the power state is: DELETE_ALLOWED_STATES in
// 39.0.0's ironic/common/states.py.
var volumeDeleteStates = []string{manageable, enroll, adoptFail}

// UpdateVolume changes a volume connector or target of a node that is powered off.
func (c *Conductor) UpdateVolume(ctx context.Context, node, kind string, change func() error) error {
	return c.changeVolume(ctx, node, kind+" update", change, func(n *db.Node) bool { return n.PowerState == powerOff })
}

// DestroyVolume removes a volume connector or target of a node that is powered off or not in use.
func (c *Conductor) DestroyVolume(ctx context.Context, node, kind string, destroy func() error) error {
	return c.changeVolume(ctx, node, kind+" deletion", destroy, func(n *db.Node) bool {
		return n.PowerState == powerOff || slices.Contains(volumeDeleteStates, n.ProvisionState)
	})
}

// changeVolume runs change under the lock of the node, if the node's state allows it.
func (c *Conductor) changeVolume(ctx context.Context, node, action string, change func() error, allowed func(*db.Node) bool) error {
	return c.withTask(ctx, node, locking{}, func(_ context.Context, t *task) error {
		if !allowed(t.node) {
			return invalidRequest(action, t.node.UUID, nameOrNone(t.node.PowerState))
		}
		return change()
	})
}
