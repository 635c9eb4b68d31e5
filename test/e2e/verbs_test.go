package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

var names atomic.Int64

// unique returns a node name that no other test or run uses.
func unique(prefix string) string {
	return fmt.Sprintf("%s-%d-%d", prefix, os.Getpid(), names.Add(1))
}

// apiNode reads a node from Ironic's API, to check what the program did.
func apiNode(t *testing.T, s *ironic.Server, id string) map[string]any {
	t.Helper()
	status, body, err := s.Do(context.Background(), http.MethodGet, "/v1/nodes/"+id, nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("get node %s: %d %v %s", id, status, err, body)
	}
	var n map[string]any
	if err := json.Unmarshal(body, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEveryVerbThatIsIllegalInEnrollIsRefusedAndNotSent(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("illegal")
		s.CreateNode(t, map[string]any{"name": name})
		for _, verb := range models.Verbs() {
			if verb == models.VerbManage {
				continue
			}
			o := c.fails(3, string(verb), name, "--yes")
			if !strings.Contains(o.stderr, `not possible in state "enroll"`) || !strings.Contains(o.stderr, "possible now: manage") {
				t.Errorf("%s: %s", verb, o.stderr)
			}
		}
		if lines := c.auditLines(); len(lines) != 0 {
			t.Errorf("a request was sent: %v", lines)
		}
	})
}

func TestEveryVerbOnFakeHardware(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("verbs")
		s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
		password := filepath.Join(c.home, "password")
		if err := os.WriteFile(password, []byte("hunter2hunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			args []string
			ends models.ProvisionState
		}{
			{[]string{"manage"}, models.StateManageable},
			{[]string{"inspect"}, models.StateManageable},
			{[]string{"clean", "--step", "bios.factory_reset"}, models.StateManageable},
			{[]string{"provide"}, models.StateAvailable},
			{[]string{"deploy"}, models.StateActive},
			{[]string{"rescue", "--password-file", password}, models.StateRescue},
			{[]string{"unrescue"}, models.StateActive},
			{[]string{"rebuild"}, models.StateActive},
			{[]string{"undeploy"}, models.StateAvailable},
			{[]string{"manage"}, models.StateManageable},
			{[]string{"adopt"}, models.StateActive},
		} {
			if step.args[0] == "rebuild" {
				// 39.0.0 responds with HTTP 500 to a rebuild without an image.
				if s.Release != ironic.Old {
					if o := c.fails(3, "rebuild", name, "--yes"); !strings.Contains(o.stderr, "[image] Ironic answers a rebuild without an image") {
						t.Errorf("rebuild without an image: %s%s", o.stdout, o.stderr)
					}
				}
				c.ok("set", name, "instance_info.image_source=http://127.0.0.1:1/image")
			}
			args := append(step.args, name, "--wait", "--yes", "--timeout", "6m", "-o", "json")
			o := c.ok(args...)
			got := decode[[]struct {
				Result    string `json:"result"`
				State     string `json:"state"`
				RequestID string `json:"request_id"`
			}](t, o)
			if len(got) != 1 || got[0].Result != "done" || got[0].State != string(step.ends) || !strings.HasPrefix(got[0].RequestID, "req-") {
				t.Fatalf("%q: %+v", step.args, got)
			}
			if state := apiNode(t, s, name)["provision_state"]; state != string(step.ends) {
				t.Fatalf("after %q: state %v", step.args, state)
			}
		}
		audit, _ := json.Marshal(c.auditLines())
		if strings.Contains(string(audit), "hunter2") {
			t.Error("the audit file contains the rescue password")
		}
		if n := len(c.auditLines()); n != 2*13 { // deploy also reserves the node
			t.Errorf("%d audit lines for 13 requests, want two for each", n)
		}
	})
}

// untilNodeIs polls Ironic until a node is in the given state. A watch cannot be used for a wait state, because it
// reports such a state only before it has seen a step.
func untilNodeIs(t *testing.T, s *ironic.Server, uuid string, want models.ProvisionState) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var state any
	err := ironic.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) {
		state = apiNode(t, s, uuid)["provision_state"]
		return state == string(want), nil
	})
	if err != nil {
		t.Fatalf("waiting for %s: %v; state %v", want, err, state)
	}
}

func TestServiceAndAbort(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("service")
		uuid := s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
		c.ok("manage", name, "--wait")
		c.ok("adopt", name, "--wait")
		if s.Release.MaxMinor() < models.FeatureService.Minor() {
			o := c.fails(3, "service", name, "--yes", "--step", "vendor.log_passthrough")
			if !strings.Contains(o.stderr, "API 1.87") || !strings.Contains(o.stderr, "1.82") {
				t.Errorf("the versions are not named: %s", o.stderr)
			}
			return
		}
		c.ok("service", name, "--yes", "--wait", "--step", "vendor.log_passthrough")
		c.ok("service", name, "--yes", "--step", "vendor.trigger_servicewait")
		untilNodeIs(t, s, uuid, models.StateServiceWait)
		// This step cannot be interrupted and waits for an agent that does not exist.
		if o := c.ok("abort", name, "--yes"); !strings.Contains(o.stdout, "the step cannot be interrupted") {
			t.Errorf("abort: %s%s", o.stdout, o.stderr)
		}
		if step := apiNode(t, s, name)["service_step"].(map[string]any); step["abort_after"] != true {
			t.Errorf("Ironic did not record the abort: %v", step)
		}
		if o := c.fails(1, "abort", name, "--yes", "--wait", "--timeout", "2s"); !strings.Contains(o.stdout, "still running after the time limit") {
			t.Errorf("abort --wait: %s%s", o.stdout, o.stderr)
		}
	})
}

func TestPowerBootDeviceMaintenanceProtectRetire(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("acts")
		s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
		field := func(key string, want any) {
			t.Helper()
			if got := apiNode(t, s, name)[key]; got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}
		c.ok("manage", name, "--wait")
		for _, p := range []struct{ verb, ends string }{
			{"on", "power on"}, {"reboot", "power on"}, {"soft-reboot", "power on"}, {"soft-off", "power off"}, {"on", "power on"}, {"off", "power off"},
		} {
			c.ok("power", p.verb, name, "--wait", "--timeout", "30s")
			field("power_state", p.ends)
		}
		c.ok("boot-device", "pxe", name, "--persistent")
		if o := c.fails(1, "boot-device", "teapot", name); !strings.Contains(o.stdout+o.stderr, "teapot") {
			t.Errorf("an impossible boot device: %s%s", o.stdout, o.stderr)
		}
		c.ok("maintenance", "on", name, "--reason", "disk swap")
		field("maintenance_reason", "disk swap")
		if o := c.fails(3, "clean", name, "--step", "bios.factory_reset", "--yes"); !strings.Contains(o.stderr, "disk swap") {
			t.Errorf("cleaning in maintenance: %s", o.stderr)
		}
		c.ok("maintenance", "off", name)
		field("maintenance", false)
		c.fails(3, "protect", name)
		c.ok("adopt", name, "--wait")
		c.ok("protect", name, "--reason", "database")
		field("protected_reason", "database")
		c.fails(3, "undeploy", name, "--yes")
		c.ok("unprotect", name)
		field("protected", false)
		c.ok("retire", name, "--reason", "old")
		field("retired", true)
		c.ok("unretire", name)
		field("retired", false)
	})
}

func TestSetChangesLeavesOnly(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("set")
		s.CreateNode(t, map[string]any{
			"name": name, "driver_info": map[string]any{"redfish_password": "secret", "redfish_address": "http://a"},
		})
		c.ok("set", name, "resource_class=gp-2x", "owner=rack7", "description=two words", "deploy_interface=custom-agent",
			"properties.root_device.wwn=0x5000c500", "properties.cpus=4", "extra.note=hello", "traits=CUSTOM_A,CUSTOM_B",
			"driver_info.redfish_address=http://b", "automated_clean=false")
		n := apiNode(t, s, name)
		properties := n["properties"].(map[string]any)
		switch {
		case n["resource_class"] != "gp-2x", n["owner"] != "rack7", n["description"] != "two words",
			n["deploy_interface"] != "custom-agent", n["automated_clean"] != false,
			properties["cpus"] != float64(4), properties["root_device"].(map[string]any)["wwn"] != "0x5000c500",
			n["extra"].(map[string]any)["note"] != "hello", fmt.Sprint(n["traits"]) != "[CUSTOM_A CUSTOM_B]",
			n["driver_info"].(map[string]any)["redfish_address"] != "http://b",
			n["driver_info"].(map[string]any)["redfish_password"] != "******":
			t.Fatalf("after set: %v", n)
		}
		c.ok("set", name, "properties.root_device.size=>= 100", "properties.cpus-", "owner-", "traits+=CUSTOM_C", "traits-=CUSTOM_A")
		n = apiNode(t, s, name)
		properties = n["properties"].(map[string]any)
		if _, there := properties["cpus"]; there || n["owner"] != nil || fmt.Sprint(n["traits"]) != "[CUSTOM_B CUSTOM_C]" ||
			properties["root_device"].(map[string]any)["size"] != ">= 100" || properties["root_device"].(map[string]any)["wwn"] != "0x5000c500" {
			t.Fatalf("after the second set: %v", n)
		}
		if audit, _ := json.Marshal(c.auditLines()); strings.Contains(string(audit), "http://b") {
			t.Errorf("the audit file contains a value: %s", audit)
		}
		for _, bad := range []string{"driver_info={}", "colour=red", "automated_clean=maybe", "properties.a b=1", "=x"} {
			if o := c.run("set", name, bad); o.code != 2 || o.stderr == "" {
				t.Errorf("set %q: exit code %d, %s", bad, o.code, o.stderr)
			}
		}
	})
}

func TestBulk(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		var all []string
		for range 12 {
			name := unique("bulk")
			s.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
			all = append(all, name)
		}
		c.ok(append([]string{"manage", "--wait"}, all[1:]...)...)

		o := c.fails(3, append([]string{"provide", "--wait"}, all...)...)
		if !strings.Contains(o.stderr, all[0]) || !strings.Contains(o.stderr, "nothing was sent; pass --skip-refused to continue with the other 11 nodes") {
			t.Errorf("one node in the wrong state: %s", o.stderr)
		}
		if state := c.state(all[5]); state != models.StateManageable {
			t.Errorf("a request was sent: %s", state)
		}
		o = c.fails(3, append([]string{"provide", "--wait", "--skip-refused", "-o", "json"}, all...)...)
		counts := map[string]int{}
		for _, r := range decode[[]map[string]any](t, o) {
			counts[fmt.Sprint(r["result"])]++
		}
		if counts["done"] != 11 || counts["refused"] != 1 {
			t.Errorf("results: %v", counts)
		}
		o = c.fails(3, append([]string{"deploy"}, all[1:]...)...)
		if !strings.Contains(o.stderr, "--yes") {
			t.Errorf("no terminal: %s", o.stderr)
		}
		// A node given several times, by name and by UUID, is one node.
		uuid := apiNode(t, s, all[1])["uuid"].(string)
		if got := decode[[]any](t, c.ok("maintenance", "on", all[1], uuid, all[1], "-o", "json")); len(got) != 1 {
			t.Errorf("one node named three times gave %d results", len(got))
		}
	})
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("readonly")
		s.CreateNode(t, map[string]any{"name": name})
		if o := c.fails(3, "manage", name, "--read-only"); !strings.Contains(o.stderr, "read-only") {
			t.Errorf("%s", o.stderr)
		}
		if state := c.state(name); state != models.StateEnroll {
			t.Errorf("state %s", state)
		}
	})
}
