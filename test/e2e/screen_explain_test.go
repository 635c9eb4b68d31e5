package e2e

import (
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenExplainsAPassword opens Explain for a node whose BMC rejects the password, and follows its next steps
// until no problem is left.
func TestScreenExplainsAPassword(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, m := redfishNode(t, s, "ok")
		c.ok("set", name, "driver_info.redfish_password=wrong")
		f := c.fleet(roomy)
		f.filterFor(name)
		f.press("e")
		f.until("› explain "+name, "✓ No problem found", "rule at-rest")
		f.press("M")
		f.until("✖ The BMC rejected Ironic's credentials", "● high", "rule bmc-credentials", "last_error = ", "an unreachable BMC",
			"❯ enter  set (:set)", "ironworks set "+name+" driver_info.redfish_password=PASSWORD")
		f.press(terminal.Esc)
		f.rowSays(name, "○ enroll", "BMC rejected credentials")
		f.press("e")
		f.until("❯ enter  set")
		password, _ := m.DriverInfo()["redfish_password"].(string)
		f.press(terminal.Enter)
		f.until("╭─ set "+name, "Settings")
		f.until("driver_info.redfish_password=")
		f.press(password)
		f.until("driver_info.redfish_password=" + strings.Repeat("•", len(password)))
		f.lacks(password)
		f.press(terminal.Enter)
		f.gone("╭─ set " + name)
		f.until("set " + name + ": done")
		f.press("M")
		f.until("manage "+name+": done", "manageable", "✓ No problem found")
		f.press(terminal.Esc)
		f.rowSays(name, "○ manageable")
		f.quits()
	})
}

// TestScreenExplainsHints opens Explain for a failed deployment, follows its next step to the Disks tab, and returns.
func TestScreenExplainsHints(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, _ := redfishNode(t, s, "no-disk-matches")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		f := c.fleet(roomy)
		f.filterFor(name)
		f.rowSays(name, "○ available")
		c.fails(1, "deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name)
		f.rowSays(name, "✖ deploy failed", "no disk matches the hints")
		f.press("e")
		f.until("✖ No disk in the machine matches the root device hints", "● high", "rule no-hinted-device", "the image: nothing was written", "❯ enter  disks")
		f.press(terminal.Enter)
		f.until("[Disks]")
		f.press(terminal.Esc)
		f.until("› explain "+name, "❯ enter  disks")
		f.press("y")
		f.until("next command", "ironworks disks "+name)
		f.press(terminal.Esc)
		f.gone("next command")
		f.press(terminal.Esc)
		f.rowSays(name, "✖ deploy failed")
		f.quits()
	})
}
