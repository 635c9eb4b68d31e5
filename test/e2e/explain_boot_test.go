package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// TestExplainAgentIsGone asks while Ironic still waits: first for a ramdisk that works, then for
// one whose agent has died in the middle of its step.
func TestExplainAgentIsGone(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		name, _, m := redfishNode(t, s, "agent-dies-mid-step")
		c := at(t, s)
		c.ok("manage", name, "--wait")
		c.ok("provide", name, "--wait", "--yes")
		c.ok("deploy", name, "--yes", "--user-data", c.file("host.bu", []byte(hostButane)), "--root-device", fmt.Sprintf(`{"wwn": %q}`, m.Disks()[0].WWN), "--override", string(models.CheckInventory), "--confirm", name)
		var last models.Explanation
		until := func(rule models.RuleID, least models.Confidence) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
				last = models.Explanation{}
				err := json.Unmarshal([]byte(c.ok("explain", name, "-o", "json").stdout), &last)
				return last.Rule == rule && last.Confidence == least, err
			})
			if err != nil {
				t.Fatalf("no %s, %s: %v; last %+v", rule, least, err, last)
			}
		}
		until("agent-refuses", models.ConfidenceMedium)
		if text := c.ok("explain", name).stdout; !strings.Contains(text, "connection refused at http") {
			t.Errorf("explained as\n%s", text)
		}
		if text := c.ok("node", name).stdout; !strings.Contains(text, "last heartbeat") {
			t.Errorf("no heartbeat in\n%s", text)
		}
	})
}
