package contract

// malformed covers bodies that are not JSON, or that have no JSON content type.
func malformed() group {
	call := func(name, call, body, header, see, want, old string) behavior {
		return behavior{name: name, steps: []step{{call: call, body: body, header: header, see: see, want: want, old: old}}}
	}
	const (
		patch = "PATCH /v1/nodes/{node}"
		post  = "POST /v1/nodes"
		power = "PUT /v1/nodes/{node}/states/power"
		raid  = "PUT /v1/nodes/{node}/states/raid"
		none  = "Content-Type:"
		text  = "Content-Type: text/plain"
		add   = `[{"op": "add", "path": "/extra/a", "value": 1}]`
	)
	return group{name: "malformed", behaviors: []behavior{
		call("patch-no-utf8", patch, "\xff", "", "shape", `400 pecan code,description,title`, ""),
		call("patch-no-utf8-in-a-text", patch, "[{\"op\": \"add\", \"path\": \"/extra/a\", \"value\": \"\xff\"}]", "", "shape", `400 pecan code,description,title`, ""),
		call("post-no-utf8", post, "\xff", "", "shape", `400 pecan code,description,title`, ""),
		call("power-no-utf8", power, "\xff", "", "shape", `400 pecan code,description,title`, ""),
		call("patch-no-utf8-no-type", patch, "\xff", none, "shape text", `400 fault debuginfo,faultcode,faultstring Client The server could not comply with the request since it is either malformed or otherwise incorrect.`, ""),
		call("post-no-utf8-text", post, "\xff", text, "shape text", `400 fault debuginfo,faultcode,faultstring Client The server could not comply with the request since it is either malformed or otherwise incorrect.`, ""),
		call("power-no-utf8-no-type", power, "\xff", none, "", `400 Missing mandatory parameter: target`, ""),
		call("patch-nan", patch, "NaN", "", "", `400 Schema error for patch: nan is not of type 'array'`, ""),
		call("post-nan", post, "NaN", "", "", `400 Schema error for node: nan is not of type 'object'`, ""),
		call("raid-nan", raid, "NaN", "", "", `400 Expected types <class 'dict'> for target_raid_config: nan`, ""),
		call("port-nan", "POST /v1/ports", "NaN", "", "", `400 Schema error for port: nan is not of type 'object'`, ""),
		call("allocation-infinite", "POST /v1/allocations", "-Infinity", "", "", `400 Schema error: -inf is not of type 'object'`, `400 Schema error for allocation: -inf is not of type 'object'`),
		call("patch-nan-inside", patch, `[{"op": "add", "path": "/extra/a", "value": NaN}]`, "", "", `200`, ""),
		call("post-nan-inside", post, `{"driver": "fake-hardware", "extra": {"a": [NaN, "NaN", -Infinity]}}`, "", "", `201`, ""),
		call("provision-nan-inside", provisionCall, `{"driver": NaN}`, "", "", `400 Unexpected arguments: driver`, ""),
		call("patch-null", patch, "null", "", "", `500 'NoneType' object is not iterable`, ""),
		call("post-null", post, "null", "", "", `500 'NoneType' object has no attribute 'get'`, ""),
		call("port-null", "POST /v1/ports", "null", "", "", `500 'NoneType' object has no attribute 'get'`, ""),
		call("patch-no-type", patch, add, none, "extra", `200 extra={"a":1}`, ""),
		call("patch-text", patch, add, text, "extra", `200 extra={"a":1}`, ""),
		call("post-no-type", post, `{"driver": "fake-hardware"}`, none, "", `400 Unexpected arguments: {"driver": "fake-hardware"}`, `201`),
		call("post-text", post, `{"driver": "fake-hardware"}`, text, "driver", `201 driver="fake-hardware"`, ""),
		call("port-no-type", "POST /v1/ports", `{}`, none, "", `400 Unexpected arguments: {}`, `400 Schema error for port: 'address' is a required property`),
		call("allocation-no-type", "POST /v1/allocations", `{}`, none, "", `500 AllocationsController.post() got an unexpected keyword argument '{}'`, `400 The resource_class field is mandatory when not backfilling`),
		call("power-no-type", power, `{"target": "power on"}`, none, "", `400 Missing mandatory parameter: target`, ""),
		call("raid-without-disks", raid, `{"target": "power on"}`, "", "", `400 RAID config validation error: 'logical_disks' is a required property`, ""),
	}}
}

// elsewhere covers collections that the embedded Ironic does not have, and paths with their parts in an unusual
// order.
func elsewhere() group {
	call := func(name, call, see, want, old string) behavior {
		return behavior{name: name, steps: []step{{call: call, see: see, want: want, old: old}}}
	}
	return group{name: "elsewhere", behaviors: []behavior{
		call("states-before-the-node", "GET /v1/nodes/states/{node}", "order", `200 order=console_enabled,last_error,power_state,provision_state,target_power_state,target_provision_state,provision_updated_at,raid_config,target_raid_config,boot_mode,secure_boot`, ""),
		call("console-before-the-node", "GET /v1/nodes/states/console/{node}", "body", `200 body={"console_enabled":false,"console_info":null}`, ""),
		call("power-before-the-node", "GET /v1/nodes/states/power/{node}", "", `500 NodeStatesController.get() takes 2 positional arguments but 3 were given`, ""),
		call("provision-before-the-node", "GET /v1/nodes/states/provision/{node}", "", `500 NodeStatesController.get() takes 2 positional arguments but 3 were given`, ""),
		call("unknown-state-before-the-node", "GET /v1/nodes/states/nope/{node}", "", `500 NodeStatesController.get() takes 2 positional arguments but 3 were given`, ""),
		call("boot-device-before-the-node", "GET /v1/nodes/management/boot_device/{node}", "body", `200 body={"boot_device":"pxe","persistent":false}`, ""),
		call("boot-devices-before-the-node", "GET /v1/nodes/management/boot_device/supported/{node}", "", `500 BootDeviceController.get() takes 2 positional arguments but 3 were given`, ""),
		call("indicators-before-the-node", "GET /v1/nodes/management/indicators/{node}", "", `400 Missing mandatory parameter: indicator`, ""),
		call("management-before-the-node", "GET /v1/nodes/management/{node}", "shape", `405 pecan code,description,title`, ""),
		call("maintenance-before-the-node", "GET /v1/nodes/maintenance/{node}", "shape", `405 pecan code,description,title`, ""),
		call("vendor-passthru-before-the-node", "GET /v1/nodes/vendor_passthru/{node}", "", `400 Missing mandatory parameter: method`, ""),
		call("vendor-passthru", "GET /v1/nodes/{node}/vendor_passthru", "", `400 Missing mandatory parameter: method`, ""),
		call("vendor-methods", "GET /v1/nodes/{node}/vendor_passthru/methods", "", `200`, ""),
		call("vendor-methods-of-a-missing-node", "GET /v1/nodes/nope/vendor_passthru/methods", "", `404 Node nope could not be found.`, ""),
		call("vendor-methods-of-redfish", "GET /v1/drivers/redfish/vendor_passthru/methods", "body", `200 body={}`, ""),
		call("vendor-methods-of-an-unknown-driver", "GET /v1/drivers/nope/vendor_passthru/methods", "", `404 The driver 'nope' is unknown.`, ""),
		call("vendor-passthru-of-a-driver", "GET /v1/drivers/redfish/vendor_passthru", "", `400 Missing mandatory parameter: method`, ""),
		call("targets-of-a-missing-node", "GET /v1/volume/targets?node=nope", "body", `404 Node nope could not be found.`, ""),
		call("connectors-of-a-missing-node", "GET /v1/volume/connectors?node=nope", "body", `404 Node nope could not be found.`, ""),
		call("targets-of-a-node", "GET /v1/volume/targets?node={node}", "body", `200 body={"targets":[]}`, ""),
		call("targets-with-details", "GET /v1/volume/targets?detail=true&fields=uuid", "body", `400 Can't fetch a subset of fields with 'detail' set`, ""),
		call("targets-with-a-word-as-limit", "GET /v1/volume/targets?limit=x", "body", `400 Expected an integer for limit: x`, ""),
		call("targets-below-a-missing-node", "GET /v1/nodes/nope/volume/targets", "body", `404 Node nope could not be found.`, ""),
		call("target-that-is-no-uuid", "GET /v1/volume/targets/nope", "", `400 Expected UUID for target_uuid: nope`, ""),
		call("connector-that-is-no-uuid", "GET /v1/volume/connectors/nope", "", `400 Expected UUID for connector_uuid: nope`, ""),
		call("target-that-is-not-there", "GET /v1/volume/targets/{uuid1}", "", `404 Volume target {uuid1} could not be found.`, ""),
		call("nothing-below-volume", "GET /v1/volume/nope", "", `500 VolumeController.get() takes 1 positional argument but 2 were given`, ""),
		call("runbook-that-is-not-there", "GET /v1/runbooks/nope", "", `404 Runbook nope could not be found.`, `404 Not Found:`),
		call("runbooks-of-an-owner", "GET /v1/runbooks?owner=x", "", `400 Unexpected arguments: owner`, `404 Not Found:`),
		call("chassis-with-an-unknown-field", "GET /v1/chassis?fields=nope", "", `400 Schema error: 'nope' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, `200`),
		call("chassis-with-a-negative-limit", "GET /v1/chassis?limit=-1", "", `400 Limit must be positive`, ""),
		call("events-are-not-read", "GET /v1/events", "shape", `405 pecan code,description,title`, ""),
		call("delete-a-missing-runbook", "DELETE /v1/runbooks/nope", "", `404 Runbook nope could not be found.`, `404 Not Found:`),
		call("delete-a-chassis-that-is-no-uuid", "DELETE /v1/chassis/nope", "", `400 Expected UUID for chassis_uuid: nope`, ""),
		call("delete-a-missing-chassis", "DELETE /v1/chassis/{uuid1}", "", `404 Chassis {uuid1} could not be found.`, ""),
		call("delete-a-target-that-is-no-uuid", "DELETE /v1/volume/targets/nope", "", `400 Expected UUID for target_uuid: nope`, ""),
		call("delete-a-missing-target", "DELETE /v1/volume/targets/{uuid1}", "", `404 Volume target {uuid1} could not be found.`, ""),
		call("put-a-chassis", "PUT /v1/chassis", "shape", `405 pecan code,description,title`, ""),
	}}
}
