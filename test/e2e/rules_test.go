package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// testedRules is the JSON output of `rules test`.
type testedRules []struct {
	Node       struct{ Name string }
	Error      string
	Inspection string
	Failure    string
	Rules      []struct {
		Rule, Result string
		Notes        []string
		Changes      []struct {
			Of, Path      string
			Before, After any
		}
	}
}

// TestInspectionRules tests rules on a stored inventory with `rules test`, and checks that the next inspection has
// the predicted effects.
func TestInspectionRules(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		if s.Release == ironic.Old {
			o := consoleAt(t, s).fails(3, "rules", "list")
			if !strings.Contains(o.stderr, "inspection rules needs API 1.96; this Ironic has 1.82") {
				t.Errorf("%s", o.stderr)
			}
			return
		}
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "ok")
		if status, body, err := s.Do(context.Background(), http.MethodPatch, "/v1/nodes/"+uuid, json.RawMessage(
			`[{"op": "replace", "path": "/inspect_interface", "value": "agent"}]`)); err != nil || status != http.StatusOK {
			t.Fatalf("%d %v %s", status, err, body)
		}
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.fails(1, "rules", "test", "-f", rulesFile(c, uuid, ""), name) // there is no inventory yet
		c.ok("inspect", name, "--wait", "--timeout", "6m")

		// The rule applies only to this node, because other tests use this Ironic later.
		file := rulesFile(c, uuid, `
  - {op: set-attribute, args: {path: resource_class, value: "{inventory[cpu][architecture]}-{inventory[cpu][count]}"}}
  - {op: set-attribute, args: {path: "{item[path]}", value: "{item[value]}"}, loop: [{path: extra/bmc, value: "{inventory[bmc_address]}"}, {path: owner, value: team-a}]}
  - {op: set-capability, args: {name: rack, value: r7}}
  - {op: add-trait, args: {name: CUSTOM_RULED}}
  - {op: set-plugin-data, args: {path: mine.vendor, value: "{inventory[system_vendor][manufacturer]}"}}
`)
		predicted := decode[testedRules](t, c.ok("rules", "test", "-f", file, name, "-o", "json"))
		if len(predicted) != 1 || len(predicted[0].Rules) != 2 || predicted[0].Inspection != "succeeds" ||
			predicted[0].Rules[0].Result != "condition 1 is not met" || predicted[0].Rules[1].Result != "matches" || len(predicted[0].Rules[1].Changes) != 6 {
			t.Fatalf("%+v", predicted)
		}
		if o := c.ok("rules", "apply", "-f", file); strings.Count(o.stdout, "create") != 2 || strings.Count(o.stdout, "done") != 2 {
			t.Errorf("apply: %s", o.stdout)
		}
		t.Cleanup(func() { deleteRules(t, s, uuid) })
		if o := c.ok("rules", "apply", "-f", file); strings.Count(o.stdout, "unchanged") != 2 {
			t.Errorf("apply again: %s", o.stdout)
		}
		c.ok("inspect", name, "--wait", "--timeout", "6m")
		checkPredicted(t, s, uuid, predicted)

		// Applying the rules as Ironic shows them changes nothing.
		shown := c.file("shown.yaml", []byte(c.ok("rules", "show", "does "+uuid, "never "+uuid).stdout))
		if o := c.ok("rules", "apply", "-f", shown); strings.Count(o.stdout, "unchanged") != 2 {
			t.Errorf("apply what was shown: %s", o.stdout)
		}
		// A failing rule makes both `rules test` and the inspection fail, with the same message.
		c.ok("rules", "apply", "-f", rulesFile(c, uuid, "\n  - {op: fail, args: {msg: \"not {node.name}\"}}\n"), "--yes")
		failing := decode[testedRules](t, c.fails(1, "rules", "test", name, "-o", "json"))
		const why = "Failed to inspect hardware. Reason: not {node.name}"
		if failing[0].Inspection != "fails" || !strings.HasSuffix(failing[0].Failure, why) {
			t.Errorf("%+v", failing)
		}
		c.fails(1, "inspect", name, "--wait", "--timeout", "6m")
		if o := c.ok("node", name, "-o", "json"); !strings.Contains(o.stdout, why) {
			t.Errorf("last_error: %s", o.stdout)
		}
		sensitiveRule(c, uuid)
		c.ok("rules", "delete", "does "+uuid, "never "+uuid, "--yes")
		c.fails(1, "rules", "show", "does "+uuid)
	})
}

// rulesFile writes a file with two rules: one that applies to the node, and one that matches no node.
func rulesFile(c *console, uuid, actions string) string {
	if actions == "" {
		actions = " [{op: log, args: {msg: a}}]"
	}
	return c.file("rules.yaml", fmt.Appendf(nil, `
- description: does %[1]s
  priority: 10
  conditions: [{op: eq, args: {values: ["{node.uuid}", %[1]s]}}]
  actions:%[2]s
- description: never %[1]s
  priority: 20
  conditions: [{op: eq, args: {values: ["{node.uuid}", none]}}]
  actions: [{op: fail, args: {msg: never}}]
`, uuid, actions))
}

// sensitiveRule checks that a rule whose content Ironic hides is neither compared nor lost.
func sensitiveRule(c *console, uuid string) {
	c.t.Helper()
	rule := func(value string) string {
		return c.file("secret.yaml", fmt.Appendf(nil, `
description: secret %[1]s
sensitive: true
conditions: [{op: eq, args: {values: ["{node.uuid}", none]}}]
actions: [{op: set-attribute, args: {path: driver_info/redfish_password, value: %[2]s}}]
`, uuid, value))
	}
	o := c.ok("rules", "apply", "-f", rule("geheim"), "--dry-run")
	if strings.Contains(o.stdout, "geheim") {
		c.t.Errorf("the password is shown: %s", o.stdout)
	}
	for _, run := range []struct {
		args []string
		want string
	}{{nil, "create"}, {nil, "hidden"}, {[]string{"--rewrite-sensitive", "--yes"}, "conditions, actions"}} {
		o := c.ok(append([]string{"rules", "apply", "-f", rule("geheim")}, run.args...)...)
		if !strings.Contains(o.stdout, run.want) || strings.Contains(o.stdout+o.stderr, "geheim") {
			c.t.Errorf("apply %v, want %s: %s%s", run.args, run.want, o.stdout, o.stderr)
		}
	}
	if o := c.fails(1, "rules", "test", "--all"); !strings.Contains(o.stderr, "is sensitive: Ironic hides its conditions and actions") {
		c.t.Errorf("test of hidden rules: %s", o.stderr)
	}
	plain := c.file("plain.yaml", []byte(strings.Replace(`
description: secret UUID
actions: [{op: log, args: {msg: a}}]
`, "UUID", uuid, 1)))
	c.fails(3, "rules", "apply", "-f", plain)
	c.ok("rules", "delete", "secret "+uuid, "--yes")
}

// checkPredicted compares the node with the prediction of `rules test`.
func checkPredicted(t *testing.T, s *ironic.Server, uuid string, predicted testedRules) {
	t.Helper()
	read := func(path string) map[string]any {
		status, body, err := s.Do(t.Context(), http.MethodGet, "/v1/nodes/"+uuid+path, nil)
		var object map[string]any
		if err != nil || status != http.StatusOK || json.Unmarshal(body, &object) != nil {
			t.Fatalf("%d %v %s", status, err, body)
		}
		return object
	}
	node, inventory := read(""), read("/inventory")
	for _, change := range predicted[0].Rules[1].Changes {
		var object any = node
		switch change.Of {
		case "trait":
			if traits, _ := node["traits"].([]any); !slices.Contains(traits, any(change.Path)) {
				t.Errorf("no trait %s: %v", change.Path, traits)
			}
			continue
		case "plugin data":
			object = inventory["plugin_data"]
		}
		for part := range strings.SplitSeq(change.Path, "/") {
			fields, _ := object.(map[string]any)
			object = fields[part]
		}
		if !reflect.DeepEqual(object, change.After) {
			t.Errorf("%s %s: %v, predicted %v", change.Of, change.Path, object, change.After)
		}
	}
}

// deleteRules deletes the rules of a node, even after a failed test.
func deleteRules(t *testing.T, s *ironic.Server, uuid string) {
	t.Helper()
	_, body, err := s.Do(context.Background(), http.MethodGet, "/v1/inspection_rules?detail=true", nil)
	var list struct {
		Rules []struct{ UUID, Description string } `json:"inspection_rules"`
	}
	if err != nil || json.Unmarshal(body, &list) != nil {
		t.Errorf("list rules: %v %s", err, body)
	}
	for _, rule := range list.Rules {
		if strings.HasSuffix(rule.Description, uuid) {
			_, _, _ = s.Do(context.Background(), http.MethodDelete, "/v1/inspection_rules/"+rule.UUID, nil)
		}
	}
}
