package boot

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/lab/machine"
)

// proofUnit runs on the first boot with the user data. It writes to the serial line which disk the system is on, a
// user's name, the content of the file that Ignition wrote, and the kernel arguments.
const proofUnit = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'disk=$$(lsblk -ndo PKNAME $$(findmnt -no SOURCE /)); echo "proof: $$(cat /etc/proof) on $$(lsblk -ndo WWN /dev/$$disk) as $$(id -un 1234) with $$(cat /proc/cmdline)" >/dev/ttyS0'
[Install]
WantedBy=multi-user.target
`

// proofLine matches the output of proofUnit.
const proofLine = `proof: (.*) on (\S*) as (\S*) with (.*)`

// userData returns a configuration with a user, a file and a unit; core may log in with the bench's key.
func (b *bench) userData() map[string]any {
	return map[string]any{
		"ignition": map[string]any{"version": "3.4.0"},
		"passwd": map[string]any{"users": []any{
			map[string]any{"name": "core", "sshAuthorizedKeys": []any{b.login.public}},
			map[string]any{"name": "tenant", "uid": 1234},
		}},
		"storage": map[string]any{"files": []any{
			map[string]any{"path": "/etc/proof", "mode": 0o644, "contents": map[string]any{"source": "data:,user%20data"}},
		}},
		"systemd": map[string]any{"units": []any{map[string]any{"name": "proof.service", "enabled": true, "contents": proofUnit}}},
	}
}

func (b *bench) encode(value any) string {
	b.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// wantProof checks that the installed system is on the given disk and has the user data and the kernel arguments.
func (b *bench) wantProof(proof []string, disk machine.Disk, kargs ...string) {
	b.t.Helper()
	if proof[1] != "user data" || proof[2] != disk.WWN || proof[3] != "tenant" {
		b.t.Errorf("the installed system reports %q, want disk %s", proof[0], disk.WWN)
	}
	for _, karg := range kargs {
		if !strings.Contains(" "+proof[4]+" ", " "+karg+" ") {
			b.t.Errorf("the installed system has the kernel arguments %q, want %s", proof[4], karg)
		}
	}
}

// TestInstallCoreOSAndFirstBoot deploys to the disk that the root device hint selects by its WWN; the agent would
// pick another disk by default. It checks that the first boot runs the user data.
func TestInstallCoreOSAndFirstBoot(t *testing.T) {
	b := newBench(t, ramdisk{})
	disk := b.machine.Disks()[1]
	b.set("/properties/root_device", map[string]any{"wwn": disk.WWN})
	b.provide()
	from := b.serial.Length()
	b.deploy(b.image(), "proof=karg")
	b.followRamdiskBoot(from)
	b.waitInstalling()
	b.wantProof(b.followInstallation(func() { b.waitFor("active") }), disk, "proof=karg")
}
