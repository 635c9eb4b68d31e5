package e2e

import (
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/test/ironic"
)

// restingStates returns the stable states that a watch reported for a node, in order, and checks that each change
// starts in the state that the previous one ended in.
func restingStates(t *testing.T, w *watching, uuid string) []string {
	t.Helper()
	var states []string
	last := ""
	for _, e := range w.of(uuid, models.EventAdded) {
		states, last = append(states, e.To), e.To
	}
	for i, e := range w.of(uuid, models.EventProvisionState) {
		if last != "" && e.From != last {
			t.Errorf("event %d starts in %q, but the previous one ended in %q", i, e.From, last)
		}
		last = e.To
		if models.ProvisionState(e.To).Resting() {
			states = append(states, e.To)
		}
	}
	return states
}

func TestFakeNodeFromEnrollToActiveAndBack(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		w := c.watch()
		name := unique("life")
		uuid := s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
		w.untilState(uuid, models.StateEnroll)

		want := []string{"enroll"}
		for _, step := range []struct {
			args []string
			ends string
		}{
			{[]string{"manage", name, "--wait"}, "manageable"},
			{[]string{"inspect", name, "--wait"}, ""},
			{[]string{"provide", name, "--wait"}, "available"},
			{[]string{"deploy", name, "--wait", "--yes"}, "active"},
			{[]string{"undeploy", name, "--wait", "--yes"}, "available"},
			{[]string{"manage", name, "--wait"}, "manageable"},
			{[]string{"adopt", name, "--wait"}, "active"},
		} {
			c.ok(step.args...)
			if step.ends != "" {
				want = append(want, step.ends)
				if got := c.state(name); string(got) != step.ends {
					t.Fatalf("after %q: state %q", step.args, got)
				}
				// On a busy machine, polls may be rare. The test waits for the event before the next step, because it
				// checks the chain of states, not the speed.
				w.until("state "+step.ends, func(models.Event) bool {
					states := restingStates(t, w, uuid)
					return len(slices.Compact(states)) >= len(want)
				})
			}
		}
		got := slices.Compact(restingStates(t, w, uuid)) // manageable may occur twice, before and after an inspection
		if !slices.Equal(got, want) {
			t.Errorf("resting states in the watch:\n%q, want\n%q\n%s", got, want, w.lines)
		}
		if code := w.stop(); code != 0 {
			t.Errorf("exit code %d after Ctrl-C", code)
		}
	})
}

func TestDeployedNodesFieldsInTheOutput(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("fields")
		uuid := s.CreateNode(t, map[string]any{"name": name, "resource_class": "gp"})

		one := decode[map[string]any](t, c.ok("node", name, "-o", "json"))
		if one["uuid"] != uuid || one["provision_state"] != "enroll" || one["driver"] != "fake-hardware" {
			t.Errorf("node -o json: %v", one)
		}
		all := decode[[]map[string]any](t, c.ok("nodes", "name:="+name, "-o", "json"))
		if len(all) != 1 || all[0]["uuid"] != uuid || all[0]["provision_state"] != "enroll" {
			t.Errorf("nodes -o json: %v", all)
		}
		if out := c.ok("nodes", "name:="+name, "-o", "name").stdout; out != name+"\n" {
			t.Errorf("nodes -o name: %q", out)
		}
		if out := c.ok("node", uuid, "-o", "yaml").stdout; !strings.Contains(out, "\nprovision_state: enroll\n") {
			t.Errorf("node -o yaml: %s", out)
		}
		empty := decode[[]map[string]any](t, c.ok("nodes", "name:=nobody", "-o", "json"))
		if len(empty) != 0 {
			t.Errorf("nodes of an empty list: %v", empty)
		}
		table := c.ok("nodes", "name:="+name).stdout
		if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "NAME") {
			t.Errorf("table: %q", table)
		}
	})
}
