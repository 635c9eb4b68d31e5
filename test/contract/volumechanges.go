package contract

import (
	"slices"
	"strings"
)

func connectorBodies() []behavior {
	return []behavior{
		postConnector("connector-body-missing", "", `400 Schema error for connector: 'connector_id' is a required property`, ""),
		postConnector("connector-body-null", "null", `400 Schema error: None is not of type 'object'`, `500 'NoneType' object has no attribute 'get'`),
		postConnector("connector-body-list", "[]", `400 Schema error for connector: [] is not of type 'object'`, ""),
		postConnector("connector-body-no-json", "{", `500 Expecting property name enclosed in double quotes: line 1 column 2 (char 1)`, ""),
		postConnector("connector-minimal", `{`+someConnector+`}`, `201 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={}`, ""),
		postConnector("connector-nulls", `{`+someConnector+`, "uuid": null, "extra": null}`, `201 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={}`, ""),
		postConnector("connector-without-node", `{"type": "iqn", "connector_id": "x"}`, `400 Schema error for connector: 'node_uuid' is a required property`, ""),
		postConnector("connector-without-type", `{"node_uuid": "{node}", "connector_id": "x"}`, `400 Schema error for connector: 'type' is a required property`, ""),
		postConnector("connector-without-id", `{"node_uuid": "{node}", "type": "iqn"}`, `400 Schema error for connector: 'connector_id' is a required property`, ""),
		postConnector("connector-of-a-missing-node", `{"node_uuid": "{uuid2}", "type": "iqn", "connector_id": "x"}`, `400 Invalid input for field/attribute node_uuid. Value: '{uuid2}'.`, ""),
		postConnector("connector-of-a-named-node", `{"node_uuid": "{name}", "type": "iqn", "connector_id": "x"}`, `400 Expected UUID for node_uuid: {name}`, ""),
		postConnector("connector-of-null", `{"node_uuid": null, "type": "iqn", "connector_id": "x"}`, `400 Schema error for connector: None is not of type 'string'`, ""),
		postConnector("connector-type-number", `{"node_uuid": "{node}", "type": 5, "connector_id": "x"}`, `400 Schema error for connector: 5 is not of type 'string'`, ""),
		postConnector("connector-type-null", `{"node_uuid": "{node}", "type": null, "connector_id": "x"}`, `400 Schema error for connector: None is not of type 'string'`, ""),
		postConnector("connector-type-empty", `{"node_uuid": "{node}", "type": "", "connector_id": "{word1}"}`, `201 node_uuid="{node}" type="" connector_id="{word1}" extra={}`, ""),
		postConnector("connector-type-long", `{"node_uuid": "{node}", "type": "`+repeat("x", 40)+`", "connector_id": "{word1}"}`, `201 node_uuid="{node}" type="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" connector_id="{word1}" extra={}`, ""),
		postConnector("connector-type-unknown", `{"node_uuid": "{node}", "type": "color", "connector_id": "{word1}"}`, `201 node_uuid="{node}" type="color" connector_id="{word1}" extra={}`, ""),
		postConnector("connector-id-number", `{"node_uuid": "{node}", "type": "iqn", "connector_id": 5}`, `400 Schema error for connector: 5 is not of type 'string'`, ""),
		postConnector("connector-extra-text", `{`+someConnector+`, "extra": "x"}`, `400 Schema error for connector: 'x' is not of type 'object', 'null'`, ""),
		postConnector("connector-uuid-text", `{`+someConnector+`, "uuid": "x"}`, `400 Expected UUID for uuid: x`, ""),
		postConnector("connector-unknown-key", `{`+someConnector+`, "color": "red"}`, `400 Schema error for connector: Additional properties are not allowed ('color' was unexpected)`, ""),
		postConnector("connector-several-mistakes", `{"color": "red", "type": 5, "extra": "x"}`, `400 Schema error for connector: 'connector_id' is a required property`, ""),
	}
}

func targetBodies() []behavior {
	target := func(node, kind, index, id string) string {
		return `{"node_uuid": ` + node + `, "volume_type": ` + kind + `, "boot_index": ` + index + `, "volume_id": ` + id + `}`
	}
	const node, kind, id = `"{node}"`, `"iscsi"`, `"{word1}"`
	return []behavior{
		postTarget("target-body-missing", "", `400 Schema error for target: 'boot_index' is a required property`, ""),
		postTarget("target-body-null", "null", `400 Schema error: None is not of type 'object'`, `500 'NoneType' object has no attribute 'get'`),
		postTarget("target-minimal", `{`+someTarget+`}`, `201 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={} extra={}`, ""),
		postTarget("target-nulls", `{`+someTarget+`, "uuid": null, "extra": null, "properties": null}`, `201 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={} extra={}`, ""),
		postTarget("target-index-negative", target(node, kind, "-1", id), `201 node_uuid="{node}" volume_type="iscsi" boot_index=-1 volume_id="{word1}" properties={} extra={}`, ""),
		postTarget("target-index-text", target(node, kind, `"0"`, id), `400 Schema error for target: '0' is not of type 'integer'`, ""),
		postTarget("target-index-null", target(node, kind, `null`, id), `400 Schema error for target: None is not of type 'integer'`, ""),
		postTarget("target-index-true", target(node, kind, `true`, id), `400 Schema error for target: True is not of type 'integer'`, ""),
		postTarget("target-index-whole", target(node, kind, `5.0`, id), `201 node_uuid="{node}" volume_type="iscsi" boot_index=5 volume_id="{word1}" properties={} extra={}`, ""),
		postTarget("target-index-fraction", target(node, kind, `5.5`, id), `400 Schema error for target: 5.5 is not of type 'integer'`, ""),
		postTarget("target-type-null", target(node, `null`, "0", id), `400 Schema error for target: None is not of type 'string'`, ""),
		postTarget("target-type-unknown", target(node, `"color"`, "0", id), `201 node_uuid="{node}" volume_type="color" boot_index=0 volume_id="{word1}" properties={} extra={}`, ""),
		postTarget("target-id-number", target(node, kind, "0", "5"), `400 Schema error for target: 5 is not of type 'string'`, ""),
		postTarget("target-id-empty", target(node, kind, "0", `""`), `201 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="" properties={} extra={}`, ""),
		postTarget("target-of-a-missing-node", target(`"{uuid2}"`, kind, "0", id), `400 Invalid input for field/attribute node_uuid. Value: '{uuid2}'.`, ""),
		postTarget("target-of-a-named-node", target(`"{name}"`, kind, "0", id), `400 Expected UUID for node_uuid: {name}`, ""),
		postTarget("target-without-index", `{"node_uuid": "{node}", "volume_type": "iscsi", "volume_id": "x"}`, `400 Schema error for target: 'boot_index' is a required property`, ""),
		postTarget("target-without-anything", `{}`, `400 Schema error for target: 'boot_index' is a required property`, ""),
		postTarget("target-properties-list", `{`+someTarget+`, "properties": []}`, `400 Schema error for target: [] is not of type 'object', 'null'`, ""),
		postTarget("target-secrets", `{`+someTarget+`, "properties": {"auth_username": "u", "auth_password": "p", "nested": {"password": "p"}, "list": [1]}, "extra": {"password": "p"}}`, `201 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"******","auth_username":"u","list":[1],"nested":{"password":"******"}} extra={"password":"p"}`, `201 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"p","auth_username":"u","list":[1],"nested":{"password":"p"}} extra={"password":"p"}`),
		postTarget("target-unknown-key", `{`+someTarget+`, "connector_id": "x"}`, `400 Schema error for target: Additional properties are not allowed ('connector_id' was unexpected)`, ""),
		postTarget("target-uuid-text", `{`+someTarget+`, "uuid": "x"}`, `400 Expected UUID for uuid: x`, ""),
	}
}

func connectorPatches() []behavior {
	return []behavior{
		patchConnector("connector-patch-empty", `[]`, `200 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1}`, ""),
		patchConnector("connector-patch-null", `null`, `400 Schema error: None is not of type 'array'`, `500 'NoneType' object is not iterable`),
		patchConnector("connector-patch-object", `{}`, `400 Schema error for patch: {} is not of type 'array'`, ""),
		patchConnector("connector-replace-id", `[{"op": "replace", "path": "/connector_id", "value": "{word3}"}]`, `200 node_uuid="{node}" type="iqn" connector_id="{word3}" extra={"a":1}`, ""),
		patchConnector("connector-id-to-number", `[{"op": "replace", "path": "/connector_id", "value": 5}]`, `400 Schema error for patch: 5 is not of type 'string'`, ""),
		patchConnector("connector-remove-type", `[{"op": "remove", "path": "/type"}]`, `400 Schema error for patch: 'type' is a required property`, ""),
		patchConnector("connector-type-to-null", `[{"op": "replace", "path": "/type", "value": null}]`, `400 Schema error for patch: None is not of type 'string'`, ""),
		patchConnector("connector-add-extra", `[{"op": "add", "path": "/extra/b", "value": 2}]`, `200 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1,"b":2}`, ""),
		patchConnector("connector-remove-extra", `[{"op": "remove", "path": "/extra"}]`, `200 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={}`, ""),
		patchConnector("connector-remove-missing", `[{"op": "remove", "path": "/extra/b"}]`, `400 Couldn't apply patch '{'op': 'remove', 'path': '/extra/b'}'. Reason: can't remove a non-existent object 'b'`, ""),
		patchConnector("connector-patch-uuid", `[{"op": "replace", "path": "/uuid", "value": "{uuid1}"}]`, `400 Cannot patch /uuid. Only the following can be updated: connector_id, extra, node_uuid, type`, ""),
		patchConnector("connector-patch-unknown", `[{"op": "add", "path": "/color", "value": "red"}]`, `400 Cannot patch /color. Only the following can be updated: connector_id, extra, node_uuid, type`, ""),
		patchConnector("connector-same-node", `[{"op": "replace", "path": "/node_uuid", "value": "{node}"}]`, `200 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1}`, ""),
		patchConnector("connector-node-to-word", `[{"op": "replace", "path": "/node_uuid", "value": "x"}]`, `400 Expected a UUID for node_uuid, but received x.`, ""),
		patchConnector("connector-node-to-null", `[{"op": "replace", "path": "/node_uuid", "value": null}]`, `400 Expected a UUID for node_uuid, but received None.`, ""),
		patchConnector("connector-node-to-missing", `[{"op": "replace", "path": "/node_uuid", "value": "{uuid2}"}]`, `400 Unable to apply the requested node_uuid '{uuid2}'. Requested value was invalid.`, `400 Node {uuid2} could not be found.`),
		patchConnector("connector-remove-node", `[{"op": "remove", "path": "/node_uuid"}]`, `200 node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1}`, `500 'node_uuid'`),
		patchConnector("connector-add-without-value", `[{"op": "add", "path": "/type"}]`, `400 Couldn't apply patch '{'op': 'add', 'path': '/type'}'. Reason: The operation does not contain a 'value' member`, ""),
		patchConnector("connector-node-without-value", `[{"op": "add", "path": "/node_uuid"}]`, `500 'value'`, ""),
		patchConnector("connector-to-a-node-with-power", `[{"op": "replace", "path": "/node_uuid", "value": "{other}"}]`, `400 The requested action "volume connector update" can not be performed on node "{other}" while it is in state "None".`, ""),
	}
}

// movedVolumes covers volumes that are moved to another node or get the ID of another volume.
func movedVolumes() []behavior {
	return []behavior{
		withVolumes("connector-to-another-node",
			step{call: "PUT /v1/nodes/{other}/states/power", body: `{"target": "power off"}`, want: "202"},
			step{call: "UNTIL /v1/nodes/{other}", see: "power_state reservation", want: `200 power_state="power off" reservation=null`},
			step{call: "PATCH " + oneConnector, body: `[{"op": "replace", "path": "/node_uuid", "value": "{other}"}]`, see: "node_uuid", want: `200 node_uuid="{other}"`},
			step{call: "GET " + oneConnector, see: "node_uuid", want: `200 node_uuid="{other}"`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/node_uuid", "value": "{other}"}]`, see: "node_uuid", want: `200 node_uuid="{other}"`},
			step{call: "GET " + oneTarget, see: "node_uuid", want: `200 node_uuid="{other}"`},
		),
		withVolumes("connector-to-a-taken-id",
			step{call: "POST " + connectorsPath, body: `{"uuid": "{uuid2}", "node_uuid": "{node}", "type": "ip", "connector_id": "{word2}"}`},
			step{call: "PATCH " + connectorsPath + "/{uuid2}", body: `[{"op": "replace", "path": "/connector_id", "value": "iqn.{word1}"}]`, see: "type connector_id", want: `200 type="ip" connector_id="iqn.{word1}"`},
			step{call: "PATCH " + connectorsPath + "/{uuid2}", body: `[{"op": "replace", "path": "/type", "value": "iqn"}]`, want: `409 A volume connector with type iqn and connector ID iqn.{word1} already exists.`},
			step{call: "PATCH " + oneConnector, body: `[]`, see: "updated_at?", want: `200 updated_at=null`},
		),
	}
}

func targetPatches() []behavior {
	return []behavior{
		patchTarget("target-patch-empty", `[]`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"******","target_lun":1} extra={"a":1}`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"secret","target_lun":1} extra={"a":1}`),
		patchTarget("target-patch-null", `null`, `400 Schema error: None is not of type 'array'`, `500 'NoneType' object is not iterable`),
		patchTarget("target-index-to-text", `[{"op": "replace", "path": "/boot_index", "value": "3"}]`, `400 Schema error for patch: '3' is not of type 'integer'`, ""),
		patchTarget("target-index-to-null", `[{"op": "replace", "path": "/boot_index", "value": null}]`, `400 Schema error for patch: None is not of type 'integer'`, ""),
		patchTarget("target-index-to-float", `[{"op": "replace", "path": "/boot_index", "value": 3.0}]`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=3 volume_id="{word1}" properties={"auth_password":"******","target_lun":1} extra={"a":1}`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=3 volume_id="{word1}" properties={"auth_password":"secret","target_lun":1} extra={"a":1}`),
		patchTarget("target-remove-index", `[{"op": "remove", "path": "/boot_index"}]`, `400 Schema error for patch: 'boot_index' is a required property`, ""),
		patchTarget("target-several", `[{"op": "replace", "path": "/volume_type", "value": "fibre_channel"}, {"op": "replace", "path": "/volume_id", "value": "x"}, {"op": "replace", "path": "/properties", "value": {"a": 1}}]`, `200 node_uuid="{node}" volume_type="fibre_channel" boot_index=0 volume_id="x" properties={"a":1} extra={"a":1}`, ""),
		patchTarget("target-remove-properties", `[{"op": "remove", "path": "/properties"}]`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={} extra={"a":1}`, ""),
		patchTarget("target-add-property", `[{"op": "add", "path": "/properties/target_iqn", "value": "iqn.x"}]`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"******","target_iqn":"iqn.x","target_lun":1} extra={"a":1}`, `200 node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"secret","target_iqn":"iqn.x","target_lun":1} extra={"a":1}`),
		patchTarget("target-patch-uuid", `[{"op": "remove", "path": "/uuid"}]`, `400 Cannot patch /uuid. Only the following can be updated: boot_index, extra, node_uuid, properties, volume_id, volume_type`, ""),
		patchTarget("target-patch-created-at", `[{"op": "remove", "path": "/created_at"}]`, `400 Cannot patch /created_at. Only the following can be updated: boot_index, extra, node_uuid, properties, volume_id, volume_type`, ""),
		patchTarget("target-node-to-word", `[{"op": "replace", "path": "/node_uuid", "value": "x"}]`, `400 Expected a UUID for node_uuid, but received x.`, ""),
		patchTarget("target-node-to-missing", `[{"op": "replace", "path": "/node_uuid", "value": "{uuid2}"}]`, `400 Unable to apply the requested node_uuid '{uuid2}'. Requested value was invalid.`, `400 Node {uuid2} could not be found.`),
		withVolumes("target-secret-stays",
			step{call: "PATCH " + oneTarget, body: `[{"op": "test", "path": "/properties/auth_password", "value": "secret"}]`, want: `400 Schema error for patch: 'test' is not one of ['add', 'replace', 'remove']`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "remove", "path": "/properties/auth_password"}]`, see: "properties", want: `200 properties={"target_lun":1}`},
		),
		withVolumes("target-to-a-taken-index",
			step{call: "POST " + targetsPath, body: `{"uuid": "{uuid2}", "node_uuid": "{node}", "volume_type": "iscsi", "boot_index": 1, "volume_id": "x"}`},
			step{call: "PATCH " + targetsPath + "/{uuid2}", body: `[{"op": "replace", "path": "/boot_index", "value": 0}]`, want: `409 A volume target with boot index '0' for the same node already exists.`},
			step{call: "PATCH " + targetsPath + "/{uuid2}", body: `[{"op": "replace", "path": "/boot_index", "value": 1}]`, see: "boot_index", want: `200 boot_index=1`},
		),
	}
}

// volumeStates covers the node states in which Ironic allows connectors and targets to be changed and deleted.
func volumeStates() []behavior {
	unknown := func(name, state string, steps ...step) behavior {
		return behavior{name: name, state: state, steps: append([]step{
			{call: "POST " + connectorsPath, body: fullConnector}, {call: "POST " + targetsPath, body: fullTarget},
		}, steps...)}
	}
	return []behavior{
		unknown("power-unknown-in-enroll", "enroll",
			step{call: "PATCH " + oneConnector, body: `[]`, want: `400 The requested action "volume connector update" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "PATCH " + oneTarget, body: `[]`, want: `400 The requested action "volume target update" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/boot_index", "value": "x"}]`, want: `400 Schema error for patch: 'x' is not of type 'integer'`},
			step{call: "DELETE " + oneConnector, want: `204`, old: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "DELETE " + oneTarget, want: `204`, old: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "None".`},
		),
		unknown("power-unknown-in-active", "active",
			step{call: "PATCH " + oneConnector, body: `[]`, want: `400 The requested action "volume connector update" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "DELETE " + oneConnector, want: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "DELETE " + oneTarget, want: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "GET " + oneTarget, want: `200`},
		),
		unknown("power-unknown-in-available", "available", step{call: "DELETE " + oneConnector, want: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`}, step{call: "DELETE " + oneTarget, want: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "None".`}),
		unknown("power-unknown-in-manageable", "manageable", step{call: "DELETE " + oneConnector, want: `204`, old: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`}),
		unknown("power-unknown-when-adoption-failed", "adopt failed", step{call: "DELETE " + oneConnector, want: `204`, old: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`}),
		unknown("power-unknown-when-inspection-failed", "inspect failed", step{call: "DELETE " + oneConnector, want: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`}),
		unknown("power-unknown-in-maintenance", "active",
			step{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`, want: "202"},
			step{call: "PATCH " + oneTarget, body: `[]`, want: `400 The requested action "volume target update" can not be performed on node "{node}" while it is in state "None".`},
			step{call: "DELETE " + oneTarget, want: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "None".`},
		),
		unknown("power-on", "manageable",
			step{call: "PUT /v1/nodes/{node}/states/power", body: `{"target": "power on"}`, want: "202"},
			step{call: "UNTIL /v1/nodes/{node}", see: "power_state reservation", want: `200 power_state="power on" reservation=null`},
			step{call: "PATCH " + oneTarget, body: `[]`, want: `400 The requested action "volume target update" can not be performed on node "{node}" while it is in state "power on".`},
			step{call: "SET active"},
			step{call: "DELETE " + oneTarget, want: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "power on".`},
			step{call: "SET available"},
			step{call: "DELETE " + oneTarget, want: `400 The requested action "volume target deletion" can not be performed on node "{node}" while it is in state "power on".`},
		),
	}
}

// lockedVolumes covers volumes of nodes that are off or locked.
func lockedVolumes() []behavior {
	off := func(name, state string, steps ...step) behavior {
		return behavior{name: name, state: "manageable", steps: slices.Concat(poweredOff, []step{
			{call: "SET " + state},
			{call: "POST " + connectorsPath, body: fullConnector},
			{call: "POST " + targetsPath, body: fullTarget},
		}, steps)}
	}
	return []behavior{
		off("power-off-in-active", "active",
			step{call: "PATCH " + oneConnector, body: `[{"op": "replace", "path": "/type", "value": "x"}]`, see: "type", want: `200 type="x"`},
			step{call: "DELETE " + oneConnector, want: `204`},
			step{call: "DELETE " + oneTarget, want: `204`},
		),
		off("power-off-while-deploying", "deploying > active",
			step{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/volume_type", "value": "x"}]`, see: "volume_type", want: `200 volume_type="x"`},
			step{call: "DELETE " + oneTarget, want: `204`},
		),
		off("power-off-while-inspecting", "inspecting > manageable", step{call: "PATCH " + oneTarget, body: `[]`, want: `200`}),
		off("locked", "manageable",
			step{call: "LOCK elsewhere"},
			step{call: "POST " + connectorsPath, body: `{"node_uuid": "{node}", "type": "ip", "connector_id": "{word2}"}`, want: `201`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/volume_type", "value": "x"}]`, want: `409 Node {node} is locked by host elsewhere, please retry after the current operation is completed.`},
			step{call: "DELETE " + oneConnector, want: `409 Node {node} is locked by host elsewhere, please retry after the current operation is completed.`},
			step{call: "GET " + oneConnector, want: `200`},
		),
	}
}

// oddVolumes covers unusual spellings in the fields of volumes.
func oddVolumes() []behavior {
	const upper = "9A3F7E52-6B0D-4C1E-8F2A-5D6C7B8A9E0"
	return []behavior{
		withVolumes("same-values",
			step{call: "PATCH " + oneConnector, body: `[{"op": "replace", "path": "/type", "value": "iqn"}]`, see: "updated_at?", want: `200 updated_at=null`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/boot_index", "value": 0.0}]`, see: "boot_index updated_at?", want: `200 boot_index=0 updated_at=null`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "remove", "path": "/extra"}]`, see: "extra updated_at?", want: `200 extra={} updated_at=set`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "add", "path": "/properties", "value": {"deep": {"password": "p"}, "text": "password=p", "list": [{"token": "t"}]}}]`, see: "properties", want: `200 properties={"deep":{"password":"******"},"list":[{"token":"******"}],"text":"password=******"}`, old: `200 properties={"deep":{"password":"p"},"list":[{"token":"t"}],"text":"password=p"}`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "add", "path": "/boot_index", "value": 1e2}]`, see: "boot_index", want: `200 boot_index=100`},
			step{call: "PATCH " + oneTarget, body: `[{"op": "add", "path": "/links", "value": []}]`, want: `400 Cannot patch /links. Only the following can be updated: boot_index, extra, node_uuid, properties, volume_id, volume_type`},
		),
		{name: "uuid-in-capitals", steps: []step{
			{call: "POST " + connectorsPath, body: `{"uuid": "` + upper + `1", ` + someConnector + `}`, see: "uuid", want: `201 uuid="9A3F7E52-6B0D-4C1E-8F2A-5D6C7B8A9E01"`},
			{call: "GET " + connectorsPath + "/" + upper + "1", see: "uuid", want: `200 uuid="9A3F7E52-6B0D-4C1E-8F2A-5D6C7B8A9E01"`},
			{call: "GET " + connectorsPath + "/" + strings.ToLower(upper) + "1", see: "uuid", want: `404 Volume connector 9a3f7e52-6b0d-4c1e-8f2a-5d6c7b8a9e01 could not be found.`},
			{call: "POST " + chassisPath, body: `{"uuid": "` + upper + `2"}`, see: "uuid", want: `201 uuid="9A3F7E52-6B0D-4C1E-8F2A-5D6C7B8A9E02"`},
			{call: "GET " + chassisPath + "/" + upper + "2", see: "uuid", want: `200 uuid="9A3F7E52-6B0D-4C1E-8F2A-5D6C7B8A9E02"`},
			{call: "DELETE " + chassisPath + "/" + upper + "2", want: `204`},
			{call: "DELETE " + connectorsPath + "/" + upper + "1", want: `204`, old: `400 The requested action "volume connector deletion" can not be performed on node "{node}" while it is in state "None".`},
		}},
		ask("patch-below-a-node", step{call: "PATCH " + belowNode, body: `[]`, see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
		ask("delete-connectors-below-a-node", step{call: "DELETE " + belowNode + "/connectors", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: connector_uuid`}),
		ask("unknown-below-a-node-posted", step{call: "POST " + belowNode + "/x", body: `{}`, see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
		ask("unknown-before-1-32", step{call: "GET /v1/volume/x", version: "1.31", see: "shape text", want: `404 pecan code,description,title Not Found:`}),
		ask("volume-with-slash", step{call: "GET /v1/volume/", see: "body.keys", want: `200 keys=["connectors","links","targets"]`}),
		ask("all-sorted-by-node", step{call: "GET " + targetsPath + "?sort_key=node_id&limit=1", want: `200`}),
	}
}
