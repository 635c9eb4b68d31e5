package provision

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// MarkedNodes returns the nodes whose extra field contains the key.
func MarkedNodes(ctx context.Context, client *ironicclient.Client, key string) (marked []models.Node, err error) {
	query := ironicclient.NodeQuery{Fields: []string{"uuid", "name", "extra", "maintenance"}, KeepRaw: true}
	err = client.EachPage(ctx, query, func(page *ironicclient.NodePage) error {
		for _, n := range page.Nodes {
			var raw struct {
				Extra map[string]any `json:"extra"`
			}
			if json.Unmarshal(n.Raw, &raw) == nil && raw.Extra[key] != nil {
				marked = append(marked, n)
			}
		}
		return nil
	})
	return marked, err
}

// RemoveNodes deletes the nodes of simulated machines in any state, without undeploying them. Ironic allows this only
// in maintenance, so RemoveNodes sets maintenance first, with why as the reason.
func RemoveNodes(ctx context.Context, client *ironicclient.Client, nodes []models.Node, why string) (removed int, err error) {
	for i := range nodes {
		n := &nodes[i]
		var failed error
		if !n.Maintenance {
			failed = onceUnlocked(ctx, func() error {
				_, err := client.Send(ctx, request.Maintenance(n.UUID, true, why))
				return err
			})
		}
		if failed == nil {
			failed = onceUnlocked(ctx, func() error { return client.DeleteNode(ctx, n.UUID) })
		}
		if failed == nil {
			removed++
		}
		err = errors.Join(err, failed)
	}
	return removed, err
}

const (
	// lockedFor is the maximum time to wait for a node that a conductor has locked. A conductor retries an
	// unreachable BMC before it gives up.
	lockedFor = 3 * time.Minute
	// unlockPoll is the delay between attempts.
	unlockPoll = 2 * time.Second
)

// onceUnlocked calls do. While a conductor has locked the node, it calls do again, for at most [lockedFor].
func onceUnlocked(ctx context.Context, do func() error) error {
	for start := time.Now(); ; {
		err := do()
		if !models.IsFault(err, models.FaultLocked) || time.Since(start) >= lockedFor || wait(ctx, unlockPoll) != nil {
			return err
		}
	}
}

// Delete returns an action that deletes a node from Ironic, with its ports, inventory and history.
func Delete() Action { return deleteAction{} }

type deleteAction struct{ immediateAction }

func (deleteAction) Name() string { return "delete" }

// Refuse applies Ironic's rules (ironic/conductor/manager.py: destroy_node). In maintenance, Ironic deletes every node
// except protected ones. A conductor may also refuse to delete available nodes
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

// Effect names the data that is lost, and says whether an instance keeps running without Ironic's knowledge.
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
