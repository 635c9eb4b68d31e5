package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// withEditor returns a console whose $EDITOR is a shell script, and a function that sets the script's commands. The
// script receives the edited file as $1.
func withEditor(t *testing.T, s *ironic.Server) (c *console, edits func(commands string)) {
	t.Helper()
	c = consoleAt(t, s)
	program := filepath.Join(c.home, "editor")
	c.env = append(c.env, "EDITOR="+program)
	return c, func(commands string) {
		t.Helper()
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+commands+"\n"), 0o700); err != nil { //nolint:gosec // it has to be run
			t.Fatal(err)
		}
	}
}

// TestScreenTemplates writes, edits and deletes a deploy template in the console. The first version of the file
// contains an error.
func TestScreenTemplates(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		node, _ := screenNode(t, server, "templated")
		trait := traitOf(node)
		c, edits := withEditor(t, server)
		c.ok("set", node, "traits="+trait)
		s := c.fleet(roomy)
		s.pick(":", paletteTitle, "templates")
		s.until("› templates")
		edits(`sed -i 's/CUSTOM_$/` + trait + `/; s/step: erase_devices_metadata/stp: erase_devices_metadata/' "$1"`)
		s.press("n")
		s.until("Errors in the edited file", `line:5:25: unknown key "stp" of a step; did you mean step?`)
		edits(`sed -i 's/stp:/step:/' "$1"`)
		s.press("Y")
		s.until("create "+trait, "create 1 deploy template?", takesYes)
		s.press("y")
		s.until("done: create 1 deploy template", "  "+trait+" ")
		s.press("g")
		s.until("1 node with " + trait + ": " + node)

		edits(`sed -i 's/priority: 95/priority: 96/' "$1"`)
		s.press(terminal.Enter)
		s.until("-      priority: 95", "+      priority: 96", "change 1 deploy template?", takesYes)
		s.press("y")
		s.until("done: change 1 deploy template", "priority: 96")
		if o := c.ok("templates", "show", trait); !strings.Contains(o.stdout, "priority: 96") {
			t.Errorf("%s", o.stdout)
		}
		s.press("X")
		s.until("Delete "+trait+"?", takesYes)
		s.press("y")
		s.until("done: delete 1 deploy template")
		c.fails(1, "templates", "show", trait)
		s.quits()
	})
}

func traitOf(name string) string {
	// The digits sort the object before the templates and runbooks of other tests, so that it comes first in the
	// list.
	return "CUSTOM_00_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}

// TestScreenRunbooks creates a runbook in the console and runs it on the nodes with its trait. It checks that both
// the console and the command refuse nodes without the trait before any request is sent.
func TestScreenRunbooks(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		if server.Release == ironic.Old {
			t.Log("runbooks need API 1.92")
			return
		}
		node, _ := screenNode(t, server, "booked")
		other, _ := screenNode(t, server, "unbooked")
		trait := traitOf(node)
		c, edits := withEditor(t, server)
		c.ok("manage", node, other, "--wait", "--timeout", "6m")
		c.ok("set", node, "traits="+trait)
		s := c.fleet(roomy)
		s.filterFor(node)
		s.pick(":", paletteTitle, "runbooks")
		s.until("› runbooks")
		edits(`cat > "$1" <<END
name: ` + trait + `
steps: [{interface: bios, step: factory_reset, order: 1}]
traits: [` + trait + `]
END`)
		s.press("n")
		s.until("create "+trait, "create 1 runbook?", takesYes)
		s.press("y")
		s.until("done: create 1 runbook", "  "+trait+" ")
		s.press("g")
		s.until("1 node with " + trait + ": " + node)

		for refused, options := range map[string][]string{
			"the node has none of the traits of runbook " + trait + ": " + trait: {"clean", other, "--runbook", trait, "--yes"},
			`no runbook has the name or UUID "` + trait + `_X"`:                  {"clean", node, "--runbook", trait + "_X", "--yes"},
		} {
			if o := c.fails(3, options...); !strings.Contains(o.stderr, refused) {
				t.Errorf("%v: %s", options, o.stderr)
			}
		}
		s.press("C")
		s.until("Run runbook "+trait, node)
		s.press(terminal.Enter)
		s.until("runbook " + trait + ": manual cleaning runs bios.factory_reset")
		s.typed(node)
		s.until("clean " + node + ": done")
		if sent := c.auditResults(); !strings.Contains(sent, "accepted") {
			t.Errorf("audit: %s", sent)
		}
		s.quits()
	})
}
