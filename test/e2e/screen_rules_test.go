package e2e

import (
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenRules creates, changes and deletes a rule in the console, and tests it on a node.
func TestScreenRules(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "ruled")
		c := consoleAt(t, server)
		s := c.fleet(roomy)
		s.filterFor(name)
		s.pick(":", paletteTitle, "rules")
		if server.Release == ironic.Old {
			s.until("inspection rules needs API 1.96; this Ironic has 1.82")
			s.quits()
			return
		}
		t.Cleanup(func() { deleteRules(t, server, uuid) })
		s.until("› rules", "[Rules]")
		rule := func(priority string) string {
			// The rule comes before all others and applies to no node, because other tests use this Ironic, too.
			return c.file("rule.yaml", []byte("description: never "+uuid+"\npriority: "+priority+
				"\nconditions: [{op: eq, args: {values: [\"{node.uuid}\", none]}}]\nactions: [{op: fail, args: {msg: never}}]\n"))
		}
		s.press("E")
		s.until("╭─ Create and change inspection rules")
		s.press(rule("9998"), terminal.Enter)
		s.until("create never "+uuid, "create 1 inspection rule?", takesYes)
		s.press("y")
		s.until("done: create 1 inspection rule", "9998      never "+uuid)

		// The node has no inventory.
		s.press("c")
		s.until("╭─ Test inspection rules", name)
		s.press(terminal.Enter)
		s.until("[Test]", "no inventory is stored: inspect the node first", "tested on 1 node")
		s.press(terminal.Tab)
		s.until("[Rules]")

		rule("9999")
		s.press("E")
		s.until("╭─ Create and change inspection rules", "rule.yaml")
		s.press(terminal.Enter)
		s.until("-  priority: 9998", "+  priority: 9999", "change 1 inspection rule?", takesYes)
		s.press("y")
		s.until("done: change 1 inspection rule", "9999      never "+uuid)

		// Read-only mode changes nothing.
		s.press("\x0f")
		s.until("[read-only]")
		s.press("X")
		s.until("rules-delete: ")
		s.press("\x0f")
		s.gone("[read-only]")
		s.press("g", "X")
		s.until("Delete never "+uuid+"?", takesYes)
		s.press("y")
		s.until("done: delete 1 inspection rule")
		s.when("the rule is gone", func() bool { return !strings.Contains(s.Text(), "never "+uuid) })
		if o := c.ok("rules", "list"); strings.Contains(o.stdout, uuid) {
			t.Errorf("the rule is still there: %s", o.stdout)
		}
		s.quits()
	})
}
