package api_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ironworks/lab/db"
)

func TestStates(t *testing.T) {
	r := newRig(t)
	yes := true
	n := r.node(func(n *db.Node) {
		n.ProvisionState, n.PowerState, n.DisablePowerOff = "available", "power on", &yes
	})
	if got := r.get("/v1/nodes/" + n.UUID + "/states"); len(got) != 11 || got["power_state"] != "power on" {
		t.Errorf("states: %v", got)
	}
	r.check(n, []exchange{
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "x"}`, 400, strings.Replace(cannot, "%", "x", 1) + `power on".`},
		{"PUT", "/v1/nodes/{N}/states/power", "", `{}`, 400, "Missing mandatory parameter: target"},
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "power on", "timeout": 0}`, 400, "timeout has to be positive integer"},
		{"PUT", "/v1/nodes/{N}/states/power", "1.26", `{"target": "soft rebooting"}`, 406, "Request not acceptable."},
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "power off"}`, 409, "Failed to set node power state to power off."},
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "rebooting", "timeout": "5"}`, 202, ""},
		{"PUT", "/v1/nodes/{N}/states/boot_mode", "", `{"target": "x"}`, 400, "Invalid boot mode x requested for node. Allowed boot modes are: bios, uefi"},
		{"PUT", "/v1/nodes/{N}/states/boot_mode", "1.75", `{"target": "uefi"}`, 404, "This endpoint is supported starting with the API version 1.76"},
		{"PUT", "/v1/nodes/{N}/states/boot_mode", "", `{"target": "uefi"}`, 202, ""},
		{"PUT", "/v1/nodes/{N}/states/secure_boot", "", `{"target": "on"}`, 202, ""},
		{"PUT", "/v1/nodes/{N}/states/raid", "1.11", `{}`, 406, "Request not acceptable."},
		{"PUT", "/v1/nodes/{N}/states/raid", "", `[]`, 400, "Expected types <class 'dict'> for target_raid_config: []"},
		{"PUT", "/v1/nodes/{N}/states/raid", "", `{"logical_disks": []}`, 204, ""},
		{"GET", "/v1/nodes/{N}/states/console", "", "", 200, ""},
		{"PUT", "/v1/nodes/{N}/states/console", "", `{"enabled": true}`, 202, ""},
		{"PUT", "/v1/nodes/{N}/states/console", "", `{}`, 400, "Missing mandatory parameter: enabled"},
	})
	if want := []string{"rebooting", "uefi", "secure boot", "raid", "console true"}; !reflect.DeepEqual(r.conductor.asked, want) {
		t.Errorf("asked %v", r.conductor.asked)
	}
	cleaning := r.node(func(n *db.Node) { n.ProvisionState = "clean wait" })
	r.check(cleaning, []exchange{
		{"PUT", "/v1/nodes/{N}/states/power", "", `{"target": "power on"}`, 400, refusedIn("power on", "clean wait")},
	})
}

func TestManagement(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	if got := r.get("/v1/nodes/" + n.UUID + "/management/boot_device"); got["boot_device"] != "pxe" || got["persistent"] != false {
		t.Errorf("boot device: %v", got)
	}
	got := r.get("/v1/nodes/" + n.UUID + "/validate")
	if want := map[string]any{
		"power": map[string]any{"result": true}, "deploy": map[string]any{"result": false, "reason": "because"},
		"rescue": map[string]any{"result": nil},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("validate: %v", got)
	}
	r.check(n, []exchange{
		{"GET", "/v1/nodes/{N}/management/boot_device/supported", "", "", 200, ""},
		{"PUT", "/v1/nodes/{N}/management/boot_device", "", `{}`, 400, "Missing mandatory parameter: boot_device"},
		{"PUT", "/v1/nodes/{N}/management/boot_device", "", `{"boot_device": "disk", "persistent": true}`, 204, ""},
		{"PUT", "/v1/nodes/{N}/management/inject_nmi", "1.28", "", 404, "Resource could not be found."},
		{"PUT", "/v1/nodes/{N}/management/inject_nmi", "", "", 204, ""},
		{"GET", "/v1/nodes/{N}/management/indicators", "", "", 200, ""},
		{"GET", "/v1/nodes/{N}/management/indicators?more=1", "", "", 200, ""},
		{"GET", "/v1/nodes/{N}/management/indicators/led@system", "", "", 200, ""},
		{"GET", "/v1/nodes/{N}/management/indicators/led", "", "", 400, "Malformed indicator name \"led\""},
		{"PUT", "/v1/nodes/{N}/management/indicators/led@system", "", `{}`, 400, "Missing mandatory parameter: state"},
		{"PUT", "/v1/nodes/{N}/management/indicators/led@system", "", `{"state": "off"}`, 204, ""},
		{"GET", "/v1/nodes/validate", "", "", 400, "Expected a logical name or UUID but received None."},
		{"GET", "/v1/nodes/validate?node={N}", "", "", 200, ""},
		{"PUT", "/v1/nodes/{N}/maintenance", "", `{"reason": 5}`, 400, "Expected string for reason: 5"},
		{"PUT", "/v1/nodes/{N}/maintenance", "", `{"reason": "why"}`, 202, ""},
		{"DELETE", "/v1/nodes/{N}", "", "", 204, ""},
		{"GET", "/v1/nodes/{N}", "", "", 404, "Node {N} could not be found."},
	})
}

func TestTraits(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	both := "A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no body, or all node " +
		"traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits specified in the request body."
	bad := "'foo' is not valid under any of the given schemas. Possible root cause: 'foo' does not match '^CUSTOM_[A-Z0-9_]+$'"
	r.check(n, []exchange{
		{"PUT", "/v1/nodes/{N}/traits/foo", "", "", 400, "Schema error for trait: " + bad},
		{"PUT", "/v1/nodes/{N}/traits", "", `{"traits": ["foo"]}`, 400, "Schema error for body: " + bad},
		{"PUT", "/v1/nodes/{N}/traits", "", "", 400, both},
		{"PUT", "/v1/nodes/{N}/traits/CUSTOM_A", "", `{"traits": []}`, 400, both},
		{"PUT", "/v1/nodes/{N}/traits", "", `{"traits": ["HW_CPU_X86_VMX", "CUSTOM_B"]}`, 204, ""},
		{"PUT", "/v1/nodes/{N}/traits/CUSTOM_A", "", "", 204, ""},
		{"DELETE", "/v1/nodes/{N}/traits/CUSTOM_Z", "", "", 404, "Node {N} doesn't have a trait 'CUSTOM_Z'"},
		{"DELETE", "/v1/nodes/{N}/traits/CUSTOM_B", "", "", 204, ""},
	})
	want := []any{"CUSTOM_A", "HW_CPU_X86_VMX"}
	if got := r.get("/v1/nodes/" + n.UUID + "/traits")["traits"]; !reflect.DeepEqual(got, want) {
		t.Errorf("traits: %v", got)
	}
}

func TestVIFsAndMedia(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	r.check(n, []exchange{
		{"GET", "/v1/nodes/{N}/vifs", "", "", 200, ""},
		{"POST", "/v1/nodes/{N}/vifs", "", `{}`, 400, "Schema error for vif: 'id' is a required property"},
		{"POST", "/v1/nodes/{N}/vifs", "", `{"id": "a b"}`, 400, "Expected UUID or name for id: a b"},
		{"POST", "/v1/nodes/{N}/vifs", "", `{"id": "x", "port_uuid": "a", "portgroup_uuid": "b"}`, 400, "Cannot specify both port_uuid and portgroup_uuid"},
		{"POST", "/v1/nodes/{N}/vifs", "", `{"id": "x"}`, 204, ""},
		{"DELETE", "/v1/nodes/{N}/vifs/x", "", "", 204, ""},
		{"DELETE", "/v1/nodes/{N}/vifs", "", "", 400, "Missing mandatory parameter: vif_id"},
		{"GET", "/v1/nodes/{N}/vmedia", "1.92", "", 404, "The resource could not be found."},
		{"POST", "/v1/nodes/{N}/vmedia", "", `{"device_type": "foo", "image_url": "http://x"}`, 400, "Schema error for vmedia: 'foo' is not one of ['disk', 'cdrom', 'floppy']"},
		{"POST", "/v1/nodes/{N}/vmedia", "", `{"device_type": "cdrom", "image_url": "foo"}`, 400, "Unsupported or missing URL scheme: "},
		{"POST", "/v1/nodes/{N}/vmedia", "", `{"device_type": "cdrom", "image_url": "http://x"}`, 204, ""},
		{"DELETE", "/v1/nodes/{N}/vmedia?device_types=foo", "", "", 400, "Invalid device type(s) foo (valid are disk, cdrom, floppy)"},
		{"DELETE", "/v1/nodes/{N}/vmedia", "", "", 204, ""},
	})
	if want := []string{"vifs", "vif x", "no vif x", "attach cdrom http://x local", "detach"}; !reflect.DeepEqual(r.conductor.asked, want) {
		t.Errorf("asked %v", r.conductor.asked)
	}
}

func TestHistory(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	seconds := 1.5
	first := r.tables.AddHistory(db.History{
		NodeUUID: n.UUID, Event: strings.Repeat("x", 300), EventType: "deploying", Severity: "INFO", State: "active", Duration: &seconds,
	})
	r.tables.AddHistory(db.History{NodeUUID: n.UUID, Event: "y", Severity: "ERROR"})
	list, _ := r.get("/v1/nodes/" + n.UUID + "/history?limit=1")["history"].([]any)
	entry, _ := list[0].(map[string]any)
	if event, _ := entry["event"].(string); len(list) != 1 || len(event) != 254 || entry["event_type"] != nil {
		t.Errorf("history: %v", list)
	}
	one := r.get("/v1/nodes/" + n.UUID + "/history/" + first.UUID)
	if one["duration_seconds"] != 1.5 || one["state"] != "active" || len(one["event"].(string)) != 300 {
		t.Errorf("entry: %v", one)
	}
	if body := r.do("GET", "/v1/nodes/"+n.UUID+"/history/"+first.UUID, "1.114", "").Body.String(); strings.Contains(body, "duration") {
		t.Errorf("shown too early: %s", body)
	}
	r.check(n, []exchange{
		{"GET", "/v1/nodes/{N}/history/x", "", "", 404, "Node history record x could not be found."},
		{"GET", "/v1/nodes/{N}/history?sort_key=foo", "", "", 400, `The sort_key value "foo" is an invalid field for sorting`},
	})
}

func TestBIOSAndFirmware(t *testing.T) {
	r := newRig(t)
	n := r.node(nil)
	r.check(n, []exchange{
		{"GET", "/v1/nodes/{N}/inventory", "", "", 404, "Node inventory record for node 1 could not be found."},
		{"GET", "/v1/nodes/{N}/bios/Foo", "", "", 404, "Node {N} doesn't have a BIOS setting 'Foo'"},
		{"GET", "/v1/nodes/{N}/bios?detail=true", "1.73", "", 400, "Schema error: Additional properties are not allowed ('detail' was unexpected)"},
		{"GET", "/v1/nodes/{N}/firmware?fields=vendor", "1.113", "", 400, "Fields vendor are not allowed in this API version. They require at least API version 1.114."},
	})
	read, value, most := true, "", 600
	for _, err := range []error{
		r.tables.SetInventory(n.UUID, db.Inventory{Inventory: db.Dict{"disks": []any{}}}),
		r.tables.SetBIOS(n.UUID, []db.BIOSSetting{{Name: "ProcTurbo", Value: &value, UpperBound: &most, ReadOnly: &read}}),
		r.tables.SetFirmware(n.UUID, []db.Firmware{{Component: "bmc", CurrentVersion: "1"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := r.get("/v1/nodes/" + n.UUID + "/inventory"); !reflect.DeepEqual(got, map[string]any{
		"inventory": map[string]any{"disks": []any{}}, "plugin_data": map[string]any{},
	}) {
		t.Errorf("inventory: %v", got)
	}
	setting, _ := r.get("/v1/nodes/" + n.UUID + "/bios/ProcTurbo")["ProcTurbo"].(map[string]any)
	if setting["value"] != "" || setting["read_only"] != true || setting["upper_bound"] != 600.0 || setting["lower_bound"] != nil {
		t.Errorf("setting: %v", setting)
	}
	components, _ := r.get("/v1/nodes/" + n.UUID + "/firmware")["firmware"].([]any)
	if component, _ := components[0].(map[string]any); component["current_version"] != "1" || component["initial_version"] != nil {
		t.Errorf("firmware: %v", components)
	}
}

func TestChildrenAndShards(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Shard = "east" })
	child := r.node(func(c *db.Node) { c.ParentNode = n.UUID })
	want := map[string]any{
		"children": []any{child.UUID},
		"links":    map[string]any{"href": "http://lab/v1/nodes?parent_node=" + n.UUID, "rel": "children"},
	}
	if got := r.get("/v1/nodes/" + n.UUID + "/children"); !reflect.DeepEqual(got, want) {
		t.Errorf("children: %v", got)
	}
	shards := []any{map[string]any{"name": "None", "count": 1.0}, map[string]any{"name": "east", "count": 1.0}}
	if got := r.want(http.MethodGet, "/v1/shards", "", 200)["shards"]; !reflect.DeepEqual(got, shards) {
		t.Errorf("shards: %v", got)
	}
}
