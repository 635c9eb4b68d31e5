package e2e

import (
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenAssistedInstall deploys a node with the start_assisted_install step instead of install_coreos, using the
// form for this step.
func TestScreenAssistedInstall(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, m := redfishNode(t, server, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("set", name, "inspect_interface=agent")
		c.ok("inspect", name, "--wait", "--timeout", "6m")
		c.ok("set", name, `properties.root_device={"serial": "`+m.Disks()[0].Serial+`"}`)
		c.ok("provide", name, "--wait", "--yes", "--timeout", "6m")
		s := c.fleet(size{160, 45})
		s.filterFor(name)
		s.press("d")
		s.until("Deploy  "+name, "updated just now")
		s.page("Steps")
		s.addStep("deploy.start_assisted_install", "Priority")
		s.press(terminal.Enter)
		s.gone("╭─ Add step")
		s.until("80  deploy.install_coreos", "❯    80  deploy.start_assisted_install")
		s.press("k")
		s.until("❯    80  deploy.install_coreos")
		s.press("x")
		s.gone("deploy.install_coreos")
		s.until("start_assisted_install   ", "updated just now") // this line names the kind of deployment
		s.press("r")
		s.until("Review]", "▲ assisted-disk", "deploy.start_assisted_install@80")
		s.gone("◐ checking") // the checks must end before D is pressed
		s.press("D")
		s.typed(name, "deploy "+name+"? Type the node name to confirm.")
		s.within(5*time.Minute, "the console shows the end", func() bool { return s.Contains("deploy " + name + ": done, now active") })
		s.quits()
		if n := apiNode(t, server, uuid); n["provision_state"] != "active" {
			t.Errorf("the node is %v: %v", n["provision_state"], n["last_error"])
		}
		if disk := m.Disks()[0].Installed; disk == nil || disk.What != "assisted installer" {
			t.Errorf("installed: %+v", disk)
		}
	})
}

// TestScreenRAIDStepInDeployment creates the root disk with the form for raid.apply_configuration. The deployment
// uses the direct deploy interface, which waits for the agent after the restart. Before this step, no disk matches
// the hints.
func TestScreenRAIDStepInDeployment(t *testing.T) {
	t.Parallel()
	image, sum := rawImage(t)
	asShipped(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, m := hardwareNode(t, c, server)
		c.ok("inspect", name, "--wait", "--timeout", "6m")
		c.ok("set", name, "automated_clean=false", "deploy_interface=direct", `properties.root_device={"size": "<= 100"}`)
		c.ok("provide", name, "--wait", "--yes", "--timeout", "6m")
		c.ok("set", name, "instance_info.image_source="+image, "instance_info.image_os_hash_algo=sha256", "instance_info.image_os_hash_value="+sum, "instance_info.image_disk_format=raw")
		s := c.fleet(size{160, 45})
		s.filterFor(name)
		s.press("d")
		s.until("Deploy  "+name, "✖ root-device no disk matches the hints")
		s.page("Steps")
		s.until("80  deploy.write_image")
		s.addStep("raid.apply_configuration", "Target RAID*")
		s.press(terminal.CtrlU, "90", terminal.Tab, "1", terminal.Enter)
		s.until("use LEVEL:SIZE")
		s.press(terminal.CtrlU, "1:100:root", terminal.Enter)
		s.gone("╭─ Add step")
		s.until("90  raid.apply_configuration", "80  deploy.write_image")
		s.page("Review")
		s.until("✖ root-device no disk matches the hints", "▲ raid-root raid.apply_configuration changes the disks")
		s.press("O")
		s.typed(name, "Override checks of "+name)
		s.gone("✖ root-device")
		s.press("D")
		s.typed(name, "deploy "+name+"? Type the node name to confirm.")
		s.within(5*time.Minute, "the console shows the end", func() bool { return s.Contains("deploy " + name + ": done, now active") })
		s.quits()
		if v := m.Volumes(); len(v) != 1 || v[0].Type != "RAID1" {
			t.Errorf("volumes %+v", v)
		}
	})
}

// page pages through the wizard until it shows the page with the given title.
func (s *screenConsole) page(title string) {
	s.t.Helper()
	for range 5 {
		if s.Contains(title + "]") {
			return
		}
		before := s.openTab()
		s.press(terminal.Tab)
		s.when("the next page", func() bool { return s.openTab() != before })
	}
	s.until(title + "]")
}

// openTab returns the title of the open tab or page, with its mark. It is the first title on the screen that is in
// brackets.
func (s *screenConsole) openTab() string {
	_, rest, _ := strings.Cut(s.Text(), "[")
	title, _, _ := strings.Cut(rest, "]")
	return title
}
