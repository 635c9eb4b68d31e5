package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

const manifest = `apiVersion: v1
kind: Secret
metadata: {name: bmc, namespace: metal3}
stringData: {username: USER, password: PASSWORD-OF-BMC}
---
apiVersion: v1
kind: Secret
metadata: {name: user, namespace: metal3}
stringData: {userData: '{"ignition": {"version": "3.4.0"}}'}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: NAME, namespace: metal3}
spec:
  online: true
  bootMACAddress: MAC
  bmc: {address: "redfish-virtualmedia+ADDRESS", credentialsName: bmc, disableCertificateVerification: true}
  rootDeviceHints: {serialNumber: SERIAL}
  customDeploy: {method: install_coreos}
  userData: {name: user, namespace: metal3}
`

// TestDeployAMetal3Manifest enrolls a BareMetalHost and deploys it with the plan that its customDeploy
// requests.
func TestDeployAMetal3Manifest(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		c.patience = 8 * time.Minute
		m := rack(t, s, 1)[0]
		info := m.DriverInfo()
		file, plan := filepath.Join(c.home, "host.yaml"), filepath.Join(c.home, "plan.yaml")
		text := strings.NewReplacer(
			"PASSWORD-OF-BMC", fmt.Sprint(info["redfish_password"]), "USER", fmt.Sprint(info["redfish_username"]),
			"NAME", m.Name(), "MAC", m.MACs()[0], "SERIAL", m.Disks()[0].Serial, "ADDRESS", fmt.Sprint(info["redfish_address"])+m.SystemPath(),
		).Replace(manifest)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := c.ok("enroll", "-f", file, "--plan", plan, "--to", "available", "--yes", "--timeout", "6m", "--set", fmt.Sprintf("driver_info.deploy_iso=%s", info["deploy_iso"]))
		if !strings.Contains(o.stdout, "verified, inspected, available") {
			t.Fatalf("%s%s", o.stdout, o.stderr)
		}
		name := "metal3~" + m.Name()
		deploy := []string{"deploy", "-f", plan, "--yes", "--wait", "--timeout", "6m"}
		if s.Release == ironic.Old {
			// The old Ironic inspects over Redfish and stores no inventory.
			if o := c.fails(3, deploy...); !strings.Contains(o.stderr, "[inventory] no inventory for the node") {
				t.Errorf("without an inventory: %s", o.stderr)
			}
			deploy = append(deploy, "--override", "inventory", "--confirm", name)
		}
		o = c.ok(deploy...)
		if c.state(name) != models.StateActive {
			t.Errorf("%s is %s\n%s%s", name, c.state(name), o.stdout, o.stderr)
		}
		if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), "ignition") {
			t.Errorf("on the disk is %+v", installed)
		}
		if o := c.ok("export", "name:"+m.Name(), "-o", "bmh"); !strings.Contains(o.stdout, "externallyProvisioned: true") {
			t.Errorf("exported:\n%s", o.stdout)
		}
	})
}

// TestExportAndEnrollAgain checks that enroll reports exported nodes as unchanged, in each format that carries the
// whole node.
func TestExportAndEnrollAgain(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		machines := rack(t, s, 2)
		c.ok("enroll", "-f", spreadsheet(t, machines, nil), "--yes")
		for _, format := range []string{"baremetal", "bifrost", "csv"} {
			o := c.ok("export", "name:"+strings.TrimSuffix(machines[0].Name(), "-n00"), "-o", format)
			if strings.Contains(o.stdout, fmt.Sprint(machines[0].DriverInfo()["redfish_password"])) {
				t.Errorf("%s: a password is exported", format)
			}
			file := filepath.Join(c.home, "exported."+format)
			if err := os.WriteFile(file, []byte(o.stdout), 0o600); err != nil {
				t.Fatal(err)
			}
			if again := c.ok("enroll", "-f", file, "--dry-run", "--format", format); !strings.Contains(again.stderr, "2 unchanged; nothing was sent") {
				t.Errorf("%s:\n%s\n%s%s", format, o.stdout, again.stdout, again.stderr)
			}
		}
	})
}
