package provision

import (
	"errors"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

// PinAction writes a hint that identifies one disk of a node. Use [Pin] to create one.
type PinAction struct {
	immediateAction
	disks *NodeDisks
	disk  string
	to    hints.Source
}

// Pin returns an action that writes the most stable hint for the named disk; see [NodeDisks.PinDisk]. disks holds the
// disks that were shown to the operator. Even if the node has been inspected again in the meantime, the hint is
// therefore for the disk that the operator chose, not for another disk with the same name. The current state of the
// node determines whether the hint would have an effect.
func Pin(disks *NodeDisks, disk string, to hints.Source) *PinAction {
	return &PinAction{disks: disks, disk: disk, to: to}
}

// Name returns the ironworks command that does the same: "hints set".
func (*PinAction) Name() string { return "hints set" }

// Refuse refuses a node if no hint can be written for the disk, or if Ironic currently accepts no changes to the
// node.
func (a *PinAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	ops, refused := a.patch(n)
	switch {
	case refused != nil:
		return refused
	case len(ops) == 0:
		return nil
	}
	return unchangeable(a, n)
}

// patch returns the operations that write the hint to the node in its current state, or none if the node already has
// the hint.
func (a *PinAction) patch(n *models.Node) ([]models.PatchOp, *models.Refusal) {
	fail := func(err error) ([]models.PatchOp, *models.Refusal) {
		var refused *models.Refusal
		if errors.As(err, &refused) {
			return nil, refused
		}
		return nil, refusal(a, n, models.RefusedArguments, printable.Line(err.Error()), "")
	}
	if n.UUID != a.disks.Node.UUID {
		return nil, refusal(a, n, models.RefusedArguments, "the disk belongs to another node, "+printable.Line(a.disks.Node.Label()), "")
	}
	rootHints, err := hints.Of(n)
	if err != nil {
		return fail(err)
	}
	now := *a.disks
	now.Node, now.Hints = n, rootHints
	setting, pinned, err := now.PinDisk(a.disk, a.to)
	if err != nil {
		return fail(err)
	}
	there := rootHints.Instance
	if a.to == hints.OfProperties {
		there = rootHints.Properties
	}
	if there.String() == pinned.String() {
		return nil, nil
	}
	ops, err := models.Patch(n, []models.Setting{setting})
	if err != nil {
		return fail(err)
	}
	return ops, nil
}

func (a *PinAction) entries(n *models.Node) ([]entry, error) {
	ops, refused := a.patch(n)
	if refused != nil {
		return nil, refused
	}
	if len(ops) == 0 {
		return nil, nil
	}
	return []entry{patchEntry("set "+ops[0].Path, n, ops)}, nil
}
