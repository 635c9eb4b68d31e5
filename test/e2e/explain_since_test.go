package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/models/explain"
	"ironworks/test/ironic"
)

// explanation returns the decoded output of `ironworks explain`.
func (c *console) explanation(name string) (said explain.Explanation) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.ok("explain", name, "-o", "json").stdout), &said); err != nil {
		c.t.Fatal(err)
	}
	return said
}

// checkChangedSince checks that explain and the list of nodes report what has been changed since the failure, and
// that explain proposes the given verb as the next command.
func (c *console) checkChangedSince(name, done, brief, verb string) {
	c.t.Helper()
	said := c.explanation(name)
	if !strings.HasPrefix(said.Verdict, done) || said.Next.Command != "ironworks "+verb+" "+name || !strings.HasSuffix(said.Next.Text, "try again.") {
		c.t.Errorf("explained as %+v, want %q and %s", said, done, verb)
	}
	if o := c.ok("nodes", "name:="+name); !strings.Contains(o.stdout, brief) {
		c.t.Errorf("no %q in the list:\n%s", brief, o.stdout)
	}
}

// TestExplainAfterThePasswordWasSet covers a BMC that rejects the password. After the password has been corrected,
// Explain must say so and propose the command that then succeeds.
func TestExplainAfterThePasswordWasSet(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, m := redfishNode(t, s, "ok")
		c.ok("set", name, "driver_info.redfish_password=wrong")
		c.fails(1, "manage", name, "--wait", "--timeout", "6m")
		if said := c.explanation(name); said.Rule != "bmc-credentials" || strings.Contains(said.Verdict, "changed") {
			t.Errorf("before: %+v", said)
		}
		c.ok("set", name, "driver_info.redfish_password="+m.Spec().Password)
		c.checkChangedSince(name, "The BMC credentials were changed after this failure", "password changed; try again", "manage")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		if said := c.explanation(name); said.Rule != "at-rest" {
			t.Errorf("after: %+v", said)
		}
	})
}

// TestExplainAfterTheHintsWereChanged covers hints that match no disk. The hints are changed once by another program,
// and once by ironworks.
func TestExplainAfterTheHintsWereChanged(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "no-disk-matches")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.fails(1, "deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name)
		if said := c.explanation(name); said.Rule != "no-hinted-device" || strings.Contains(said.Verdict, "changed") {
			t.Errorf("before: %+v", said)
		}
		patch := []map[string]any{{"op": "add", "path": "/properties/root_device", "value": map[string]any{"serial": m.Disks()[0].Serial}}}
		if status, body, err := s.Do(t.Context(), "PATCH", "/v1/nodes/"+uuid, patch); err != nil || status != 200 {
			t.Fatalf("change the hints: %d %v %s", status, err, body)
		}
		const done = "The root device hints were changed after this failure"
		if said := c.explanation(name); !strings.HasPrefix(said.Verdict, done) || said.Next.Command != "ironworks deploy "+name {
			t.Errorf("changed by another program: %+v", said)
		}
		c.ok("set", name, `properties.root_device={"wwn": "`+m.Disks()[0].WWN+`"}`)
		c.checkChangedSince(name, done, "hints changed; try again", "deploy")
		c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name)
		if said := c.explanation(name); said.Rule != "at-rest" {
			t.Errorf("after: %+v", said)
		}
	})
}
