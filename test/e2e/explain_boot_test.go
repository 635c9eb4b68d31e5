package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/plan"
	"ironworks/test/ironic"
)

// startDeployment starts the deployment of a machine with the given scenario, without user data. It does not wait for
// the deployment to end.
func startDeployment(t *testing.T, s *ironic.Server, scenario string) (c *console, name, uuid string) {
	t.Helper()
	name, uuid, m := redfishNode(t, s, scenario)
	c = consoleAt(t, s)
	c.ok("manage", name, "--wait")
	c.ok("provide", name, "--wait", "--yes")
	c.ok("deploy", name, "--yes", "--root-device", fmt.Sprintf(`{"wwn": %q}`, m.Disks()[0].WWN), "--override", string(plan.CheckInventory), "--confirm", name)
	return c, name, uuid
}

// TestExplainAgentIsGone checks the explanation for a node whose agent stops responding during a step, while Ironic
// still waits for it.
func TestExplainAgentIsGone(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, name, _ := startDeployment(t, s, "agent-dies-mid-step")
		var last explain.Explanation
		until := func(rule explain.RuleID, least explain.Confidence) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
				last = explain.Explanation{}
				err := json.Unmarshal([]byte(c.ok("explain", name, "-o", "json").stdout), &last)
				return last.Rule == rule && last.Confidence == least, err
			})
			if err != nil {
				t.Fatalf("no %s, %s: %v; last %+v", rule, least, err, last)
			}
		}
		until("agent-refuses", explain.ConfidenceMedium)
		if text := c.ok("explain", name).stdout; !strings.Contains(text, "connection refused at http") {
			t.Errorf("explain printed:\n%s", text)
		}
		if text := c.ok("node", name).stdout; !strings.Contains(text, "last heartbeat") {
			t.Errorf("no heartbeat in\n%s", text)
		}
	})
}

// TestExplainFromTheJournal checks that explain, node and watch use a booting ramdisk's log lines, which another
// process recorded in the journal.
func TestExplainFromTheJournal(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, name, uuid := startDeployment(t, s, "never-boots")
		watch := c.watch(name)
		if err := ironic.Poll(t.Context(), 100*time.Millisecond, func(context.Context) (bool, error) {
			return apiNode(t, s, uuid)["provision_state"] == string(models.StateDeployWait), nil
		}); err != nil {
			t.Fatal(err)
		}
		path := regexp.MustCompile(`\S*journal-\S*\.db`).FindString(c.ok("config", "paths").stdout)
		kept := journal.Open(t.Context(), journal.Options{Path: path})
		defer kept.Close()
		cursor := 0
		says := func(unit, text string) {
			cursor++
			now := time.Now()
			kept.Record(journal.Records{Lines: []models.LogLine{agentlog.Sanitize(models.LogLine{
				Time: now, Received: now, Node: models.NodeRef{UUID: uuid, Name: name}, Source: models.LogPush, Boot: "b1", Cursor: strconv.Itoa(cursor), Unit: unit, Text: text,
			})}})
		}
		stage := func(to, reason string) {
			t.Helper()
			watch.until(to+" "+reason, func(e models.Event) bool {
				return e.Kind == models.EventRamdisk && e.To == to && strings.Contains(e.Reason, reason)
			})
		}
		says("kernel", "Linux version 6.1")
		stage("kernel", "")
		says("ironic-agent", "Trying to pull reg.example/agent:v9...")
		stage("agent image", "")
		says("ironic-agent", "Error: initializing source docker://reg.example/agent:v9: reading manifest v9 in reg.example/agent: manifest unknown")
		stage("agent image", "manifest unknown")
		if text := c.ok("node", name).stdout; !strings.Contains(text, "ramdisk          pulling the agent image for ") || !strings.Contains(text, "manifest unknown") {
			t.Errorf("node printed:\n%s", text)
		}
		if rule := strings.TrimSpace(c.ok("explain", name, "-o", "name").stdout); rule != "pull-unknown-image" {
			t.Errorf("explained as %s:\n%s", rule, c.ok("explain", name).stdout)
		}
	})
}
