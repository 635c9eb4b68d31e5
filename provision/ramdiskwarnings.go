package provision

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// warnings are what is legal and may not work.
func (r Ramdisk) warnings(n *models.Node, ops []models.PatchOp) []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, f := range [][2]string{{"deploy_iso", r.ISO}, {"deploy_kernel", r.Kernel}, {"deploy_ramdisk", r.Initramfs}} {
		if text := hrefWarning(f[1]); text != "" {
			warn("%s: %s", f[0], text)
		}
	}
	if _, known := bootInterfaces()[n.BootInterface]; !known && n.BootInterface != "" {
		warn("boot interface %q is not known here: whether it boots this is not known either", models.Printable(n.BootInterface))
	}
	if r.ISO != "" {
		if n.DriverInfo["kernel_append_params"] != nil && !r.NoKernelParams {
			warn("driver_info.kernel_append_params stays, and Ironic does not pass it to an ISO that is ready")
		}
	} else if buildsISO(n.BootInterface) && empty(n.DriverInfo["bootloader"]) {
		warn("Ironic builds an ISO of the pair: for UEFI it needs driver_info.bootloader, or [conductor]bootloader in its configuration")
	}
	if slices.ContainsFunc(ops, func(op models.PatchOp) bool {
		return op.Path == "/instance_info/kernel_append_params" && op.Op == "remove"
	}) {
		warn("instance_info.kernel_append_params goes: it would win over everything else")
	}
	if len(ops) > 0 && n.ProvisionState.Busy() {
		warn("the node is %s: what runs on it now stays, only its next boot is another", n.ProvisionState)
	}
	return list
}

// buildsISO are the boot interfaces that make an ISO of a kernel and an initramfs.
func buildsISO(boot string) bool {
	t := bootInterfaces()[boot]
	return t.iso && t.pair && boot != "fake"
}

func empty(value any) bool { return value == nil || value == "" }

// hrefWarning says who may not get at an address.
func hrefWarning(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "file":
		return "a conductor reads files only below [conductor]file_url_allowed_paths, /var/lib/ironic unless it is configured"
	case "http", "https":
	default:
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	addr, err := netip.ParseAddr(host)
	addr = addr.Unmap()
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback():
		return fmt.Sprintf("%s is another machine for every machine: no BMC reaches this one there, and a conductor only if it runs here", models.Printable(host))
	case err == nil && addr.IsUnspecified():
		return fmt.Sprintf("%s is where one listens, not where others come to", models.Printable(host))
	case err == nil && addr.IsLinkLocalUnicast():
		return fmt.Sprintf("%s is good on one link only: others may not reach it", models.Printable(host))
	}
	return ""
}
