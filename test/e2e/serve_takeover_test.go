package e2e

import (
	"maps"
	"os"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestServeTakeOver kills the ssh client of an operator whose node never calls back. The task continues. Another
// operator, who must first confirm an action on the node, aborts the operation, retries the task and cancels it. The
// audit log names the user of each request, and Ironic's log contains the request's global ID.
func TestServeTakeOver(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		v := served(t, s, "nobody")
		node, m := labMachine(t, s, "never-boots", lab.Options{})
		e := m.Enrollment("e2e", map[string]string{"inspect": "agent"})
		createWithPorts(t, s, e.Node, e.Ports)
		v.as("anna", 0, "manage", node, "--wait", "--timeout", "3m")
		anna := v.screen("anna")
		anna.filterFor(node)
		anna.rowSays(node, "manageable") // the server's view of the node may be older than the command's
		anna.press("I")
		anna.answerYes("inspect " + node)
		anna.rowSays(node, "inspect wait")
		v.killed(anna, "anna")

		ben := v.screen("ben")
		ben.filterFor(node)
		ben.press("5")
		ben.until("anna", "inspect", node, "running")
		if o := v.as("ben", 3, "maintenance", "on", node); !strings.Contains(o.stderr, "refused: anna is acting on "+node+": inspect, task 1; pass --yes") {
			t.Errorf("a command beside a task: %s", o.stderr)
		}
		ben.press("1", "A")
		ben.answerYes("anna is acting on " + node + ": inspect, task 1")
		ben.rowSays(node, "inspect failed")
		ben.until("abort " + node + ": done")
		ben.retriesTask(node)
		ben.quits()
		v.requestsHaveUsers(t, s, map[string]string{"manage": "anna", "inspect": "anna ben", "abort": "ben"})
	})
}

// retriesTask retries the oldest task, which belongs to another user, for its failed node. It then cancels the new
// task.
func (s *screenConsole) retriesTask(node string) {
	s.t.Helper()
	s.press("5")
	s.until("› tasks", "✖ failed")
	s.press(terminal.End, terminal.Enter)
	s.until("› task 1 inspect")
	s.press("r")
	s.answerYes("inspect " + node + " again?")
	s.until("› task 3 inspect")
	s.rowSays(node, "running", "waiting for the inventory")
	s.press("x")
	s.rowSays(node, "canceled")
}

// requestsHaveUsers checks that the audit log names the expected users for each verb, and looks for the global
// request IDs in the log of a real Ironic.
func (v *servedConsole) requestsHaveUsers(t *testing.T, s *ironic.Server, users map[string]string) {
	t.Helper()
	var ids []string
	seen := map[string]string{}
	for _, line := range v.c.auditLines() {
		verb, _ := line["verb"].(string)
		user, _ := line["user"].(string)
		if id, _ := line["global_request_id"].(string); strings.HasPrefix(id, "req-") {
			ids = append(ids, id)
		} else {
			t.Errorf("audit: %v", line)
		}
		if line["result"] == "accepted" {
			seen[verb] = strings.TrimSpace(seen[verb] + " " + user)
		}
	}
	if !maps.Equal(seen, users) {
		t.Errorf("users in the audit: %q, want %q", seen, users)
	}
	if s.Dir == "" {
		return // the embedded Ironic has no log
	}
	log, err := os.ReadFile(s.Log())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !strings.Contains(string(log), id) {
			t.Errorf("Ironic's log does not have the request %s", id)
		}
	}
}
