package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestEnrollWithServedISO enrolls a machine with an ISO that the same command builds and serves. The machine boots
// the ISO for cleaning. A deploy_iso given as a URL is compared like any other field.
func TestEnrollWithServedISO(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		machines := rack(t, s, 1)
		m := machines[0]
		file := spreadsheet(t, machines, func(_ int, cells map[string]string) { cells["deploy_iso"] = "" })
		c.file("live.iso", plainLiveISO(t))
		c.file("operator.pub", []byte(operatorKey+"\n"))
		c.ok("ignition", "build", "--ssh-key", "operator.pub", "-o", "ramdisk.ign")
		if o := c.fails(2, "enroll", "-f", file, "--deploy-iso", "live.iso", "--dry-run"); !strings.Contains(o.stderr, "ironworks ignition embed") {
			t.Errorf("ISO without an Ignition configuration: %s", o.stderr)
		}
		c.ok("ignition", "embed", "live.iso", "ramdisk.ign", "--output", "agent.iso")

		args := []string{"enroll", "-f", file, "--set", "driver_info.redfish_verify_ca=false", "--set", "boot_interface=redfish-virtual-media", "--set", "automated_clean=true"}
		if o := c.ok(append(args, "--deploy-iso", "agent.iso", "--dry-run")...); !strings.Contains(o.stdout, `"deploy_iso":"http://127.0.0.1:`) {
			t.Errorf("--dry-run: %s", o.stdout)
		}
		if len(nodesNamed(t, s, machines)) > 0 {
			t.Error("--dry-run enrolled the machine")
		}
		enrolling := c.background(append(args, "--deploy-iso", "agent.iso", "--to", "available", "--no-inspect", "--yes", "--timeout", "6m")...)
		enrolling.line(m.Name() + ` +done +available`)
		enrolling.line(`ramdisk\.iso: `)
		served := fmt.Sprint(driverInfo(t, s, m.Name())["deploy_iso"])
		if !strings.HasSuffix(served, "/ramdisk.iso") {
			t.Errorf("deploy_iso %s", served)
		}
		if code := enrolling.interrupt(); code != 0 {
			t.Errorf("exit code %d: %s", code, enrolling.stderr.String())
		}

		if o := c.ok(append(args, "--deploy-iso", served, "--dry-run")...); !strings.Contains(o.stderr, "1 unchanged; nothing was sent") {
			t.Errorf("same URL: %s%s", o.stdout, o.stderr)
		}
		other := "http://192.0.2.1/other.iso"
		if o := c.ok(append(args, "--deploy-iso", other, "--yes")...); !strings.Contains(o.stderr, "driver_info.deploy_iso "+served+" → "+other) {
			t.Errorf("new URL: %s%s", o.stdout, o.stderr)
		}
		if got := driverInfo(t, s, m.Name())["deploy_iso"]; got != other {
			t.Errorf("deploy_iso %v", got)
		}
		pair := []string{"--deploy-kernel", "http://192.0.2.1/vmlinuz", "--deploy-ramdisk", "http://192.0.2.1/initrd.img", "--kernel-params", "coreos.live.rootfs_url=http://192.0.2.1/rootfs.img"}
		c.ok(append(append(args, "--yes", "--set", "boot_interface=ipxe"), append(pair, "--deploy-iso", other)...)...)
		info := driverInfo(t, s, m.Name())
		if info["deploy_kernel"] != pair[1] || info["deploy_ramdisk"] != pair[3] || info["kernel_append_params"] != pair[5] || info["deploy_iso"] != nil {
			t.Errorf("for network boot: %v", info)
		}
	})
}
