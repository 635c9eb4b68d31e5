package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/test/ironic"
)

// TestNodesWatch checks that `nodes -w` prints the list and then a row for each change of a node, including the
// change after which the node no longer matches the filter.
func TestNodesWatch(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		name, other := unique("follow"), unique("other")
		s.CreateNode(t, map[string]any{"name": name})
		s.CreateNode(t, map[string]any{"name": other})
		c := consoleAt(t, s)
		w := c.start("nodes", "-w", "name:="+name, "maintenance:no", "--columns", "name,state,maintenance")
		until := func(want ...string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			if err := ironic.Poll(ctx, 20*time.Millisecond, func(context.Context) (bool, error) {
				return strings.Join(strings.Fields(w.stdout.String()), " ") == strings.Join(want, " "), nil
			}); err != nil {
				t.Fatalf("want %q\n%s%s", want, w.stdout.String(), w.stderr.String())
			}
		}
		seen := []string{"NAME", "STATE", "MAINTENANCE", name, "enroll"}
		until(seen...)
		c.ok("maintenance", "on", name, other)
		seen = append(seen, name, "enroll", "yes")
		until(seen...)
		c.ok("maintenance", "off", name, other)
		seen = append(seen, name, "enroll")
		until(seen...)
		if o := w.signal(syscall.SIGTERM); o.code != 143 || strings.Contains(o.stdout, other) {
			t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	})
}

// TestNodesJSONSummary checks that `nodes -o json` contains Ironic's fields and the values of the STEP and IN STATE
// columns.
func TestNodesJSONSummary(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		name := unique("summary")
		uuid := s.CreateNode(t, map[string]any{"name": name})
		c := consoleAt(t, s)
		c.ok("manage", name, "--wait")
		var nodes []struct {
			UUID      string `json:"uuid"`
			State     string `json:"provision_state"`
			Ironworks struct {
				Step    string    `json:"step"`
				Since   time.Time `json:"since"`
				InState *int64    `json:"in_state"`
			} `json:"ironworks"`
		}
		if err := json.Unmarshal([]byte(c.ok("nodes", "name:="+name, "-o", "json").stdout), &nodes); err != nil {
			t.Fatal(err)
		}
		if len(nodes) != 1 || nodes[0].UUID != uuid || nodes[0].State != "manageable" || nodes[0].Ironworks.Since.IsZero() || nodes[0].Ironworks.InState == nil {
			t.Errorf("%+v", nodes)
		}
	})
}
