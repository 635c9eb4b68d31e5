package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
)

const prepared = `apiVersion: v1
kind: Secret
metadata: {name: bmc, namespace: metal3}
stringData: {username: USER, password: PASSWORD-OF-BMC}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: NAME, namespace: metal3}
spec:
  online: true
  bootMACAddress: "PXE-NIC"
  bmc: {address: "redfish-virtualmedia+ADDRESS", credentialsName: bmc, disableCertificateVerification: true}
  automatedCleaningMode: disabled
  rootDeviceHints: {deviceName: /dev/md0}
  raid:
    softwareRAIDVolumes:
    - {level: "1", physicalDisks: [{serialNumber: SERIAL-1}, {serialNumber: SERIAL-2}]}
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareSettings
metadata: {name: NAME, namespace: metal3}
spec: {settings: {NumLock: "NUM-LOCK", BootMode: Uefi}}
`

// TestManifestIsPrepared checks that the RAID and firmware settings of a BareMetalHost are applied to the machine
// before it becomes available, and are not applied again.
func TestManifestIsPrepared(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		const numLock = "Off"
		c := consoleAt(t, s)
		c.patience = 8 * time.Minute
		m := rack(t, s, 1)[0]
		info := m.DriverInfo()
		file := filepath.Join(c.home, "host.yaml")
		text := strings.NewReplacer(
			"PASSWORD-OF-BMC", fmt.Sprint(info["redfish_password"]), "USER", fmt.Sprint(info["redfish_username"]), "NUM-LOCK", numLock, "NAME", m.Name(), "PXE-NIC", m.MACs()[0],
			"SERIAL-1", m.Disks()[0].Serial, "SERIAL-2", m.Disks()[1].Serial, "ADDRESS", fmt.Sprint(info["redfish_address"])+m.SystemPath(),
		).Replace(prepared)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// Cleaning boots the machine. The default network interface would need Neutron for this.
		args := []string{
			"enroll", "-f", file, "--to", "available", "--no-inspect", "--timeout", "6m", "--set", fmt.Sprintf("driver_info.deploy_iso=%s", info["deploy_iso"]), "--set", "network_interface=noop",
		}
		o := c.ok(append(args, "--dry-run")...)
		for _, want := range []string{
			"before available: RAID 1; BIOS BootMode=Uefi, NumLock=" + numLock, "/states/raid (when the node is manageable)", `"raid_level":"1"`,
			"baremetal node set --target-raid-config", `"step":"erase_devices_metadata"`, `"value":"` + numLock + `"`,
		} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("--dry-run: no %q in\n%s", want, o.stdout)
			}
		}
		o = c.ok(append(args, "--yes")...)
		if !strings.Contains(o.stdout, "verified, prepared (RAID 1") || !strings.Contains(o.stdout, "available") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		if current, pending := m.BIOS(); current["NumLock"] != numLock || len(pending) != 0 {
			t.Errorf("BIOS %v, pending %v", current, pending)
		}
		if arrays := m.Arrays(); len(arrays) != 1 {
			t.Errorf("arrays %+v\n%s%s", arrays, o.stdout, o.stderr)
		}

		name := "metal3~" + m.Name()
		if properties, _ := apiNode(t, s, name)["properties"].(map[string]any); fmt.Sprint(properties["root_device"]) != "map[name:s== /dev/md0]" {
			t.Errorf("the hints are lost with the old RAID: %v", properties)
		}
		again := c.ok(append(args, "--yes")...)
		if !strings.Contains(again.stderr, "1 unchanged") || !strings.Contains(again.stdout+again.stderr, "Metal3 manages") == strings.Contains(again.stdout, "prepared") {
			t.Errorf("when available: %s%s", again.stdout, again.stderr)
		}
		c.ok("manage", name, "--wait", "--timeout", "6m")
		before := m.Arrays()
		again = c.ok(append(args, "--yes")...)
		if strings.Contains(again.stdout, "prepared") || !strings.Contains(again.stdout, "available") {
			t.Errorf("when manageable: %s%s", again.stdout, again.stderr)
		}
		if after := m.Arrays(); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("arrays before %v, after %v", before, after)
		}
	})
}
