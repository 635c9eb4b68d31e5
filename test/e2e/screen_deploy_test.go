package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// typed waits until a dialog that requires typed text accepts keys, and then types the answer.
func (s *screenConsole) typed(answer string, texts ...string) {
	s.t.Helper()
	s.until(append(texts, takesTo)...)
	s.press(answer)
	s.until("> " + answer)
	s.press(terminal.Enter)
	s.gone(takesTo)
}

// deploys opens the deploy form and submits it with user data and root device hints.
func (s *screenConsole) deploys(name, userData, hints string) {
	s.t.Helper()
	s.press("D")
	s.until("╭─ deploy "+name, "User data", "Root device", "Steps")
	s.press(userData, terminal.Tab, hints, terminal.Enter)
	s.gone("Running checks.")
}

// TestScreenDeployReviewed deploys a lab machine from the fleet screen. A deployment whose hints match no disk is
// refused; the corrected one is reviewed and confirmed with the node's name.
func TestScreenDeployReviewed(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, m := redfishNode(t, server, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		// 21.4.4 has no agent inspection, so its nodes have no inventory.
		inspects := server.Release != ironic.Old
		if inspects {
			c.ok("set", name, "inspect_interface=agent")
			c.ok("inspect", name, "--wait", "--timeout", "6m")
		}
		c.ok("provide", name, "--wait", "--timeout", "6m")
		host := c.file("host.bu", []byte(hostButane))
		before := len(c.auditLines())

		s := c.fleet(roomy)
		s.filterFor(name)
		s.deploys(name, host, `{"serial": "no such disk"}`)
		id := "root-device"
		if !inspects {
			id = "inventory"
		}
		s.until("refused for "+name+": nothing was sent", "failed: "+id, "O override a check")
		s.press(terminal.Enter, "y", terminal.Enter)
		s.press(terminal.Esc)
		s.gone("refused for")
		if n := apiNode(t, server, uuid); len(c.auditLines()) != before || n["provision_state"] != "available" || n["instance_uuid"] != nil {
			t.Errorf("a request was sent: the node is %v, %v", n["provision_state"], c.auditLines()[before:])
		}

		s.deploys(name, host, `{"serial": "`+m.Disks()[0].Serial+`"}`)
		if !inspects {
			s.until("failed: inventory")
			s.press("O")
			s.until("╭─ Override a check")
			s.press(terminal.Enter)
			s.typed(name, "Override inventory on "+name, "failed: inventory")
		}
		s.until("deploy "+name+"? Type the node name to confirm.", uuid, "deploy.install_coreos@80", takesTo)
		if inspects {
			s.until("overwrites  "+m.Disks()[0].Name, m.Disks()[0].Serial)
		}
		s.press("y", terminal.Enter)
		s.until("No match.")
		s.press(terminal.CtrlU)
		s.typed(name)
		s.within(5*time.Minute, "the machine is deployed", func() bool {
			return s.Contains("deploy "+name+": done, now active") && s.Contains("● active")
		})
		s.quits()

		if n := apiNode(t, server, uuid); n["provision_state"] != "active" || n["instance_uuid"] == nil {
			t.Errorf("the node is %v, instance %v", n["provision_state"], n["instance_uuid"])
		}
		if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), `"merge"`) {
			t.Errorf("installed on the disk: %+v", installed)
		}
		overridden := slices.ContainsFunc(c.auditLines(), func(line map[string]any) bool {
			list, _ := line["overrides"].([]any)
			return line["verb"] == "deploy" && len(list) == 1 && list[0] == "inventory"
		})
		if overridden == inspects {
			t.Errorf("overrides in the audit: %v", c.auditLines())
		}
	})
}

// TestScreenTwoConsolesDeployOneNode confirms the same deployment in two consoles, and checks that exactly one of
// them deploys the node.
func TestScreenTwoConsolesDeployOneNode(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "both")
		consoles := []*console{consoleAt(t, server), consoleAt(t, server)}
		consoles[0].ok("manage", name, "--wait")
		consoles[0].ok("provide", name, "--wait", "--yes")
		var screens []*screenConsole
		for _, c := range consoles {
			s := c.fleet(roomy)
			s.filterFor(name)
			s.press("D")
			s.until("╭─ deploy "+name, "User data")
			s.press(terminal.Enter)
			s.until("deploy "+name+"? Type the node name to confirm.", takesTo)
			s.press(name)
			s.until("> " + name)
			screens = append(screens, s)
		}
		for _, s := range screens {
			s.press(terminal.Enter)
		}
		ended := "deploy " + name + ": done, now active"
		for _, s := range screens {
			s.when("the task has ended", func() bool { return s.Contains(ended) || s.Contains("✖ 1 failed") || s.Contains(" (HTTP 409)") })
		}
		if won := []bool{screens[0].Contains(ended), screens[1].Contains(ended)}; won[0] == won[1] {
			t.Errorf("succeeded: %v, want exactly one\n%s\n%s", won, screens[0].Describe(), screens[1].Describe())
		}
		deployments := 0
		for i, c := range consoles {
			s := screens[i]
			s.press("q")
			// The other console may still retry: Ironic also responds with HTTP 409 while the node is locked.
			s.when("exit or question", func() bool { return !s.AltScreen() || s.Contains("╭─ Quit") })
			if s.Contains("╭─ Quit") {
				s.answerYes("╭─ Quit")
			}
			s.ends(0)
			for _, line := range c.auditLines() {
				if line["verb"] == "deploy" && line["result"] == "sending" {
					deployments++
				}
			}
		}
		if n := apiNode(t, server, uuid); deployments != 1 || n["provision_state"] != "active" {
			t.Errorf("%d deployments were sent, the node is %v", deployments, n["provision_state"])
		}
	})
}

// TestScreenRebuild rebuilds an active node after the same review as a deployment.
func TestScreenRebuild(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid := screenNode(t, server, "again")
		c.ok("manage", name, "--wait")
		c.ok("provide", name, "--wait", "--yes")
		if o := c.fails(3, "rebuild", name, "--yes"); !strings.Contains(o.stderr, `[state] not possible in state "available"`) {
			t.Errorf("rebuild of an available node: %s", o.stderr)
		}
		c.ok("deploy", name, "--wait", "--yes")
		// 39.0.0 responds with HTTP 500 to a rebuild without an image.
		c.ok("set", name, "instance_info.image_source=http://127.0.0.1:1/image")
		instance := apiNode(t, server, uuid)["instance_uuid"]
		s := c.fleet(roomy)
		s.filterFor(name)
		s.press("D")
		s.until(`deploy: not possible in state "active"`)
		s.press("B")
		s.until("╭─ rebuild "+name, "User data")
		s.press(terminal.Enter)
		s.typed(name, "rebuild "+name+"? Type the node name to confirm.", uuid)
		s.until("rebuild " + name + ": done, now active")
		s.quits()
		if n := apiNode(t, server, uuid); n["provision_state"] != "active" || n["instance_uuid"] != instance {
			t.Errorf("the node is %v, instance %v, was %v", n["provision_state"], n["instance_uuid"], instance)
		}
	})
}
