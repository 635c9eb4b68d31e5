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

// serveBootFiles serves what Ironic has for machines that boot from the network at an address that
// they reach, tells Ironic so, and gives the address of the script that they begin with.
func (b *bench) serveBootFiles(options *ironic.Options) string {
	b.t.Helper()
	options.Dir = b.t.TempDir()
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(options.Dir, "http"))))
	b.t.Cleanup(files.Close)
	address := guestURL(b.t, files.URL)
	options.Settings = map[string]map[string]string{"deploy": {"http_url": address}}
	return address + "/boot.ipxe"
}

// TestNetworkBoot inspects a machine without virtual media: iPXE fetches Ironic's script, kernel and
// initramfs, which Ironic has from ignition serve --pxe, and the ramdisk fetches its root file
// system there.
func TestNetworkBoot(t *testing.T) {
	b := newBench(t, ramdisk{served: true, pxe: true})
	// Ironic does not reach this computer under the machine's address for it, and the machine not
	// under the one that Ironic puts into the kernel arguments.
	target := b.serve("--pxe", "--advertise", vm.HostAddress.String(), "--inspection-callback", guestURL(t, b.ironic.URL)+"/v1/continue_inspection",
		"--karg-append", "console=ttyS0,115200n8", "--karg-append", "systemd.show_status=true", "--karg-append", "mitigations=off",
		"--karg-append", "ipa-advertise-host="+b.machine.AgentHost()).Targets[0]
	here := strings.NewReplacer("//"+vm.HostAddress.String()+":", "//127.0.0.1:")
	b.ironworks("ignition", "apply", b.uuid(), "--kernel", here.Replace(target.Kernel), "--initrd", here.Replace(target.Initrd),
		"--kernel-params", target.Params, "--with-defaults", "--yes")
	b.inspect()
}
