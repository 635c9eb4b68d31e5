package enroll_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ironworks/enroll"
	"ironworks/models"
)

// ironics returns nodes in Ironic's format: a (Redfish at 10.0.0.1), b (IPMI at 10.0.0.2), two systems behind the BMC
// at 10.0.0.9, and a node with a RAID.
func ironics(t *testing.T) enroll.Existing {
	t.Helper()
	var have enroll.Existing
	for _, raw := range []string{
		`{"uuid": "aaaaaaaa-0000-4000-8000-000000000001", "name": "a", "driver": "redfish", "traits": [], "properties": {"cpus": 8}, "extra": {"serial": "SN1"},
		  "driver_info": {"redfish_address": "https://10.0.0.1", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_password": "******"}}`,
		`{"uuid": "aaaaaaaa-0000-4000-8000-000000000002", "name": "b", "driver": "ipmi", "driver_info": {"ipmi_address": "10.0.0.2"}}`,
		`{"uuid": "aaaaaaaa-0000-4000-8000-000000000003", "name": "blade-1", "driver": "redfish", "driver_info": {"redfish_address": "10.0.0.9", "redfish_system_id": "/redfish/v1/Systems/1"}}`,
		`{"uuid": "aaaaaaaa-0000-4000-8000-000000000004", "name": "blade-2", "driver": "redfish", "driver_info": {"redfish_address": "10.0.0.9", "redfish_system_id": "/redfish/v1/Systems/2"}}`,
		`{"uuid": "aaaaaaaa-0000-4000-8000-000000000005", "name": "array", "driver": "redfish", "provision_state": "available", "properties": {"capabilities": "boot_mode:uefi,raid_level:1"},
		  "raid_config": {"logical_disks": [{"raid_level": "1"}]}}`,
	} {
		n, err := models.DecodeNode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		have.Nodes = append(have.Nodes, *n)
	}
	have.Ports = []map[string]any{{"uuid": "p1", "node_uuid": "aaaaaaaa-0000-4000-8000-000000000002", "address": "52:54:00:00:00:02", "pxe_enabled": true}}
	return have
}

// read decodes the nodes in a JSON list. The elements have the fields of POST /v1/nodes, but "ports" lists only MAC
// addresses.
func read(t *testing.T, text string) []enroll.Node {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	nodes := make([]enroll.Node, len(list))
	for i, fields := range list {
		nodes[i].Source = enroll.Source{File: "f", Line: i + 1}
		ports, _ := fields["ports"].([]any)
		for _, mac := range ports {
			nodes[i].Ports = append(nodes[i].Ports, enroll.Port{"address": mac})
		}
		delete(fields, "ports")
		nodes[i].Fields = fields
		nodes[i].Normalize()
	}
	return nodes
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ input, want string }{
		"a new machine": {`[{"driver": "redfish", "driver_info": {"redfish_address": "https://10.0.0.7"}}]`, "create"},
		"the same node": {`[{"name": "a", "driver": "redfish"}]`, "unchanged of a by name"},
		"a property that differs, and a password that cannot be compared": {
			`[{"name": "a", "driver": "redfish", "properties": {"cpus": 16}, "driver_info": {"redfish_password": "x"}}]`,
			"change of a by name: properties.cpus 8 → 16; not compared driver_info.redfish_password",
		},
		"a property as text":       {`[{"name": "a", "driver": "redfish", "properties": {"cpus": "8"}}]`, "unchanged of a by name"},
		"another property as text": {`[{"name": "a", "driver": "redfish", "properties": {"cpus": "08"}}]`, "change of a by name: properties.cpus 8 → 08"},
		"a password that Ironic lacks": {
			`[{"name": "b", "driver": "ipmi", "driver_info": {"ipmi_password": "x"}}]`, "change of b by name: driver_info.ipmi_password <nil> → ******",
		},
		"another name for a BMC": {
			`[{"name": "z", "driver": "redfish", "driver_info": {"redfish_address": "https://10.0.0.1:443/"}}]`,
			"change of a by BMC: name a → z",
		},
		"TLS instead of none": {
			`[{"name": "blade-1", "driver": "redfish", "driver_info": {"redfish_address": "http://10.0.0.9"}}]`,
			"change of blade-1 by name: driver_info.redfish_address 10.0.0.9 → http://10.0.0.9",
		},
		"Redfish at an IPMI node's host":         {`[{"driver": "ipmi", "driver_info": {"redfish_address": "10.0.0.2"}}]`, "change of b by BMC: driver_info.redfish_address <nil> → 10.0.0.2"},
		"a MAC of another node":                  {`[{"name": "a", "driver": "redfish", "ports": ["52:54:00:00:00:02"]}]`, "conflict: name a matches node a, but MAC 52:54:00:00:00:02 matches node b"},
		"a MAC alone":                            {`[{"driver": "ipmi", "ports": ["52:54:00:00:00:02"]}]`, "unchanged of b by MAC"},
		"a serial":                               {`[{"driver": "redfish", "extra": {"serial": "SN1"}}]`, "unchanged of a by serial"},
		"another UUID for a name":                {`[{"name": "a", "driver": "redfish", "uuid": "aaaaaaaa-0000-4000-8000-00000000000f"}]`, "conflict: name a matches node a with UUID aaaaaaaa-0000-4000-8000-000000000001, not aaaaaaaa-0000-4000-8000-00000000000f"},
		"a system of several":                    {`[{"driver": "redfish", "driver_info": {"redfish_address": "10.0.0.9", "redfish_system_id": "/redfish/v1/Systems/2/"}}]`, "unchanged of blade-2 by BMC"},
		"no system of several":                   {`[{"driver": "redfish", "driver_info": {"redfish_address": "10.0.0.9"}}]`, "create"},
		"an exact repetition leaves the first":   {`[{"name": "x", "driver": "redfish"}, {"name": "x", "driver": "redfish"}]`, "create | conflict: the same name x as in f:1"},
		"a name for two machines":                {`[{"name": "x", "driver": "redfish"}, {"name": "x", "driver": "ipmi"}]`, "conflict: the same name x as in f:2 | conflict: the same name x as in f:1"},
		"a BMC for two machines":                 {`[{"name": "x", "driver": "redfish", "driver_info": {"redfish_address": "10.0.0.7"}}, {"name": "y", "driver": "redfish", "driver_info": {"redfish_address": "https://10.0.0.7"}}]`, "conflict: the same BMC 10.0.0.7 as in f:2 | conflict: the same BMC 10.0.0.7 as in f:1"},
		"no driver, a bad name, a field unknown": {`[{"name": "a b", "sise": 1}]`, `invalid: name "a b": use letters, digits, and - . _ ~; no driver; add driver: redfish, or another driver that a conductor supports; unknown field "sise"`},
		"a bad MAC, one twice":                   {`[{"driver": "redfish", "ports": ["x", "52:54:00:00:00:0A", "52:54:00:00:00:0a"]}]`, `invalid: port address "x" is not a MAC address; port address 52:54:00:00:00:0a appears twice`},
		"a mask for the password of a node that Ironic has": {
			`[{"name": "a", "driver": "redfish", "driver_info": {"redfish_password": "******"}}]`, "unchanged of a by name; not compared driver_info.redfish_password",
		},
		"the level of the RAID that Ironic has made": {`[{"name": "array", "driver": "redfish", "properties": {"capabilities": "boot_mode:uefi"}}]`, "unchanged of array by name"},
		"another level of the input": {
			`[{"name": "array", "driver": "redfish", "properties": {"capabilities": "boot_mode:uefi,raid_level:5"}}]`,
			"change of array by name: properties.capabilities boot_mode:uefi,raid_level:1 → boot_mode:uefi,raid_level:5",
		},
		"other capabilities beside the level": {
			`[{"name": "array", "driver": "redfish", "properties": {"capabilities": "boot_mode:bios"}}]`,
			"change of array by name: properties.capabilities boot_mode:uefi,raid_level:1 → boot_mode:bios,raid_level:1",
		},
		"a mask for a password": {`[{"driver": "redfish", "driver_info": {"redfish_password": "******"}}]`, "invalid: driver_info.redfish_password is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, it := range enroll.Compare(read(t, c.input), ironics(t), enroll.Options{}) {
				got = append(got, describe(&it))
			}
			if text := strings.Join(got, " | "); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func describe(it *enroll.Item) string {
	text := string(it.Kind)
	if it.Existing != nil && it.Kind != enroll.Conflict {
		text += " of " + it.Existing.Name + " by " + strings.Join(it.MatchedBy, ", ")
	}
	var more []string
	for _, c := range it.Changes {
		more = append(more, fmt.Sprintf("%s %v → %v", c.Name(), c.Before, c.After))
	}
	if len(more) > 0 {
		text += ": " + strings.Join(more, ", ")
	}
	if it.Reason != "" {
		text += ": " + it.Reason
	}
	if len(it.NotCompared) > 0 {
		text += "; not compared " + strings.Join(it.NotCompared, ", ")
	}
	return text
}

// TestNodeMasksItsSecrets checks that a node does not show its password in any output format. Only Body must return
// the password.
func TestNodeMasksItsSecrets(t *testing.T) {
	t.Parallel()
	n := read(t, `[{"name": "a", "driver": "redfish", "driver_info": {"redfish_password": "s3cret", "redfish_auth_type": "basic", "snmp_auth_protocol": "sha"}}]`)[0]
	shown := []any{n, &n, []enroll.Node{n}, map[string]enroll.Node{"x": n}}
	for _, v := range shown {
		raw, err := json.Marshal(v)
		if text := fmt.Sprintf("%v %+v %#v %s", v, v, v, raw); err != nil || strings.Contains(text, "s3cret") {
			t.Errorf("%T: %s, %v", v, text, err)
		}
	}
	info, _ := n.Body()["driver_info"].(map[string]any)
	if fmt.Sprint(info) != "map[redfish_auth_type:basic redfish_password:s3cret snmp_auth_protocol:sha]" {
		t.Errorf("body has %v", info)
	}
}

// TestIdentity checks that a machine always gets the same UUID, however its address is written.
func TestIdentity(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, c := range [][2]string{
		{"one", `{"driver": "redfish", "driver_info": {"redfish_address": "https://BMC.example/"}}`},
		{"one", `{"driver": "redfish", "name": "n", "driver_info": {"redfish_address": "bmc.example:443"}}`},
		{"one", `{"driver": "ipmi", "driver_info": {"ipmi_address": "bmc.example", "ipmi_port": "623"}}`},
		{"other port", `{"driver": "ipmi", "driver_info": {"ipmi_address": "bmc.example", "ipmi_port": "6230"}}`},
		{"other system", `{"driver": "redfish", "driver_info": {"redfish_address": "bmc.example", "redfish_system_id": "/redfish/v1/Systems/2"}}`},
		{"v6", `{"driver": "redfish", "driver_info": {"redfish_address": "https://[fd00::1]"}}`},
		{"v6", `{"driver": "ipmi", "driver_info": {"ipmi_address": "fd00:0::1"}}`},
		{"mac", `{"driver": "fake", "ports": ["52:54:00:00:00:01"]}`},
		{"mac", `{"driver": "fake", "name": "n", "ports": ["52:54:00:00:00:01", "52:54:00:00:00:02"]}`},
		{"name", `{"driver": "fake", "name": "n"}`},
	} {
		n := read(t, "["+c[1]+"]")[0]
		id := n.Identity()
		if before, is := seen[c[0]]; is && before != id {
			t.Errorf("%s: %s, before %s", c[1], id, before)
		}
		for name, other := range seen {
			if name != c[0] && other == id {
				t.Errorf("%s has the UUID of %s", c[1], name)
			}
		}
		seen[c[0]] = id
	}
}

// TestPreparationEndsWithTheEnrollment checks that nodes are prepared only before they become available. An Ironic that
// reports no state means the state available.
func TestPreparationEndsWithTheEnrollment(t *testing.T) {
	t.Parallel()
	for state, kept := range map[models.ProvisionState]bool{
		"": false, models.StateManageable: true, models.StateCleanFailed: true, models.StateAdopting: true, models.StateAvailable: false,
		models.StateActive: false, models.StateError: false,
	} {
		have, nodes := ironics(t), read(t, `[{"name": "a", "driver": "redfish"}]`)
		have.Nodes[0].ProvisionState = state
		nodes[0].Prepare = &enroll.Preparation{BIOS: map[string]any{"LogicalProc": "Enabled"}}
		if got := enroll.Compare(nodes, have, enroll.Options{})[0].Node.Prepare != nil; got != kept {
			t.Errorf("in state %q, the preparation is kept: %t", state, got)
		}
	}
}
