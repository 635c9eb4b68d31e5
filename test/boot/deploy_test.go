package boot

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// proofUnit is what the user data runs on the first boot: it tells the serial line which disk
// the system is on, its name, and what Ignition wrote.
const proofUnit = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'disk=$$(lsblk -ndo PKNAME $$(findmnt -no SOURCE /)); echo "proof: $$(cat /etc/proof) on $$(lsblk -ndo WWN /dev/$$disk) as $$(id -un 1234) with $$(cat /proc/cmdline)" >/dev/ttyS0'
[Install]
WantedBy=multi-user.target
`

// userData is a configuration with a user, a file and a unit.
func userData() map[string]any {
	return map[string]any{
		"ignition": map[string]any{"version": "3.4.0"},
		"passwd":   map[string]any{"users": []any{map[string]any{"name": "tenant", "uid": 1234}}},
		"storage": map[string]any{"files": []any{
			map[string]any{"path": "/etc/proof", "mode": 0o644, "contents": map[string]any{"source": "data:,user%20data"}},
		}},
		"systemd": map[string]any{"units": []any{map[string]any{"name": "proof.service", "enabled": true, "contents": proofUnit}}},
	}
}

// TestInstallCoreOSAndFirstBoot is a deployment: the disk that the hint names by WWN, which is
// not the one that the agent would take, gets the image, and the installed system's first boot
// runs the user data.
func TestInstallCoreOSAndFirstBoot(t *testing.T) {
	b := newBench(t, ramdisk{})
	disk := b.machine.Disks()[1]
	b.call(http.MethodPatch, b.node, []any{
		map[string]any{"op": "add", "path": "/properties/root_device", "value": map[string]any{"wwn": disk.WWN}},
		map[string]any{"op": "add", "path": "/instance_info/image_source", "value": guestURL(t, b.web.URL) + "/" + filepath.Base(b.images.Disk)},
	}, http.StatusOK)
	b.order(map[string]any{"target": "provide"})
	b.waitFor("available")
	t.Log(b.phases.Done("available"))

	from := b.serial.Length()
	b.order(map[string]any{
		"target": "active",
		"configdrive": map[string]any{
			"meta_data": map[string]any{"coreos_append_karg": []string{"proof=karg"}},
			"user_data": userData(),
		},
		"deploy_steps": []any{map[string]any{"interface": "deploy", "step": "install_coreos", "priority": 80, "args": map[string]any{}}},
	})
	b.ramdiskBoots(from)
	b.until("install_coreos runs", func(n shown) bool { return fmt.Sprint(n.Step["step"]) == "install_coreos" })
	t.Log(b.phases.Done("agent's start, inventory, lookup, heartbeat"))
	b.until("install_coreos is done", func(n shown) bool { return fmt.Sprint(n.Step["step"]) != "install_coreos" })
	t.Log(b.phases.Done("install_coreos"))
	from = b.serial.Length()
	b.waitFor("active")
	t.Log(b.phases.Done("boot entry, ramdisk off, power on, active"))
	b.expect(from, "firmware, boot loader, kernel", `stage1: ignition: fetch-offline`)
	b.expect(from, "Ignition with the user data", `stage1: ignition: finished`)
	proof := b.expect(from, "systemd, the unit of the user data", `proof: (.*) on (\S*) as (\S*) with (.*)`)
	if proof[1] != "user data" || proof[2] != disk.WWN || proof[3] != "tenant" || !strings.Contains(proof[4], "proof=karg") {
		t.Errorf("the installed system says %q, want the disk %s", proof[0], disk.WWN)
	}
}
