package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/test/ironic"
)

// TestClientMethods calls the client's methods against each release. Calls that the release lacks must fail with an
// error that names the required API version.
func TestClientMethods(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c, err := ironicclient.New(models.Connection{Endpoint: s.URL}, ironicclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		name := unique("client")
		uuid := s.CreateNode(t, map[string]any{"name": name, "resource_class": "baremetal"})
		create := func(path string, body map[string]any) {
			t.Helper()
			if status, out, err := s.Do(ctx, http.MethodPost, path, body); err != nil || status != http.StatusCreated {
				t.Fatalf("%s: %d %v %s", path, status, err, out)
			}
		}
		create("/v1/portgroups", map[string]any{"node_uuid": uuid, "name": name + "-bond"})
		create("/v1/ports", map[string]any{"node_uuid": uuid, "address": macFor(name)})
		create("/v1/allocations", map[string]any{"resource_class": "nothing-has-it", "name": name + "-wish"})

		ports, err := c.Ports(ctx, name)
		if err != nil || len(ports) != 1 || ports[0].NodeUUID != uuid {
			t.Errorf("ports: %+v, %v", ports, err)
		}
		groups, err := c.Portgroups(ctx, name)
		if err != nil || len(groups) != 1 || groups[0].Name != name+"-bond" {
			t.Errorf("port groups: %+v, %v", groups, err)
		}
		if _, err := c.Send(ctx, request.AddTrait(name, "CUSTOM_X")); err != nil {
			t.Error(err)
		}
		if n, err := c.Node(ctx, name); err != nil || !slices.Equal(n.Traits, []string{"CUSTOM_X"}) || n.ProvisionState != models.StateEnroll {
			t.Errorf("node: %+v, %v", n, err)
		}
		if d, err := c.BootDevice(ctx, name); err != nil || d.Device == "" {
			t.Errorf("boot device: %+v, %v", d, err)
		}
		if _, err := c.BIOS(ctx, name); err != nil {
			t.Errorf("BIOS: %v", err)
		}
		checkFirmware(ctx, t, c, name, s)
		checkInventory(ctx, t, c, name, s)
		if one, err := c.Allocation(ctx, name+"-wish"); err != nil || one.ResourceClass != "nothing-has-it" {
			t.Errorf("allocation: %+v, %v", one, err)
		}
	})
}

func checkFirmware(ctx context.Context, t *testing.T, c *ironicclient.Client, name string, s *ironic.Server) {
	t.Helper()
	_, err := c.Firmware(ctx, name)
	if s.Release.MaxMinor() >= models.FeatureFirmware.Minor() {
		if err != nil {
			t.Errorf("firmware: %v", err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), "firmware needs API 1.86; this Ironic has 1.82") {
		t.Errorf("firmware of an old Ironic: %v", err)
	}
}

func checkInventory(ctx context.Context, t *testing.T, c *ironicclient.Client, name string, s *ironic.Server) {
	t.Helper()
	if _, err := c.Inventory(ctx, name); !models.IsFault(err, models.FaultNotFound) {
		t.Errorf("inventory of a node that was not inspected: %v", err)
	}
	// The Redfish tests read a real inventory; this checks only the shape of the error.
	_, body, err := s.Do(ctx, http.MethodGet, "/v1/nodes/"+name+"/inventory", nil)
	var fault map[string]any
	if err != nil || json.Unmarshal(body, &fault) != nil {
		t.Errorf("inventory without the client: %s, %v", body, err)
	}
}

// macFor derives a MAC address from a name.
func macFor(name string) string {
	var sum [3]byte
	for i := range len(name) {
		sum[i%3] = sum[i%3]*31 + name[i]
	}
	const hex = "0123456789abcdef"
	out := []byte("52:54:01")
	for _, b := range sum {
		out = append(out, ':', hex[b>>4], hex[b&15])
	}
	return string(out)
}

// TestRejectedFieldsOfARealIronic lists nodes with fields that a release rejects, and expects all nodes without those
// fields. 21.4.4 responds to conductor with HTTP 500 and to updated_at with 400.
func TestRejectedFieldsOfARealIronic(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c, err := ironicclient.New(models.Connection{Endpoint: s.URL}, ironicclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s.CreateNode(t, map[string]any{"name": unique("refused")})
		fields := append(models.ListFields(), "conductor", "updated_at", "allocation_uuid", "health", "driver_info")
		page, err := c.NodePage(context.Background(), ironicclient.NodeQuery{Fields: fields})
		if err != nil || len(page.Nodes) == 0 {
			t.Fatalf("%v; refused fields: %q", err, c.Refused())
		}
		if !slices.Contains(c.Refused(), "updated_at") || slices.Contains(c.Refused(), "name") {
			t.Errorf("refused: %q", c.Refused())
		}
	})
}
