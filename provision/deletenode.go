package provision

import (
	"context"
	"slices"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Delete returns an action that deletes a node from Ironic, with its ports, inventory and history. The machine is not
// changed.
func Delete() Action { return deleteAction{} }

type deleteAction struct{ immediateAction }

func (deleteAction) Name() string { return "delete" }

// Refuse applies Ironic's rules (ironic/conductor/manager.py: destroy_node). In maintenance, Ironic deletes every
// node except protected ones. A conductor may also refuse to delete available nodes
// ([conductor]allow_deleting_available_nodes).
func (a deleteAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	allowed := []models.ProvisionState{models.StateEnroll, models.StateManageable, models.StateAvailable, models.StateAdoptFailed}
	switch {
	case n.Protected:
		return refusal(a, n, models.RefusedProtected, "the node is protected"+models.ReasonSuffix(n.ProtectedReason), "ironworks unprotect "+n.Label()+" first").
			WithScreenHint("clear the protection first (:unprotect)")
	case n.Maintenance:
		return nil
	case !slices.Contains(allowed, n.ProvisionState):
		return refusal(a, n, models.RefusedState,
			models.NotPossibleIn(n.ProvisionState, allowed)+", or in maintenance", "")
	case n.InstanceUUID != "":
		return refusal(a, n, models.RefusedState, "the node is reserved for instance "+printable.Line(n.InstanceUUID),
			"ironworks set "+n.Label()+" instance_uuid- first, or set maintenance").WithScreenHint("remove instance_uuid (:set), or set maintenance")
	}
	return nil
}

// Effect names the data that is lost. It also says whether an instance keeps running on the machine without Ironic's
// knowledge.
func (deleteAction) Effect(n *models.Node) models.Effect {
	text := "Ironic forgets the node, its ports, BMC credentials, inventory and history; the machine and its disks are left unchanged"
	if n.InstanceUUID != "" || n.ProvisionState == models.StateActive {
		text += ", and its instance keeps running"
	}
	return models.Effect{Danger: models.DangerForgets, Text: text}
}

func (a deleteAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.Name(), Request: request.Delete(n.UUID), judge: func(ctx context.Context, api API, err error) error {
		// If the request was repeated or its answer was lost, the node may already be deleted.
		if _, gone := api.Node(ctx, n.UUID, "uuid"); models.IsFault(gone, models.FaultNotFound) {
			return nil
		}
		return err
	}}}, nil
}

func (deleteAction) resultText(models.NodeRef) string { return "deleted from Ironic" }
