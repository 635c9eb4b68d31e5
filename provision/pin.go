package provision

import (
	"errors"

	"ironworks/models"
	"ironworks/models/hints"
)

// PinAction writes the hint that tells one disk of a node from all others. It is made
// by [Pin].
type PinAction struct {
	immediate
	disks *NodeDisks
	disk  string
	to    hints.Source
}

// Pin is an action that writes the most stable hint for a disk; see
// [NodeDisks.PinDisk]. The disks are those that somebody has looked at: a node that was
// inspected anew since gets the hint for the disk that was meant, not for another one of
// the same name. Whether the hint would count is judged by the node as it is then.
func Pin(disks *NodeDisks, disk string, to hints.Source) *PinAction {
	return &PinAction{disks: disks, disk: disk, to: to}
}

// Name is that of the command.
func (*PinAction) Name() string { return "hints set" }

// Effect is none: nothing happens to the machine before its next deployment.
func (*PinAction) Effect(*models.Node) models.Effect { return models.Effect{} }

// Refuse says why no hint can be written, or why Ironic takes none now.
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

// patch is what is written to the node as it is now; nothing where it has the hint.
func (a *PinAction) patch(n *models.Node) ([]models.PatchOp, *models.Refusal) {
	fail := func(err error) ([]models.PatchOp, *models.Refusal) {
		var refused *models.Refusal
		if errors.As(err, &refused) {
			return nil, refused
		}
		return nil, refusal(a, n, models.RefusedArguments, models.Printable(err.Error()), "")
	}
	if n.UUID != a.disks.Node.UUID {
		return nil, refusal(a, n, models.RefusedArguments, "the disk is another node's, "+models.Printable(a.disks.Node.Label()), "")
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
