package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// there reports whether the node exists in Ironic.
func there(t *testing.T, s *ironic.Server, id string) bool {
	t.Helper()
	status, body, err := s.Do(context.Background(), http.MethodGet, "/v1/nodes/"+id, nil)
	if err != nil || status != http.StatusOK && status != http.StatusNotFound {
		t.Fatalf("node %s: %d %v %s", id, status, err, body)
	}
	return status == http.StatusOK
}

// TestDeleteNodes checks that nodes are deleted if Ironic permits it, and that the others are refused before any
// request is sent.
func TestDeleteNodes(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		fresh, uuid := screenNode(t, s, "delete")
		c.ok("port", "create", fresh, "52:54:00:0d:e1:"+uuid[:2], "--yes")
		active, _ := screenNode(t, s, "delete")
		c.ok("manage", active, "--wait")
		c.ok("adopt", active, "--yes", "--wait")

		if o := c.fails(3, "delete", fresh); !strings.Contains(o.stderr, "pass --yes") || !there(t, s, uuid) {
			t.Errorf("unconfirmed: %s", o.stderr)
		}
		if o := c.ok("delete", fresh, "--yes"); !strings.Contains(o.stdout, "deleted from Ironic") || there(t, s, uuid) {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		if o := c.ok("port", "list", "-o", "json"); strings.Contains(o.stdout, uuid) {
			t.Errorf("a port of the node is left: %s", o.stdout)
		}
		if o := c.fails(1, "delete", fresh, "--yes"); !strings.Contains(o.stderr, fresh) {
			t.Errorf("deleted twice: %s", o.stderr)
		}
		if o := c.fails(3, "delete", active, "--yes"); !strings.Contains(o.stderr, `not possible in state "active"`) || !there(t, s, active) {
			t.Errorf("an active node: %s", o.stderr)
		}
		c.ok("protect", active)
		c.ok("maintenance", "on", active, "--yes")
		if o := c.fails(3, "delete", active, "--yes"); !strings.Contains(o.stderr, "ironworks unprotect "+active) {
			t.Errorf("a protected node: %s", o.stderr)
		}
		c.ok("unprotect", active)
		if o := c.ok("delete", active, "--yes"); there(t, s, active) {
			t.Errorf("an active node in maintenance: %s%s", o.stdout, o.stderr)
		}
	})
}

// TestScreenDeletesNodes deletes one node and then two others in the console. It confirms this by typing the node's
// name and the number of nodes.
func TestScreenDeletesNodes(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		prefix := unique("gone")
		var names []string
		for _, suffix := range []string{"-a", "-b", "-c"} {
			server.CreateNode(t, map[string]any{"name": prefix + suffix, "deploy_interface": "fake"})
			names = append(names, prefix+suffix)
		}
		s := consoleAt(t, server).fleet(roomy)
		s.filterFor(names[0])
		s.press(terminal.Enter)
		s.until("› " + names[0])
		s.pick(":", paletteTitle, "delete")
		s.typed(names[0], "delete "+names[0]+"? Type the node name to confirm.", "Ironic forgets the node")
		s.until("delete "+names[0]+": done", "deleted")
		if there(t, server, names[0]) {
			t.Error("the node is there")
		}
		s.press("1")
		s.until("› fleet")
		s.filter(prefix)

		s.when("the row is gone", func() bool { return s.rowAt(names[0]) < 0 && s.rowAt(names[1]) >= 0 && s.rowAt(names[2]) >= 0 })
		s.press("*")
		s.until("2 marked")
		s.pick(":", paletteTitle, "delete")
		s.typed("2", "delete 2 nodes? Type the number of nodes to confirm.", "Ironic forgets the node")
		s.when("the rows are gone", func() bool { return s.rowAt(names[1]) < 0 && s.rowAt(names[2]) < 0 })
		s.pick(":", paletteTitle, "tasks")
		s.until("› tasks")
		s.when("both tasks are done", func() bool { return strings.Count(s.Text(), "✓ done") == 2 })
		if there(t, server, names[1]) || there(t, server, names[2]) {
			t.Error("a node is there")
		}
		s.quits()
	})
}
