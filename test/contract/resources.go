package contract

func allocations() group {
	const ready = `{"op": "add", "path": "/resource_class", "value": "{word1}"}`
	node := func(steps ...step) []step {
		return append([]step{
			{call: "PUT /v1/nodes/{node}/states/power", body: `{"target": "power off"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "power_state reservation", want: `200 power_state="power off" reservation=null`},
			{call: "PATCH /v1/nodes/{node}", body: `[` + ready + `]`},
			{call: "SET available"},
		}, steps...)
	}
	const request = `{"resource_class": "{word1}", "uuid": "{uuid1}", "name": "{word2}"}`
	return group{name: "allocations", alone: true, behaviors: []behavior{
		{name: "finds-a-node", steps: node(
			step{call: "POST /v1/allocations", body: request, see: "uuid name state node_uuid last_error resource_class candidate_nodes traits extra owner header:Location", want: `201 uuid="{uuid1}" name="{word2}" state="allocating" node_uuid=null last_error=null resource_class="{word1}" candidate_nodes=[] traits=[] extra={} owner=null Location={url}/v1/allocations/{uuid1}`},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state node_uuid last_error", want: `200 state="active" node_uuid="{node}" last_error=null`},
			step{call: "GET /v1/nodes/{node}", see: "instance_uuid allocation_uuid instance_info provision_state", want: `200 instance_uuid="{uuid1}" allocation_uuid="{uuid1}" instance_info={"traits":[]} provision_state="available"`},
			step{call: "GET /v1/nodes/{node}/allocation", see: "uuid", want: `200 uuid="{uuid1}"`},
			step{call: "DELETE /v1/allocations/{uuid1}", want: "204"},
			step{call: "GET /v1/nodes/{node}", see: "instance_uuid allocation_uuid instance_info", want: `200 instance_uuid=null allocation_uuid=null instance_info={"traits":[]}`},
		)},
		{name: "finds-none", steps: []step{
			{call: "POST /v1/allocations", body: request, want: "201"},
			{call: "UNTIL /v1/allocations/{uuid1}", see: "state node_uuid last_error", want: `200 state="error" node_uuid=null last_error="Failed to process allocation {uuid1}: no available nodes match the resource class {word1}."`},
		}},
		{name: "keys", steps: []step{{call: "POST /v1/allocations", version: "1.82", body: request, see: "body.keys", want: `201 keys=["candidate_nodes","created_at","extra","last_error","links","name","node_uuid","owner","resource_class","state","traits","updated_at","uuid"]`}}},
		{name: "without-resource-class", steps: []step{{call: "POST /v1/allocations", body: `{}`, want: "400 The resource_class field is mandatory when not backfilling"}}},
		{name: "unknown-key", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "x", "colour": "red"}`, want: "400 Schema error: Additional properties are not allowed ('colour' was unexpected)", old: "400 Schema error for allocation: Additional properties are not allowed ('colour' was unexpected)"}}},
		{name: "name-that-is-bad", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "x", "name": "a b"}`, want: "400 Cannot create allocation with invalid name 'a b'"}}},
		{name: "name-twice", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "x", "name": "{word1}"}`}, {call: "POST /v1/allocations", body: `{"resource_class": "x", "name": "{word1}"}`, want: "409 An allocation with name {word1} already exists."}}},
		{name: "candidate-that-is-not-there", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "x", "candidate_nodes": ["{uuid1}"]}`, want: "400 Nodes cannot be found: {uuid1}"}}},
		{name: "candidates", steps: node(
			step{call: "POST /v1/allocations", body: `{"resource_class": "{word1}", "uuid": "{uuid1}", "candidate_nodes": ["{name}"]}`, see: "candidate_nodes", want: `201 candidate_nodes=["{node}"]`},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state node_uuid", want: `200 state="active" node_uuid="{node}"`},
		)},
		{name: "traits", steps: node(
			step{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			step{call: "POST /v1/allocations", body: `{"resource_class": "{word1}", "uuid": "{uuid1}", "traits": ["{trait1}"]}`},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state node_uuid traits", want: `200 state="active" node_uuid="{node}" traits=["{trait1}"]`},
			step{call: "GET /v1/nodes/{node}", see: "instance_info", want: `200 instance_info={"traits":["{trait1}"]}`},
		)},
		{name: "traits-that-no-node-has", steps: node(
			step{call: "POST /v1/allocations", body: `{"resource_class": "{word1}", "uuid": "{uuid1}", "traits": ["{trait1}"]}`},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state last_error", want: `200 state="error" last_error="Failed to process allocation {uuid1}: no suitable nodes have the requested traits {trait1}."`},
		)},
		{name: "bad-trait", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "x", "traits": ["fast"]}`, want: "400 Schema error: 'fast' is not valid under any of the given schemas. Possible root cause: 'fast' does not match '^CUSTOM_[A-Z0-9_]+$'", old: "400 Schema error for allocation: 'fast' is not valid under any of the given schemas. Possible root cause: 'fast' does not match '^CUSTOM_[A-Z0-9_]+$'"}}},
		{name: "skips-maintenance", steps: node(
			step{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			step{call: "POST /v1/allocations", body: request},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state last_error", want: `200 state="error" last_error="Failed to process allocation {uuid1}: no available nodes match the resource class {word1}."`},
		)},
		{name: "skips-nodes-without-power-state", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[` + ready + `]`},
			{call: "SET available"},
			{call: "POST /v1/allocations", body: request},
			{call: "UNTIL /v1/allocations/{uuid1}", see: "state last_error", want: `200 state="error" last_error="Failed to process allocation {uuid1}: no available nodes match the resource class {word1}."`},
		}},
		{name: "two-want-one", steps: node(
			step{call: "POST /v1/allocations", body: request},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state", want: `200 state="active"`},
			step{call: "POST /v1/allocations", body: `{"resource_class": "{word1}", "uuid": "{uuid2}"}`},
			step{call: "UNTIL /v1/allocations/{uuid2}", see: "state last_error", want: `200 state="error" last_error="Failed to process allocation {uuid2}: no available nodes match the resource class {word1}."`},
		)},
		{name: "not-there", steps: []step{{call: "GET /v1/allocations/{uuid1}", want: "404 Allocation {uuid1} could not be found."}}},
		{name: "by-name", steps: []step{{call: "POST /v1/allocations", body: request}, {call: "GET /v1/allocations/{word2}", see: "uuid", want: `200 uuid="{uuid1}"`}}},
		{name: "list", steps: []step{
			{call: "POST /v1/allocations", body: request},
			{call: "GET /v1/allocations?resource_class={word1}", see: "body.keys allocations.#.uuid", want: `200 keys=["allocations"] allocations.#.uuid=["{uuid1}"]`},
			{call: "GET /v1/allocations?resource_class={word1}&fields=uuid", see: "allocations.0.keys", want: `200 allocations.0.keys=["links","uuid"]`},
			{call: "GET /v1/allocations?state=asleep", want: "200"},
			{call: "GET /v1/allocations?colour=red", want: "400 Unexpected arguments: colour"},
			{call: "GET /v1/allocations?node={uuid2}", want: "400 Node {uuid2} could not be found."},
		}},
		{name: "patched", steps: []step{
			{call: "POST /v1/allocations", body: request},
			{call: "PATCH /v1/allocations/{uuid1}", body: `[{"op": "add", "path": "/extra/a", "value": 1}, {"op": "replace", "path": "/name", "value": "{word3}"}]`, see: "name extra", want: `200 name="{word3}" extra={"a":1}`},
			{call: "PATCH /v1/allocations/{uuid1}", body: `[{"op": "replace", "path": "/resource_class", "value": "x"}]`, want: "400 Cannot patch /resource_class. Only the following can be updated: name, extra"},
		}},
		{name: "of-a-deployed-node-stays", steps: node(
			step{call: "POST /v1/allocations", body: request},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state", want: `200 state="active"`},
			step{call: "SET active"},
			step{call: "DELETE /v1/allocations/{uuid1}", want: "409 Cannot remove allocation {uuid1} for node {node}, because the node is active (and maintenance mode is off)"},
		)},
		{name: "goes-with-undeploying", steps: node(
			step{call: "POST /v1/allocations", body: request},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state", want: `200 state="active"`},
			step{call: "SET active"},
			step{call: provisionCall, body: `{"target": "deleted"}`},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation instance_uuid allocation_uuid", want: `200 provision_state="available" reservation=null instance_uuid=null allocation_uuid=null`},
			step{call: "GET /v1/allocations/{uuid1}", want: "404 Allocation {uuid1} could not be found."},
		)},
		{name: "goes-with-the-instance-uuid", steps: node(
			step{call: "POST /v1/allocations", body: request},
			step{call: "UNTIL /v1/allocations/{uuid1}", see: "state", want: `200 state="active"`},
			step{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/instance_uuid"}]`, see: "instance_uuid allocation_uuid", want: "200 instance_uuid=null allocation_uuid=null"},
			step{call: "GET /v1/allocations/{uuid1}", want: "404 Allocation {uuid1} could not be found."},
		)},
		{name: "backfilled", state: "active", node: `{"resource_class": "{word1}"}`, steps: []step{
			{call: "POST /v1/allocations", body: `{"node": "{node}", "uuid": "{uuid1}"}`, see: "state node_uuid resource_class text", want: `201 state="active" node_uuid="{node}" resource_class="{word1}"`},
			{call: "GET /v1/nodes/{node}", see: "instance_uuid", want: `200 instance_uuid="{uuid1}"`},
		}},
		{name: "backfilled-of-a-node-that-is-not-active", state: "available", node: `{"resource_class": "{word1}"}`, steps: []step{
			{call: "POST /v1/allocations", body: `{"node": "{node}", "uuid": "{uuid1}"}`, see: "state text", want: `500 Failed to process allocation {uuid1}: Cannot backfill an allocation for node {node}: Node must be in the "active" state, but the current state is "available".`},
		}},
		{name: "none-of-a-node", steps: []step{{call: "GET /v1/nodes/{node}/allocation", want: "404 Allocation for node {node} was not found"}, {call: "DELETE /v1/nodes/{node}/allocation", want: "404 Allocation for node {node} was not found"}}},
	}}
}

func traits() group {
	return group{name: "traits", behaviors: []behavior{
		{name: "none", steps: []step{{call: "GET /v1/nodes/{node}/traits", see: "body", want: `200 body={"traits":[]}`}}},
		{name: "add", steps: []step{
			{call: "PUT /v1/nodes/{node}/traits/{trait1}", see: "header:Location", want: "204 Location={url}/v1/nodes/{node}/traits/{trait1}"},
			{call: "GET /v1/nodes/{node}/traits", see: "body", want: `200 body={"traits":["{trait1}"]}`},
			{call: "GET /v1/nodes/{node}", see: "traits", want: `200 traits=["{trait1}"]`},
		}},
		{name: "add-twice", steps: []step{{call: "PUT /v1/nodes/{node}/traits/{trait1}"}, {call: "PUT /v1/nodes/{node}/traits/{trait1}", want: "204"}}},
		{name: "standard", steps: []step{{call: "PUT /v1/nodes/{node}/traits/HW_CPU_X86_VMX", want: "204"}}},
		{name: "bad-name", steps: []step{{call: "PUT /v1/nodes/{node}/traits/fast", want: "400 Schema error for trait: 'fast' is not valid under any of the given schemas. Possible root cause: 'fast' does not match '^CUSTOM_[A-Z0-9_]+$'"}}},
		{name: "custom-in-small-letters", steps: []step{{call: "PUT /v1/nodes/{node}/traits/CUSTOM_fast", want: "400 Schema error for trait: 'CUSTOM_fast' is not valid under any of the given schemas. Possible root cause: 'CUSTOM_fast' does not match '^CUSTOM_[A-Z0-9_]+$'"}}},
		{name: "replace-all", steps: []step{
			{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			{call: "PUT /v1/nodes/{node}/traits", body: `{"traits": ["CUSTOM_B", "CUSTOM_A"]}`, want: "204"},
			{call: "GET /v1/nodes/{node}/traits", see: "body", want: `~200 body=\{"traits":\["CUSTOM_[AB]","CUSTOM_[AB]"\]\}`},
		}},
		{name: "replace-with-a-bad-one", steps: []step{{call: "PUT /v1/nodes/{node}/traits", body: `{"traits": ["CUSTOM_B", "slow"]}`, want: "400 Schema error for body: 'slow' is not valid under any of the given schemas. Possible root cause: 'slow' does not match '^CUSTOM_[A-Z0-9_]+$'"}}},
		{name: "replace-without-list", steps: []step{{call: "PUT /v1/nodes/{node}/traits", body: `{}`, want: "400 A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no body, or all node traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits specified in the request body."}}},
		{name: "remove", steps: []step{{call: "PUT /v1/nodes/{node}/traits/{trait1}"}, {call: "DELETE /v1/nodes/{node}/traits/{trait1}", want: "204"}, {call: "GET /v1/nodes/{node}/traits", see: "body", want: `200 body={"traits":[]}`}}},
		{name: "remove-missing", steps: []step{{call: "DELETE /v1/nodes/{node}/traits/{trait1}", want: "404 Node {node} doesn't have a trait '{trait1}'"}}},
		{name: "remove-all", steps: []step{{call: "PUT /v1/nodes/{node}/traits/{trait1}"}, {call: "DELETE /v1/nodes/{node}/traits", want: "204"}, {call: "GET /v1/nodes/{node}/traits", see: "body", want: `200 body={"traits":[]}`}}},
		{name: "locked", steps: []step{{call: "LOCK elsewhere"}, {call: "PUT /v1/nodes/{node}/traits/{trait1}", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "both-body-and-name", steps: []step{{call: "PUT /v1/nodes/{node}/traits/{trait1}", body: `{"traits": ["CUSTOM_A"]}`, want: "400 A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no body, or all node traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits specified in the request body."}}},
		{name: "instance-traits-have-to-be-the-nodes", state: "available", node: `{"instance_info": {"traits": ["CUSTOM_NOBODY"]}}`, steps: []step{{call: provisionCall, body: `{"target": "active"}`, want: "400 Failed to validate deploy or power info for node {node}: Cannot specify instance traits that are not also set on the node. Node {node} is missing traits CUSTOM_NOBODY"}}},
		{name: "in-a-list", steps: three(step{call: "PUT /v1/nodes/{uuid1}/traits/{trait1}"}, step{call: "GET /v1/nodes?resource_class={word1}&fields=traits", see: "nodes.#.traits", want: `200 nodes.#.traits=[["{trait1}"],[],[]]`})},
	}}
}

func templates() group {
	const template = `{"name": "{trait1}", "uuid": "{uuid1}", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10}]}`
	return group{name: "templates", behaviors: []behavior{
		{name: "create", steps: []step{
			{call: "POST /v1/deploy_templates", version: "1.82", body: template, see: "body.keys name steps extra header:Location", want: `201 keys=["created_at","extra","links","name","steps","updated_at","uuid"] name="{trait1}" steps=[{"args":{},"interface":"bios","priority":10,"step":"factory_reset"}] extra={} Location={url}/v1/deploy_templates/{uuid1}`},
			{call: "GET /v1/deploy_templates/{uuid1}", see: "name", want: `200 name="{trait1}"`},
			{call: "GET /v1/deploy_templates/{trait1}", see: "uuid", want: `200 uuid="{uuid1}"`},
			{call: "DELETE /v1/deploy_templates/{uuid1}", want: "204"},
			{call: "GET /v1/deploy_templates/{uuid1}", want: "404 Deploy template {uuid1} could not be found."},
		}},
		{name: "name-is-no-trait", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "fast", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10}]}`, want: "400 Schema error for template: 'fast' is not valid under any of the given schemas. Possible root cause: 'fast' does not match '^CUSTOM_[A-Z0-9_]+$'"}}},
		{name: "name-twice", steps: []step{{call: "POST /v1/deploy_templates", body: template}, {call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10}]}`, want: "409 A deploy template with name {trait1} already exists."}}},
		{name: "no-steps", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": []}`, want: "400 Schema error for template: [] should be non-empty", old: "400 Schema error for template: [] is too short"}}},
		{name: "no-name", steps: []step{{call: "POST /v1/deploy_templates", body: `{"steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10}]}`, want: "400 Schema error for template: 'name' is a required property"}}},
		{name: "step-without-priority", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}}]}`, want: "400 Schema error for template: 'priority' is a required property"}}},
		{name: "step-with-whole-priority", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10.0}]}`, see: "steps.0.priority", want: "201 steps.0.priority=10"}}},
		{name: "step-with-fractional-priority", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "bios", "step": "factory_reset", "args": {}, "priority": 10.5}]}`, want: `400 Schema error for template: 10.5 is not valid under any of the given schemas. Possible root cause: 10.5 is not of type 'integer'`}}},
		{name: "step-twice", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "bios", "step": "x", "args": {}, "priority": 10}, {"interface": "bios", "step": "x", "args": {}, "priority": 20}]}`, want: "400 Deploy template invalid: Duplicate deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: bios, step: x.", old: "400 Deploy template invalid: Duplicate deploy steps. A deploy template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: bios, step: x."}}},
		{name: "patched", steps: []step{
			{call: "POST /v1/deploy_templates", body: template},
			{call: "PATCH /v1/deploy_templates/{uuid1}", body: `[{"op": "replace", "path": "/steps/0/priority", "value": 20}]`, see: "steps", want: `200 steps=[{"args":{},"interface":"bios","priority":20,"step":"factory_reset"}]`},
			{call: "PATCH /v1/deploy_templates/{uuid1}", body: `[{"op": "replace", "path": "/steps", "value": []}]`, want: "400 Schema error for patch: [] should be non-empty", old: "400 Schema error for patch: [] is too short"},
		}},
		{name: "list", steps: []step{{call: "POST /v1/deploy_templates", body: template}, {call: "GET /v1/deploy_templates?fields=name&limit=1", see: "body.keys deploy_templates.0.keys", want: `200 keys=["deploy_templates","next"] deploy_templates.0.keys=["links","name"]`}}},
	}}
}

// instances covers the instance_uuid of a node.
func instances() group {
	const add = `[{"op": "add", "path": "/instance_uuid", "value": "{uuid1}"}]`
	return group{name: "instance-uuid", behaviors: []behavior{
		{name: "add", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add, see: "instance_uuid", want: `200 instance_uuid="{uuid1}"`}}},
		{name: "add-over", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_uuid", "value": "{uuid2}"}]`, want: "409 Node {node} is associated with instance {uuid1}."}}},
		{name: "replace", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/instance_uuid", "value": "{uuid2}"}]`, want: "409 Node {node} is associated with instance {uuid1}."}}},
		{name: "the-same-again", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: add, see: "instance_uuid", want: `200 instance_uuid="{uuid1}"`}}},
		{name: "in-use-elsewhere", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{other}", body: add, want: "409 Instance {uuid1} is already associated with a node, it cannot be associated with this other node {other}"}}},
		{name: "no-uuid", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_uuid", "value": "mine"}]`, want: "400 Expected UUID for instance_uuid: mine"}}},
		{name: "remove", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/instance_uuid"}]`, see: "instance_uuid", want: "200 instance_uuid=null"}}},
		{name: "remove-and-add-in-one", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/instance_uuid"}, {"op": "add", "path": "/instance_uuid", "value": "{uuid2}"}]`, see: "instance_uuid", want: "409 Node {node} is associated with instance {uuid1}."}}},
		{name: "replace-by-null", steps: []step{{call: "PATCH /v1/nodes/{node}", body: add}, {call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/instance_uuid", "value": null}]`, see: "instance_uuid", want: "200 instance_uuid=null"}}},
		{name: "remove-while-it-deploys", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: add},
			{call: "SET wait call-back > active"},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/instance_uuid"}]`, want: "409 Node {node} can not be updated while a state transition is in progress."},
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/instance_uuid"}]`, see: "instance_uuid", want: "200 instance_uuid=null"},
		}},
		{name: "in-use-when-creating", node: `{"instance_uuid": "{uuid1}"}`, steps: []step{{call: "GET /v1/nodes/{node}"}, {call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "instance_uuid": "{uuid1}"}`, want: `~409 Instance \{uuid1\} is already associated with a node, it cannot be associated with this other node [0-9a-f-]{36}`}}},
	}}
}
