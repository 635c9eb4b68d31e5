package boot

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// assistedUnit replaces the Assisted Installer's agent: it picks a disk itself and installs to it.
const assistedUnit = `[Unit]
Description=Assisted Installer
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo "assisted: $$(cat /proc/cmdline)" >/dev/ttyS0'
ExecStart=/usr/bin/coreos-installer install /dev/nvme0n1 --insecure --image-url %s --ignition-file /etc/assisted.ign
ExecStart=/bin/sh -c 'echo "assisted: installed" >/dev/ttyS0'
`

// TestStartAssistedInstall checks that the agent can start, over D-Bus, a unit defined in the ramdisk's Ignition
// configuration. The unit installs to a disk of its choice. A kernel argument that is embedded in the ISO must reach
// the ramdisk.
func TestStartAssistedInstall(t *testing.T) {
	made := ramdisk{kargs: []string{"proof=embedded"}}
	made.extra = func(b *bench) string {
		return b.encode(map[string]any{
			"ignition": map[string]any{"version": "3.4.0"},
			"storage": map[string]any{"files": []any{map[string]any{
				"path": "/etc/assisted.ign", "mode": 0o600, "contents": map[string]any{"source": "data:," + url.PathEscape(b.encode(b.userData()))},
			}}},
			"systemd": map[string]any{"units": []any{map[string]any{"name": "agent.service", "contents": fmt.Sprintf(assistedUnit, b.image())}}},
		})
	}
	b := newBench(t, made)
	b.provide()
	from := b.serial.Length()
	deployment := b.start("deploy", b.uuid(), "--step", "deploy.start_assisted_install@80", "--override", "inventory", "--confirm", b.uuid(), "--yes", "--wait")
	b.followRamdiskBoot(from)
	found := b.expect(from, "agent's start, inventory, lookup, heartbeat", `assisted: (.*)`)
	if !strings.Contains(found[1], "proof=embedded") {
		t.Errorf("the ramdisk has the kernel arguments %q, want proof=embedded", found[1])
	}
	b.expect(from, "agent.service installs", `assisted: installed`)
	from = b.serial.Length()
	deployment.waitSuccess()
	t.Log(b.phases.Done("boot entry, ramdisk off, power on, active"))
	b.wantProof(b.firstBoot(from), b.machine.Disks()[0])
}
