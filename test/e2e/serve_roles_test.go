package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestServeRoles tries commands and a console with every role. It checks that refused commands change nothing, and
// that the audit log names the users of the other commands.
func TestServeRoles(t *testing.T) {
	t.Parallel()
	newestRelease(t, testServeRoles)
}

func testServeRoles(t *testing.T, s *ironic.Server) {
	owner := unique("team")
	own, hidden := unique("own"), unique("hidden")
	s.CreateNode(t, map[string]any{"name": own, "deploy_interface": "fake"})
	uuid := s.CreateNode(t, map[string]any{"name": hidden, "deploy_interface": "fake"})
	setOwner(t, s, own, owner)
	setOwner(t, s, hidden, "another team")
	v := served(t, s, owner)
	t.Run("viewer", func(t *testing.T) {
		for _, command := range []string{
			"manage %s", "inspect %s", "power on %s", "maintenance on %s", "set %s extra.a=1", "boot-device pxe %s", "deploy %s --yes", "undeploy %s --yes", "clean %s --step a.b --yes",
			"validate %s", "bmc %s", "protect %s", "bringup %s --yes",
		} {
			if o := v.as("vera", 3, strings.Fields(fmt.Sprintf(command, own))...); !strings.Contains(o.stderr, "requires the operator role; your role is viewer") {
				t.Errorf("%s: %s", command, o.stderr)
			}
		}
		// Commands that also read are refused later, by the client.
		for _, command := range []string{"port create %s 52:54:00:aa:bb:01", "vif attach %s x", "templates delete x --yes"} {
			if o := v.ssh("vera", "", append([]string{"127.0.0.1"}, strings.Fields(strings.ReplaceAll(command, "%s", own))...)...); o.code == 0 || strings.Contains(o.stderr, "crash") {
				t.Errorf("%s: %d, %s", command, o.code, o.stderr)
			}
		}
		v.as("vera", 0, "node", own)
		if node := apiNode(t, s, own); node["provision_state"] != "enroll" || node["maintenance"] != false || len(v.c.auditLines()) != 0 {
			t.Errorf("the node has changed: %v, %v, %v", node["provision_state"], node["maintenance"], v.c.auditLines())
		}
	})
	t.Run("operator", func(t *testing.T) {
		v.as("ben", 0, "manage", own, "--wait")
		v.as("ben", 0, "provide", own, "--wait")
		lines := v.c.auditLines()
		for _, line := range lines {
			key, _ := line["key"].(string)
			address, _ := line["address"].(string)
			global, _ := line["global_request_id"].(string)
			if line["user"] != "ben" || !strings.HasPrefix(key, "SHA256:") || !strings.HasPrefix(address, "127.0.0.1:") || global == "" {
				t.Errorf("audit: %v", line)
			}
		}
		if len(lines) < 4 {
			t.Errorf("%d lines in the audit", len(lines))
		}
		v.as("ben", 2, "node", own, "--url", "http://127.0.0.1:1")
		v.as("ben", 3, "manage", "--read-only", own)
	})
	t.Run("overrides", func(t *testing.T) { v.overrides(t, s) })
	t.Run("node filter", func(t *testing.T) { v.hides(t, s, own, hidden, uuid) })
}

// overrides checks that an admin, but not an operator, may override a node's failed check with a flag or with a plan.
func (v *servedConsole) overrides(t *testing.T, s *ironic.Server) {
	node, _, _ := redfishNode(t, s, "ok")
	v.as("ben", 0, "manage", node, "--wait", "--timeout", "3m")
	v.as("ben", 0, "provide", node, "--wait", "--timeout", "3m")
	plan := "nodes:\n  - name: " + node + "\n    root_device: {hints: {serial: x}}\npolicy: {inventory: off}\nconfigdrive:\n  user_data: |\n" + indented(hostButane)
	with := func(more ...string) []string {
		return append([]string{"deploy", node, "--yes", "--user-data", "-", "--root-device", `'{"serial": "x"}'`}, more...)
	}
	state := func() any { return apiNode(t, s, node)["provision_state"] }
	for _, how := range []struct {
		stdin string
		args  []string
	}{
		{hostButane, with("--override", "inventory", "--confirm", node)},
		{hostButane, with("--policy", "inventory=off")},
		{hostButane, with()},
		{plan, []string{"deploy", "-f", "-", "--yes"}},
	} {
		o := v.ssh("ben", how.stdin, append([]string{"127.0.0.1"}, how.args...)...)
		if o.code != 3 || !strings.Contains(o.stderr, "inventory") || state() != "available" {
			t.Errorf("%q: %d, %v: %s%s", how.args, o.code, state(), o.stdout, o.stderr)
		}
	}
	if o := v.ssh("anna", hostButane, append([]string{"127.0.0.1"}, with("--override", "inventory", "--confirm", node)...)...); o.code != 0 || state() == "available" {
		t.Errorf("an admin: %d, %v: %s%s", o.code, state(), o.stdout, o.stderr)
	}
}

// hides passes a node that otto must not see to every command that takes a node. No output may reveal the node.
func (v *servedConsole) hides(t *testing.T, s *ironic.Server, own, hidden, uuid string) {
	v.as("anna", 0, "maintenance", "on", hidden, "--reason", "c4n4ry")
	v.as("anna", 0, "maintenance", "off", hidden)
	v.eventually("otto sees the own node", func() bool {
		return strings.Contains(v.ssh("otto", "", "127.0.0.1", "nodes", "-o", "name").stdout, own)
	})
	leaks := func(o outcome, what string) {
		t.Helper()
		for _, secret := range []string{"c4n4ry", "another team"} {
			if strings.Contains(o.stdout+o.stderr, secret) {
				t.Errorf("%s shows %q:\n%s%s", what, secret, o.stdout, o.stderr)
			}
		}
	}
	for _, list := range []string{"nodes -o json", "nodes -o wide", "export", "port list", "who -o json", "__complete node ''", "__complete history ''"} {
		o := v.ssh("otto", "", append([]string{"127.0.0.1"}, strings.Fields(list)...)...)
		if leaks(o, list); strings.Contains(o.stdout, hidden) || strings.Contains(o.stdout, uuid) {
			t.Errorf("%s has the node:\n%s%s", list, o.stdout, o.stderr)
		}
	}
	for _, command := range []string{
		"node %s", "history %s", "history %s --ironic", "logs %s", "explain %s", "disks %s", "inventory %s", "volumes %s", "bios show %s", "firmware list %s", "raid show %s",
		"vif list %s", "vendor %s", "validate %s", "bmc %s", "manage %s", "power off %s", "maintenance on %s", "set %s extra.a=1", "undeploy %s --yes", "deploy %s --yes",
		"boot-device pxe %s", "port create %s 52:54:00:aa:bb:02", "port list --node %s", "portgroup create %s g", "vif attach %s x", "bringup %s --yes", "abort %s", "steps %s",
	} {
		for _, ident := range []string{hidden, uuid} {
			o := v.ssh("otto", "", append([]string{"127.0.0.1"}, strings.Fields(fmt.Sprintf(command, ident))...)...)
			if leaks(o, command); o.code == 0 || strings.Contains(o.stderr, "crash") {
				t.Errorf("%s: %d, %s%s", command, o.code, o.stdout, o.stderr)
			}
		}
	}
	if node := apiNode(t, s, hidden); node["provision_state"] != "enroll" || node["maintenance"] != false || node["extra"].(map[string]any)["a"] != nil {
		t.Errorf("the hidden node has changed: %v", node)
	}
	screen := v.screen("otto")
	screen.until(own)
	screen.lacks(hidden)
	screen.list(":", paletteTitle)
	screen.press(hidden)
	screen.until(hidden) // as typed
	if n := strings.Count(screen.Text(), hidden); n != 1 {
		t.Errorf("the palette has the hidden node:\n%s", screen.Describe())
	}
}

// indented returns text as the indented lines of a YAML block.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
