package boot

import (
	"testing"

	"ironworks/test/ironic"
)

// TestOldIronic inspects and deploys a machine with Ironic 21.4.4 and its agent. Inspection uses Redfish and stores
// no inventory, so the deployment overrides the check for an inventory. The root device hint selects the disk by its
// size.
func TestOldIronic(t *testing.T) {
	b := newBench(t, ramdisk{release: ironic.Old})
	disk := b.machine.Disks()[2]
	b.ironworks("inspect", b.uuid(), "--yes", "--wait")
	t.Log(b.phases.Done("inspection over Redfish"))
	b.ironworks("provide", b.uuid(), "--yes", "--wait")
	b.ironworks("set", b.uuid(), "instance_info.image_source="+b.image())
	from := b.serial.Length()
	deployment := b.start("deploy", b.uuid(), "--user-data", b.write("user.ign", b.encode(b.userData())),
		"--root-device", `{"size": ">= 11"}`, "--override", "inventory", "--confirm", b.uuid(), "--yes", "--wait")
	b.followRamdiskBoot(from)
	b.waitInstalling()
	b.wantProof(b.followInstallation(deployment.waitSuccess), disk)
}
