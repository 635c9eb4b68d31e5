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

// serveBootFiles serves Ironic's files for network boot at an address that machines can reach, sets this address in
// Ironic's options, and returns the URL of the boot script.
func (b *bench) serveBootFiles(options *ironic.Options) string {
	b.t.Helper()
	options.Dir = b.t.TempDir()
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(options.Dir, "http"))))
	b.t.Cleanup(files.Close)
	address := guestURL(b.t, files.URL)
	options.Settings = map[string]map[string]string{"deploy": {"http_url": address}}
	return address + "/boot.ipxe"
}

// TestNetworkBoot inspects a machine that boots without virtual media. iPXE loads the script, kernel and initramfs
// from Ironic. Ironic gets the kernel and initramfs from `ignition serve --pxe`, which also serves the root file
// system to the ramdisk.
func TestNetworkBoot(t *testing.T) {
	b := newBench(t, ramdisk{served: true, pxe: true})
	// Ironic and the machine reach this computer at different addresses. The URLs for Ironic contain 127.0.0.1, while
	// those in the kernel arguments contain the address for the machine.
	target := b.serve("--pxe", "--advertise", vm.HostAddress.String(), "--inspection-callback", guestURL(t, b.ironic.URL)+"/v1/continue_inspection",
		"--karg-append", "console=ttyS0,115200n8", "--karg-append", "systemd.show_status=true", "--karg-append", "mitigations=off",
		"--karg-append", "ipa-advertise-host="+b.machine.AgentHost()).Targets[0]
	here := strings.NewReplacer("//"+vm.HostAddress.String()+":", "//127.0.0.1:")
	b.ironworks("ignition", "apply", b.uuid(), "--kernel", here.Replace(target.Kernel), "--initrd", here.Replace(target.Initrd),
		"--kernel-params", target.Params, "--with-defaults", "--yes")
	b.inspect()
}
