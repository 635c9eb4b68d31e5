package e2e

import (
	"strings"
	"syscall"
	"testing"

	"ironworks/models"
	"ironworks/test/ironic"
)

// TestBringUp checks that one command takes nodes from enroll to available, that nodes already at the goal are left
// unchanged, and that a node with an instance is refused.
func TestBringUp(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		run := unique("bringup")
		for _, name := range []string{"-a", "-b"} {
			s.CreateNode(t, map[string]any{"name": run + name, "automated_clean": false})
		}
		c := consoleAt(t, s)
		c.ok("manage", run+"-b", "--wait")

		dry := c.ok("bringup", "name:"+run, "--no-inspect", "--dry-run").stdout
		if strings.Count(dry, `"manage"`) != 1 || strings.Count(dry, `"provide"`) != 2 || c.state(run+"-a") != models.StateEnroll {
			t.Errorf("dry run:\n%s", dry)
		}
		o := c.ok("bringup", "name:"+run, "--no-inspect", "--yes")
		for _, name := range []string{"-a", "-b"} {
			if c.state(run+name) != models.StateAvailable {
				t.Errorf("%s is %s\n%s%s", name, c.state(run+name), o.stdout, o.stderr)
			}
		}
		if !strings.Contains(o.stdout, "verified, available") {
			t.Errorf("%s", o.stdout)
		}
		sent := len(c.auditLines())
		if o := c.ok("bringup", run+"-a", run+"-b", "--yes"); len(c.auditLines()) != sent {
			t.Errorf("sent again:\n%s", o.stdout)
		}
		c.ok("manage", run+"-a", "--wait")
		o = c.ok("bringup", run+"-a", "--no-inspect", "--wait=false", "--yes")
		if !strings.Contains(o.stdout, "accepted") {
			t.Errorf("%s", o.stdout)
		}
		if o := c.fails(2, "bringup", run+"-a", "--to", "active"); !strings.Contains(o.stderr, "must be manageable, inspected or available") {
			t.Errorf("%s", o.stderr)
		}
	})
}

// TestBringUpInterrupted checks that the same command continues a run that has been killed.
func TestBringUpInterrupted(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		name := unique("bringup-killed")
		s.CreateNode(t, map[string]any{"name": name, "automated_clean": false})
		c := consoleAt(t, s)
		w := c.start("bringup", name, "--no-inspect", "--yes")
		w.signal(syscall.SIGKILL)
		c.ok("bringup", name, "--no-inspect", "--yes")
		if c.state(name) != models.StateAvailable {
			t.Errorf("%s", c.state(name))
		}
	})
}
