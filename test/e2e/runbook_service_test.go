package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// TestServiceWithARunbook services an active machine with a runbook: the machine boots the ramdisk, runs the step and
// boots its disk again. A node without the runbook's trait is refused.
func TestServiceWithARunbook(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		if s.Release == ironic.Old {
			return // service needs API 1.87, and runbooks need 1.92
		}
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		other, _, _ := redfishNode(t, s, "ok")
		if err := m.Install("/dev/sda", machine.Installation{What: "CoreOS"}); err != nil {
			t.Fatal(err)
		}
		trait := traitOf(name)
		for _, node := range []string{name, other} {
			c.ok("manage", node, "--wait", "--timeout", "6m")
			c.ok("adopt", node, "--wait", "--timeout", "6m")
		}
		c.ok("set", name, "traits="+trait)
		c.ok("runbooks", "apply", "--yes", "-f", c.file("runbook.yaml", fmt.Appendf(nil,
			"- name: %s\n  traits: [%s]\n  steps: [{interface: deploy, step: inject_files, order: 1}]\n", trait, trait)))
		if o := c.fails(3, "service", other, "--runbook", trait, "--yes"); !strings.Contains(o.stderr, "none of the traits of runbook") {
			t.Error(o.stderr)
		}
		o := c.ok("service", name, "--runbook", trait, "--yes", "--wait", "--timeout", "6m")
		n := apiNode(t, s, uuid)
		if !strings.Contains(o.stdout, "active") || n["provision_state"] != "active" || n["last_error"] != nil || n["maintenance"] != false {
			t.Errorf("%s%s: %v, %v", o.stdout, o.stderr, n["provision_state"], n["last_error"])
		}
		journal := ""
		for _, line := range m.Journal() {
			journal += fmt.Sprint(line) + "\n"
		}
		if !strings.Contains(journal, "Service step completed") || m.Disks()[0].Installed == nil {
			t.Errorf("the step did not run, or the disk has changed: %+v", m.Disks()[0])
		}
	})
}
