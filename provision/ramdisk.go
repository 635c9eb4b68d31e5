package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Ramdisk is the boot image of a node for deployment, cleaning and inspection. It is either a prebuilt ISO, or a kernel
// with its initramfs. The values are http, https, file, glance and oci URLs, or UUIDs of images in Glance.
type Ramdisk struct {
	// ISO is the value of deploy_iso.
	ISO string
	// Kernel and Initramfs are the values of deploy_kernel and deploy_ramdisk. They must be given together.
	Kernel    string
	Initramfs string
	// KernelParams is the value of kernel_append_params. It cannot be used with a prebuilt ISO, whose parameters
	// Ironic cannot change. If it is empty, the node's parameters stay unchanged.
	KernelParams string
	// WithDefaults inserts %default% before KernelParams. Ironic replaces this word with its configured parameters.
	// If WithDefaults is unset, KernelParams replaces the configured parameters.
	WithDefaults bool
	// NoKernelParams removes the node's own parameters, so that Ironic's configured parameters apply.
	NoKernelParams bool
	// InInstance writes the parameters to instance_info, which Ironic clears when the node is undeployed.
	InInstance bool
}

// Served returns a function that returns the ramdisk served for a node. A target without a node is for all nodes.
func Served(targets []prepare.Target) func(*models.Node) (Ramdisk, error) {
	return func(n *models.Node) (Ramdisk, error) {
		for _, t := range targets {
			if t.Node.UUID == n.UUID || t.Node.UUID == "" {
				return ServedRamdisk(t), nil
			}
		}
		return Ramdisk{}, errors.New("no image is served for the node")
	}
}

// ServedRamdisk returns the ramdisk that is served for the target.
func ServedRamdisk(t prepare.Target) Ramdisk {
	return Ramdisk{ISO: t.ISO, Kernel: t.Kernel, Initramfs: t.Initrd, KernelParams: t.KernelParams}
}

func pairFields() []string {
	var fields []string
	for _, pair := range models.DeployPairFields() {
		fields = append(fields, pair[0], pair[1])
	}
	return fields
}

// params returns the value for kernel_append_params, or "" to leave the field unchanged.
func (r Ramdisk) params() string {
	text := strings.TrimSpace(r.KernelParams)
	if r.WithDefaults && text != "" && !strings.Contains(text, models.DefaultKernelParameters) {
		return models.DefaultKernelParameters + " " + text
	}
	return text
}

var uuidLike = regexp.MustCompile(`^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$`)

// check looks for a problem that does not depend on the node. It returns a description of the problem and a hint at
// the solution. Both are empty if there is no problem.
func (r Ramdisk) check() (why, hint string) {
	pair := r.Kernel != "" || r.Initramfs != ""
	params := r.params()
	switch {
	case r.ISO != "" && pair:
		return "an ISO and a kernel cannot be combined", "pass only one"
	case r.ISO == "" && !pair:
		return "no ISO and no kernel to boot", "pass --iso URL, or --kernel URL and --initrd URL"
	case pair && (r.Kernel == "" || r.Initramfs == ""):
		return "a kernel and an initramfs must be given together", "pass both --kernel URL and --initrd URL"
	case r.ISO != "" && params != "":
		return "Ironic does not pass kernel parameters to a prebuilt ISO", "add them to the ISO instead"
	case r.NoKernelParams && params != "":
		return "cannot both set and remove kernel parameters", "pass only one"
	}
	for _, field := range [][2]string{{"deploy_iso", r.ISO}, {"deploy_kernel", r.Kernel}, {"deploy_ramdisk", r.Initramfs}} {
		if why := badHref(field[1]); why != "" {
			return field[0] + ": " + why, ""
		}
	}
	if params == "" {
		return "", ""
	}
	if strings.ContainsFunc(params, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "kernel_append_params: contains a line break or another control character", ""
	}
	if err := models.CheckKernelAppendParams(params); err != nil {
		return "kernel_append_params: " + printable.Line(err.Error()), "Ironic 37 and later reject parameters with invalid syntax"
	}
	return "", ""
}

// badHref returns the reason why Ironic cannot fetch an image from href, or "".
func badHref(href string) string {
	if href == "" || uuidLike.MatchString(href) {
		return ""
	}
	if strings.ContainsFunc(href, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "the URL contains a space or a control character"
	}
	// The newest Ironic fetches images from these URLs. The nfs, cifs and smb schemes are only for BMCs
	// (protocol_mapping in ironic/common/image_service.py).
	schemes := []string{"http", "https", "file", "glance", "oci"}
	u, err := url.Parse(href)
	switch {
	case err != nil:
		if bad, is := errors.AsType[*url.Error](err); is {
			err = bad.Err // the address may contain secrets
		}
		return "invalid URL: " + printable.Line(err.Error())
	case u.Scheme == "":
		return "neither a URL nor the UUID of an image"
	case !slices.Contains(schemes, strings.ToLower(u.Scheme)):
		return fmt.Sprintf("Ironic does not support the scheme %q", printable.Line(u.Scheme))
	case u.Scheme == "file" && (u.Host != "" || !strings.HasPrefix(u.Path, "/")):
		return "use an absolute path: file:///var/lib/ironic/…"
	case u.Scheme != "file" && u.Host == "" && u.Opaque == "":
		return "the URL has no host"
	}
	return ""
}

// patch returns the operations that set the ramdisk on the node: they set the fields that differ and remove
// conflicting fields. The fields are set before others are removed, so that the node always has a boot image.
func (r Ramdisk) patch(n *models.Node) ([]models.PatchOp, error) {
	info := map[string]string{"deploy_iso": r.ISO, "deploy_kernel": r.Kernel, "deploy_ramdisk": r.Initramfs}
	var set, remove []models.Setting
	for _, field := range slices.Concat(models.DeployISOFields(), pairFields()) {
		remove = appendRemoval(remove, n.DriverInfo, "driver_info", field, info[field] == "")
		set = appendSetting(set, n.DriverInfo, "driver_info", field, info[field])
	}
	const field = "kernel_append_params"
	params := r.params()
	switch {
	case params != "" && r.InInstance:
		set = appendSetting(set, n.InstanceInfo, "instance_info", field, params)
	case params != "":
		set = appendSetting(set, n.DriverInfo, "driver_info", field, params)
		// Remove instance_info's value even if it is empty, because it takes precedence.
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	case r.NoKernelParams:
		remove = appendRemoval(remove, n.DriverInfo, "driver_info", field, n.DriverInfo[field] != nil)
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	}
	if n.DriverInfo == nil {
		// Without driver_info, the fields to remove are unknown. This first setting causes an error that says so.
		set = slices.Insert(set, 0, models.Setting{Path: []string{"driver_info", "deploy_iso"}, Op: models.SettingRemove})
	}
	return models.Patch(n, slices.Concat(set, remove))
}

func appendSetting(list []models.Setting, now map[string]any, object, field, value string) []models.Setting {
	if value == "" || now[field] == value {
		return list
	}
	text, err := json.Marshal(value) // as JSON, so that a string that looks like a number remains a string
	if err != nil {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingSet, Text: string(text)})
}

// appendRemoval adds the removal of an unwanted field to the list. It keeps null and empty fields, because Ironic
// ignores them. The exception is kernel_append_params, which is always removed.
func appendRemoval(list []models.Setting, now map[string]any, object, field string, unwanted bool) []models.Setting {
	value, there := now[field]
	if !unwanted || !there || (value == nil || value == "") && field != "kernel_append_params" {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingRemove})
}

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
	} else if loader := n.DriverInfo["bootloader"]; buildsISO(n.BootInterface) && (loader == nil || loader == "") {
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

func buildsISO(boot string) bool {
	t := bootInterfaces()[boot]
	return t.iso && t.pair && boot != "fake"
}

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
