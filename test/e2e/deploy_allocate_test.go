package e2e

import (
	"net/http"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// TestDeployByAllocation reserves a node with an allocation and checks that the allocation is deleted when the
// deployment is rejected.
func TestDeployByAllocation(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, p := behindProxy(t, s)
		name, uuid, _ := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("set", name, "resource_class=e2e-alloc", "traits+=CUSTOM_E2E")
		command := []string{"deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name}
		if o := c.fails(3, append(command, "--allocate-class", "other")...); !strings.Contains(o.stderr, "[allocation]") {
			t.Errorf("wrong resource class: %s", o.stderr)
		}
		command = append(command, "--allocate", "--allocate-trait", "CUSTOM_E2E")
		p.Set(weather.On(deploys, weather.Ironic(400, "not today")))
		c.fails(1, command...)
		p.Clear()
		if n := apiNode(t, s, uuid); n["instance_uuid"] != nil {
			t.Errorf("still reserved: %v", n["instance_uuid"])
		}
		// The program is killed twice: once after and once before Ironic has received the request for the allocation.
		for _, after := range []bool{true, false} {
			k := killPoint{match: weather.Nth(1, weather.Both(weather.Method(http.MethodPost), weather.Path("/allocations"))), after: after}
			c.runUntilKilled(p, k, command...)
			if after {
				c.ok("deploy", "--give-back", "--yes")
				if n := apiNode(t, s, uuid); n["instance_uuid"] != nil {
					t.Errorf("still reserved: %v", n["instance_uuid"])
				}
				continue
			}
			c.ok("deploy", "--resume", "--yes", "--timeout", "6m")
		}
		n := apiNode(t, s, uuid)
		if n["provision_state"] != "active" || n["allocation_uuid"] == nil || n["allocation_uuid"] != n["instance_uuid"] {
			t.Errorf("the node is %v as %v, allocation %v", n["provision_state"], n["instance_uuid"], n["allocation_uuid"])
		}
		if left := c.records(); len(left) != 0 {
			t.Errorf("leftover records: %v", left)
		}
	})
}
