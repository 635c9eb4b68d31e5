package e2e

import (
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestBMC checks that `ironworks bmc` and Ironic agree about a BMC. It also checks the errors for missing and wrong
// credentials and for IPMI.
func TestBMC(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		if o := c.fails(2, "bmc", name); !strings.Contains(o.stderr, "IRONWORKS_BMC_PASSWORD") {
			t.Errorf("without a password: %q", o.stderr)
		}
		known := newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_BMC_PASSWORD="+m.Spec().Password)
		out := known.ok("bmc", name).stdout
		for _, want := range []string{name, "Ironic and the BMC", "power off | Off", "Drives", m.Disks()[0].Serial, "Sensors"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		if strings.Contains(out, "≠") || strings.Contains(out, "Unreadable") {
			t.Errorf("a value differs or is unreadable:\n%s", out)
		}
		report := decode[struct {
			Node struct{ UUID string }
			BMC  struct {
				System struct{ Power, Serial string }
				Drives []struct{ Serial string }
			}
		}](t, known.ok("bmc", name, "-o", "json"))
		if report.Node.UUID != uuid || report.BMC.System.Power != "Off" || len(report.BMC.Drives) != len(m.Disks()) {
			t.Errorf("%+v", report)
		}
		ipmi := unique("ipmi")
		s.CreateNode(t, map[string]any{"name": ipmi, "driver_info": map[string]any{"ipmi_address": "10.0.7.1", "ipmi_password": "hunter-22"}})
		if o := known.fails(1, "bmc", ipmi); !strings.Contains(o.stderr, "IPMI only (10.0.7.1)") || !strings.Contains(o.stdout, "ipmi_address") || strings.Contains(o.stdout, "hunter-22") {
			t.Errorf("node with IPMI only: %s%s", o.stdout, o.stderr)
		}
		wrong := newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_BMC_PASSWORD=wrong-Pa55word")
		if o := wrong.fails(4, "bmc", name); !strings.Contains(o.stderr, "check user name and password") || strings.Contains(o.stderr, "wrong-Pa55word") {
			t.Errorf("with the wrong password: %q", o.stderr)
		}
	})
}
