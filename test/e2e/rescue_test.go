package e2e

import (
	"testing"

	"ironworks/test/ironic"
)

// TestRescueAsksForThePassword checks that the password is neither on the screen nor in a file, and that a blank one
// is refused before any request is sent.
func TestRescueAsksForThePassword(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := adoptedNode(t, s, nil)
		blank := c.atTerminal("rescue", name)
		blank.until("Password of the rescue user: ")
		blank.typeKeys("  \r")
		blank.until("rescue requires a password")
		blank.exits(3)
		for _, args := range [][]string{{"rescue", name, "--wait"}, {"rescue", name, "--wait", "--password-file", "-"}} {
			const password = "hunter2hunter2"
			p := c.atTerminal(args...)
			p.until("Password of the rescue user: ")
			p.typeKeys(password + "\r")
			p.until("rescue " + name + "? [y/N]")
			p.typeKeys("y\r")
			p.exits(0)
			if state := apiNode(t, s, name)["provision_state"]; state != "rescue" {
				t.Errorf("%v: state %v", args, state)
			}
			outcome{stdout: p.text()}.secret(t, password)
			checkNotStored(t, c, password)
			c.ok("unrescue", name, "--wait", "--yes")
		}
	})
}
