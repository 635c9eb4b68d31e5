package boot

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/lab/vm"
	"ironworks/test/ironic"
)

// serveBootFiles serves Ironic's files for network boot on an address that machines reach, sets that in Ironic's
// configuration, and returns the URL of the boot script.
func (b *bench) serveBootFiles(options *ironic.Options) string {
	b.t.Helper()
	options.Dir = b.t.TempDir()
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(options.Dir, "http"))))
	b.t.Cleanup(files.Close)
	address := guestURL(b.t, files.URL)
	options.Settings = map[string]map[string]string{"deploy": {"http_url": address}}
	return address + "/boot.ipxe"
}

// TestNetworkBoot inspects a machine without virtual media: iPXE loads Ironic's script, kernel and initramfs, which
// Ironic gets from `ignition serve --pxe`, and the ramdisk loads its root file system from there.
func TestNetworkBoot(t *testing.T) {
	b := newBench(t, ramdisk{served: true, pxe: true})
	// Ironic cannot use the address under which the machine reaches this computer, and vice versa for the address
	// that Ironic puts into the kernel arguments.
	target := b.serve("--pxe", "--advertise", vm.HostAddress.String(), "--inspection-callback", guestURL(t, b.ironic.URL)+"/v1/continue_inspection",
		"--karg-append", "console=ttyS0,115200n8", "--karg-append", "systemd.show_status=true", "--karg-append", "mitigations=off",
		"--karg-append", "ipa-advertise-host="+b.machine.AgentHost()).Targets[0]
	here := strings.NewReplacer("//"+vm.HostAddress.String()+":", "//127.0.0.1:")
	b.ironworks("ignition", "apply", b.uuid(), "--kernel", here.Replace(target.Kernel), "--initrd", here.Replace(target.Initrd),
		"--kernel-params", target.Params, "--with-defaults", "--yes")
	b.inspect()
}
