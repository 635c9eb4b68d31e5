package api_test

import (
	"reflect"
	"testing"

	"ironworks/lab/api"
	"ironworks/lab/db"
)

func TestPatchRules(t *testing.T) {
	r := newRig(t)
	r.node(func(n *db.Node) { n.Name = "taken" })
	n := r.node(func(n *db.Node) {
		n.Name, n.Properties = "one", db.Dict{"a": map[string]any{"b": []any{"x", "y"}}, "s": "text"}
	})
	patch := func(body string, status int, text string) exchange {
		return exchange{"PATCH", "/v1/nodes/{N}", "", body, status, text}
	}
	could := "Couldn't apply patch '"
	r.check(n, []exchange{
		patch(`{}`, 400, "Schema error for patch: {} is not of type 'array'"),
		patch(`[{"op": "test", "path": "/extra/a"}]`, 400, "Schema error for patch: 'test' is not one of ['add', 'replace', 'remove']"),
		patch(`[{"op": "add", "path": "/extra/a.b", "value": 1}]`, 400, `Schema error for patch: '/extra/a.b' does not match '^(/[\\w-]+)+$'`),
		patch(`[{"op": "add", "path": "/extra/ä", "value": 1}]`, 200, ""),
		patch(`[{"op": "remove", "path": "/extra"}]`, 200, ""),
		patch(`[{"op": "replace", "path": "/description", "value": null}]`, 500, "object of type 'NoneType' has no len()"),
		patch(`[{"op": "add"}]`, 400, "Schema error for patch: 'path' is a required property"),
		patch(`[{"op": "replace", "path": "/extra/nope", "value": 1}]`, 400,
			could+"{'op': 'replace', 'path': '/extra/nope', 'value': 1}'. Reason: can't replace a non-existent object 'nope'"),
		patch(`[{"op": "remove", "path": "/extra/nope"}]`, 400,
			could+"{'op': 'remove', 'path': '/extra/nope'}'. Reason: can't remove a non-existent object 'nope'"),
		patch(`[{"op": "add", "path": "/extra/no/pe", "value": 1}]`, 400,
			could+"{'op': 'add', 'path': '/extra/no/pe', 'value': 1}'. Reason: member 'no' not found in {}"),
		patch(`[{"op": "add", "path": "/extra"}]`, 400,
			could+"{'op': 'add', 'path': '/extra'}'. Reason: The operation does not contain a 'value' member"),
		patch(`[{"op": "remove", "path": "/properties/a/b/2"}]`, 400,
			could+"{'op': 'remove', 'path': '/properties/a/b/2'}'. Reason: can't remove a non-existent object '2'"),
		patch(`[{"op": "add", "path": "/properties/a/b/3", "value": 1}]`, 400,
			could+"{'op': 'add', 'path': '/properties/a/b/3', 'value': 1}'. Reason: can't insert outside of list"),
		patch(`[{"op": "add", "path": "/properties/s/x", "value": 1}]`, 400, could+"{'op': 'add', 'path': '/properties/s/x', "+
			"'value': 1}'. Reason: Cannot apply token 'x' to non-container type <class 'str'>"),
		patch(`[{"op": "remove", "path": "/driver"}]`, 400, "Schema error for patch: 'driver' is a required property"),
		patch(`[{"op": "replace", "path": "/extra", "value": "x"}]`, 400, "Schema error for patch: 'x' is not of type 'object', 'null'"),
		patch(`[{"op": "replace", "path": "/instance_uuid", "value": "x"}]`, 400, "Expected UUID for instance_uuid: x"),
		patch(`[{"op": "replace", "path": "/name", "value": "taken"}]`, 409, "A node with name taken already exists."),
		patch(`[{"op": "replace", "path": "/name", "value": "a b"}]`, 400, "Node {N}: Cannot change name to invalid name 'a b'"),
		patch(`[{"op": "remove", "path": "/maintenance"}]`, 500, "Field `maintenance' cannot be None"),
		patch(`[{"op": "remove", "path": "/conductor_group"}]`, 500, "'conductor_group'"),
		patch(`[{"op": "remove", "path": "/automated_clean"}]`, 500, "'value'"),
		patch(`[{"op": "replace", "path": "/network_data", "value": {"a": 1}}]`, 400, "Invalid network_data: 'links' is a required property "),
		patch(`[{"op": "replace", "path": "/parent_node", "value": "nope"}]`, 400,
			"Unable to apply the requested parent_node 'nope'. Requested value was invalid."),
		{
			"PATCH", "/v1/nodes/{N}?reset_interfaces=true", "", `[]`, 400,
			"The reset_interfaces parameter can only be used when changing the node's driver.",
		},
		{"PATCH", "/v1/nodes/{N}?reset_interfaces=true", "1.44", `[]`, 406, "Request not acceptable."},
		{"PATCH", "/v1/nodes/nope", "", `[]`, 404, "Node nope could not be found."},
	})
	allowed := r.do("PATCH", "/v1/nodes/"+n.UUID, latest, `[{"op": "replace", "path": "/provision_state", "value": "x"}]`)
	if text := refusal(t, allowed.Body.Bytes()); allowed.Code != 400 ||
		text[:80] != "Cannot patch /provision_state. Only the following can be updated: automated_clea" {
		t.Errorf("%d %s", allowed.Code, text)
	}
}

func TestValidPatches(t *testing.T) {
	for name, test := range map[string]struct {
		patch string
		field string
		want  any
	}{
		"a leaf":            {`[{"op": "add", "path": "/properties/c", "value": {"d": 1}}]`, "properties", map[string]any{"a": map[string]any{"b": []any{"x", "y"}}, "c": map[string]any{"d": 1.0}}},
		"into a list":       {`[{"op": "add", "path": "/properties/a/b/1", "value": "n"}]`, "properties", map[string]any{"a": map[string]any{"b": []any{"x", "n", "y"}}}},
		"at a list's end":   {`[{"op": "add", "path": "/properties/a/b/-", "value": "n"}]`, "properties", map[string]any{"a": map[string]any{"b": []any{"x", "y", "n"}}}},
		"out of a list":     {`[{"op": "remove", "path": "/properties/a/b/0"}]`, "properties", map[string]any{"a": map[string]any{"b": []any{"y"}}}},
		"a root to nothing": {`[{"op": "remove", "path": "/properties"}]`, "properties", map[string]any{}},
		"one after another": {`[{"op": "add", "path": "/extra/x", "value": 1}, {"op": "replace", "path": "/extra/x", "value": 2}]`, "extra", map[string]any{"x": 2.0}},
		"a name to nothing": {`[{"op": "remove", "path": "/name"}]`, "name", nil},
		"a truth in words":  {`[{"op": "replace", "path": "/maintenance", "value": "yes"}]`, "maintenance", true},
		"an interface":      {`[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, "deploy_interface", "custom-agent"},
		"a display name":    {`[{"op": "add", "path": "/instance_info/display_name", "value": "web"}]`, "instance_name", "web"},
		"group in capitals": {`[{"op": "replace", "path": "/conductor_group", "value": ""}]`, "conductor_group", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			n := r.node(func(n *db.Node) {
				n.Name, n.Properties = "one", db.Dict{"a": map[string]any{"b": []any{"x", "y"}}}
				n.DriverInfo = db.Dict{"redfish_password": "secret"}
			})
			document := r.want("PATCH", "/v1/nodes/"+n.UUID, test.patch, 200)
			if !reflect.DeepEqual(document[test.field], test.want) {
				t.Errorf("%s is %v, want %v", test.field, document[test.field], test.want)
			}
			after, err := r.tables.Nodes.Get(n.UUID)
			if err != nil {
				t.Fatal(err)
			}
			if after.DriverInfo.Text("redfish_password") != "secret" || after.UpdatedAt.IsZero() {
				t.Errorf("the rest is %+v", after)
			}
		})
	}
}

// TestPatchDuringAnOperation checks that a node with a target state can be changed only in some provision states. In
// maintenance, its instance_uuid can still be removed.
func TestPatchDuringAnOperation(t *testing.T) {
	const inTransition = "Node {N} can not be updated while a state transition is in progress."
	for name, test := range map[string]struct {
		state, target, version, patch string
		maintenance                   bool
		status                        int
		text                          string
	}{
		"deploying":                {"deploying", "active", "", `[]`, false, 409, inTransition},
		"deploy failed":            {"deploy failed", "active", "", `[]`, false, 200, ""},
		"active":                   {"active", "", "", `[]`, false, 200, ""},
		"inspecting":               {"inspecting", "manageable", "", `[]`, false, 409, `Cannot update node "{N}" while it is in state "inspecting".`},
		"inspecting, before 1.39":  {"inspecting", "manageable", "1.38", `[]`, false, 200, ""},
		"the instance alone":       {"cleaning", "available", "", `[{"op": "remove", "path": "/instance_uuid"}]`, true, 200, ""},
		"the instance, no reason":  {"cleaning", "available", "", `[{"op": "remove", "path": "/instance_uuid"}]`, false, 409, inTransition},
		"the instance, and others": {"cleaning", "available", "", `[{"op": "remove", "path": "/instance_uuid"}, {"op": "remove", "path": "/extra"}]`, true, 409, inTransition},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			n := r.node(func(n *db.Node) {
				n.ProvisionState, n.TargetProvisionState, n.Maintenance = test.state, test.target, test.maintenance
				n.InstanceUUID = "11111111-1111-1111-1111-111111111111"
			})
			r.check(n, []exchange{{"PATCH", "/v1/nodes/{N}", test.version, test.patch, test.status, test.text}})
		})
	}
}

// Inspection rules may set any name. The lists of a node that are not fields of the object must not change.
func TestSetNodeFieldIgnoresLists(t *testing.T) {
	n := &db.Node{}
	api.SetNodeField(n, "owner", "x")
	api.SetNodeField(n, "null", []any{"retired"})
	api.SetNodeField(n, "empty", []any{"name"})
	if n.Owner != "x" || n.Null != nil || n.Empty != nil {
		t.Errorf("owner %q, null %v, empty %v", n.Owner, n.Null, n.Empty)
	}
}
