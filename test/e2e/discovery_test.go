package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// withDiscovery runs a test on Ironics that enroll unknown machines.
func withDiscovery(t *testing.T, run func(t *testing.T, s *ironic.Server)) {
	t.Run(ironic.Newest.Version(), func(t *testing.T) {
		t.Parallel()
		s, err := ironic.Start(t.Context(), ironic.Options{Release: ironic.Newest, Settings: map[string]map[string]string{
			"DEFAULT":        {"enabled_inspect_interfaces": "agent,no-inspect"},
			"auto_discovery": {"enabled": "true", "driver": "redfish"},
			"inspector":      {"power_off": "false"}, // the BMC is not known yet
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		run(t, s)
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		i, err := lab.StartIronic(t.Context(), lab.IronicOptions{Speed: 30, Discovery: "redfish"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = i.Close() })
		run(t, ironic.At(i.URL, ironic.Newest))
	})
}

// discovered makes Ironic enroll an unknown machine, and returns the node's UUID.
func discovered(t *testing.T, s *ironic.Server, mac string) string {
	t.Helper()
	body := map[string]any{"inventory": map[string]any{
		"interfaces": []any{map[string]any{"name": "eth0", "mac_address": mac, "has_carrier": true, "ipv4_address": "10.9.0.7"}},
		"disks":      []any{map[string]any{"name": "/dev/sda", "size": 480103981056, "model": "m", "serial": "s"}},
		"memory":     map[string]any{"physical_mb": 65536}, "cpu": map[string]any{"count": 16, "architecture": "x86_64"},
		"bmc_address": "10.9.1.7", "system_vendor": map[string]any{"manufacturer": "Dell Inc.", "product_name": "R640", "serial_number": "x"},
	}}
	// Without an API version, Ironic serves this path with ironic-inspector's API, which agents call.
	status, answer, err := s.DoVersion(t.Context(), "", http.MethodPost, "/v1/continue_inspection", body)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("continue_inspection: %d %v %s", status, err, answer)
	}
	var made struct{ UUID string }
	if err := json.Unmarshal(answer, &made); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		status, _, err := s.Do(ctx, http.MethodGet, "/v1/nodes/"+made.UUID+"/inventory", nil)
		return status == http.StatusOK, err
	}); err != nil {
		t.Fatalf("no inventory of the discovered node: %v: %v", err, apiNode(t, s, made.UUID)["last_error"])
	}
	return made.UUID
}

// TestAutoDiscovery covers nodes that Ironic has discovered. A filter must find them, the list must mark them, and
// the doctor must report them. A rule must be able to record the discovery in the node.
func TestAutoDiscovery(t *testing.T) {
	t.Parallel()
	withDiscovery(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		mine, _ := screenNode(t, s, "enrolled")
		if o := c.ok("doctor"); !strings.Contains(o.stdout, "no node enrolled by auto-discovery; the API does not show") {
			t.Errorf("%s", o.stdout)
		}
		uuid := discovered(t, s, "52:54:00:09:00:07")
		if o := c.ok("nodes", "is:discovered", "-o", "name"); strings.TrimSpace(o.stdout) != uuid {
			t.Errorf("is:discovered: %s%s", o.stdout, o.stderr)
		}
		if o := c.ok("nodes", "!is:discovered", "-o", "name"); strings.TrimSpace(o.stdout) != mine {
			t.Errorf("!is:discovered: %s%s", o.stdout, o.stderr)
		}
		if o := c.ok("doctor"); !strings.Contains(o.stdout, "auto-discovery is or was on: it has enrolled") {
			t.Errorf("%s", o.stdout)
		}
		f := c.fleet(roomy)
		f.until("enroll ◆")
		if n := strings.Count(f.Text(), "◆"); n != 1 {
			t.Errorf("%d nodes are marked:\n%s", n, f.Text())
		}
		f.quits()

		c.ok("rules", "apply", "-f", c.file("rule.yaml", []byte(c.ok("rules", "example", "discovered").stdout)), "--yes")
		marked := discovered(t, s, "52:54:00:09:00:08")
		if extra := fmt.Sprint(apiNode(t, s, marked)["extra"]); extra != "map[auto_discovered:true]" {
			t.Errorf("extra %s", extra)
		}
		if o := c.ok("nodes", "is:discovered", "-o", "name"); len(strings.Fields(o.stdout)) != 2 || !strings.Contains(o.stdout, marked) {
			t.Errorf("is:discovered: %s", o.stdout)
		}
	})
}
