package contract

import "slices"

const (
	chassisPath = "/v1/chassis"
	oneChassis  = chassisPath + "/{uuid1}"
	fullChassis = `{"uuid": "{uuid1}", "description": "{word1}", "extra": {"rack": 7}}`
	// inChassis holds the fields of a node in the chassis {uuid1}.
	inChassis = `{"driver": "fake-hardware", "chassis_uuid": "{uuid1}"}`
)

// chassis covers chassis and their nodes. A list of chassis cannot be filtered, so the behaviors run one after
// another.
func chassis() group {
	return group{name: "chassis", alone: true, behaviors: slices.Concat(
		chassisLife(), chassisLists(), chassisPaths(), chassisBodies(), chassisPatches(), chassisNodes(), nodesBelowChassis(),
	)}
}

// ask returns a behavior that consists of a single request.
func ask(name string, s step) behavior { return behavior{name: name, steps: []step{s}} }

// postChassis returns a behavior that creates a chassis from body.
func postChassis(name, body, want, old string) behavior {
	return ask(name, step{call: "POST " + chassisPath, body: body, see: "description extra", want: want, old: old})
}

// withChassis returns a behavior that creates a chassis before the steps.
func withChassis(name string, steps ...step) behavior {
	return behavior{name: name, steps: append([]step{{call: "POST " + chassisPath, body: fullChassis}}, steps...)}
}

// patchChassis returns a behavior that creates a chassis and patches it.
func patchChassis(name, patch, want, old string) behavior {
	return withChassis(name, step{call: "PATCH " + oneChassis, body: patch, see: "description extra", want: want, old: old})
}

func chassisLife() []behavior {
	return []behavior{
		{name: "life", steps: []step{
			{call: "POST " + chassisPath, body: fullChassis, see: "order uuid description extra links nodes created_at? updated_at? header:Location", want: `201 order=uuid,created_at,updated_at,description,extra,links,nodes uuid="{uuid1}" description="{word1}" extra={"rack":7} links=[{"href":"{url}/v1/chassis/{uuid1}","rel":"self"},{"href":"{url}/chassis/{uuid1}","rel":"bookmark"}] nodes=[[{"href":"{url}/v1/chassis/{uuid1}/nodes","rel":"self"},{"href":"{url}/chassis/{uuid1}/nodes","rel":"bookmark"}]] created_at=set updated_at=null Location={url}/v1/chassis/{uuid1}`},
			{call: "GET " + oneChassis, see: "order uuid description extra links nodes created_at? updated_at?", want: `200 order=uuid,created_at,updated_at,description,extra,links,nodes uuid="{uuid1}" description="{word1}" extra={"rack":7} links=[{"href":"{url}/v1/chassis/{uuid1}","rel":"self"},{"href":"{url}/chassis/{uuid1}","rel":"bookmark"}] nodes=[[{"href":"{url}/v1/chassis/{uuid1}/nodes","rel":"self"},{"href":"{url}/chassis/{uuid1}/nodes","rel":"bookmark"}]] created_at=set updated_at=null`},
			{call: "GET " + oneChassis + "?fields=extra,description", see: "order body", want: `200 order=description,extra,links body={"description":"{word1}","extra":{"rack":7},"links":[{"href":"{url}/v1/chassis/{uuid1}","rel":"self"},{"href":"{url}/chassis/{uuid1}","rel":"bookmark"}]}`},
			{call: "PATCH " + oneChassis, body: `[{"op": "replace", "path": "/description", "value": "new"}]`, see: "order description updated_at? header:Location", want: `200 order=uuid,created_at,updated_at,description,extra,links,nodes description="new" updated_at=set Location=`},
			{call: "DELETE " + oneChassis, see: "header:Content-Type", want: `204 Content-Type=`},
			{call: "GET " + oneChassis, want: `404 Chassis {uuid1} could not be found.`},
			{call: "DELETE " + oneChassis, want: `404 Chassis {uuid1} could not be found.`},
			{call: "PATCH " + oneChassis, body: `[]`, want: `404 Chassis {uuid1} could not be found.`},
		}},
		{name: "uuid-twice", steps: []step{{call: "POST " + chassisPath, body: fullChassis}, {call: "POST " + chassisPath, body: fullChassis, want: `409 A chassis with UUID {uuid1} already exists.`}}},
		withChassis("delete-with-an-argument", step{call: "DELETE " + oneChassis + "?color=red", want: `400 Unexpected arguments: color`}, step{call: "GET " + oneChassis, want: `200`}),
		withChassis("old-versions",
			step{call: "GET " + oneChassis, version: "1.1", see: "body.keys", want: `200 keys=["created_at","description","extra","links","nodes","updated_at","uuid"]`},
			step{call: "GET " + oneChassis + "?fields=uuid", version: "1.7", see: "shape text", want: `406 fault debuginfo,faultcode,faultstring Client Request not acceptable.`},
			step{call: "GET " + oneChassis + "?fields=uuid", version: "1.8", see: "body.keys", want: `200 keys=["links","uuid"]`},
			step{call: "GET " + chassisPath + "?fields=uuid", version: "1.7", see: "shape text", want: `406 fault debuginfo,faultcode,faultstring Client Request not acceptable.`},
			step{call: "GET " + chassisPath + "?fields=color", version: "1.7", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error: 'color' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, old: `406 fault debuginfo,faultcode,faultstring Client Request not acceptable.`},
			step{call: "GET " + chassisPath + "?detail=true", version: "1.42", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Invalid query parameter ?detail=True received.`},
			step{call: "GET " + chassisPath + "?detail=false", version: "1.42", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Invalid query parameter ?detail=False received.`},
			step{call: "GET " + chassisPath + "/detail?limit=1", version: "1.1", see: "chassis.0.keys", want: `200 chassis.0.keys=["created_at","description","extra","links","nodes","updated_at","uuid"]`},
			step{call: "GET " + chassisPath + "?detail=true&limit=1", version: "1.43", see: "chassis.0.keys", want: `200 chassis.0.keys=["created_at","description","extra","links","nodes","updated_at","uuid"]`},
			step{call: "POST " + chassisPath, version: "1.1", body: `{}`, want: `201`},
			step{call: "PATCH " + oneChassis, version: "1.1", body: `[]`, see: "body.keys", want: `200 keys=["created_at","description","extra","links","nodes","updated_at","uuid"]`},
			step{call: "DELETE " + oneChassis, version: "1.1", want: `204`},
		),
	}
}

// threeChassis returns a behavior that creates three chassis before the steps. The steps use one of them as the
// marker and list only the chassis after it, so that they do not see any others.
func threeChassis(name string, steps ...step) behavior {
	return behavior{name: name, steps: append([]step{
		{call: "POST " + chassisPath, body: `{"uuid": "{uuid1}", "description": "{word1}-b"}`},
		{call: "POST " + chassisPath, body: `{"uuid": "{uuid2}", "description": "{word1}-c"}`},
		{call: "POST " + chassisPath, body: `{"uuid": "{uuid3}", "description": "{word1}-a", "extra": {"a": 1}}`},
	}, steps...)}
}

func chassisLists() []behavior {
	const list, details = "GET " + chassisPath + "?", "GET " + chassisPath + "/detail?"
	return []behavior{
		threeChassis("list",
			step{call: list + "marker={uuid1}", see: "order chassis.#.uuid order:chassis.0 chassis.#.description", want: `200 order=chassis chassis.#.uuid=["{uuid2}","{uuid3}"] order:chassis.0=uuid,description,links chassis.#.description=["{word1}-c","{word1}-a"]`},
			step{call: list + "marker={uuid1}&detail=true", see: "order:chassis.0 chassis.#.extra chassis.0.nodes chassis.0.links", want: `200 order:chassis.0=uuid,created_at,updated_at,description,extra,links,nodes chassis.#.extra=[{},{"a":1}] chassis.0.nodes=[[{"href":"{url}/v1/chassis/{uuid2}/nodes","rel":"self"},{"href":"{url}/chassis/{uuid2}/nodes","rel":"bookmark"}]] chassis.0.links=[{"href":"{url}/v1/chassis/{uuid2}","rel":"self"},{"href":"{url}/chassis/{uuid2}","rel":"bookmark"}]`},
			step{call: list + "marker={uuid1}&detail=false", see: "order:chassis.0", want: `200 order:chassis.0=uuid,description,links`},
			step{call: list + "marker={uuid1}&fields=extra,nodes", see: "order:chassis.0 chassis.#.extra", want: `200 order:chassis.0=extra,links,nodes chassis.#.extra=[{},{"a":1}]`},
			step{call: list + "marker={uuid1}&fields=links", see: "order:chassis.0", want: `200 order:chassis.0=links`},
			step{call: list + "marker={uuid1}&fields=", see: "order:chassis.0", want: `200 order:chassis.0=links`},
			step{call: list + "marker={uuid1}&fields=uuid,color", see: "chassis.#.uuid", want: `400 Schema error: 'color' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, old: `400 Field(s) "color" are not valid`},
			step{call: list + "marker={uuid1}&fields=UUID", see: "chassis.#.uuid", want: `200 chassis.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: list + "marker={uuid1}&fields=uuid&fields=extra", see: "order:chassis.0", want: `200 order:chassis.0=uuid,extra,links`, old: `400 Expected string for fields: ['uuid', 'extra']`},
			step{call: list + "marker={uuid1}&detail=true&fields=uuid", want: `400 Can not specify ?detail=True and fields in the same request.`},
			step{call: list + "marker={uuid3}", see: "body", want: `200 body={"chassis":[]}`},
			step{call: list + "marker={uuid1}&limit=1", see: "order chassis.#.uuid next", want: `200 order=chassis,next chassis.#.uuid=["{uuid2}"] next="{url}/v1/chassis?sort_key=id&sort_dir=asc&fields=uuid,description&limit=1&marker={uuid2}"`},
			step{call: list + "marker={uuid1}&limit=1&detail=true", see: "next", want: `200 next="{url}/v1/chassis?sort_key=id&sort_dir=asc&detail=True&limit=1&marker={uuid2}"`},
			step{call: list + "marker={uuid1}&limit=1&fields=uuid,extra", see: "next", want: `200 next="{url}/v1/chassis?sort_key=id&sort_dir=asc&fields=uuid,extra&limit=1&marker={uuid2}"`},
			step{call: list + "marker={uuid3}&sort_key=description&limit=2", see: "chassis.#.description next", want: `200 chassis.#.description=["{word1}-b","{word1}-c"] next="{url}/v1/chassis?sort_key=description&sort_dir=asc&fields=uuid,description&limit=2&marker={uuid2}"`},
			step{call: list + "marker={uuid2}&sort_key=description&sort_dir=desc&limit=2", see: "chassis.#.description next", want: `200 chassis.#.description=["{word1}-b","{word1}-a"] next="{url}/v1/chassis?sort_key=description&sort_dir=desc&fields=uuid,description&limit=2&marker={uuid3}"`},
			step{call: list + "marker={uuid1}&sort_key=created_at", see: "chassis.#.uuid", want: `200 chassis.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: list + "marker={uuid1}&sort_key=updated_at", see: "chassis.#.uuid", want: `200 chassis.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: list + "sort_key=uuid&limit=1", want: `200`},
			step{call: list + "sort_key=version&limit=1", want: `200`},
			step{call: list + "sort_key=nodes&limit=1", want: `400 The sort_key value "nodes" is an invalid field for sorting`},
		),
		threeChassis("details",
			step{call: details + "marker={uuid1}", see: "order order:chassis.0 chassis.#.uuid chassis.#.extra chassis.0.nodes chassis.0.links", want: `200 order=chassis order:chassis.0=uuid,created_at,updated_at,description,extra,links,nodes chassis.#.uuid=["{uuid2}","{uuid3}"] chassis.#.extra=[{},{"a":1}] chassis.0.nodes=[[{"href":"{url}/v1/chassis/{uuid2}/nodes","rel":"self"},{"href":"{url}/chassis/{uuid2}/nodes","rel":"bookmark"}]] chassis.0.links=[{"href":"{url}/v1/chassis/{uuid2}","rel":"self"},{"href":"{url}/chassis/{uuid2}","rel":"bookmark"}]`},
			step{call: details + "marker={uuid1}&limit=1", see: "order next", want: `200 order=chassis,next next="{url}/v1/chassis/detail?sort_key=id&sort_dir=asc&limit=1&marker={uuid2}"`},
			step{call: details + "marker={uuid3}", see: "body", want: `200 body={"chassis":[]}`},
		),
		ask("details-with-fields", step{call: details + "fields=uuid", want: `400 Unexpected arguments: fields`}),
		ask("details-with-detail", step{call: details + "detail=true", want: `400 Unexpected arguments: detail`}),
		ask("details-sorted-by-extra", step{call: details + "sort_key=extra", want: `400 The sort_key value extra is an invalid field for sorting`}),
		ask("details-sorted-sideways", step{call: details + "sort_dir=up", want: `400 Schema error: 'up' is not one of ['asc', 'desc']`, old: `400 Invalid sort direction: up. Acceptable values are 'asc' or 'desc'`}),
		ask("details-with-a-word-as-marker", step{call: details + "marker=x", want: `400 Expected UUID for marker: x`}),
		ask("sort-by-extra", step{call: list + "sort_key=extra", want: `400 The sort_key value extra is an invalid field for sorting`}),
		ask("sort-by-unknown", step{call: list + "sort_key=color", want: `400 The sort_key value "color" is an invalid field for sorting`}),
		ask("sort-by-links", step{call: list + "sort_key=links", want: `400 The sort_key value "links" is an invalid field for sorting`}),
		ask("sort-sideways", step{call: list + "sort_dir=up", want: `400 Schema error: 'up' is not one of ['asc', 'desc']`, old: `400 Invalid sort direction: up. Acceptable values are 'asc' or 'desc'`}),
		ask("limit-zero", step{call: list + "limit=0", want: `400 Limit must be positive`}),
		ask("limit-word", step{call: list + "limit=ten", want: `400 Expected an integer for limit: ten`}),
		ask("marker-that-is-not-there", step{call: list + "marker={uuid1}", want: `404 Chassis {uuid1} could not be found.`}),
		ask("marker-that-is-no-uuid", step{call: list + "marker=x", want: `400 Expected UUID for marker: x`}),
		ask("marker-and-a-bad-sort-key", step{call: list + "marker={uuid1}&sort_key=extra", want: `404 Chassis {uuid1} could not be found.`}),
		ask("detail-perhaps", step{call: list + "detail=perhaps", want: `400 Invalid detail: Unrecognized value 'perhaps', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`}),
		ask("list-unknown-argument", step{call: list + "color=red", want: `400 Unexpected arguments: color`}),
		ask("sort-key-twice", step{call: list + "sort_key=uuid&sort_key=id", want: `400 Expected string for sort_key: ['uuid', 'id']`}),
		ask("list-several-mistakes", step{call: list + "sort_dir=up&limit=0&fields=color", want: `400 Schema error: 'color' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, old: `400 Limit must be positive`}),
	}
}

func chassisPaths() []behavior {
	return []behavior{
		ask("put", step{call: "PUT " + chassisPath, see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`}),
		ask("put-one", step{call: "PUT " + oneChassis, see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`}),
		ask("patch-nothing", step{call: "PATCH " + chassisPath, body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: chassis_uuid`}),
		ask("delete-nothing", step{call: "DELETE " + chassisPath, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: chassis_uuid`}),
		ask("show-no-uuid", step{call: "GET " + chassisPath + "/x", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for chassis_uuid: x`}),
		ask("patch-no-uuid", step{call: "PATCH " + chassisPath + "/x", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error: 'x' is not a 'uuid'`, old: `404 fault debuginfo,faultcode,faultstring Client Chassis x could not be found.`}),
		ask("patch-no-uuid-malformed", step{call: "PATCH " + chassisPath + "/x", body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for patch: {} is not of type 'array'`}),
		ask("delete-no-uuid", step{call: "DELETE " + chassisPath + "/x", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for chassis_uuid: x`}),
		ask("post-detail", step{call: "POST " + chassisPath + "/detail", body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for chassis: 'detail' is not of type 'object'`}),
		ask("delete-detail", step{call: "DELETE " + chassisPath + "/detail", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for chassis_uuid: detail`}),
		ask("nodes-of-nothing", step{call: "GET " + chassisPath + "/nodes", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Chassis id not specified.`}),
		withChassis("paths",
			step{call: "GET " + oneChassis + "?fields=color", see: "body.keys", want: `400 Schema error: 'color' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, old: `400 Field(s) "color" are not valid`},
			step{call: "GET " + oneChassis + "?fields=id", see: "body.keys", want: `400 Schema error: 'id' is not one of ['created_at', 'description', 'extra', 'links', 'nodes', 'updated_at', 'uuid']`, old: `400 Field(s) "id" are not valid`},
			step{call: "GET " + oneChassis + "?fields=nodes", see: "order nodes", want: `200 order=links,nodes nodes=[[{"href":"{url}/v1/chassis/{uuid1}/nodes","rel":"self"},{"href":"{url}/chassis/{uuid1}/nodes","rel":"bookmark"}]]`},
			step{call: "GET " + oneChassis + "?fields=", see: "order", want: `200 order=links`},
			step{call: "GET " + oneChassis + "?fields=uuid&fields=created_at", see: "order", want: `200 order=uuid,created_at,links`, old: `400 Expected string for fields: ['uuid', 'created_at']`},
			step{call: "GET " + oneChassis + "?detail=true", want: `400 Unexpected arguments: detail`},
			step{call: "GET " + oneChassis + "/detail", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Resource could not be found.`},
			step{call: "GET " + oneChassis + "/uuid", see: "shape text body.keys", want: `200 keys=["links","uuid"]`},
			step{call: "GET " + oneChassis + "/color", see: "shape text body.keys", want: `400 fault debuginfo,faultcode,faultstring Client Field(s) "color" are not valid`},
			step{call: "GET " + oneChassis + "/uuid/extra", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server ChassisController.get_one() takes from 2 to 3 positional arguments but 4 were given`},
			step{call: "PATCH " + oneChassis + "/x", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for patch: 'x' is not of type 'array'`},
			step{call: "DELETE " + oneChassis + "/x", see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server ChassisController.delete() takes 2 positional arguments but 3 were given`},
			step{call: "POST " + oneChassis, body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for chassis: '{uuid1}' is not of type 'object'`},
			step{call: "PUT " + oneChassis + "/nodes", see: "shape text header:Allow", want: `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`},
		),
	}
}

func chassisBodies() []behavior {
	return []behavior{
		postChassis("body-missing", "", `201 description=null extra={}`, ""),
		postChassis("body-empty", "{}", `201 description=null extra={}`, ""),
		postChassis("body-null", "null", `400 Schema error: None is not of type 'object'`, `500 'NoneType' object has no attribute 'get'`),
		postChassis("body-list", "[]", `400 Schema error for chassis: [] is not of type 'object'`, ""),
		postChassis("body-no-json", "{", `500 Expecting property name enclosed in double quotes: line 1 column 2 (char 1)`, ""),
		postChassis("all-null", `{"uuid": null, "description": null, "extra": null}`, `201 description=null extra={}`, ""),
		postChassis("description-empty", `{"description": ""}`, `201 description="" extra={}`, ""),
		postChassis("description-number", `{"description": 5}`, `400 Schema error for chassis: 5 is not of type 'string', 'null'`, ""),
		postChassis("description-longest", `{"description": "`+repeat("x", 255)+`"}`, `201 description="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" extra={}`, ""),
		postChassis("description-too-long", `{"description": "`+repeat("x", 256)+`"}`, `400 Schema error for chassis: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' is too long`, ""),
		postChassis("extra-text", `{"extra": "x"}`, `400 Schema error for chassis: 'x' is not of type 'object', 'null'`, ""),
		postChassis("extra-list", `{"extra": []}`, `400 Schema error for chassis: [] is not of type 'object', 'null'`, ""),
		postChassis("extra-deep", `{"extra": {"a": {"b": [1, null, 1.5, true]}, "password": "secret"}}`, `201 description=null extra={"a":{"b":[1,null,1.5,true]},"password":"secret"}`, ""),
		postChassis("uuid-text", `{"uuid": "x"}`, `400 Expected UUID for uuid: x`, ""),
		postChassis("uuid-number", `{"uuid": 5}`, `400 Schema error for chassis: 5 is not of type 'string', 'null'`, ""),
		postChassis("uuid-empty", `{"uuid": ""}`, `400 Expected UUID for uuid:`, ""),
		postChassis("unknown-key", `{"color": "red"}`, `400 Schema error for chassis: Additional properties are not allowed ('color' was unexpected)`, ""),
		postChassis("read-only-key", `{"created_at": "2026-01-01T00:00:00+00:00"}`, `400 Schema error for chassis: Additional properties are not allowed ('created_at' was unexpected)`, ""),
		postChassis("several-mistakes", `{"color": "red", "description": 5, "extra": "x", "uuid": 7}`, `400 Schema error for chassis: Additional properties are not allowed ('color' was unexpected)`, ""),
		ask("post-with-an-argument", step{call: "POST " + chassisPath + "?color=red", body: `{}`, want: `400 Unexpected arguments: color`}),
		ask("post-without-type", step{call: "POST " + chassisPath, body: `{}`, header: "Content-Type:", want: `400 Unexpected arguments: {}`, old: `201`}),
	}
}

func chassisPatches() []behavior {
	return []behavior{
		patchChassis("patch-nothing-at-all", `[]`, `200 description="{word1}" extra={"rack":7}`, ""),
		patchChassis("patch-missing", ``, `400 Schema error for patch: {} is not of type 'array'`, ""),
		patchChassis("patch-null", `null`, `400 Schema error: None is not of type 'array'`, `500 'NoneType' object is not iterable`),
		patchChassis("patch-object", `{}`, `400 Schema error for patch: {} is not of type 'array'`, ""),
		patchChassis("replace-description", `[{"op": "replace", "path": "/description", "value": "a"}]`, `200 description="a" extra={"rack":7}`, ""),
		patchChassis("description-to-null", `[{"op": "replace", "path": "/description", "value": null}]`, `200 description=null extra={"rack":7}`, ""),
		patchChassis("description-to-number", `[{"op": "replace", "path": "/description", "value": 5}]`, `400 Schema error for patch: 5 is not of type 'string', 'null'`, ""),
		patchChassis("description-to-long", `[{"op": "replace", "path": "/description", "value": "`+repeat("x", 256)+`"}]`, `400 Schema error for patch: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' is too long`, ""),
		patchChassis("remove-description", `[{"op": "remove", "path": "/description"}]`, `200 description=null extra={"rack":7}`, ""),
		patchChassis("remove-description-twice", `[{"op": "remove", "path": "/description"}, {"op": "remove", "path": "/description"}]`, `400 Couldn't apply patch '{'op': 'remove', 'path': '/description'}'. Reason: can't remove a non-existent object 'description'`, ""),
		patchChassis("remove-and-add-description", `[{"op": "remove", "path": "/description"}, {"op": "add", "path": "/description", "value": "a"}]`, `200 description="a" extra={"rack":7}`, ""),
		patchChassis("add-extra", `[{"op": "add", "path": "/extra/slot", "value": 1}]`, `200 description="{word1}" extra={"rack":7,"slot":1}`, ""),
		patchChassis("replace-extra", `[{"op": "replace", "path": "/extra", "value": {"a": 1}}]`, `200 description="{word1}" extra={"a":1}`, ""),
		patchChassis("remove-extra", `[{"op": "remove", "path": "/extra"}]`, `200 description="{word1}" extra={}`, ""),
		patchChassis("extra-to-null", `[{"op": "replace", "path": "/extra", "value": null}]`, `200 description="{word1}" extra={}`, ""),
		patchChassis("extra-to-text", `[{"op": "replace", "path": "/extra", "value": "x"}]`, `400 Schema error for patch: 'x' is not of type 'object', 'null'`, ""),
		patchChassis("remove-missing-extra", `[{"op": "remove", "path": "/extra/slot"}]`, `400 Couldn't apply patch '{'op': 'remove', 'path': '/extra/slot'}'. Reason: can't remove a non-existent object 'slot'`, ""),
		patchChassis("same-uuid", `[{"op": "replace", "path": "/uuid", "value": "{uuid1}"}]`, `200 description="{word1}" extra={"rack":7}`, ""),
		patchChassis("other-uuid", `[{"op": "replace", "path": "/uuid", "value": "{uuid2}"}]`, `400 Cannot overwrite UUID for an existing Chassis.`, ""),
		patchChassis("uuid-to-word", `[{"op": "replace", "path": "/uuid", "value": "x"}]`, `400 Expected UUID for uuid: x`, ""),
		patchChassis("uuid-to-null", `[{"op": "replace", "path": "/uuid", "value": null}]`, `400 Cannot overwrite UUID for an existing Chassis.`, ""),
		patchChassis("remove-uuid", `[{"op": "remove", "path": "/uuid"}]`, `400 Cannot overwrite UUID for an existing Chassis.`, ""),
		patchChassis("unknown-field", `[{"op": "add", "path": "/color", "value": "red"}]`, `400 Cannot patch /color. Only the following can be updated: uuid, extra, description`, ""),
		patchChassis("patch-id", `[{"op": "replace", "path": "/id", "value": 1}]`, `400 Cannot patch /id. Only the following can be updated: uuid, extra, description`, ""),
		patchChassis("patch-created-at", `[{"op": "remove", "path": "/created_at"}]`, `400 Cannot patch /created_at. Only the following can be updated: uuid, extra, description`, ""),
		patchChassis("patch-nodes", `[{"op": "add", "path": "/nodes/-", "value": "x"}]`, `400 Cannot patch /nodes/-. Only the following can be updated: uuid, extra, description`, ""),
		patchChassis("unknown-operation", `[{"op": "test", "path": "/description", "value": "a"}]`, `400 Schema error for patch: 'test' is not one of ['add', 'replace', 'remove']`, ""),
		patchChassis("without-path", `[{"op": "remove"}]`, `400 Schema error for patch: 'path' is a required property`, ""),
		patchChassis("without-value", `[{"op": "add", "path": "/description"}]`, `400 Couldn't apply patch '{'op': 'add', 'path': '/description'}'. Reason: The operation does not contain a 'value' member`, ""),
		patchChassis("relative-path", `[{"op": "remove", "path": "description"}]`, `400 Schema error for patch: 'description' does not match '^(/[\\w-]+)+$'`, ""),
		patchChassis("below-description", `[{"op": "add", "path": "/description/a", "value": 1}]`, `400 Couldn't apply patch '{'op': 'add', 'path': '/description/a', 'value': 1}'. Reason: Cannot apply token 'a' to non-container type <class 'str'>`, ""),
		withChassis("patch-and-read",
			step{call: "PATCH " + oneChassis, body: `[{"op": "remove", "path": "/description"}, {"op": "replace", "path": "/extra", "value": {}}]`, see: "description extra", want: `200 description=null extra={}`},
			step{call: "GET " + oneChassis, see: "description extra updated_at?", want: `200 description=null extra={} updated_at=set`},
			step{call: "PATCH " + oneChassis, body: `[{"op": "add", "path": "/description", "value": null}]`, see: "description updated_at?", want: `200 description=null updated_at=set`},
			step{call: "PATCH " + oneChassis + "?color=red", body: `[]`, want: `400 Unexpected arguments: color`},
		),
		withChassis("same-value-keeps-the-time",
			step{call: "PATCH " + oneChassis, body: `[{"op": "replace", "path": "/description", "value": "{word1}"}]`, see: "updated_at?", want: `200 updated_at=set`},
			step{call: "PATCH " + oneChassis, body: `[]`, see: "updated_at?", want: `200 updated_at=set`},
		),
	}
}

// chassisNodes returns behaviors of nodes that belong to a chassis.
func chassisNodes() []behavior {
	const nodes, one = "/v1/nodes", "/v1/nodes/{node}"
	return []behavior{
		{name: "node-of-a-chassis", steps: []step{
			{call: "POST " + chassisPath, body: fullChassis},
			{call: "POST " + nodes, body: inChassis, see: "chassis_uuid", want: `201 chassis_uuid="{uuid1}"`, save: "made=uuid"},
			{call: "GET " + nodes + "/{made}", see: "chassis_uuid", want: `200 chassis_uuid="{uuid1}"`},
			{call: "GET " + nodes + "/{made}?fields=chassis_uuid", see: "chassis_uuid", want: `200 chassis_uuid="{uuid1}"`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}", see: "nodes.#.uuid", want: `200 nodes.#.uuid=["{made}"]`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&limit=1", see: "nodes.#.uuid next", want: `200 nodes.#.uuid=["{made}"] next="{url}/v1/nodes?sort_key=id&sort_dir=asc&fields=instance_uuid,maintenance,power_state,provision_state,uuid,name&limit=1&marker={made}"`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&detail=true", see: "nodes.#.chassis_uuid", want: `200 nodes.#.chassis_uuid=["{uuid1}"]`},
			{call: "GET " + nodes + "/detail?chassis_uuid={uuid1}", see: "nodes.#.chassis_uuid", want: `200 nodes.#.chassis_uuid=["{uuid1}"]`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&maintenance=true", see: "nodes.#.uuid", want: `200 nodes.#.uuid=[]`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&sort_key=chassis_id", see: "nodes.#.uuid", want: `200 nodes.#.uuid=["{made}"]`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&sort_key=chassis_uuid", see: "nodes.#.uuid", want: `400 The sort_key value "chassis_uuid" is an invalid field for sorting`},
			{call: "DELETE " + oneChassis, want: `400 Cannot complete the requested action because chassis {uuid1} contains nodes.`},
			{call: "DELETE " + nodes + "/{made}"},
			{call: "DELETE " + oneChassis, want: `204`},
		}},
		{name: "filter-by-a-missing-chassis", steps: []step{
			{call: "GET " + nodes + "?chassis_uuid={uuid1}", want: `404 Chassis {uuid1} could not be found.`},
			{call: "GET " + nodes + "?chassis_uuid=x", want: `400 Expected UUID for chassis_uuid: x`},
			{call: "GET " + nodes + "?chassis_uuid=", see: "nodes.len", want: `400 Expected UUID for chassis_uuid:`},
			{call: "GET " + nodes + "?chassis_uuid={uuid1}&sort_key=color", want: `404 Chassis {uuid1} could not be found.`},
			{call: "GET " + nodes + "/detail?chassis_uuid={uuid1}", want: `404 Chassis {uuid1} could not be found.`},
		}},
		{name: "create-in-a-missing-chassis", steps: []step{
			{call: "POST " + nodes, body: inChassis, want: `400 Chassis {uuid1} could not be found.`},
			{call: "POST " + nodes, body: `{"driver": "nope", "chassis_uuid": "{uuid1}"}`, want: `400 Chassis {uuid1} could not be found.`},
			{call: "POST " + nodes, body: `{"driver": "fake-hardware", "chassis_uuid": "x"}`, want: `400 Expected UUID for chassis_uuid: x`},
			{call: "POST " + nodes, body: `{"driver": "fake-hardware", "chassis_uuid": 5}`, want: `400 Schema error for node: 5 is not of type 'string', 'null'`},
			{call: "POST " + nodes, body: `{"driver": "fake-hardware", "chassis_uuid": ""}`, see: "chassis_uuid", want: `400 Expected UUID for chassis_uuid:`},
			{call: "POST " + nodes, body: `{"driver": "fake-hardware", "chassis_uuid": null}`, see: "chassis_uuid", want: `201 chassis_uuid=null`},
		}},
		withChassis("move-a-node",
			step{call: "POST " + chassisPath, body: `{"uuid": "{uuid2}"}`},
			step{call: "PATCH " + one, body: `[{"op": "add", "path": "/chassis_uuid", "value": "{uuid1}"}]`, see: "chassis_uuid", want: `200 chassis_uuid="{uuid1}"`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": "{uuid1}"}]`, see: "chassis_uuid", want: `200 chassis_uuid="{uuid1}"`},
			step{call: "PATCH " + one, body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, see: "chassis_uuid", want: `200 chassis_uuid="{uuid1}"`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": "{uuid2}"}]`, see: "chassis_uuid", want: `200 chassis_uuid="{uuid2}"`},
			step{call: "GET " + one, see: "chassis_uuid", want: `200 chassis_uuid="{uuid2}"`},
			step{call: "GET " + oneChassis + "/nodes", see: "nodes.#.uuid", want: `200 nodes.#.uuid=[]`},
			step{call: "DELETE " + oneChassis, want: `204`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": "{uuid3}"}]`, want: `400 Chassis {uuid3} could not be found.`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": "x"}]`, want: `400 Expected UUID for chassis_uuid: x`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": 5}]`, want: `400 Schema error for patch: 5 is not of type 'string', 'null'`},
			step{call: "PATCH " + one, version: "1.24", body: `[{"op": "remove", "path": "/chassis_uuid"}]`, want: `406 Request not acceptable.`},
			step{call: "PATCH " + one, version: "1.24", body: `[{"op": "replace", "path": "/chassis_uuid", "value": null}]`, want: `406 Request not acceptable.`},
			step{call: "PATCH " + one, version: "1.25", body: `[{"op": "remove", "path": "/chassis_uuid"}]`, see: "chassis_uuid", want: `200 chassis_uuid=null`},
			step{call: "PATCH " + one, body: `[{"op": "remove", "path": "/chassis_uuid"}]`, see: "chassis_uuid", want: `200 chassis_uuid=null`},
			step{call: "PATCH " + one, body: `[{"op": "add", "path": "/chassis_uuid", "value": "{uuid2}"}]`, see: "chassis_uuid", want: `200 chassis_uuid="{uuid2}"`},
			step{call: "PATCH " + one, body: `[{"op": "replace", "path": "/chassis_uuid", "value": ""}]`, see: "chassis_uuid", want: `400 Expected UUID for chassis_uuid:`},
			step{call: "DELETE " + chassisPath + "/{uuid2}", want: `400 Cannot complete the requested action because chassis {uuid2} contains nodes.`},
		),
	}
}

// nodesBelowChassis returns behaviors of /v1/chassis/{uuid}/nodes, the list of a chassis's nodes.
func nodesBelowChassis() []behavior {
	const below = oneChassis + "/nodes"
	return []behavior{
		{name: "nodes-below", steps: []step{
			{call: "POST " + chassisPath, body: fullChassis},
			{call: "GET " + below, see: "body", want: `200 body={"nodes":[]}`},
			{call: "POST /v1/nodes", body: inChassis, save: "made=uuid"},
			{call: "GET " + below, see: "nodes.#.uuid order:nodes.0 nodes.0.links", want: `200 nodes.#.uuid=["{made}"] order:nodes.0=uuid,instance_uuid,maintenance,power_state,provision_state,name,links nodes.0.links=[{"href":"{url}/v1/nodes/{made}","rel":"self"},{"href":"{url}/nodes/{made}","rel":"bookmark"}]`},
			{call: "GET " + below + "?limit=1", see: "next", want: `200 next="{url}/v1/nodes?sort_key=id&sort_dir=asc&fields=instance_uuid,maintenance,power_state,provision_state,uuid,name&limit=1&marker={made}"`},
			{call: "GET " + below + "?detail=true", see: "nodes.#.chassis_uuid", want: `200 nodes.#.chassis_uuid=["{uuid1}"]`},
			{call: "GET " + below + "?fields=uuid,driver", see: "order:nodes.0", want: `200 order:nodes.0=uuid,driver,links`},
			{call: "GET " + below + "?maintenance=true", see: "nodes.#.uuid", want: `200 nodes.#.uuid=[]`},
			{call: "GET " + below + "?chassis_uuid={uuid1}", want: `500 NodesController.get_all() got multiple values for argument 'chassis_uuid'`},
			{call: "GET " + below + "?color=red", want: `400 Unexpected arguments: color`},
			{call: "GET " + below + "?sort_key=extra", want: `400 The sort_key value extra is an invalid field for sorting`},
			{call: "GET " + below + "/detail", see: "shape text nodes.#.uuid", want: `200 nodes.#.uuid=["{made}"]`},
			{call: "GET " + below + "/{made}", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			{call: "GET " + below + "/nope", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			{call: "POST " + below, body: `{"driver": "fake-hardware"}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for node: '{uuid1}' is not of type 'object'`},
			{call: "PATCH " + below, body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			{call: "DELETE " + below, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Malformed request URI.`, old: `403 fault debuginfo,faultcode,faultstring Client Operation not permitted.`},
			{call: "PATCH " + below + "/{made}", body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Invalid reset_interfaces: Unrecognized value '{made}', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`},
			{call: "DELETE " + below + "/{made}", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Resource could not be found.`},
		}},
		{name: "nodes-below-nothing", steps: []step{
			{call: "GET " + below, see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client Chassis {uuid1} could not be found.`},
			{call: "GET " + chassisPath + "/x/nodes", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for chassis_uuid: x`},
			{call: "GET " + chassisPath + "/detail/nodes", see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Expected UUID for chassis_uuid: detail`},
			{call: "POST " + chassisPath + "/x/nodes", body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error for node: 'x' is not of type 'object'`},
		}},
	}
}
