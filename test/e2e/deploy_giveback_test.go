package e2e

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// TestGiveBackAfterFailedRestore covers a failed deployment after which restoring the node's fields fails, too. The
// node must stay reserved and keep its record, until --give-back restores it.
func TestGiveBackAfterFailedRestore(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, p, name, before := deployableNode(t, s)
		p.Set(
			weather.On(deploys, weather.Ironic(http.StatusBadRequest, "not today")).Times(1),
			weather.On(weather.Nth(3, patches), weather.Ironic(http.StatusConflict, "not this, either")).Times(1),
		)
		o := c.fails(1, deployArgs(t, c, name)...)
		for _, want := range []string{"not today", "not this, either", "ironworks deploy --give-back " + name} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("no %q in %s", want, o.stdout)
			}
		}
		n := apiNode(t, s, name)
		if n["instance_uuid"] == nil || sameFields(n, before) || len(c.records()) == 0 {
			t.Errorf("released with the plan's fields: %v, %v, records %v", n["instance_uuid"], n["instance_info"], c.records())
		}
		c.ok("deploy", "--give-back", name, "--yes")
		wantRestored(t, c, apiNode(t, s, name), before)
	})
}

// TestLostChangeOfADeploymentIsUndone loses the response to the request that changes the node's fields, after Ironic
// has written them. The fields must be restored, and the request must not be repeated.
func TestLostChangeOfADeploymentIsUndone(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, p, name, before := deployableNode(t, s)
		p.Set(weather.On(weather.Nth(2, patches), weather.CutAfterSending()).Times(1))
		c.fails(4, deployArgs(t, c, name)...)
		if got := c.auditResults(); got != "sending accepted sending unknown sending accepted sending accepted" {
			t.Errorf("audit: %s", got)
		}
		wantRestored(t, c, apiNode(t, s, name), before)
	})
}

// deployableNode returns an available node behind a proxy, and its fields before the test changes them.
func deployableNode(t *testing.T, s *ironic.Server) (c *console, p *weather.Proxy, name string, before map[string]any) {
	t.Helper()
	c, p = behindProxy(t, s)
	name, _, _ = redfishNode(t, s, "ok")
	consoleAt(t, s).ok("manage", name, "--wait", "--timeout", "6m")
	consoleAt(t, s).ok("provide", name, "--wait", "--timeout", "6m")
	return c, p, name, apiNode(t, s, name)
}

func deployArgs(t *testing.T, c *console, name string) []string {
	t.Helper()
	return []string{
		"deploy", name, "--yes", "--user-data", c.file("host.bu", []byte(hostButane)), "--root-device", `{"serial": "x"}`,
		"--override", "inventory", "--confirm", name,
	}
}

func sameFields(n, before map[string]any) bool {
	for _, field := range []string{"instance_info", "properties", "driver_info", "deploy_interface"} {
		if !reflect.DeepEqual(n[field], before[field]) {
			return false
		}
	}
	return true
}

func wantRestored(t *testing.T, c *console, n, before map[string]any) {
	t.Helper()
	if n["instance_uuid"] != nil || n["provision_state"] != "available" || !sameFields(n, before) {
		t.Errorf("%v as %v: instance_info %v, driver_info %v, before %v, %v",
			n["provision_state"], n["instance_uuid"], n["instance_info"], n["driver_info"], before["instance_info"], before["driver_info"])
	}
	if left := c.records(); len(left) != 0 {
		t.Errorf("leftover records: %v", left)
	}
}
