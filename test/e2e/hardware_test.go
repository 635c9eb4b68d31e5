package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// hardwareNode enrolls a machine that has a RAID controller, lets Ironic pick the remaining interfaces, and makes the
// node manageable.
func hardwareNode(t *testing.T, c *console, s *ironic.Server) (name string, m *lab.Machine) {
	t.Helper()
	member := lab.Member{RAID: &machine.RAIDController{}}
	for i := range 5 {
		member.Disks = append(member.Disks, machine.Disk{
			Name: fmt.Sprintf("/dev/sd%c", 'a'+i), SizeBytes: 480_103_981_056, Model: "INTEL SSDSC2KB48", Serial: fmt.Sprintf("BTYF%d", i),
			WWN: fmt.Sprintf("0x55cd2e40000001%02d", i), HCTL: fmt.Sprintf("0:0:%d:0", i),
		})
	}
	m = labMember(t, s, member, lab.Options{})
	// Cleaning boots the machine. The default network interface would need Neutron for this.
	createWithPorts(t, s, map[string]any{
		"name": m.Name(), "driver": "redfish", "driver_info": m.DriverInfo(), "network_interface": "noop", "boot_interface": "redfish-virtual-media",
	}, m.Enrollment("e2e", nil).Ports)
	c.ok("manage", m.Name(), "--wait", "--timeout", "6m")
	return m.Name(), m
}

// TestBIOSSettings checks that a machine's settings are shown, changed, and compared with those of a golden machine,
// and that wrong changes are refused.
func TestBIOSSettings(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, m := hardwareNode(t, c, s)
		golden, _ := hardwareNode(t, c, s)
		for _, want := range []string{"ProcTurboMode", "Enabled, Disabled", "60 to 600", "read-only, unique"} {
			if o := c.ok("bios", "show", name); !strings.Contains(o.stdout, want) {
				t.Errorf("no %q in\n%s", want, o.stdout)
			}
		}
		for change, problem := range map[string]string{
			"ProcTurbo=Disabled":    `no BIOS setting ProcTurbo`,
			"ProcTurboMode=Off":     "allowed: Enabled, Disabled",
			"AcPowerDelay=601":      "601 is not allowed; allowed: 60 to 600",
			"SerialNumber=x":        "read-only",
			"ProcTurboMode=Enabled": "already set",
		} {
			if o := c.fails(3, "bios", "set", name, change, "--yes"); !strings.Contains(o.stderr, problem) {
				t.Errorf("%s: %s", change, o.stderr)
			}
		}
		o := c.ok("bios", "set", name, "ProcTurboMode=Disabled", "AcPowerDelay=90", "QuietBoot=true", "--yes", "--wait", "--timeout", "6m")
		if !strings.Contains(o.stdout, "done") || !strings.Contains(o.stdout, "manageable") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		current, pending := m.BIOS()
		if got := fmt.Sprint(current["ProcTurboMode"], current["AcPowerDelay"], current["QuietBoot"]); got != "Disabled 90 true" && got != "Disabled90 true" || len(pending) != 0 {
			t.Errorf("settings %s, pending %v", got, pending)
		}
		o = c.ok("bios", "compare", golden, name)
		for _, want := range []string{"ProcTurboMode", "AcPowerDelay", "QuietBoot", "SerialNumber"} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("no difference of %s:\n%s", want, o.stdout)
			}
		}
		copiesOnScreen(c, golden, name)
		if o = c.ok("bios", "compare", golden, name); strings.Contains(o.stdout, "ProcTurboMode") || !strings.Contains(o.stdout, "SerialNumber") {
			t.Errorf("after the copy:\n%s", o.stdout)
		}
	})
}

// copiesOnScreen compares two nodes in the console, and copies the golden node's settings to the other.
func copiesOnScreen(c *console, golden, name string) {
	c.t.Helper()
	s := c.fleet(roomy)
	s.filter("name:=" + golden + "," + name)
	s.press("*")
	s.pick(":", paletteTitle, "compare")
	s.until("› compare 2 nodes", "ProcTurboMode")
	s.press("c")
	s.until("╭─ Golden node")
	s.press(terminal.CtrlU, golden, terminal.Enter)
	s.until("golden node "+golden+"; 1 of 1 node", "AcPowerDelay")
	s.press("E")
	s.until(name, "copy BIOS", takesYes)
	s.press("y")
	s.within(5*time.Minute, "the copy ends", func() bool { return s.Contains("copy BIOS " + name + ": done") })
	s.quits()
}

const twoVolumes = `{logical_disks: [
  {raid_level: "1", size_gb: 100, volume_name: system, is_root_volume: true},
  {raid_level: "5", size_gb: 200, volume_name: data, number_of_physical_disks: 3}]}`

// TestRAIDOfAController checks that a target RAID configuration is checked against the drives, created, shown and
// deleted.
func TestRAIDOfAController(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, m := hardwareNode(t, c, s)
		c = newConsole(t, append(c.env, "IRONWORKS_BMC_PASSWORD="+m.Spec().Password)...)
		if o := c.ok("raid", "check", name, "-f", twoVolumes); !strings.Contains(o.stdout, "system") || strings.Count(o.stdout, "GiB") != 2 {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		f := c.fleet(roomy)
		f.filterFor(name)
		f.pick(":", paletteTitle, "raid")
		f.until("[RAID]", "Current volumes")
		f.press("Q")
		f.until("is not sent to", "Log in on the BMC tab")
		f.press("1")
		f.until("› fleet")
		f.press(terminal.Enter)
		f.until("[Overview]")
		f.pick(":", paletteTitle, "bmc")
		f.until("[BMC]", "logs in to this BMC")
		f.pick(":", paletteTitle, "bmc-login")
		f.until("╭─ Log in to the BMC at http")
		f.press(terminal.Tab, m.Spec().Password, terminal.Enter)
		f.until("INTEL SSDSC2KB48")
		f.pick(":", paletteTitle, "raid")
		f.until("[RAID]")
		f.press("Q")
		f.until("Drives reported by the BMC", "INTEL SSDSC2KB48")
		f.quits()
		if o := c.fails(3, "raid", "check", name, "-f", `{logical_disks: [{raid_level: "1", size_gb: 9000}]}`); !strings.Contains(o.stderr, "does not fit") {
			t.Error(o.stderr)
		}
		if o := c.fails(2, "raid", "apply", name, "-f", `{logical_disks: [{raid_level: "7", size_gb: 100}]}`); !strings.Contains(o.stderr, "raid_level") {
			t.Error(o.stderr)
		}
		o := c.ok("raid", "apply", name, "-f", twoVolumes, "--yes", "--wait", "--timeout", "6m")
		if !strings.Contains(o.stdout, "done") || len(m.Volumes()) != 2 {
			t.Errorf("volumes %+v\n%s%s", m.Volumes(), o.stdout, o.stderr)
		}
		o = c.ok("raid", "show", name)
		if strings.Count(o.stdout, "current") != 2 || strings.Count(o.stdout, "target") != 2 {
			t.Error(o.stdout)
		}
		c.ok("raid", "delete", name, "--yes", "--wait", "--timeout", "6m")
		if len(m.Volumes()) != 0 {
			t.Errorf("volumes %+v", m.Volumes())
		}
	})
}

// withFirmware runs a test against Ironics that enable the redfish firmware interface, which is disabled by default.
func withFirmware(t *testing.T, run func(t *testing.T, s *ironic.Server)) {
	t.Run(ironic.Newest.Version(), func(t *testing.T) {
		t.Parallel()
		s, err := ironic.Start(t.Context(), ironic.Options{Release: ironic.Newest, AsShipped: true, Settings: map[string]map[string]string{
			"DEFAULT": {"enabled_firmware_interfaces": "no-firmware,redfish"},
			"redfish": {"firmware_update_reboot_delay": "5", "firmware_update_validation_interval": "0"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		run(t, s)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		i, err := lab.StartIronic(t.Context(), lab.IronicOptions{Speed: 30, AsShipped: true, Firmware: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = i.Close() })
		run(t, ironic.At(i.URL, ironic.Newest))
	})
}

// TestFirmwareOfMachines checks that firmware versions are listed and counted by model, and that a component is
// updated from a URL.
func TestFirmwareOfMachines(t *testing.T) {
	t.Parallel()
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(machine.FirmwareImage(machine.BIOSFirmware, "9.9.9"))
	}))
	t.Cleanup(images.Close)
	withFirmware(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _ := hardwareNode(t, c, s)
		other, _ := hardwareNode(t, c, s)
		if o := c.ok("firmware", "list", name); !strings.Contains(o.stdout, "bios") || !strings.Contains(o.stdout, "2.4.1") {
			t.Error(o.stdout)
		}
		if o := c.ok("firmware", "matrix"); !strings.Contains(o.stdout, "not inspected") || !strings.Contains(o.stdout, name+" "+other) && !strings.Contains(o.stdout, other+" "+name) {
			t.Error(o.stdout)
		}
		if o := c.fails(3, "firmware", "update", name, "nic:none="+images.URL, "--yes"); !strings.Contains(o.stderr, "no firmware component nic:none; the node has") {
			t.Error(o.stderr)
		}
		c.ok("firmware", "update", name, "bios="+images.URL+"/bios.bin", "--yes", "--wait", "--timeout", "6m")
		if o := c.ok("firmware", "list", name); !strings.Contains(o.stdout, "9.9.9") {
			t.Error(o.stdout)
		}
		if o := c.ok("firmware", "matrix", "-o", "json"); strings.Count(o.stdout, `"9.9.9"`) != 1 || strings.Count(o.stdout, `"2.4.1"`) != 1 {
			t.Error(o.stdout)
		}
	})
}

// TestHardwareOfAnOldIronic checks that, under 21.4.4, the errors say that firmware needs a newer API, and which
// interface does not offer a step.
func TestHardwareOfAnOldIronic(t *testing.T) {
	t.Parallel()
	s := takeIronic(t, ironic.Old)
	c := consoleAt(t, s)
	name := unique("old")
	s.CreateNode(t, map[string]any{"name": name, "driver": "fake-hardware", "bios_interface": "no-bios"})
	c.ok("manage", name, "--wait")
	if o := c.fails(3, "firmware", "list", name); !strings.Contains(o.stderr, "1.86") {
		t.Error(o.stderr)
	}
	if o := c.ok("bios", "show", name); !strings.Contains(o.stderr, "No BIOS settings") {
		t.Error(o.stderr)
	}
	if o := c.fails(3, "bios", "set", name, "A=b", "--yes"); !strings.Contains(o.stderr, "not offered by bios interface no-bios") {
		t.Error(o.stderr)
	}
	if o := c.ok("steps", name, "--kind", "clean"); strings.Contains(o.stdout, "bios.") {
		t.Error(o.stdout)
	}
}

// TestVolumesAndVendorMethods checks, with both releases and the embedded Ironic, that the program lists vendor
// methods and the volumes that another client has created.
func TestVolumesAndVendorMethods(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("volumes")
		uuid := s.CreateNode(t, map[string]any{"name": name, "driver": "fake-hardware"})
		if o := c.ok("volumes", name); !strings.Contains(o.stderr, "No volume connectors or targets.") {
			t.Error(o.stdout + o.stderr)
		}
		for path, body := range map[string]map[string]any{
			"connectors": {"node_uuid": uuid, "type": "iqn", "connector_id": "iqn.2026-11.example:" + name},
			"targets":    {"node_uuid": uuid, "volume_type": "iscsi", "volume_id": "v-" + name, "boot_index": 0},
		} {
			if status, answer, err := s.Do(t.Context(), http.MethodPost, "/v1/volume/"+path, body); err != nil || status != http.StatusCreated {
				t.Fatalf("%s: %d %s %v", path, status, answer, err)
			}
		}
		o := c.ok("volumes", name)
		for _, want := range []string{"connector", "iqn.2026-11.example:" + name, "target", "iscsi", "v-" + name} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("no %q in\n%s", want, o.stdout)
			}
		}
		if o := c.ok("vendor", name); !strings.Contains(o.stdout, "second_method") || !strings.Contains(o.stdout, "third_method_sync") {
			t.Error(o.stdout + o.stderr)
		}
		f := c.fleet(roomy)
		f.filterFor(name)
		f.pick(":", paletteTitle, "inspection")
		f.until("[Inspection]", "Not inspected.", "connector  iqn  iqn.2026-11.example:"+name, "target  iscsi  v-"+name, "second_method  POST")
		f.quits()
		if o := c.ok("inventory", name); !strings.Contains(o.stderr, "is not inspected") {
			t.Error(o.stdout + o.stderr)
		}
	})
}
