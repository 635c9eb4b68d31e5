package enroll

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"ironworks/models"
)

// ironicNode decodes a node from the JSON that Ironic returns.
func ironicNode(t *testing.T, raw string) models.Node {
	t.Helper()
	var n models.Node
	if err := json.Unmarshal([]byte(raw), &n); err != nil {
		t.Fatal(err)
	}
	n.Raw = json.RawMessage(raw)
	return n
}

// TestFromIronic checks that an export contains the data that is needed to create a node again. Notes must mention
// the data that the export leaves out.
func TestFromIronic(t *testing.T) {
	t.Parallel()
	have := Existing{
		Nodes: []models.Node{
			ironicNode(t, `{"uuid": "u2", "name": "n2", "driver": "redfish", "provision_state": "available", "automated_clean": false, "maintenance": true, "retired": false,
				"driver_info": {"redfish_address": "https://h", "redfish_password": "******"}, "instance_info": {"configdrive": "******"}, "chassis_uuid": "c", "extra": {}}`),
			ironicNode(t, `{"uuid": "u1", "name": "n1", "driver": "ipmi", "provision_state": "active", "traits": ["CUSTOM_A"], "properties": {"cpus": 8}}`),
		},
		Ports: []map[string]any{
			{"uuid": "p1", "node_uuid": "u2", "address": "52:54:00:00:00:01", "pxe_enabled": true, "created_at": "now", "extra": map[string]any{}},
			{"uuid": "p2", "node_uuid": "u2", "address": "52:54:00:00:00:02", "pxe_enabled": false, "portgroup_uuid": "g1"},
		},
		Portgroups: []map[string]any{{"uuid": "g1", "node_uuid": "u2", "name": "bond0", "mode": "802.3ad", "standalone_ports_supported": false}},
	}
	nodes := FromIronic(have)
	if len(nodes) != 2 || nodes[0].Name() != "n1" || !nodes[0].Adopt || nodes[1].Adopt || !reflect.DeepEqual(nodes[0].Traits, []string{"CUSTOM_A"}) {
		t.Fatalf("%v", nodes)
	}
	n := nodes[1]
	text, err := json.Marshal(n)
	want := `{"automated_clean":false,"driver":"redfish","driver_info":{"redfish_address":"https://h","redfish_password":""},"name":"n2","uuid":"u2"}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	if notes := strings.Join(n.Notes, "\n"); !strings.Contains(notes, "chassis_uuid c is left out") || !strings.Contains(notes, "instance_info.configdrive is left out") {
		t.Errorf("notes %q", n.Notes)
	}
	if want := []Port{{"uuid": "p1", "address": "52:54:00:00:00:01"}}; !reflect.DeepEqual(n.Ports, want) {
		t.Errorf("ports %v", n.Ports)
	}
	if len(n.Portgroups) != 1 || n.Portgroups[0].Fields["standalone_ports_supported"] != false || n.Portgroups[0].Ports[0]["pxe_enabled"] != false {
		t.Errorf("port groups %v", n.Portgroups)
	}
}

// TestHasInstance checks which states mean that a machine has an instance. Unknown states, which a newer Ironic may
// add, must be treated as if the machine had one.
func TestHasInstance(t *testing.T) {
	t.Parallel()
	for state, want := range map[models.ProvisionState]bool{
		"active": true, "rescue": true, "service wait": true, "deploying": true, "a new one": true, "": false, "available": false, "enroll": false, "clean failed": false,
	} {
		if got := hasInstance(state); got != want {
			t.Errorf("%q: %v", state, got)
		}
	}
}
