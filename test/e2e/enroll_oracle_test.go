package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/golden"
	"ironworks/test/ironic"
)

// nodesFile is an input file for `baremetal create`. It contains fields of all kinds, traits, ports and port groups.
// The tests replace NAME, UUID and MAC to keep their nodes apart.
const nodesFile = `
nodes:
  - name: NAME-1
    uuid: UUID1
    driver: fake-hardware
    resource_class: big
    driver_info: {fake_password: s3cret, redfish_address: "https://10.0.0.11", port: 623, nested: {a: [1, two]}}
    properties: {cpus: 8, memory_mb: 16384, cpu_arch: x86_64, capabilities: "boot_mode:uefi", root_device: {size: ">= 100"}}
    extra: {rack: r1, cost: 12.5, flag: true}
    description: the first
    automated_clean: false
    conductor_group: ""
    traits: [CUSTOM_FAST, HW_CPU_X86_VMX]
    ports:
      - {address: "MAC:01", pxe_enabled: false, extra: {slot: 1}}
      - address: "MAC:02"
        local_link_connection: {switch_id: "52:54:00:00:00:01", port_id: Eth1/1, switch_info: sw1}
        physical_network: storage
    portgroups:
      - name: NAME-bond
        mode: 802.3ad
        properties: {miimon: 100}
        ports: [{address: "MAC:03"}, {address: "MAC:04"}]
  - name: NAME-2
    uuid: UUID2
    driver: fake-hardware
    deploy_interface: fake
    network_interface: noop
`

// TestEnrollAsBaremetalCreate checks that `baremetal create` and `ironworks enroll` create the same nodes, ports and
// port groups from one file.
func TestEnrollAsBaremetalCreate(t *testing.T) {
	t.Parallel()
	baremetal := filepath.Join(ironic.Environment(t, "newest"), "bin", "baremetal")
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("oracle")
		n := names.Add(1)
		text := strings.NewReplacer(
			"NAME", name, "UUID1", fmt.Sprintf("00000000-0000-4000-8000-%06x%06x", os.Getpid(), n), "UUID2", fmt.Sprintf("00000000-0000-4000-9000-%06x%06x", os.Getpid(), n),
			"MAC", fmt.Sprintf("52:54:01:%02x:%02x", n>>8&0xff, n&0xff),
		).Replace(nodesFile)
		file := filepath.Join(c.home, "nodes.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), baremetal, "create", file)
		cmd.Env = append(os.Environ(), "OS_AUTH_TYPE=none", "OS_ENDPOINT="+s.URL, "OS_BAREMETAL_API_VERSION=1.82")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("baremetal create: %v\n%s", err, out)
		}
		theirs := ironicRecords(t, s, name)
		if o := c.ok("enroll", "-f", file, "--dry-run"); !strings.Contains(o.stderr, "2 unchanged; nothing was sent") {
			t.Errorf("after baremetal create:\n%s\n%s", o.stdout, o.stderr)
		}
		for _, node := range []string{name + "-1", name + "-2"} {
			if status, body, err := s.Do(t.Context(), http.MethodDelete, "/v1/nodes/"+node, nil); err != nil || status != http.StatusNoContent {
				t.Fatalf("delete %s: %d %v %s", node, status, err, body)
			}
		}
		c.ok("enroll", "-f", file, "--yes")
		if ours := ironicRecords(t, s, name); ours != theirs {
			t.Errorf("baremetal create and ironworks enroll differ:\n%s", golden.Diff(theirs, ours))
		}
	})
}

// ironicRecords returns Ironic's records of the two nodes, their ports and their port groups as JSON, without the
// fields that withoutTimes removes.
func ironicRecords(t *testing.T, s *ironic.Server, name string) string {
	t.Helper()
	var b strings.Builder
	for _, node := range []string{name + "-1", name + "-2"} {
		uuid, _ := apiNode(t, s, node)["uuid"].(string)
		for _, path := range []string{"/v1/nodes/" + node, "/v1/ports?detail=true&node=" + uuid, "/v1/portgroups?detail=true&node=" + uuid} {
			status, body, err := s.Do(t.Context(), http.MethodGet, path, nil)
			var v any
			if err != nil || status != http.StatusOK || json.Unmarshal(body, &v) != nil {
				t.Fatalf("%s: %d %v %s", path, status, err, body)
			}
			text, err := json.MarshalIndent(withoutTimes(v, strings.HasPrefix(path, "/v1/nodes/")), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
		}
	}
	return b.String()
}

// withoutTimes removes the fields that differ each time the same objects are created: times, links, the conductor
// and, except for nodes, UUIDs. Lists become maps keyed by MAC address.
func withoutTimes(v any, node bool) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"created_at", "updated_at", "links", "states", "volume", "conductor"} {
			delete(v, key)
		}
		for _, key := range []string{"ports", "portgroups"} {
			if list, is := v[key].([]any); is && len(list) > 0 && list[0].(map[string]any)["href"] == nil {
				v[key] = withoutTimes(list, false)
				continue
			}
			delete(v, key) // absent or links
		}
		if !node {
			delete(v, "uuid")
			if v["portgroup_uuid"] != nil {
				v["portgroup_uuid"] = "UUID of the group"
			}
		}
		return v
	case []any:
		byAddress := map[string]any{}
		for i, item := range v {
			key := fmt.Sprint(i)
			if m, is := item.(map[string]any); is {
				if address, set := m["address"].(string); set {
					key = address
				}
				withoutTimes(m, false)
			}
			byAddress[key] = item
		}
		return byAddress
	}
	return v
}
