package api_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ironworks/lab/db"
)

const (
	uuid1 = "11111111-1111-1111-1111-111111111111"
	uuid2 = "22222222-2222-2222-2222-222222222222"
	mac   = "52:54:00:AA:00:01"
)

func TestPorts(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Name = "one" })
	made := r.want("POST", "/v1/ports", `{"address": "`+mac+`", "node_ident": "one", "uuid": "`+uuid1+`", "name": "p1",
		"local_link_connection": {"switch_id": "52:54:00:AA:BB:CC", "port_id": "1"}}`, http.StatusCreated)
	if made["address"] != strings.ToLower(mac) || made["pxe_enabled"] != true || made["node_uuid"] != n.UUID ||
		!reflect.DeepEqual(made["local_link_connection"], map[string]any{"switch_id": "52:54:00:aa:bb:cc", "port_id": "1"}) {
		t.Errorf("made %v", made)
	}
	schemas := " is not valid under any of the given schemas. Possible root cause: "
	r.check(n, []exchange{
		{"POST", "/v1/ports", "", `{"address": "x"}`, 400, "Schema error for port: {'address': 'x'}" + schemas + "'node_ident' is a required property"},
		{"POST", "/v1/ports", "", `{"address": "x", "node_uuid": "{N}"}`, 400, "Expected valid MAC address for address: x"},
		{"POST", "/v1/ports", "", `{"address": "` + mac + `", "node_uuid": "{N}"}`, 409, "A port with MAC address 52:54:00:aa:00:01 already exists."},
		{"POST", "/v1/ports", "", `{"address": "` + mac + `", "node_uuid": "` + uuid2 + `"}`, 400, "Node " + uuid2 + " could not be found."},
		{"POST", "/v1/ports", "1.93", `{"address": "` + mac + `", "node_ident": "one"}`, 406, "Request not acceptable."},
		{
			"POST", "/v1/ports", "", `{"address": "` + mac + `", "node_uuid": "{N}", "local_link_connection": {"x": 1}}`, 400,
			"Schema error for local_link_connection: {'x': 1}" + schemas + "Additional properties are not allowed ('x' was unexpected)",
		},
		{
			"POST", "/v1/ports", "", `{"address": "` + mac + `", "node_uuid": "{N}", "physical_network": ""}`, 400,
			"A non-empty value is required when setting physical_network",
		},
		{"GET", "/v1/ports/p1", "", "", 200, ""},
		{"GET", "/v1/ports/foo", "", "", 404, "Port foo could not be found."},
		{"GET", "/v1/ports/" + mac, "", "", 400, "Expected UUID or name for port_ident: " + mac},
		{"GET", "/v1/ports?fields=foo", "", "", 400, `Field(s) "foo" are not valid`},
		{"GET", "/v1/ports?node={N}&portgroup=x", "", "", 403, "Operation not permitted."},
		{"GET", "/v1/nodes/one/ports", "", "", 404, "Portgroup None could not be found."},
		{"GET", "/v1/nodes/{N}/ports/p1", "", "", 400, "Malformed request URI."},
		{"PATCH", "/v1/ports/p1", "", `[{"op": "replace", "path": "/address", "value": "x"}]`, 400, "Expected valid MAC address for address: x"},
		{"PATCH", "/v1/ports/p1", "", `[{"op": "remove", "path": "/address"}]`, 400, "Schema error for patch: 'address' is a required property"},
		{"PATCH", "/v1/ports/p1", "", `[{"op": "remove", "path": "/pxe_enabled"}]`, 500, "Field `pxe_enabled' cannot be None"},
		{"PATCH", "/v1/ports/p1", "1.18", `[{"op": "replace", "path": "/pxe_enabled", "value": false}]`, 406, "Request not acceptable."},
		{"DELETE", "/v1/ports/p1", "", "", 400, "Expected UUID for port_uuid: p1"},
	})
	changed := r.want("PATCH", "/v1/ports/p1", `[{"op": "replace", "path": "/pxe_enabled", "value": "no"},
		{"op": "add", "path": "/extra/x", "value": 1}]`, 200)
	if changed["pxe_enabled"] != false || !reflect.DeepEqual(changed["extra"], map[string]any{"x": 1.0}) {
		t.Errorf("changed %v", changed)
	}
	for query, want := range map[string]int{
		"": 1, "?address=" + mac: 1, "?address=52:54:00:00:00:09": 0, "?node=one": 1, "/detail?node_uuid=" + n.UUID: 1,
		"?description_contains=x": 0, "?shard=a": 0, "?conductor_groups=a": 0,
	} {
		if got, _ := r.get("/v1/ports" + query)["ports"].([]any); len(got) != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	r.want("DELETE", "/v1/ports/"+uuid1, "", http.StatusNoContent)
}

func TestPortgroups(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	made := r.want("POST", "/v1/portgroups", `{"node_uuid": "`+n.UUID+`", "name": "pg", "uuid": "`+uuid1+`"}`, http.StatusCreated)
	if made["mode"] != "active-backup" || made["standalone_ports_supported"] != true || made["dynamic_portgroup"] != false {
		t.Errorf("made %v", made)
	}
	r.want("POST", "/v1/ports", `{"address": "`+mac+`", "node_uuid": "`+n.UUID+`", "portgroup_uuid": "`+uuid1+`"}`, http.StatusCreated)
	r.check(n, []exchange{
		{"POST", "/v1/portgroups", "", `{}`, 400, "Schema error for portgroup: 'node_uuid' is a required property"},
		{"POST", "/v1/portgroups", "", `{"node_uuid": "{N}", "name": "pg"}`, 409, "A portgroup with name pg already exists."},
		{"POST", "/v1/portgroups", "", `{"node_uuid": "{N}", "name": "a b"}`, 400, "Cannot create portgroup with invalid name 'a b'"},
		{"GET", "/v1/portgroups", "1.22", "", 404, "The API is not supported for this version"},
		{"GET", "/v1/portgroups/pg", "", "", 200, ""},
		{"GET", "/v1/portgroups?sort_dir=x", "", "", 400, "Schema error: 'x' is not one of ['asc', 'desc']"},
		{"GET", "/v1/portgroups/" + uuid1 + "/ports", "", "", 200, ""},
		{"GET", "/v1/nodes/{N}/portgroups", "", "", 200, ""},
		{"GET", "/v1/nodes/{N}/portgroups/pg", "", "", 400, "Malformed request URI."},
		{"PATCH", "/v1/portgroups/pg", "", `[{"op": "remove", "path": "/mode"}]`, 400, "'mode' is a mandatory attribute and can not be removed"},
		{"PATCH", "/v1/portgroups/pg", "", `[{"op": "replace", "path": "/name", "value": "a b"}]`, 400, "Portgroup pg: Cannot change name to invalid name 'a b'"},
		{"PATCH", "/v1/portgroups/pg", "", `[{"op": "replace", "path": "/mode", "value": "802.3ad"}]`, 200, ""},
		{"DELETE", "/v1/portgroups/pg", "", "", 400, "Cannot complete the requested action because portgroup 1 contains ports."},
		{"DELETE", "/v1/portgroups/nope", "", "", 404, "Portgroup nope could not be found."},
	})
	if mode := r.get("/v1/portgroups/pg")["mode"]; mode != "802.3ad" {
		t.Errorf("mode %v", mode)
	}
}

func TestAllocations(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Name, n.ResourceClass, n.InstanceUUID = "one", "gold", uuid2 })
	made := r.want("POST", "/v1/allocations", `{"name": "al", "resource_class": "x", "candidate_nodes": ["one"], "traits": ["CUSTOM_A"]}`, 201)
	if made["state"] != "allocating" || !reflect.DeepEqual(made["candidate_nodes"], []any{n.UUID}) {
		t.Errorf("made %v", made)
	}
	backfilled := r.want("POST", "/v1/allocations", `{"node": "one"}`, 201)
	if backfilled["uuid"] != uuid2 || backfilled["resource_class"] != "gold" || backfilled["node_uuid"] != n.UUID {
		t.Errorf("backfilled %v", backfilled)
	}
	r.check(n, []exchange{
		{"POST", "/v1/allocations", "", `{}`, 400, "The resource_class field is mandatory when not backfilling"},
		{"POST", "/v1/allocations", "", `{"resource_class": "x", "foo": 1}`, 400, "Schema error: Additional properties are not allowed ('foo' was unexpected)"},
		{"POST", "/v1/allocations", "1.57", `{"node": "one"}`, 400, "Schema error: Additional properties are not allowed ('node' was unexpected)"},
		{"POST", "/v1/allocations", "", `{"resource_class": "x", "candidate_nodes": ["nope"]}`, 400, "Nodes cannot be found: nope"},
		{"POST", "/v1/allocations", "", `{"resource_class": "x", "name": "al"}`, 409, "An allocation with name al already exists."},
		{"GET", "/v1/allocations", "1.51", "", 404, "The API version does not allow allocations"},
		{"PATCH", "/v1/allocations/al", "1.56", `[]`, 405, "The API version does not allow updating allocations"},
		{"GET", "/v1/allocations?node=nope", "", "", 400, "Node nope could not be found."},
		{"PATCH", "/v1/allocations/al", "", `[{"op": "replace", "path": "/owner", "value": "x"}]`, 400, "Cannot patch /owner. Only the following can be updated: name, extra"},
		{"PATCH", "/v1/allocations/al", "", `[{"op": "replace", "path": "/name", "value": "al2"}]`, 200, ""},
		{"GET", "/v1/nodes/one/allocation", "", "", 200, ""},
		{"DELETE", "/v1/nodes/one/allocation", "", "", 204, ""},
		{"GET", "/v1/nodes/one/allocation", "", "", 404, "Allocation for node one was not found"},
		{"DELETE", "/v1/allocations/al2", "", "", 204, ""},
		{"DELETE", "/v1/allocations/al2", "", "", 404, "Allocation al2 could not be found."},
	})
}

func TestDeployTemplates(t *testing.T) {
	r := newRig(t)
	step := `{"interface": "deploy", "step": "s", "args": {"password": "x"}, "priority": "5"}`
	made := r.want("POST", "/v1/deploy_templates", `{"name": "CUSTOM_X", "steps": [`+step+`]}`, http.StatusCreated)
	want := []any{map[string]any{"interface": "deploy", "step": "s", "args": map[string]any{"password": "******"}, "priority": 5.0}}
	if !reflect.DeepEqual(made["steps"], want) {
		t.Errorf("steps %v", made["steps"])
	}
	r.check(&db.Node{}, []exchange{
		{"POST", "/v1/deploy_templates", "", `{}`, 400, "Schema error for template: 'steps' is a required property"},
		{"POST", "/v1/deploy_templates", "", `{"name": "CUSTOM_Y", "steps": []}`, 400, "Schema error for template: [] should be non-empty"},
		{"POST", "/v1/deploy_templates", "", `{"name": "CUSTOM_Y", "steps": [` + step + `, ` + step + `]}`, 400, "Deploy template invalid: Duplicate " +
			"deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: deploy, step: s."},
		{"POST", "/v1/deploy_templates", "", `{"name": "CUSTOM_X", "steps": [` + step + `]}`, 409, "A deploy template with name CUSTOM_X already exists."},
		{"PATCH", "/v1/deploy_templates/CUSTOM_X", "", `[{"op": "remove", "path": "/steps"}]`, 400, "Schema error for patch: 'steps' is a required property"},
		{"PATCH", "/v1/deploy_templates/CUSTOM_X", "", `[{"op": "replace", "path": "/steps/0/priority", "value": 7}]`, 200, ""},
		{"GET", "/v1/deploy_templates?detail=true", "", "", 200, ""},
		{"GET", "/v1/deploy_templates?marker=x", "", "", 404, "Deploy template x could not be found."},
	})
	kept := r.tables.DeployTemplates.List(nil)[0]
	if args, _ := kept.Steps[0]["args"].(map[string]any); args["password"] != "x" {
		t.Errorf("the mask was kept: %v", kept.Steps)
	}
	r.want("DELETE", "/v1/deploy_templates/CUSTOM_X", "", http.StatusNoContent)
}

func TestRunbooks(t *testing.T) {
	r := newRig(t)
	const path = "/v1/runbooks/8bb8ee71-5d0e-4ad8-9a09-2a8c39bd1c51"
	made := r.want("POST", "/v1/runbooks", `{"uuid": "8bb8ee71-5d0e-4ad8-9a09-2a8c39bd1c51", "name": "wipe", "steps": [`+
		`{"interface": "deploy", "step": "s", "args": {"password": "x"}, "order": "007"}, {"interface": "bios", "step": "b", "order": 1}]}`, http.StatusCreated)
	want := []any{
		map[string]any{"interface": "deploy", "step": "s", "args": map[string]any{"password": "******"}, "order": 7.0},
		map[string]any{"interface": "bios", "step": "b", "args": map[string]any{}, "order": 1.0},
	}
	if !reflect.DeepEqual(made["steps"], want) {
		t.Errorf("steps %v", made["steps"])
	}
	r.want("PUT", path+"/traits/CUSTOM_X", "", http.StatusNoContent)
	if traits := r.get("/v1/runbooks/wipe")["traits"]; !reflect.DeepEqual(traits, []any{"CUSTOM_X"}) {
		t.Errorf("traits %v", traits)
	}
	r.check(&db.Node{}, []exchange{
		{"GET", path + "/traits", "1.111", "", 404, "The API version does not allow runbook traits"},
		{"DELETE", path, "1.91", "", 405, "The API version does not allow runbooks"},
		{"PATCH", path, "1.111", `[{"op": "replace", "path": "/description", "value": "x"}]`, 400, "Cannot patch /description. Only the following can be " +
			"updated: disable_ramdisk, extra, name, owner, public, steps"},
		{"PATCH", path, "", `[{"op": "replace", "path": "/steps/1/order", "value": "1"}]`, 500, "'<' not supported between instances of 'int' and 'str'"},
		{"PATCH", path, "", `[{"op": "replace", "path": "/owner", "value": "p"}, {"op": "replace", "path": "/public", "value": true}]`, 400, "Couldn't apply patch " +
			"'[{'op': 'replace', 'path': '/owner', 'value': 'p'}, {'op': 'replace', 'path': '/public', 'value': True}]'. Reason: There cannot be an owner for a public runbook"},
		{"PATCH", path, "", `[{"op": "replace", "path": "/steps/0/order", "value": 9}]`, 200, ""},
	})
	kept := r.tables.Runbooks.List(nil)[0]
	if len(kept.Steps) != 2 || kept.Steps[0]["step"] != "b" || !kept.UpdatedAt.IsZero() {
		t.Errorf("kept %+v", kept)
	}
	if args, _ := kept.Steps[1]["args"].(map[string]any); args["password"] != "x" {
		t.Errorf("the mask was kept: %v", kept.Steps)
	}
	r.want("DELETE", path, "", http.StatusNoContent)
}

func TestInspectionRules(t *testing.T) {
	r := newRig(t)
	const path = "/v1/inspection_rules/8bb8ee71-5d0e-4ad8-9a09-2a8c39bd1c51"
	made := r.want("POST", "/v1/inspection_rules", `{"uuid": "8bb8ee71-5d0e-4ad8-9a09-2a8c39bd1c51", "sensitive": true, `+
		`"conditions": [{"op": "!eq", "args": {"values": [1, 2]}, "multiple": "all", "loop": [1]}], `+
		`"actions": [{"op": "set-plugin-data", "args": {"path": "a", "value": 1}, "note": "x"}]}`, http.StatusCreated)
	if made["actions"] != nil || made["conditions"] != nil {
		t.Errorf("a sensitive rule shows %v if %v", made["actions"], made["conditions"])
	}
	kept := r.tables.InspectionRules.List(nil)[0]
	if kept.Actions[0]["note"] != "x" || kept.Conditions[0]["multiple"] != "all" || kept.Phase != "main" {
		t.Errorf("kept %+v", kept)
	}
	r.check(&db.Node{}, []exchange{
		{"GET", path, "1.95", "", 404, "The API version does not allow inspection rules"},
		{"DELETE", path, "1.95", "", 405, "The API version does not allow inspection rules"},
		{"POST", "/v1/inspection_rules", "", `{"actions": [{"op": "fail", "args": {"msg": "x"}}]}`, 500, "'NoneType' object is not iterable"},
		{"POST", "/v1/inspection_rules", "", `{"actions": [{"op": "fail", "args": []}]}`, 500, "('Not enough arguments provided. Missing: %s', 'msg')"},
		{"PATCH", path, "", `[{"op": "replace", "path": "/sensitive", "value": false}]`, 400, "Couldn't apply patch '[{'op': 'replace', 'path': " +
			"'/sensitive', 'value': False}]'. Reason: Inspection rules cannot have the sensitive flag unset."},
		{"PATCH", path, "", `[{"op": "replace", "path": "/priority", "value": 10000}]`, 400, "Priority must be between 0 and 9999 for user-defined rules."},
		{"PATCH", path, "", `[{"op": "replace", "path": "/priority", "value": 5}]`, 200, ""},
		{"GET", "/v1/inspection_rules?sort_key=actions", "", "", 400, "Schema error: 'actions' should not be valid under {'type': 'string', 'enum': ['actions', 'conditions']}"},
	})
	r.want("DELETE", path, "", http.StatusNoContent)
}

func TestDriversAndConductors(t *testing.T) {
	r := newRig(t)
	redfish := r.get("/v1/drivers/redfish")
	if redfish["default_deploy_interface"] != "direct" || redfish["type"] != "dynamic" ||
		!reflect.DeepEqual(redfish["enabled_deploy_interfaces"], []any{"custom-agent", "direct"}) {
		t.Errorf("driver %v", redfish)
	}
	r.check(&db.Node{}, []exchange{
		{"GET", "/v1/drivers?detail=true", "1.29", "", 406, "Request not acceptable. The minimal required API version should be 1.30"},
		{"GET", "/v1/drivers?fields=name", "1.76", "", 406, "Request not acceptable."},
		{"GET", "/v1/drivers?type=foo", "", "", 400, `"type" filter must be one of "classic" or "dynamic", if specified.`},
		{"GET", "/v1/drivers/foo", "", "", 404, "Could not find the following driver(s) or hardware type(s): foo."},
		{"GET", "/v1/drivers/foo/properties", "", "", 404, "The driver 'foo' is unknown."},
		{"GET", "/v1/drivers/redfish/properties", "", "", 200, ""},
		{"GET", "/v1/drivers/redfish/raid/logical_disk_properties", "", "", 200, ""},
		{"GET", "/v1/drivers/fake-hardware/raid/logical_disk_properties", "", "", 404, "Driver fake-hardware does not support raid (disabled or not implemented)."},
		{"GET", "/v1/conductors/localhost", "", "", 200, ""},
		{"GET", "/v1/conductors/foo", "", "", 404, "Conductor foo could not be found."},
		{"GET", "/v1/conductors?sort_key=alive", "", "", 400, "The sort_key value alive is an invalid field for sorting"},
	})
}

func TestLookup(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) {
		n.ProvisionState, n.Interfaces = "wait call-back", map[string]string{"management": "redfish"}
	})
	idle := r.node(nil)
	for _, port := range []*db.Port{{NodeUUID: n.UUID, Address: strings.ToLower(mac)}, {NodeUUID: idle.UUID, Address: "52:54:00:aa:00:02"}} {
		if _, err := r.tables.Ports.Create(port); err != nil {
			t.Fatal(err)
		}
	}
	var tokens []any
	for range 2 {
		document := r.get("/v1/lookup?addresses=xx," + mac)
		node, _ := document["node"].(map[string]any)
		config, _ := document["config"].(map[string]any)
		tokens = append(tokens, config["agent_token"])
		info, _ := node["driver_internal_info"].(map[string]any)
		if node["uuid"] != n.UUID || config["heartbeat_timeout"] != 300.0 || config["agent_skip_bmc_detect"] != true ||
			info["agent_secret_token"] != "******" {
			t.Errorf("lookup: %v", document)
		}
	}
	if !reflect.DeepEqual(tokens, []any{"secret-token", "******"}) {
		t.Errorf("tokens %v", tokens)
	}
	r.check(n, []exchange{
		{"GET", "/v1/lookup", "", "", 400, "At least one of 'addresses' and 'node_uuid' parameters is required"},
		{"GET", "/v1/lookup?addresses=52:54:00:aa:00:02", "", "", 404, "Resource could not be found."},
		{"GET", "/v1/lookup?addresses=" + mac + ",52:54:00:aa:00:02", "", "", 404, "Resource could not be found."},
		{"GET", "/v1/lookup?node_uuid=" + idle.UUID, "", "", 404, "Resource could not be found."},
		{"GET", "/v1/lookup?node_uuid={N}", "", "", 200, ""},
		{"GET", "/v1/lookup?node_uuid={N}", "1.21", "", 404, "Resource could not be found."},
	})
}

func TestHeartbeat(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.DriverInternalInfo = db.Dict{"agent_url": "https://1.2.3.4:9999"} })
	r.check(n, []exchange{
		{"POST", "/v1/heartbeat/{N}", "", `{}`, 400, "Missing mandatory parameter: callback_url"},
		{"POST", "/v1/heartbeat/{N}", "", `{"callback_url": "foo"}`, 400, `An issue with the supplied "callback_url" has been detected.`},
		{"POST", "/v1/heartbeat/{N}", "", `{"callback_url": "https://other:1"}`, 400, `Detected change in ramdisk provided "callback_url"`},
		{"POST", "/v1/heartbeat/{N}", "", `{"callback_url": "https://1.2.3.4:9999"}`, 400, "Agent token is required for heartbeat processing."},
		{"POST", "/v1/heartbeat/{N}", "1.35", `{"callback_url": "x", "agent_version": "1"}`, 400, `Field "agent_version" not recognised`},
		{"POST", "/v1/heartbeat/{N}", "1.67", `{"callback_url": "x", "agent_verify_ca": "1"}`, 400, `Field "agent_verify_ca" not recognised in this version`},
		{"POST", "/v1/heartbeat/{N}", "1.71", `{"callback_url": "x", "agent_status": "end"}`, 400, `Fields "agent_status" and "agent_status_message" not recognised.`},
		{"POST", "/v1/heartbeat/{N}", "", `{"callback_url": "https://1.2.3.4:9999", "agent_token": "t", "agent_status": "x"}`, 400, "Agent status is invalid. Valid states are start,end,error."},
		{"POST", "/v1/heartbeat/nope", "", `{"callback_url": "https://x", "agent_token": "t"}`, 404, "Node nope could not be found."},
		{"POST", "/v1/heartbeat/{N}", "", `{"callback_url": "https://1.2.3.4:9999", "agent_token": "t", "agent_version": "11"}`, 202, ""},
	})
	if r.conductor.beat.Token != "t" || r.conductor.beat.AgentVersion != "11" {
		t.Errorf("heartbeat %+v", r.conductor.beat)
	}
}

func TestContinueInspection(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) {
		n.ProvisionState, n.DriverInternalInfo = "inspect wait", db.Dict{"lookup_bmc_addresses": []any{"10.0.0.1"}}
	})
	other := r.node(func(n *db.Node) { n.ProvisionState = "inspect wait" })
	if _, err := r.tables.Ports.Create(&db.Port{NodeUUID: n.UUID, Address: strings.ToLower(mac)}); err != nil {
		t.Fatal(err)
	}
	inventory := func(mac, bmc string) string {
		return `{"inventory": {"interfaces": [{"mac_address": "` + mac + `"}], "bmc_address": "` + bmc + `"}, "logs": "x"}`
	}
	const unknown = "52:54:00:00:00:99"
	r.check(n, []exchange{
		{"POST", "/v1/continue_inspection", "", `{}`, 400, "Schema error for data: 'inventory' is a required property"},
		{"POST", "/v1/continue_inspection", "", `{"inventory": {"interfaces": []}}`, 400, "Schema error for data: [] should be non-empty"},
		{"POST", "/v1/continue_inspection", "", inventory("x", ""), 400, "No lookup information provided"},
		{"POST", "/v1/continue_inspection", "1.50", inventory(mac, ""), 404, "API version 1.84 or newer is required"},
		{"POST", "/v1/continue_inspection", "", inventory(unknown, ""), 404, "Resource could not be found."},
		{"POST", "/v1/continue_inspection?node_uuid=" + other.UUID, "", inventory(mac, ""), 404, "Resource could not be found."},
		{"POST", "/v1/continue_inspection", "", inventory(unknown, "10.0.0.1"), 202, ""},
		{"POST", "/v1/continue_inspection?node_uuid={N}", "", inventory(unknown, ""), 202, ""},
	})
	answer := r.do("POST", "/v1/continue_inspection", "", inventory(mac, ""))
	if answer.Code != http.StatusAccepted || answer.Body.String() != `{"uuid":"`+n.UUID+`"}` {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	found, ok := r.tables.Inventory(n.UUID)
	if !ok || found.PluginData.Text("logs") != "x" || found.PluginData["inventory"] != nil {
		t.Errorf("inventory %+v", found)
	}
	// Auto-discovery enrolls a machine that belongs to no node, but not if its addresses and its node UUID contradict
	// each other.
	r.conductor.discovery = "redfish"
	r.check(n, []exchange{{"POST", "/v1/continue_inspection?node_uuid=" + other.UUID, "", inventory(mac, ""), 404, "Resource could not be found."}})
	if answer = r.do("POST", "/v1/continue_inspection", "", inventory(unknown, "")); answer.Code != http.StatusAccepted {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	made := r.tables.Nodes.Scan(func(n *db.Node) bool { return n.ProvisionState == "enroll" })
	if len(made) != 1 || made[0].Driver != "redfish" || made[0].Name != "" {
		t.Fatalf("%+v", made)
	}
	if found, _ = r.tables.Inventory(made[0].UUID); found.PluginData["auto_discovered"] != true {
		t.Errorf("inventory %+v", found)
	}
}
