package provision

import (
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
)

// RamdiskOptions say what ramdisks nodes get.
type RamdiskOptions struct {
	// For gives a node's ramdisk. It is asked several times and must answer the same;
	// its error refuses the node.
	For func(n *models.Node) (Ramdisk, error)
	// CheckParams says why Ironic would refuse kernel_append_params, in which %default%
	// may stand. Nil checks for control characters only.
	CheckParams func(params string) error
}

// RamdiskAction writes into nodes what they boot for Ironic's own work. It is made by
// [ApplyRamdisk].
type RamdiskAction struct {
	immediate
	options RamdiskOptions
}

// ApplyRamdisk is an action that sets deploy_iso, or deploy_kernel and deploy_ramdisk
// with their parameters, and removes what contradicts them. The rescue_ fields stay. A
// node that is right already is not written to.
func ApplyRamdisk(options RamdiskOptions) *RamdiskAction { return &RamdiskAction{options: options} }

// Name is that of the command.
func (*RamdiskAction) Name() string { return "ignition apply" }

// Effect is none: nothing happens to the machine before its next work.
func (*RamdiskAction) Effect(*models.Node) models.Effect { return models.Effect{} }

// Refuse says why the ramdisk cannot be written, or could never be booted.
func (a *RamdiskAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	r, ops, refused := a.plan(n)
	switch {
	case refused != nil:
		return refused
	case r.cannotBoot(n.BootInterface) != "":
		return refusal(a, n, models.RefusedArguments, r.cannotBoot(n.BootInterface), r.otherWay())
	case len(ops) == 0:
		return nil
	case n.Reservation != "":
		return refusal(a, n, models.RefusedState,
			fmt.Sprintf("the node is locked by conductor %s, which works on it", models.Printable(n.Reservation)), "wait until it has finished")
	}
	return unchangeable(a, n)
}

// plan is the node's ramdisk with the patch for it.
func (a *RamdiskAction) plan(n *models.Node) (Ramdisk, []models.PatchOp, *models.Refusal) {
	if a.options.For == nil {
		return Ramdisk{}, nil, refusal(a, n, models.RefusedArguments, "there is no ramdisk for it", "")
	}
	r, err := a.options.For(n)
	if err != nil {
		return r, nil, refusal(a, n, models.RefusedArguments, models.Printable(err.Error()), "")
	}
	if why, hint := r.check(a.options.CheckParams); why != "" {
		return r, nil, refusal(a, n, models.RefusedArguments, why, hint)
	}
	ops, err := r.patch(n)
	if err != nil {
		return r, nil, refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	return r, ops, nil
}

func (a *RamdiskAction) entries(n *models.Node) ([]entry, error) {
	_, ops, refused := a.plan(n)
	if refused != nil {
		return nil, refused
	}
	if len(ops) == 0 {
		return nil, nil
	}
	// Paths only: addresses may be secrets, and so may parameters.
	paths := make([]string, len(ops))
	for i, op := range ops {
		paths[i] = op.Path
		if op.Op == "remove" {
			paths[i] += "-"
		}
	}
	write := patchEntry(a.Name()+" "+strings.Join(paths, " "), n, ops)
	write.Commands = request.PatchCommands(n.UUID, ops) // an address with its credentials masked is another one
	return []entry{write}, nil
}

func (a *RamdiskAction) warnings(n *models.Node) []string {
	r, ops, refused := a.plan(n)
	if refused != nil {
		return nil
	}
	return r.warnings(n, ops)
}

// takes says what a boot interface can boot: an ISO that is ready, a kernel with its
// initramfs.
type takes struct{ iso, pair bool }

// bootInterfaces are those of Ironic 21 to 39 that are known by name. Those of virtual
// media and HTTPS boot build an ISO from a pair; iRMC's never does, and what boots by
// the network boots pairs alone (drivers/modules/*/boot.py, pxe_base.py).
func bootInterfaces() map[string]takes {
	both, pair := takes{iso: true, pair: true}, takes{pair: true}
	return map[string]takes{
		"redfish-virtual-media": both, "idrac-redfish-virtual-media": both, "redfish-https": both,
		"ilo-virtual-media": both, "ilo-uefi-https": both, "irmc-virtual-media": {iso: true}, "fake": both,
		"pxe": pair, "ipxe": pair, "http": pair, "http-ipxe": pair,
		"ilo-pxe": pair, "ilo-ipxe": pair, "irmc-pxe": pair,
	}
}

// cannotBoot says why a boot interface has no use for it; one that is not known may.
func (r Ramdisk) cannotBoot(boot string) string {
	t, known := bootInterfaces()[boot]
	switch {
	case !known:
		return ""
	case r.ISO != "" && !t.iso:
		return fmt.Sprintf("boot interface %q boots no deploy_iso", boot)
	case r.ISO == "" && !t.pair:
		return fmt.Sprintf("boot interface %q boots a deploy_iso only", boot)
	}
	return ""
}

func (r Ramdisk) otherWay() string {
	if r.ISO != "" {
		return "give a kernel and an initramfs, or set boot_interface to redfish-virtual-media"
	}
	return "give an ISO"
}
