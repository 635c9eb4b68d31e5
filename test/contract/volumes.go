package contract

import "slices"

const (
	connectorsPath = "/v1/volume/connectors"
	targetsPath    = "/v1/volume/targets"
	oneConnector   = connectorsPath + "/{uuid1}"
	oneTarget      = targetsPath + "/{uuid1}"
	belowNode      = "/v1/nodes/{node}/volume"

	someConnector = `"node_uuid": "{node}", "type": "iqn", "connector_id": "iqn.{word1}"`
	someTarget    = `"node_uuid": "{node}", "volume_type": "iscsi", "boot_index": 0, "volume_id": "{word1}"`
	fullConnector = `{"uuid": "{uuid1}", ` + someConnector + `, "extra": {"a": 1}}`
	fullTarget    = `{"uuid": "{uuid1}", ` + someTarget + `, "extra": {"a": 1}, "properties": {"target_lun": 1, "auth_password": "secret"}}`
)

// volumes covers volume connectors and targets.
func volumes() group {
	return group{name: "volumes", behaviors: slices.Concat(
		volumeRoots(), volumeVersions(), connectorLife(), targetLife(), targetLists(), targetsBelowNodes(), connectorLists(), volumePaths(), volumesBelowNodes(),
		connectorBodies(), targetBodies(), connectorPatches(), movedVolumes(), targetPatches(), volumeStates(), lockedVolumes(), oddVolumes(),
	)}
}

// poweredOff lists the steps that power {node} off.
var poweredOff = []step{
	{call: "PUT /v1/nodes/{node}/states/power", body: `{"target": "power off"}`, want: "202"},
	{call: "UNTIL /v1/nodes/{node}", see: "power_state reservation", want: `200 power_state="power off" reservation=null`},
}

func postConnector(name, body, want, old string) behavior {
	return ask(name, step{call: "POST " + connectorsPath, body: body, see: "node_uuid type connector_id extra", want: want, old: old})
}

func postTarget(name, body, want, old string) behavior {
	return ask(name, step{call: "POST " + targetsPath, body: body, see: "node_uuid volume_type boot_index volume_id properties extra", want: want, old: old})
}

// withVolumes returns a behavior that creates a connector and a target before the steps. They belong to a node that
// is powered off.
func withVolumes(name string, steps ...step) behavior {
	return behavior{name: name, steps: slices.Concat(poweredOff, []step{
		{call: "POST " + connectorsPath, body: fullConnector}, {call: "POST " + targetsPath, body: fullTarget},
	}, steps)}
}

func patchConnector(name, patch, want, old string) behavior {
	return withVolumes(name, step{call: "PATCH " + oneConnector, body: patch, see: "node_uuid type connector_id extra", want: want, old: old})
}

func patchTarget(name, patch, want, old string) behavior {
	return withVolumes(name, step{call: "PATCH " + oneTarget, body: patch, see: "node_uuid volume_type boot_index volume_id properties extra", want: want, old: old})
}

func volumeRoots() []behavior {
	return []behavior{
		ask("root", step{call: "GET /v1/volume", see: "order links connectors targets", want: `200 order=links,connectors,targets links=[{"href":"{url}/v1/volume/","rel":"self"},{"href":"{url}/volume/","rel":"bookmark"}] connectors=[{"href":"{url}/v1/volume/connectors","rel":"self"},{"href":"{url}/volume/connectors","rel":"bookmark"}] targets=[{"href":"{url}/v1/volume/targets","rel":"self"},{"href":"{url}/volume/targets","rel":"bookmark"}]`}),
		ask("root-below-a-node", step{call: "GET " + belowNode, see: "order links connectors targets", want: `200 order=links,connectors,targets links=[{"href":"{url}/v1/nodes/{node}/volume/","rel":"self"},{"href":"{url}/nodes/{node}/volume/","rel":"bookmark"}] connectors=[{"href":"{url}/v1/nodes/{node}/volume/connectors","rel":"self"},{"href":"{url}/nodes/{node}/volume/connectors","rel":"bookmark"}] targets=[{"href":"{url}/v1/nodes/{node}/volume/targets","rel":"self"},{"href":"{url}/nodes/{node}/volume/targets","rel":"bookmark"}]`}),
		ask("root-below-a-name", step{call: "GET /v1/nodes/{name}/volume", see: "links", want: `200 links=[{"href":"{url}/v1/nodes/{name}/volume/","rel":"self"},{"href":"{url}/nodes/{name}/volume/","rel":"bookmark"}]`}),
		ask("root-below-nothing", step{call: "GET /v1/nodes/{uuid1}/volume", see: "links", want: `200 links=[{"href":"{url}/v1/nodes/{uuid1}/volume/","rel":"self"},{"href":"{url}/nodes/{uuid1}/volume/","rel":"bookmark"}]`}),
		ask("root-with-an-argument", step{call: "GET /v1/volume?color=red", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeController.get() got an unexpected keyword argument 'color'`}),
		ask("root-post", step{call: "POST /v1/volume", body: `{}`, see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
		ask("root-patch", step{call: "PATCH /v1/volume", body: `[]`, see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
		ask("root-delete", step{call: "DELETE /v1/volume", see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
		ask("root-put", step{call: "PUT /v1/volume", see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=GET`}),
		ask("unknown-below-root-post", step{call: "POST /v1/volume/x", body: `{}`, see: "shape text", want: `405 pecan code,description,title Method Not Allowed:`}),
	}
}

func volumeVersions() []behavior {
	return []behavior{
		withVolumes("versions",
			step{call: "GET /v1/volume", version: "1.31", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client The API is not supported for this version`, old: `404 fault debuginfo,faultcode,faultstring Client Resource could not be found.`},
			step{call: "GET " + connectorsPath, version: "1.31", see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "GET " + oneConnector, version: "1.31", see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "POST " + connectorsPath, version: "1.31", body: fullConnector, see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "PATCH " + oneTarget, version: "1.31", body: `[]`, see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "DELETE " + oneTarget, version: "1.31", see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "GET " + belowNode, version: "1.31", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client The API is not supported for this version`, old: `404 fault debuginfo,faultcode,faultstring Client Resource could not be found.`},
			step{call: "GET " + belowNode + "/targets", version: "1.31", see: "shape text", want: `404 pecan code,description,title Not Found:`},
			step{call: "GET /v1/nodes/{node}", version: "1.31", see: "volume?", want: `200 volume=absent`},
			step{call: "GET /v1/nodes/{node}", version: "1.32", see: "volume", want: `200 volume=[{"href":"{url}/v1/nodes/{node}/volume","rel":"self"},{"href":"{url}/nodes/{node}/volume","rel":"bookmark"}]`},
			step{call: "GET " + belowNode + "/targets?detail=true&fields=", version: "1.32", see: "targets.len", want: `200 targets.len=1`},
			step{call: "PATCH " + oneTarget, version: "1.32", body: `[]`, want: `200`},
			step{call: "DELETE " + oneTarget, version: "1.32", want: `204`},
		),
	}
}

func connectorLife() []behavior {
	return []behavior{
		{name: "connector-life", steps: slices.Concat(poweredOff, []step{
			{call: "POST " + connectorsPath, body: fullConnector, see: "order uuid node_uuid type connector_id extra links created_at? updated_at? header:Location", want: `201 order=uuid,created_at,updated_at,connector_id,extra,type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1} links=[{"href":"{url}/v1/volume/connectors/{uuid1}","rel":"self"},{"href":"{url}/volume/connectors/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null Location={url}/v1/volume/connectors/{uuid1}`},
			{call: "GET " + oneConnector, see: "order uuid node_uuid type connector_id extra links created_at? updated_at?", want: `200 order=uuid,created_at,updated_at,connector_id,extra,type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" type="iqn" connector_id="iqn.{word1}" extra={"a":1} links=[{"href":"{url}/v1/volume/connectors/{uuid1}","rel":"self"},{"href":"{url}/volume/connectors/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null`},
			{call: "GET " + oneConnector + "?fields=type,extra", see: "order body", want: `200 order=extra,type,links body={"extra":{"a":1},"links":[{"href":"{url}/v1/volume/connectors/{uuid1}","rel":"self"},{"href":"{url}/volume/connectors/{uuid1}","rel":"bookmark"}],"type":"iqn"}`},
			{call: "GET " + belowNode + "/connectors", see: "order:connectors.0 connectors.#.uuid connectors.0.links", want: `200 order:connectors.0=uuid,connector_id,type,links,node_uuid connectors.#.uuid=["{uuid1}"] connectors.0.links=[{"href":"{url}/v1/volume/connectors/{uuid1}","rel":"self"},{"href":"{url}/volume/connectors/{uuid1}","rel":"bookmark"}]`},
			{call: "PATCH " + oneConnector, body: `[{"op": "replace", "path": "/type", "value": "wwnn"}]`, see: "order type updated_at? header:Location", want: `200 order=uuid,created_at,updated_at,connector_id,extra,type,links,node_uuid type="wwnn" updated_at=set Location=`},
			{call: "GET " + oneConnector, see: "type updated_at?", want: `200 type="wwnn" updated_at=set`},
			{call: "DELETE " + oneConnector, see: "header:Content-Type", want: `204 Content-Type=`},
			{call: "GET " + oneConnector, want: `404 Volume connector {uuid1} could not be found.`},
			{call: "DELETE " + oneConnector, want: `404 Volume connector {uuid1} could not be found.`},
			{call: "PATCH " + oneConnector, body: `[]`, want: `404 Volume connector {uuid1} could not be found.`},
		})},
		{name: "connector-twice", steps: []step{
			{call: "POST " + connectorsPath, body: fullConnector},
			{call: "POST " + connectorsPath, body: fullConnector, want: `409 A volume connector with type iqn and connector ID iqn.{word1} already exists.`},
			{call: "POST " + connectorsPath, body: `{"uuid": "{uuid1}", "node_uuid": "{node}", "type": "ip", "connector_id": "{word2}"}`, want: `409 A volume connector with UUID {uuid1} already exists.`},
			{call: "POST " + connectorsPath, body: `{"node_uuid": "{other}", "type": "iqn", "connector_id": "iqn.{word1}"}`, want: `409 A volume connector with type iqn and connector ID iqn.{word1} already exists.`},
			{call: "POST " + connectorsPath, body: `{"node_uuid": "{node}", "type": "ip", "connector_id": "iqn.{word1}"}`, want: `201`},
		}},
	}
}

func targetLife() []behavior {
	return []behavior{
		{name: "target-life", steps: slices.Concat(poweredOff, []step{
			{call: "POST " + targetsPath, body: fullTarget, see: "order uuid node_uuid volume_type boot_index volume_id properties extra links created_at? updated_at? header:Location", want: `201 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"******","target_lun":1} extra={"a":1} links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null Location={url}/v1/volume/targets/{uuid1}`, old: `201 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"secret","target_lun":1} extra={"a":1} links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null Location={url}/v1/volume/targets/{uuid1}`},
			{call: "GET " + oneTarget, see: "order uuid node_uuid volume_type boot_index volume_id properties extra links created_at? updated_at?", want: `200 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"******","target_lun":1} extra={"a":1} links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null`, old: `200 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid uuid="{uuid1}" node_uuid="{node}" volume_type="iscsi" boot_index=0 volume_id="{word1}" properties={"auth_password":"secret","target_lun":1} extra={"a":1} links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null`},
			{call: "GET " + oneTarget + "?fields=properties,boot_index", see: "order body", want: `200 order=boot_index,properties,links body={"boot_index":0,"links":[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}],"properties":{"auth_password":"******","target_lun":1}}`, old: `200 order=boot_index,properties,links body={"boot_index":0,"links":[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}],"properties":{"auth_password":"secret","target_lun":1}}`},
			{call: "GET " + belowNode + "/targets", see: "order:targets.0 targets.#.uuid targets.0.links", want: `200 order:targets.0=uuid,boot_index,volume_id,volume_type,links,node_uuid targets.#.uuid=["{uuid1}"] targets.0.links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}]`},
			{call: "PATCH " + oneTarget, body: `[{"op": "replace", "path": "/boot_index", "value": 3}]`, see: "order boot_index properties updated_at? header:Location", want: `200 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid boot_index=3 properties={"auth_password":"******","target_lun":1} updated_at=set Location=`, old: `200 order=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid boot_index=3 properties={"auth_password":"secret","target_lun":1} updated_at=set Location=`},
			{call: "GET " + oneTarget, see: "boot_index properties updated_at?", want: `200 boot_index=3 properties={"auth_password":"******","target_lun":1} updated_at=set`, old: `200 boot_index=3 properties={"auth_password":"secret","target_lun":1} updated_at=set`},
			{call: "DELETE " + oneTarget, see: "header:Content-Type", want: `204 Content-Type=`},
			{call: "GET " + oneTarget, want: `404 Volume target {uuid1} could not be found.`},
			{call: "DELETE " + oneTarget, want: `404 Volume target {uuid1} could not be found.`},
			{call: "PATCH " + oneTarget, body: `[]`, want: `404 Volume target {uuid1} could not be found.`},
		})},
		{name: "target-twice", steps: []step{
			{call: "POST " + targetsPath, body: fullTarget},
			{call: "POST " + targetsPath, body: fullTarget, want: `409 A volume target with boot index '0' for the same node already exists.`},
			{call: "POST " + targetsPath, body: `{"uuid": "{uuid1}", "node_uuid": "{node}", "volume_type": "iscsi", "boot_index": 1, "volume_id": "{word2}"}`, want: `409 A volume target with UUID {uuid1} already exists.`},
			{call: "POST " + targetsPath, body: `{"node_uuid": "{other}", "volume_type": "iscsi", "boot_index": 0, "volume_id": "{word1}"}`, see: "boot_index", want: `201 boot_index=0`},
			{call: "POST " + targetsPath, body: `{"node_uuid": "{node}", "volume_type": "iscsi", "boot_index": 1, "volume_id": "{word1}"}`, see: "boot_index", want: `201 boot_index=1`},
		}},
		{name: "removed-with-the-node", steps: []step{
			{call: "POST " + connectorsPath, body: fullConnector},
			{call: "POST " + targetsPath, body: fullTarget},
			{call: "DELETE /v1/nodes/{node}", want: "204"},
			{call: "GET " + oneConnector, want: `404 Volume connector {uuid1} could not be found.`},
			{call: "GET " + oneTarget, want: `404 Volume target {uuid1} could not be found.`},
			{call: "POST " + connectorsPath, body: fullConnector, want: `400 Invalid input for field/attribute node_uuid. Value: '{node}'.`},
		}},
	}
}

// threeTargets returns a behavior that creates three targets of {node}, and one of {other}, before the steps.
func threeTargets(name string, steps ...step) behavior {
	post := func(uuid, node, kind, index string) step {
		return step{call: "POST " + targetsPath, body: `{"uuid": "{` + uuid + `}", "node_uuid": "{` + node + `}", "volume_type": "` + kind + `", "boot_index": ` + index + `, "volume_id": "{word1}"}`}
	}
	return behavior{name: name, steps: append([]step{
		post("uuid1", "node", "b", "20"), post("uuid2", "node", "c", "9"), post("uuid3", "node", "a", "100"), post("uuid4", "other", "a", "0"),
	}, steps...)}
}

func targetLists() []behavior {
	const list = "GET " + targetsPath + "?node={node}&"
	return []behavior{
		threeTargets("targets",
			step{call: list, see: "order targets.#.uuid order:targets.0 targets.#.boot_index targets.0.links", want: `200 order=targets targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"] order:targets.0=uuid,boot_index,volume_id,volume_type,links,node_uuid targets.#.boot_index=[20,9,100] targets.0.links=[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}]`},
			step{call: "GET " + targetsPath + "?node={name}", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: list + "detail=true", see: "order:targets.0 targets.#.properties", want: `200 order:targets.0=uuid,created_at,updated_at,boot_index,extra,properties,volume_id,volume_type,links,node_uuid targets.#.properties=[{},{},{}]`},
			step{call: list + "detail=false", see: "order:targets.0", want: `200 order:targets.0=uuid,boot_index,volume_id,volume_type,links,node_uuid`},
			step{call: list + "detail=true&fields=uuid", want: `400 Can't fetch a subset of fields with 'detail' set`},
			step{call: list + "fields=extra,node_uuid", see: "order:targets.0 targets.#.extra", want: `200 order:targets.0=extra,links,node_uuid targets.#.extra=[{},{},{}]`},
			step{call: list + "fields=", see: "order:targets.0", want: `200 order:targets.0=links`},
			step{call: list + "fields=uuid,color", want: `400 Schema error: 'color' is not one of ['boot_index', 'created_at', 'extra', 'links', 'node_uuid', 'properties', 'updated_at', 'uuid', 'volume_id', 'volume_type']`, old: `400 Field(s) "color" are not valid`},
			step{call: list + "fields=node_id", want: `400 Schema error: 'node_id' is not one of ['boot_index', 'created_at', 'extra', 'links', 'node_uuid', 'properties', 'updated_at', 'uuid', 'volume_id', 'volume_type']`, old: `400 Field(s) "node_id" are not valid`},
			step{call: list + "limit=1", see: "order targets.#.uuid next", want: `200 order=targets,next targets.#.uuid=["{uuid1}"] next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&fields=uuid,node_uuid,volume_type,boot_index,volume_id&limit=1&marker={uuid1}"`},
			step{call: list + "limit=1&detail=true", see: "next", want: `200 next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&detail=True&limit=1&marker={uuid1}"`},
			step{call: list + "limit=1&detail=false", see: "next", want: `200 next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&fields=uuid,node_uuid,volume_type,boot_index,volume_id&limit=1&marker={uuid1}"`},
			step{call: list + "limit=2&fields=uuid", see: "next", want: `200 next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&fields=uuid&limit=2&marker={uuid2}"`},
			step{call: list + "marker={uuid1}", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: list + "marker={uuid4}", see: "targets.#.uuid", want: `200 targets.#.uuid=[]`},
			step{call: list + "marker={uuid3}", see: "body", want: `200 body={"targets":[]}`},
			step{call: list + "sort_key=boot_index", see: "targets.#.boot_index", want: `200 targets.#.boot_index=[9,20,100]`},
			step{call: list + "sort_key=boot_index&sort_dir=desc&limit=2", see: "targets.#.boot_index next", want: `200 targets.#.boot_index=[100,20] next="{url}/v1/volume/targets?sort_key=boot_index&sort_dir=desc&fields=uuid,node_uuid,volume_type,boot_index,volume_id&limit=2&marker={uuid1}"`},
			step{call: list + "sort_key=volume_type&marker={uuid1}", see: "targets.#.volume_type", want: `200 targets.#.volume_type=["c"]`},
			step{call: list + "sort_key=volume_id", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: list + "sort_key=node_id", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: list + "sort_key=node_uuid", want: `400 The sort_key value "node_uuid" is an invalid field for sorting`},
			step{call: list + "sort_key=version", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: list + "sort_key=created_at", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: list + "sort_key=extra", want: `400 The sort_key value extra is an invalid field for sorting`},
			step{call: list + "sort_key=properties", want: `400 The sort_key value properties is an invalid field for sorting`},
			step{call: list + "sort_key=color", want: `400 The sort_key value "color" is an invalid field for sorting`},
			step{call: list + "sort_dir=up", want: `400 Schema error: 'up' is not one of ['asc', 'desc']`, old: `400 Invalid sort direction: up. Acceptable values are 'asc' or 'desc'`},
			step{call: list + "limit=0", want: `400 Limit must be positive`},
			step{call: list + "marker=x", want: `400 Expected UUID for marker: x`},
			step{call: list + "marker={uuid5}", want: `404 Volume target {uuid5} could not be found.`},
			step{call: list + "marker={uuid5}&sort_key=extra", want: `404 Volume target {uuid5} could not be found.`},
			step{call: list + "color=red", want: `400 Unexpected arguments: color`},
			step{call: list + "project=x", want: `400 Schema error: Additional properties are not allowed ('project' was unexpected)`, old: `200`},
			step{call: list + "sort_dir=up&sort_key=extra&limit=0&fields=color&detail=true", want: `400 Schema error: 'color' is not one of ['boot_index', 'created_at', 'extra', 'links', 'node_uuid', 'properties', 'updated_at', 'uuid', 'volume_id', 'volume_type']`, old: `400 Can't fetch a subset of fields with 'detail' set`},
		),
	}
}

func targetsBelowNodes() []behavior {
	const below = "GET " + belowNode + "/targets?"
	return []behavior{
		threeTargets("targets-below-a-node",
			step{call: below, see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: below + "node={other}", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: below + "node={uuid5}", see: "targets.#.uuid", want: `200 targets.#.uuid=["{uuid1}","{uuid2}","{uuid3}"]`},
			step{call: below + "limit=1", see: "next", want: `200 next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&fields=uuid,node_uuid,volume_type,boot_index,volume_id&limit=1&marker={uuid1}"`},
			step{call: below + "detail=true&limit=1", see: "targets.0.keys next", want: `200 targets.0.keys=["boot_index","created_at","extra","links","node_uuid","properties","updated_at","uuid","volume_id","volume_type"] next="{url}/v1/volume/targets?sort_key=id&sort_dir=asc&detail=True&limit=1&marker={uuid1}"`},
			step{call: "GET /v1/nodes/{name}/volume/targets", see: "shape text targets.#.uuid", want: `404 fault debuginfo,faultcode,faultstring Client Node {name} could not be found.`},
			step{call: "GET /v1/nodes/{uuid5}/volume/targets", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Node {uuid5} could not be found.`},
			step{call: "GET /v1/nodes/{uuid5}/volume/targets?limit=0", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Node {uuid5} could not be found.`},
			step{call: "GET /v1/nodes/{uuid5}/volume/targets?detail=true&fields=uuid", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Node {uuid5} could not be found.`},
		),
	}
}

func connectorLists() []behavior {
	return []behavior{
		{name: "connectors", steps: []step{
			{call: "POST " + connectorsPath, body: fullConnector},
			{call: "POST " + connectorsPath, body: `{"uuid": "{uuid2}", "node_uuid": "{node}", "type": "ip", "connector_id": "{word2}"}`},
			{call: "GET " + connectorsPath + "?node={node}", see: "order connectors.#.uuid order:connectors.0 connectors.0.links", want: `200 order=connectors connectors.#.uuid=["{uuid1}","{uuid2}"] order:connectors.0=uuid,connector_id,type,links,node_uuid connectors.0.links=[{"href":"{url}/v1/volume/connectors/{uuid1}","rel":"self"},{"href":"{url}/volume/connectors/{uuid1}","rel":"bookmark"}]`},
			{call: "GET " + connectorsPath + "?node={node}&detail=true", see: "order:connectors.0 connectors.#.extra", want: `200 order:connectors.0=uuid,created_at,updated_at,connector_id,extra,type,links,node_uuid connectors.#.extra=[{"a":1},{}]`},
			{call: "GET " + connectorsPath + "?node={node}&detail=true&fields=uuid", want: `400 Can't fetch a subset of fields with 'detail' set`},
			{call: "GET " + connectorsPath + "?node={node}&fields=color", want: `400 Schema error: 'color' is not one of ['connector_id', 'created_at', 'extra', 'links', 'node_uuid', 'type', 'updated_at', 'uuid']`, old: `400 Field(s) "color" are not valid`},
			{call: "GET " + connectorsPath + "?node={node}&limit=1", see: "next", want: `200 next="{url}/v1/volume/connectors?sort_key=id&sort_dir=asc&fields=uuid,node_uuid,type,connector_id&limit=1&marker={uuid1}"`},
			{call: "GET " + connectorsPath + "?node={node}&limit=1&detail=true&sort_key=type", see: "connectors.#.type next", want: `200 connectors.#.type=["ip"] next="{url}/v1/volume/connectors?sort_key=type&sort_dir=asc&detail=True&limit=1&marker={uuid2}"`},
			{call: "GET " + connectorsPath + "?node={node}&sort_key=connector_id&sort_dir=desc", see: "connectors.len", want: `200 connectors.len=2`},
			{call: "GET " + connectorsPath + "?node={node}&sort_key=extra", want: `400 The sort_key value extra is an invalid field for sorting`},
			{call: "GET " + connectorsPath + "?node={node}&sort_key=properties", want: `400 The sort_key value "properties" is an invalid field for sorting`},
			{call: "GET " + connectorsPath + "?node={node}&marker={uuid1}", see: "connectors.#.uuid", want: `200 connectors.#.uuid=["{uuid2}"]`},
			{call: "GET " + connectorsPath + "?node={node}&marker={uuid3}", want: `404 Volume connector {uuid3} could not be found.`},
			{call: "GET " + belowNode + "/connectors?limit=1&fields=uuid", see: "next", want: `200 next="{url}/v1/volume/connectors?sort_key=id&sort_dir=asc&fields=uuid&limit=1&marker={uuid1}"`},
		}},
		ask("node-filter-that-is-no-name", step{call: "GET " + targetsPath + "?node=a%20b", want: `400 Expected UUID or name for node: a b`}),
		ask("node-filter-empty", step{call: "GET " + targetsPath + "?node=&limit=1", want: `400 Expected UUID or name for node:`}),
		ask("limit-below-zero", step{call: "GET " + connectorsPath + "?limit=-1", want: `400 Limit must be positive`}),
	}
}

func volumePaths() []behavior {
	return []behavior{
		ask("connectors-put", step{call: "PUT " + connectorsPath, see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`}),
		ask("connectors-patch", step{call: "PATCH " + connectorsPath, body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: connector_uuid`}),
		ask("connectors-delete", step{call: "DELETE " + connectorsPath, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: connector_uuid`}),
		ask("targets-put-one", step{call: "PUT " + oneTarget, see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`}),
		ask("targets-patch", step{call: "PATCH " + targetsPath, body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: target_uuid`}),
		ask("targets-delete", step{call: "DELETE " + targetsPath, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: target_uuid`}),
		ask("connector-detail", step{call: "GET " + connectorsPath + "/detail", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for connector_uuid: detail`}),
		ask("connector-patch-no-uuid", step{call: "PATCH " + connectorsPath + "/x", body: `[]`, want: `400 Expected UUID for connector_uuid: x`}),
		ask("connector-patch-missing", step{call: "PATCH " + oneConnector, body: `[{"op": "remove", "path": "/color"}]`, want: `404 Volume connector {uuid1} could not be found.`}),
		ask("connector-patch-missing-malformed", step{call: "PATCH " + oneConnector, body: `{}`, want: `400 Schema error for patch: {} is not of type 'array'`}),
		ask("connector-delete-missing", step{call: "DELETE " + oneConnector, want: `404 Volume connector {uuid1} could not be found.`}),
		withVolumes("paths",
			step{call: "GET " + oneConnector + "?fields=color", want: `400 Schema error: 'color' is not one of ['connector_id', 'created_at', 'extra', 'links', 'node_uuid', 'type', 'updated_at', 'uuid']`, old: `400 Field(s) "color" are not valid`},
			step{call: "GET " + oneConnector + "?detail=true", want: `400 Unexpected arguments: detail`},
			step{call: "GET " + oneConnector + "?fields=", see: "order", want: `200 order=links`},
			step{call: "GET " + oneConnector + "/uuid", see: "shape text body.keys", want: `200 keys=["links","uuid"]`},
			step{call: "GET " + oneConnector + "/color", see: "shape text body.keys", want: `400 fault debuginfo,faultcode,faultstring Client Field(s) "color" are not valid`},
			step{call: "GET " + oneConnector + "/uuid/extra", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeConnectorsController.get_one() takes from 2 to 3 positional arguments but 4 were given`},
			step{call: "GET " + oneTarget + "?fields=color", want: `400 Schema error: 'color' is not one of ['boot_index', 'created_at', 'extra', 'links', 'node_uuid', 'properties', 'updated_at', 'uuid', 'volume_id', 'volume_type']`, old: `400 Field(s) "color" are not valid`},
			step{call: "GET " + oneTarget + "/properties", see: "shape text body", want: `200 body={"links":[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}],"properties":{"auth_password":"******","target_lun":1}}`, old: `200 body={"links":[{"href":"{url}/v1/volume/targets/{uuid1}","rel":"self"},{"href":"{url}/volume/targets/{uuid1}","rel":"bookmark"}],"properties":{"auth_password":"secret","target_lun":1}}`},
			step{call: "GET " + oneTarget + "/uuid/extra", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeTargetsController.get_one() takes from 2 to 3 positional arguments but 4 were given`},
			step{call: "POST " + oneConnector, body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for connector: '{uuid1}' is not of type 'object'`},
			step{call: "POST " + oneTarget, body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for target: '{uuid1}' is not of type 'object'`},
			step{call: "PATCH " + oneTarget + "/x", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for patch: 'x' is not of type 'array'`},
			step{call: "DELETE " + oneTarget + "/x", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeTargetsController.delete() takes 2 positional arguments but 3 were given`},
			step{call: "DELETE " + oneConnector + "/x", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeConnectorsController.delete() takes 2 positional arguments but 3 were given`},
			step{call: "DELETE " + oneConnector + "?color=red", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Unexpected arguments: color`},
			step{call: "PATCH " + oneConnector + "?color=red", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Unexpected arguments: color`},
			step{call: "POST " + connectorsPath + "?color=red", body: fullConnector, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Unexpected arguments: color`},
		),
	}
}

// volumesBelowNodes covers the endpoints below /v1/nodes/{node}/volume. Ironic rejects requests to them, except for
// lists.
func volumesBelowNodes() []behavior {
	return []behavior{
		withVolumes("below-a-node",
			step{call: "GET " + belowNode + "/connectors/{uuid1}", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "GET " + belowNode + "/connectors/{uuid2}", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Volume connector {uuid2} could not be found.`},
			step{call: "GET " + belowNode + "/targets/{uuid1}", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "PATCH " + belowNode + "/connectors/{uuid1}", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "PATCH " + belowNode + "/targets/{uuid1}", body: `[{"op": "remove", "path": "/color"}]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "DELETE " + belowNode + "/connectors/{uuid1}", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "DELETE " + belowNode + "/targets/{uuid2}", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Volume target {uuid2} could not be found.`},
			step{call: "POST " + belowNode + "/connectors", body: fullConnector, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			step{call: "POST " + belowNode + "/targets", body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for target: 'boot_index' is a required property`},
			step{call: "POST " + belowNode + "/targets", body: `{"node_uuid": "{uuid2}", "volume_type": "iscsi", "boot_index": 0, "volume_id": "x"}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Invalid input for field/attribute node_uuid. Value: '{uuid2}'.`},
			step{call: "GET " + belowNode + "/x", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server VolumeController.get() takes 1 positional argument but 2 were given`},
		),
	}
}
