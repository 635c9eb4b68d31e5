package provision

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// RamdiskAction sets the ramdisk that nodes boot for Ironic's own operations. Use [ApplyRamdisk] to create one.
type RamdiskAction struct {
	immediateAction
	// of returns the ramdisk for the node.
	of func(n *models.Node) (Ramdisk, error)
}

// ApplyRamdisk returns an action that sets deploy_iso, or deploy_kernel and deploy_ramdisk with their parameters, and
// removes conflicting fields. Fields that start with rescue_ stay unchanged. Nodes that already have these values are
// not changed. The argument is a function that returns the ramdisk for a node. It is called several times for the
// same node and must always return the same ramdisk. If it returns an error, the node is refused.
func ApplyRamdisk(of func(n *models.Node) (Ramdisk, error)) *RamdiskAction {
	return &RamdiskAction{of: of}
}

// Name returns the ironworks command that does the same: "ignition apply".
func (*RamdiskAction) Name() string { return "ignition apply" }

// Refuse refuses a node if the ramdisk cannot be written, or if the node could never boot it.
func (a *RamdiskAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	r, ops, refused := a.plan(n)
	switch {
	case refused != nil:
		return refused
	case r.cannotBoot(n.BootInterface) != "":
		return refusal(a, n, models.RefusedArguments, r.cannotBoot(n.BootInterface), r.bootRemedy())
	case len(ops) == 0:
		return nil
	case n.Reservation != "":
		return refusal(a, n, models.RefusedState,
			fmt.Sprintf("the node is locked by conductor %s", printable.Line(n.Reservation)), "wait for the operation to end")
	}
	return unchangeable(a, n)
}

// plan returns the ramdisk for the node and the operations that set it.
func (a *RamdiskAction) plan(n *models.Node) (Ramdisk, []models.PatchOp, *models.Refusal) {
	r, err := a.of(n)
	if err != nil {
		return r, nil, refusal(a, n, models.RefusedArguments, printable.Line(err.Error()), "")
	}
	if why, hint := r.check(); why != "" {
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
	// Name only the paths, because addresses and parameters may be secrets.
	paths := make([]string, len(ops))
	for i, op := range ops {
		paths[i] = op.Path
		if op.Op == "remove" {
			paths[i] += "-"
		}
	}
	write := patchEntry(a.Name()+" "+strings.Join(paths, " "), n, ops)
	write.Commands = request.PatchCommands(n.UUID, ops) // not masked, because an address does not work without its credentials
	return []entry{write}, nil
}

func (a *RamdiskAction) warnings(n *models.Node) []string {
	r, ops, refused := a.plan(n)
	if refused != nil {
		return nil
	}
	return r.warnings(n, ops)
}

// bootSupport reports which images a boot interface can boot: a prebuilt ISO, a kernel with its initramfs, or both.
type bootSupport struct{ iso, pair bool }

// bootInterfaces returns the boot interfaces of Ironic 21 to 39, with the images that they support. Virtual media and
// HTTPS boot, except iRMC's, can build an ISO from a kernel and an initramfs. Network boot supports only a kernel
// with an initramfs (drivers/modules/*/boot.py, pxe_base.py).
func bootInterfaces() map[string]bootSupport {
	both, pair := bootSupport{iso: true, pair: true}, bootSupport{pair: true}
	return map[string]bootSupport{
		"redfish-virtual-media": both, "idrac-redfish-virtual-media": both, "redfish-https": both,
		"ilo-virtual-media": both, "ilo-uefi-https": both, "irmc-virtual-media": {iso: true}, "fake": both,
		"pxe": pair, "ipxe": pair, "http": pair, "http-ipxe": pair,
		"ilo-pxe": pair, "ilo-ipxe": pair, "irmc-pxe": pair,
	}
}

// cannotBoot returns the reason why the boot interface does not support the ramdisk. It returns "" if the interface
// supports the ramdisk or is unknown.
func (r Ramdisk) cannotBoot(boot string) string {
	t, known := bootInterfaces()[boot]
	switch {
	case !known:
		return ""
	case r.ISO != "" && !t.iso:
		return fmt.Sprintf("boot interface %q does not support deploy_iso", boot)
	case r.ISO == "" && !t.pair:
		return fmt.Sprintf("boot interface %q supports only deploy_iso", boot)
	}
	return ""
}

func (r Ramdisk) bootRemedy() string {
	if r.ISO != "" {
		return "use a kernel and an initramfs, or set boot_interface to redfish-virtual-media"
	}
	return "use an ISO"
}

// warnings returns warnings about settings that Ironic accepts but that may not work.
func (r Ramdisk) warnings(n *models.Node, ops []models.PatchOp) []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, f := range [][2]string{{"deploy_iso", r.ISO}, {"deploy_kernel", r.Kernel}, {"deploy_ramdisk", r.Initramfs}} {
		if text := hrefWarning(f[1]); text != "" {
			warn("%s: %s", f[0], text)
		}
	}
	if _, known := bootInterfaces()[n.BootInterface]; !known && n.BootInterface != "" {
		warn("unknown boot interface %q: it may not support this image", printable.Line(n.BootInterface))
	}
	if r.ISO != "" {
		if n.DriverInfo["kernel_append_params"] != nil && !r.NoKernelParams {
			warn("driver_info.kernel_append_params is unchanged, but Ironic does not pass it to a prebuilt ISO")
		}
	} else if buildsISO(n.BootInterface) && empty(n.DriverInfo["bootloader"]) {
		warn("Ironic builds an ISO from the kernel and initramfs: UEFI needs driver_info.bootloader, or [conductor]bootloader in Ironic's configuration")
	}
	if slices.ContainsFunc(ops, func(op models.PatchOp) bool {
		return op.Path == "/instance_info/kernel_append_params" && op.Op == "remove"
	}) {
		warn("instance_info.kernel_append_params is removed: it would override the new value")
	}
	if len(ops) > 0 && n.ProvisionState.Busy() {
		warn("the node is %s: the change applies from the next boot", n.ProvisionState)
	}
	return list
}

// buildsISO reports whether the boot interface builds an ISO from a kernel and an initramfs.
func buildsISO(boot string) bool {
	t := bootInterfaces()[boot]
	return t.iso && t.pair && boot != "fake"
}

func empty(value any) bool { return value == nil || value == "" }

// hrefWarning returns a warning if some machines cannot use the address, or "".
func hrefWarning(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "file":
		return "conductors read files only below [conductor]file_url_allowed_paths (default: /var/lib/ironic)"
	case "http", "https":
	default:
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	addr, err := netip.ParseAddr(host)
	addr = addr.Unmap()
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback():
		return fmt.Sprintf("BMCs cannot reach %s, and a conductor can only if it runs on this computer", printable.Line(host))
	case err == nil && addr.IsUnspecified():
		return fmt.Sprintf("%s is a listen address; other machines cannot reach it", printable.Line(host))
	case err == nil && addr.IsLinkLocalUnicast():
		return fmt.Sprintf("%s is link-local; other machines may not reach it", printable.Line(host))
	}
	return ""
}
