package e2e

import (
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenPinsADisk opens the Disks tab of an inspected node and pins the last disk as the root device.
func TestScreenPinsADisk(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		disks := m.Disks()
		last := disks[len(disks)-1]
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("set", name, "properties.root_device={\"wwn\":\"0xnone\"}")

		f := c.fleet(roomy)
		f.filterFor(name)
		f.press(terminal.Enter, terminal.Tab, terminal.Tab, terminal.Tab)
		f.until("[Disks]", "no inventory for the node: disks unknown")
		if s.Release == ironic.Old {
			// In-band inspection of 21.4.4 needs ironic-inspector, which the tests do not run.
			f.press(terminal.Enter)
			f.until("disks unknown")
			f.quits()
			return
		}
		c.ok("set", name, "inspect_interface=agent")
		c.ok("inspect", name, "--wait", "--timeout", "6m")
		f.press(terminal.CtrlR)
		f.until(`properties.root_device {"wwn":"0xnone"}`, "No suitable device was found", "by an agent", disks[0].Serial)
		f.press("G")
		f.until("❯  ─ no", last.Serial)
		f.press(terminal.Enter)
		f.until("write root_device into")
		f.press(terminal.Down, terminal.Enter)
		f.answerYes("hints set "+name, "PATCH", "/properties/root_device", last.WWN, "Send 1 request?")
		f.until("● picked", "the hints match one disk")
		hints := apiNode(t, s, uuid)["properties"].(map[string]any)["root_device"].(map[string]any)
		if len(hints) != 1 || hints["wwn"] != last.WWN {
			t.Errorf("hints %v, want the wwn %s", hints, last.WWN)
		}
		if o := c.ok("disks", name, "-o", "name"); o.stdout != last.Name+"\n" {
			t.Errorf("picked %q, want %s", o.stdout, last.Name)
		}
		f.press(terminal.Enter, terminal.Down, terminal.Enter)
		f.until("Nothing to send", "already set")
		f.press(terminal.Esc)
		f.quits()
	})
}
