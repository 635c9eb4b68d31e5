package contract

import "strings"

// deleting covers DELETE of a node.
func deleting() group {
	return group{name: "delete", alone: true, behaviors: []behavior{
		{name: "enroll", steps: []step{{call: "DELETE /v1/nodes/{node}", want: "204"}, {call: "GET /v1/nodes/{node}", want: "404 Node {node} could not be found."}}},
		{name: "by-name", steps: []step{{call: "DELETE /v1/nodes/{name}", want: "204"}}},
		{name: "not-there", steps: []step{{call: "DELETE /v1/nodes/{uuid1}", want: "404 Node {uuid1} could not be found."}}},
		{name: "with-an-instance-uuid", node: `{"instance_uuid": "{uuid1}"}`, steps: []step{{call: "DELETE /v1/nodes/{node}", want: "409 Node {node} is associated with instance {uuid1}."}}},
		{name: "with-an-instance-uuid-in-maintenance", node: `{"instance_uuid": "{uuid1}"}`, steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "DELETE /v1/nodes/{node}", want: "204"},
		}},
		{name: "active-in-maintenance", state: "active", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "DELETE /v1/nodes/{node}", want: "204"},
		}},
		{name: "locked", steps: []step{{call: "LOCK elsewhere"}, {call: "DELETE /v1/nodes/{node}", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "protected", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/protected", "value": true}]`},
			{call: "DELETE /v1/nodes/{node}", want: "403 Node {node} is protected and cannot be undeployed, rebuilt or deleted"},
		}},
		{name: "protected-in-maintenance", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/protected", "value": true}]`},
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "DELETE /v1/nodes/{node}", want: "403 Node {node} is protected and cannot be undeployed, rebuilt or deleted"},
		}},
		{name: "with-a-port", steps: []step{
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}", "uuid": "{uuid1}"}`},
			{call: "DELETE /v1/nodes/{node}", want: "204"},
			{call: "GET /v1/ports/{uuid1}", want: "404 Port {uuid1} could not be found."},
		}},
		{name: "frees-the-name", steps: []step{
			{call: "GET /v1/nodes/{node}"},
			{call: "DELETE /v1/nodes/{node}"},
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{name}"}`, want: "201"},
		}},
		{name: "retired", node: `{"retired": true}`, state: "manageable", steps: []step{{call: "DELETE /v1/nodes/{node}", want: "204"}}},
		{name: "with-children", since: 83, steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "parent_node": "{node}"}`},
			{call: "DELETE /v1/nodes/{node}", want: "204"},
		}},
		{name: "unknown-query", steps: []step{{call: "DELETE /v1/nodes/{node}?force=true", want: "400 Unexpected arguments: force"}}},
	}}
}

// deletingIn covers DELETE of a node in each of the states.
func deletingIn() group {
	g := group{name: "delete-in"}
	for _, s := range states {
		want := `409 Can not delete node "{node}" while it is in provision state "` + s.name + `". Valid provision states to perform deletion are: ` +
			`"('manageable', 'enroll', 'adopt failed', 'available')", or set the node into maintenance mode`
		if s.deletable {
			want = "204"
		}
		g.behaviors = append(g.behaviors, behavior{
			name: strings.ReplaceAll(s.name, " ", "-"), since: s.since, state: s.name + " > " + s.target,
			steps: []step{{call: "DELETE /v1/nodes/{node}", want: want}},
		})
	}
	return g
}
