package contract

import "slices"

const (
	runbooksPath = "/v1/runbooks"
	oneRunbook   = runbooksPath + "/{uuid1}"
	resetStep    = `{"interface": "bios", "step": "factory_reset", "order": 1}`
	someSteps    = `"steps": [` + resetStep + `]`
	plainRunbook = `{"uuid": "{uuid1}", "name": "{trait1}", ` + someSteps + `}`
	fullRunbook  = `{"uuid": "{uuid1}", "name": "{trait1}", "description": "{word1}", "extra": {"a": 1}, "disable_ramdisk": true, ` +
		`"steps": [{"interface": "raid", "step": "create_configuration", "args": {"password": "x"}, "order": "20"}, {"interface": "bios", "step": "factory_reset", "args": {}, "order": 10}]}`
	oneRunbookTrait = `400 A single runbook trait may be added via PUT /v1/runbooks/<runbook identifier>/traits/<trait> with no body, or all runbook traits may be replaced via PUT /v1/runbooks/<runbook identifier>/traits with the list of traits specified in the request body.`
)

func runbooks() group {
	return group{name: "runbooks", alone: true, behaviors: slices.Concat(
		runbookLife(), runbookLists(), runbookPaths(), runbookBodies(), runbookPatches(), runbookTraits(), runbookUse(), runbookRuns(),
	)}
}

func runbookGet(name, call, see, want string) behavior {
	return behavior{name: name, since: 112, steps: []step{{call: call, see: see, want: want}}}
}

// runbookPost returns a behavior that posts a runbook with the given fields in addition to its name and steps, and
// compares the result.
func runbookPost(name, fields, want string) behavior {
	return runbookBody(name, `{"name": "{trait1}", `+someSteps+`, `+fields+`}`, want)
}

func runbookBody(name, body, want string) behavior {
	return behavior{name: name, since: 112, steps: []step{{call: "POST " + runbooksPath, body: body, see: "name steps disable_ramdisk extra public owner description traits", want: want}}}
}

// runbookStep returns a behavior that posts a runbook with the given step as its only one.
func runbookStep(name, given, want string) behavior {
	return behavior{name: name, since: 112, steps: []step{{call: "POST " + runbooksPath, body: `{"name": "{trait1}", "steps": [` + given + `]}`, see: "steps", want: want}}}
}

// runbookPatch returns a behavior that posts a runbook and patches it.
func runbookPatch(name, patch, see, want string) behavior {
	return behavior{name: name, since: 112, steps: []step{
		{call: "POST " + runbooksPath, body: fullRunbook},
		{call: "PATCH " + oneRunbook, body: patch, see: see, want: want},
	}}
}

// threeRunbooks returns a behavior that creates three runbooks before the steps. The order of their names differs
// from the order in which they are created. The list of runbooks cannot be filtered, so the steps use one of these
// runbooks as the marker and list only the runbooks after it.
func threeRunbooks(name string, steps ...step) behavior {
	return behavior{name: name, since: 112, steps: append([]step{
		{call: "POST " + runbooksPath, body: `{"uuid": "{uuid1}", "name": "z{word1}-b", ` + someSteps + `}`},
		{call: "POST " + runbooksPath, body: `{"uuid": "{uuid2}", "name": "z{word1}-c", "description": "d", ` + someSteps + `}`},
		{call: "POST " + runbooksPath, body: `{"uuid": "{uuid3}", "name": "z{word1}-a", "disable_ramdisk": true, ` + someSteps + `}`},
		{call: "PUT " + runbooksPath + "/{uuid2}/traits", body: `{"traits": ["CUSTOM_B", "CUSTOM_A"]}`},
	}, steps...)}
}

// runbookLife starts with an empty list, so it comes before the other behaviors, which create runbooks.
func runbookLife() []behavior {
	return []behavior{
		runbookGet("empty", "GET "+runbooksPath, "body", `200 body={"runbooks":[]}`),
		{name: "life", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: fullRunbook, see: "order body.keys header:Location", want: `201 order=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,description,links,steps,traits keys=["created_at","description","disable_ramdisk","extra","links","name","owner","public","steps","traits","updated_at","uuid"] Location={url}/v1/runbooks/{uuid1}`},
			{call: "GET " + oneRunbook, see: "order name description steps order:steps.0 extra public owner disable_ramdisk traits links updated_at created_at?", want: `200 order=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,description,links,steps,traits name="{trait1}" description="{word1}" steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}] order:steps.0=interface,step,args,order extra={"a":1} public=false owner=null disable_ramdisk=true traits=[] links=[{"href":"{url}/v1/runbooks/{uuid1}","rel":"self"},{"href":"{url}/runbooks/{uuid1}","rel":"bookmark"}] updated_at=null created_at=set`},
			{call: "GET " + runbooksPath + "/{trait1}", see: "uuid", want: `200 uuid="{uuid1}"`},
			{call: "GET " + runbooksPath + "/{trait1}?fields=name,steps,traits", see: "order steps", want: `200 order=name,links,steps,traits steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}]`},
			{call: "DELETE " + runbooksPath + "/{trait1}", want: `204`},
			{call: "DELETE " + runbooksPath + "/{trait1}", want: `404 Runbook {trait1} could not be found.`},
			{call: "GET " + oneRunbook, want: `404 Runbook {uuid1} could not be found.`},
			{call: "DELETE " + oneRunbook, want: `404 Runbook {uuid1} could not be found.`},
			{call: "PATCH " + oneRunbook, body: `[]`, want: `404 Runbook {uuid1} could not be found.`},
		}},
		{name: "life-before-traits", since: 112, steps: []step{
			{call: "POST " + runbooksPath, version: "1.111", body: plainRunbook, see: "order body.keys", want: `201 order=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,links,steps keys=["created_at","disable_ramdisk","extra","links","name","owner","public","steps","updated_at","uuid"]`},
			{call: "GET " + oneRunbook, version: "1.111", see: "order", want: `200 order=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,links,steps`},
			{call: "GET " + oneRunbook + "?fields=traits", version: "1.111", want: `400 Field(s) "traits" are not valid`},
			{call: "GET " + oneRunbook + "?fields=uuid,description", version: "1.111", want: `400 Field(s) "description" are not valid`},
			{call: "GET " + runbooksPath + "?fields=description", version: "1.111", want: `400 Field(s) "description" are not valid`},
			{call: "PATCH " + oneRunbook, version: "1.111", body: `[{"op": "replace", "path": "/description", "value": "x"}]`, want: `400 Cannot patch /description. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps`},
			{call: "PATCH " + oneRunbook, version: "1.111", body: `[{"op": "replace", "path": "/name", "value": "{word1}"}]`, see: "name", want: `200 name="{word1}"`},
			{call: "GET " + oneRunbook + "/traits", version: "1.111", want: `404 Not Found: The API version does not allow runbook traits`},
			{call: "PUT " + oneRunbook + "/traits/{trait1}", version: "1.111", want: `404 Not Found: The API version does not allow runbook traits`},
			{call: "DELETE " + oneRunbook + "/traits", version: "1.111", want: `404 Not Found: The API version does not allow runbook traits`},
			{call: "GET " + runbooksPath + "/nope/traits", version: "1.111", want: `404 Not Found: The API version does not allow runbook traits`},
			{call: "POST " + runbooksPath, version: "1.111", body: `{"name": "{word2}", ` + someSteps + `}`, want: `400 Schema error for runbook: '{word2}' is not valid under any of the given schemas. Possible root cause: '{word2}' does not match '^CUSTOM_[A-Z0-9_]+$'`},
			{call: "POST " + runbooksPath, version: "1.111", body: `{"name": "{trait2}", "description": "x", ` + someSteps + `}`, want: `400 Schema error for runbook: Additional properties are not allowed ('description' was unexpected)`},
		}},
		{name: "too-old", since: 92, steps: []step{
			{call: "GET " + runbooksPath, version: "1.91", want: `404 Not Found: The API version does not allow runbooks`},
			{call: "POST " + runbooksPath, version: "1.91", body: plainRunbook, want: `405 Method Not Allowed: The API version does not allow runbooks`},
			{call: "GET " + runbooksPath + "/x", version: "1.91", want: `404 Not Found: The API version does not allow runbooks`},
			{call: "PATCH " + oneRunbook, version: "1.91", body: `[]`, want: `405 Method Not Allowed: The API version does not allow runbooks`},
			{call: "GET " + oneRunbook + "/traits", version: "1.91", want: `404 Not Found: The API version does not allow runbook traits`},
			{call: "POST " + runbooksPath, version: "1.92", body: plainRunbook, see: "name", want: `201 name="{trait1}"`},
		}},
		{name: "uuid-twice", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: plainRunbook},
			{call: "POST " + runbooksPath, body: `{"uuid": "{uuid1}", "name": "{trait2}", ` + someSteps + `}`, want: `409 A runbook with UUID {uuid1} already exists.`},
			{call: "POST " + runbooksPath, body: `{"uuid": "{uuid2}", "name": "{trait1}", ` + someSteps + `}`, want: `409 A runbook with name {trait1} already exists.`},
			{call: "POST " + runbooksPath, body: plainRunbook, want: `409 A runbook with name {trait1} already exists.`},
			{call: "POST " + runbooksPath, body: `{"uuid": "{uuid2}", "name": "{trait2}", ` + someSteps + `}`},
			{call: "PATCH " + runbooksPath + "/{uuid2}", body: `[{"op": "replace", "path": "/name", "value": "{trait1}"}]`, want: `409 A runbook with name {trait1} already exists.`},
		}},
	}
}

func runbookLists() []behavior {
	return []behavior{
		threeRunbooks("list",
			step{call: "GET " + runbooksPath + "?marker={uuid1}", see: "runbooks.#.uuid body.keys order:runbooks.0", want: `200 runbooks.#.uuid=["{uuid2}","{uuid3}"] keys=["runbooks"] order:runbooks.0=uuid,name,links`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&detail=true", see: "runbooks.#.traits runbooks.#.description runbooks.#.disable_ramdisk order:runbooks.0 runbooks.0.links", want: `200 runbooks.#.traits=[["CUSTOM_A","CUSTOM_B"],[]] runbooks.#.description=["d",null] runbooks.#.disable_ramdisk=[false,true] order:runbooks.0=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,description,links,steps,traits runbooks.0.links=[{"href":"{url}/v1/runbooks/{uuid2}","rel":"self"},{"href":"{url}/runbooks/{uuid2}","rel":"bookmark"}]`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&detail=true", version: "1.111", see: "order:runbooks.0", want: `200 order:runbooks.0=uuid,created_at,updated_at,name,extra,public,owner,disable_ramdisk,links,steps`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&detail=false", see: "order:runbooks.0", want: `200 order:runbooks.0=uuid,name,links`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&detail=false&fields=uuid,public", see: "order:runbooks.0", want: `200 order:runbooks.0=uuid,public,links`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&detail=true&fields=uuid", want: `400 Can not specify ?detail=True and fields in the same request.`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&fields=steps,extra", see: "order:runbooks.0 runbooks.#.steps", want: `200 order:runbooks.0=extra,links,steps runbooks.#.steps=[[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}],[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}]]`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&fields=uuid,color", want: `400 Field(s) "color" are not valid`},
			step{call: "GET " + runbooksPath + "?marker={uuid3}", see: "body", want: `200 body={"runbooks":[]}`},
			step{call: "GET " + runbooksPath + "?marker={uuid3}&fields=color", see: "body", want: `200 body={"runbooks":[]}`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&limit=1", see: "order runbooks.#.uuid next", want: `200 order=runbooks,next runbooks.#.uuid=["{uuid2}"] next="{url}/v1/runbooks?sort_key=id&sort_dir=asc&fields=uuid,name&limit=1&marker={uuid2}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&limit=1&detail=true", see: "next", want: `200 next="{url}/v1/runbooks?sort_key=id&sort_dir=asc&detail=True&limit=1&marker={uuid2}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&limit=2&fields=uuid", see: "next", want: `200 next="{url}/v1/runbooks?sort_key=id&sort_dir=asc&fields=uuid&limit=2&marker={uuid3}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid3}&sort_key=name&limit=2", see: "runbooks.#.name next", want: `200 runbooks.#.name=["z{word1}-b","z{word1}-c"] next="{url}/v1/runbooks?sort_key=name&sort_dir=asc&fields=uuid,name&limit=2&marker={uuid2}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid2}&sort_key=name&sort_dir=desc&limit=2", see: "runbooks.#.name next", want: `200 runbooks.#.name=["z{word1}-b","z{word1}-a"] next="{url}/v1/runbooks?sort_key=name&sort_dir=desc&fields=uuid,name&limit=2&marker={uuid3}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid2}&sort_key=disable_ramdisk", see: "runbooks.#.name", want: `200 runbooks.#.name=["z{word1}-a"]`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&project=true", see: "body", want: `200 body={"runbooks":[]}`},
			step{call: "PATCH " + runbooksPath + "/{uuid2}", body: `[{"op": "replace", "path": "/public", "value": true}]`},
			step{call: "PATCH " + runbooksPath + "/{uuid3}", body: `[{"op": "replace", "path": "/owner", "value": "1"}]`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&project=true&limit=2", see: "runbooks.#.uuid next", want: `200 runbooks.#.uuid=["{uuid2}","{uuid3}"] next="{url}/v1/runbooks?sort_key=id&sort_dir=asc&fields=uuid,name&limit=2&marker={uuid3}"`},
			step{call: "GET " + runbooksPath + "?marker={uuid1}&project=false", see: "runbooks.#.uuid", want: `200 runbooks.#.uuid=["{uuid2}","{uuid3}"]`},
		),
		runbookGet("project-is-a-boolean", "GET "+runbooksPath+"?project=x", "", `400 Invalid project: Unrecognized value 'x', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`),
		runbookGet("owner-is-no-filter", "GET "+runbooksPath+"?owner=x", "", `400 Unexpected arguments: owner`),
		runbookGet("marker-missing", "GET "+runbooksPath+"?marker={uuid1}", "", `404 Runbook {uuid1} could not be found.`),
		runbookGet("marker-name", "GET "+runbooksPath+"?marker=x", "", `404 Runbook x could not be found.`),
		runbookGet("marker-blank", "GET "+runbooksPath+"?marker=a+b", "", `400 Expected name for marker: a b`),
		runbookGet("limit-text", "GET "+runbooksPath+"?limit=x", "", `400 Expected an integer for limit: x`),
		runbookGet("limit-negative", "GET "+runbooksPath+"?limit=-1", "", `400 Limit must be positive`),
		runbookGet("detail-text", "GET "+runbooksPath+"?detail=x", "", `400 Invalid detail: Unrecognized value 'x', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`),
		runbookGet("sort-by-steps", "GET "+runbooksPath+"?sort_key=steps", "", `400 The sort_key value steps is an invalid field for sorting`),
		runbookGet("sort-by-traits", "GET "+runbooksPath+"?sort_key=traits", "", `400 The sort_key value traits is an invalid field for sorting`),
		runbookGet("sort-by-extra", "GET "+runbooksPath+"?sort_key=extra", "", `400 The sort_key value extra is an invalid field for sorting`),
		runbookGet("sort-by-version", "GET "+runbooksPath+"?sort_key=version&limit=1", "body.keys", `200 keys=["next","runbooks"]`),
		runbookGet("sort-by-unknown", "GET "+runbooksPath+"?sort_key=color", "", `400 The sort_key value "color" is an invalid field for sorting`),
		runbookGet("sort-by-field-of-nodes", "GET "+runbooksPath+"?sort_key=driver", "", `400 The sort_key value "driver" is an invalid field for sorting`),
		runbookGet("sort-direction", "GET "+runbooksPath+"?sort_dir=up", "", `400 Invalid sort direction: up. Acceptable values are 'asc' or 'desc'`),
		runbookGet("sort-before-marker", "GET "+runbooksPath+"?sort_key=steps&marker={uuid1}", "", `400 The sort_key value steps is an invalid field for sorting`),
	}
}

func runbookPaths() []behavior {
	return []behavior{
		runbookGet("missing-by-uuid", "GET "+oneRunbook, "", `404 Runbook {uuid1} could not be found.`),
		runbookGet("name-with-a-blank", "GET "+runbooksPath+"/a%20b", "", `400 Expected UUID or name for runbook_ident: a b`),
		runbookGet("show-other-argument", "GET "+runbooksPath+"/x?color=red", "", `400 Unexpected arguments: color`),
		{name: "show-fields", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: plainRunbook},
			{call: "GET " + oneRunbook + "?fields=color", want: `400 Field(s) "color" are not valid`},
			{call: "GET " + oneRunbook + "?fields=", see: "order", want: `200 order=links`},
			{call: "GET " + oneRunbook + "?fields=links,created_at", see: "order", want: `200 order=created_at,links`},
			{call: "GET " + oneRunbook + "/color", want: `400 Field(s) "color" are not valid`},
			{call: "GET " + oneRunbook + "/traits/x", see: "shape", want: `405 pecan code,description,title`},
			{call: "GET " + oneRunbook + "/color/traits", want: `500 RunbooksController.get_one() takes from 2 to 3 positional arguments but 4 were given`},
			{call: "DELETE " + oneRunbook + "/color", want: `500 RunbooksController.delete() takes 2 positional arguments but 3 were given`},
			{call: "PUT " + oneRunbook, body: `{}`, see: "shape", want: `405 pecan code,description,title`},
			{call: "PUT " + runbooksPath, body: `{}`, see: "shape", want: `405 pecan code,description,title`},
			{call: "POST " + oneRunbook, body: `{}`, want: `500 RunbooksController.post() got multiple values for argument 'runbook'`},
			{call: "POST " + oneRunbook, body: `{"name": "{trait2}", ` + someSteps + `}`, want: `500 RunbooksController.post() got multiple values for argument 'runbook'`},
			{call: "POST " + oneRunbook + "/traits", body: `{}`, see: "shape", want: `405 pecan code,description,title`},
			{call: "PATCH " + oneRunbook + "/color", body: `[]`, want: `400 Schema error for patch: 'color' is not of type 'array'`},
			{call: "DELETE " + oneRunbook + "?color=red", want: `400 Unexpected arguments: color`},
			{call: "DELETE " + runbooksPath, want: `400 Missing mandatory parameter: runbook_ident`},
			{call: "PATCH " + runbooksPath, body: `[]`, want: `400 Missing mandatory parameter: runbook_ident`},
			{call: "DELETE " + runbooksPath + "/a%20b", want: `400 Expected UUID or name for runbook_ident: a b`},
		}},
	}
}

func runbookBodies() []behavior {
	return []behavior{
		runbookBody("post-null", `null`, `500 'NoneType' object is not subscriptable`),
		runbookBody("post-list", `[]`, `400 Schema error for runbook: [] is not of type 'object'`),
		runbookBody("post-empty", `{}`, `400 Schema error for runbook: 'steps' is a required property`),
		runbookBody("no-steps", `{"name": "{trait1}", "steps": []}`, `400 Schema error for runbook: [] should be non-empty`),
		runbookBody("no-name", `{`+someSteps+`}`, `400 Schema error for runbook: 'name' is a required property`),
		runbookBody("name-null", `{"name": null, `+someSteps+`}`, `400 Schema error for runbook: None is not of type 'string'`),
		runbookBody("name-empty", `{"name": "", `+someSteps+`}`, `400 Schema error for runbook: '' should be non-empty`),
		runbookBody("name-with-a-blank-posted", `{"name": "a b", `+someSteps+`}`, `400 Schema error for runbook: 'a b' does not match '^[A-Za-z0-9\\-._~]+$'`),
		runbookBody("name-long", `{"name": "`+repeat("x", 256)+`", `+someSteps+`}`, `400 Schema error for runbook: '`+repeat("x", 256)+`' is too long`),
		runbookBody("name-free", `{"name": "{word1}.~-_", `+someSteps+`}`, `201 name="{word1}.~-_" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=false owner=null description=null traits=[]`),
		{name: "name-is-no-trait", since: 92, steps: []step{{call: "POST " + runbooksPath, version: "1.92", body: `{"name": "fast", ` + someSteps + `}`, want: `400 Schema error for runbook: 'fast' is not valid under any of the given schemas. Possible root cause: 'fast' does not match '^CUSTOM_[A-Z0-9_]+$'`}}},
		{name: "name-is-a-standard-trait", since: 92, steps: []step{{call: "POST " + runbooksPath, version: "1.92", body: `{"uuid": "{uuid1}", "name": "HW_CPU_X86_VMX", ` + someSteps + `}`, see: "name", want: `201 name="HW_CPU_X86_VMX"`}, {call: "DELETE " + oneRunbook}}},
		{name: "argument", since: 112, steps: []step{{call: "POST " + runbooksPath + "?color=red", body: plainRunbook, want: `500 RunbooksController.post() got an unexpected keyword argument 'color'`}}},
		{name: "body-is-no-json", since: 112, steps: []step{{call: "POST " + runbooksPath, body: `{"name"`, want: `500 Expecting ':' delimiter: line 1 column 8 (char 7)`}}},
		runbookPost("traits-posted", `"traits": []`, `400 Schema error for runbook: Additional properties are not allowed ('traits' was unexpected)`),
		runbookPost("unknown", `"color": "red", "version": 1`, `400 Schema error for runbook: Additional properties are not allowed ('color', 'version' were unexpected)`),
		runbookPost("uuid-text", `"uuid": "x"`, `400 Expected UUID for uuid: x`),
		runbookPost("uuid-empty", `"uuid": ""`, `400 Expected UUID for uuid:`),
		runbookPost("uuid-null", `"uuid": null`, `201 name="{trait1}" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=false owner=null description=null traits=[]`),
		runbookPost("uuid-number", `"uuid": 5`, `400 Schema error for runbook: 5 is not of type 'string', 'null'`),
		runbookPost("nulls", `"disable_ramdisk": null, "extra": null, "public": null, "owner": null, "description": null`, `201 name="{trait1}" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=false owner=null description=null traits=[]`),
		runbookPost("disable-ramdisk-text", `"disable_ramdisk": "yes"`, `400 Schema error for runbook: 'yes' is not of type 'boolean', 'null'`),
		runbookPost("public", `"public": true`, `201 name="{trait1}" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=true owner=null description=null traits=[]`),
		runbookPost("public-number", `"public": 1`, `400 Schema error for runbook: 1 is not of type 'boolean', 'null'`),
		runbookPost("owner", `"owner": "{word1}"`, `400 Cannot create a runbook as a project scoped admin with an owner other than your own project.`),
		runbookPost("owner-empty", `"owner": ""`, `201 name="{trait1}" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=false owner=null description=null traits=[]`),
		runbookPost("owner-long", `"owner": "`+repeat("x", 256)+`"`, `400 Schema error for runbook: '`+repeat("x", 256)+`' is too long`),
		runbookPost("owner-and-public", `"owner": "{word1}", "public": true`, `400 Cannot create a runbook as a project scoped admin with an owner other than your own project.`),
		runbookPost("extra-list", `"extra": []`, `400 Schema error for runbook: [] is not of type 'object', 'null'`),
		runbookPost("description-long", `"description": "`+repeat("x", 256)+`"`, `400 Schema error for runbook: '`+repeat("x", 256)+`' is too long`),
		runbookPost("description-empty", `"description": ""`, `201 name="{trait1}" steps=[{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] disable_ramdisk=false extra={} public=false owner=null description="" traits=[]`),
		runbookPost("description-number", `"description": 5`, `400 Schema error for runbook: 5 is not of type 'string', 'null'`),
		runbookBody("steps-object", `{"name": "{trait1}", "steps": {}}`, `400 Schema error for runbook: {} is not of type 'array'`),
		runbookStep("step-text", `"x"`, `400 Schema error for runbook: 'x' is not of type 'object'`),
		runbookStep("step-empty", `{}`, `400 Schema error for runbook: 'interface' is a required property`),
		runbookStep("step-without-order", `{"interface": "bios", "step": "x", "args": {}}`, `400 Schema error for runbook: 'order' is a required property`),
		runbookStep("step-without-step", `{"interface": "bios", "order": 1}`, `400 Schema error for runbook: 'step' is a required property`),
		runbookStep("step-with-priority", `{"interface": "bios", "step": "x", "order": 1, "priority": 5}`, `400 Schema error for runbook: Additional properties are not allowed ('priority' was unexpected)`),
		runbookStep("interface-unknown", `{"interface": "network", "step": "x", "order": 1}`, `400 Schema error for runbook: 'network' is not one of ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid']`),
		runbookStep("interface-number", `{"interface": 5, "step": "x", "order": 1}`, `400 Schema error for runbook: 5 is not of type 'string'`),
		runbookStep("step-with-an-empty-name", `{"interface": "bios", "step": "", "order": 1}`, `400 Schema error for runbook: '' should be non-empty`),
		runbookStep("args-list", `{"interface": "bios", "step": "x", "order": 1, "args": []}`, `400 Schema error for runbook: [] is not of type 'object'`),
		runbookStep("args-null", `{"interface": "bios", "step": "x", "order": 1, "args": null}`, `400 Schema error for runbook: None is not of type 'object'`),
		runbookStep("order-text", `{"interface": "bios", "step": "x", "order": "007"}`, `201 steps=[{"args":{},"interface":"bios","order":7,"step":"x"}]`),
		runbookStep("order-word", `{"interface": "bios", "step": "x", "order": "first"}`, `400 Schema error for runbook: 'first' does not match '^[0-9]+$'`),
		runbookStep("order-negative", `{"interface": "bios", "step": "x", "order": -1}`, `400 Schema error for runbook: -1 is less than the minimum of 0`),
		runbookStep("order-whole", `{"interface": "bios", "step": "x", "order": 5.0}`, `201 steps=[{"args":{},"interface":"bios","order":5,"step":"x"}]`),
		runbookStep("order-fraction", `{"interface": "bios", "step": "x", "order": 5.5}`, `400 Schema error for runbook: 5.5 is not valid under any of the given schemas. Possible root cause: 5.5 is not of type 'integer'`),
		runbookStep("order-null", `{"interface": "bios", "step": "x", "order": null}`, `400 Schema error for runbook: None is not valid under any of the given schemas. Possible root cause: None is not of type 'integer'`),
		runbookStep("steps-keep-their-order", `{"interface": "raid", "step": "b", "order": 9}, {"interface": "bios", "step": "z", "order": 5}, {"interface": "bios", "step": "a", "order": 7}`, `201 steps=[{"args":{},"interface":"raid","order":9,"step":"b"},{"args":{},"interface":"bios","order":5,"step":"z"},{"args":{},"interface":"bios","order":7,"step":"a"}]`),
		runbookStep("step-twice", resetStep+`, {"interface": "bios", "step": "factory_reset", "order": 2}`, `400 Deploy template invalid: Duplicate deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: bios, step: factory_reset.`),
		runbookStep("step-disallowed", `{"interface": "vendor", "step": "send_raw", "order": 1}`, `201 steps=[{"args":{},"interface":"vendor","order":1,"step":"send_raw"}]`),
	}
}

func runbookPatches() []behavior {
	return []behavior{
		runbookPatch("patch-no-operation", `[]`, "name steps updated_at", `200 name="{trait1}" steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}] updated_at=null`),
		runbookPatch("patch-to-the-same", `[{"op": "replace", "path": "/name", "value": "{trait1}"}]`, "updated_at", `200 updated_at=null`),
		runbookPatch("patch-steps-to-the-same", `[{"op": "replace", "path": "/steps/1/order", "value": 10}]`, "steps updated_at?", `200 steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}] updated_at=null`),
		runbookPatch("patch-no-list", `{}`, "", `400 Schema error for patch: {} is not of type 'array'`),
		runbookPatch("patch-null", `null`, "", `500 'NoneType' object is not iterable`),
		runbookPatch("patch-operation", `[{"op": "move", "path": "/name"}]`, "", `400 Schema error for patch: 'move' is not one of ['add', 'replace', 'remove']`),
		runbookPatch("patch-without-value", `[{"op": "replace", "path": "/name"}]`, "", `400 Couldn't apply patch '{'op': 'replace', 'path': '/name'}'. Reason: The operation does not contain a 'value' member`),
		runbookPatch("patch-name", `[{"op": "replace", "path": "/name", "value": "{word2}"}]`, "name updated_at?", `200 name="{word2}" updated_at=set`),
		runbookPatch("patch-name-null", `[{"op": "replace", "path": "/name", "value": null}]`, "", `400 Schema error for patch: None is not of type 'string'`),
		runbookPatch("patch-remove-name", `[{"op": "remove", "path": "/name"}]`, "", `400 Schema error for patch: 'name' is a required property`),
		runbookPatch("patch-description", `[{"op": "add", "path": "/description", "value": "{word2}"}]`, "description", `200 description="{word2}"`),
		runbookPatch("patch-remove-description", `[{"op": "remove", "path": "/description"}]`, "description", `200 description=null`),
		runbookPatch("patch-extra", `[{"op": "add", "path": "/extra/b", "value": 2}]`, "extra", `200 extra={"a":1,"b":2}`),
		runbookPatch("patch-remove-extra", `[{"op": "remove", "path": "/extra"}]`, "extra", `200 extra={}`),
		runbookPatch("patch-remove-disable-ramdisk", `[{"op": "remove", "path": "/disable_ramdisk"}]`, "disable_ramdisk", `200 disable_ramdisk=false`),
		runbookPatch("patch-disable-ramdisk-text", `[{"op": "replace", "path": "/disable_ramdisk", "value": "no"}]`, "", `400 Schema error for patch: 'no' is not of type 'boolean', 'null'`),
		runbookPatch("patch-public", `[{"op": "replace", "path": "/public", "value": true}]`, "public owner", `200 public=true owner=null`),
		runbookPatch("patch-public-without-value", `[{"op": "replace", "path": "/public"}]`, "", `500 'value'`),
		runbookPatch("patch-remove-public", `[{"op": "remove", "path": "/public"}]`, "public", `200 public=false`),
		runbookPatch("patch-public-and-owner", `[{"op": "replace", "path": "/public", "value": true}, {"op": "replace", "path": "/owner", "value": "x"}]`, "", `400 Couldn't apply patch '[{'op': 'replace', 'path': '/public', 'value': True}, {'op': 'replace', 'path': '/owner', 'value': 'x'}]'. Reason: There cannot be an owner for a public runbook`),
		runbookPatch("patch-private-and-owner", `[{"op": "replace", "path": "/public", "value": false}, {"op": "replace", "path": "/owner", "value": "x"}]`, "public owner", `200 public=false owner="x"`),
		runbookPatch("patch-uuid", `[{"op": "replace", "path": "/uuid", "value": "{uuid2}"}]`, "", `400 Cannot patch /uuid. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps, description`),
		runbookPatch("patch-traits", `[{"op": "add", "path": "/traits/-", "value": "CUSTOM_A"}]`, "", `400 Cannot patch /traits/-. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps, description`),
		runbookPatch("patch-unknown", `[{"op": "add", "path": "/color", "value": "red"}]`, "", `400 Cannot patch /color. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps, description`),
		runbookPatch("patch-remove-steps", `[{"op": "remove", "path": "/steps"}]`, "", `400 Schema error for patch: 'steps' is a required property`),
		runbookPatch("patch-steps-null", `[{"op": "replace", "path": "/steps", "value": null}]`, "", `500 'NoneType' object is not iterable`),
		runbookPatch("patch-steps-text", `[{"op": "replace", "path": "/steps", "value": "x"}]`, "", `500 'str' object has no attribute 'pop'`),
		runbookPatch("patch-no-steps", `[{"op": "replace", "path": "/steps", "value": []}]`, "", `400 Schema error for patch: [] should be non-empty`),
		runbookPatch("patch-steps-empty-text", `[{"op": "replace", "path": "/steps", "value": ""}]`, "", `400 Schema error for patch: '' is not of type 'array'`),
		runbookPatch("patch-steps-number", `[{"op": "replace", "path": "/steps", "value": 5}]`, "", `500 'int' object is not iterable`),
		runbookPatch("patch-steps-object", `[{"op": "replace", "path": "/steps", "value": {}}]`, "", `400 Schema error for patch: {} is not of type 'array'`),
		runbookPatch("patch-steps-with-null", `[{"op": "replace", "path": "/steps", "value": [null]}]`, "", `500 'NoneType' object is not iterable`),
		runbookPatch("patch-steps-with-an-empty-text", `[{"op": "replace", "path": "/steps", "value": [""]}]`, "", `400 Schema error for patch: '' is not of type 'object'`),
		runbookPatch("patch-steps-with-a-list", `[{"op": "replace", "path": "/steps", "value": [[]]}]`, "", `400 Schema error for patch: [] is not of type 'object'`),
		runbookPatch("patch-order-whole", `[{"op": "replace", "path": "/steps/1/order", "value": 10.0}]`, "steps updated_at?", `200 steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}] updated_at=null`),
		runbookPatch("patch-args", `[{"op": "add", "path": "/steps/1/args/a", "value": 1}, {"op": "replace", "path": "/steps/1/order", "value": "10"}]`, "steps updated_at?", `200 steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{"a":1},"interface":"bios","order":10,"step":"factory_reset"}] updated_at=null`),
		runbookPatch("patch-steps-with-text", `[{"op": "replace", "path": "/steps", "value": ["x"]}]`, "", `500 'str' object has no attribute 'pop'`),
		runbookPatch("patch-remove-a-missing-step", `[{"op": "remove", "path": "/steps/5"}]`, "", `400 Couldn't apply patch '{'op': 'remove', 'path': '/steps/5'}'. Reason: can't remove a non-existent object '5'`),
		runbookPatch("patch-order", `[{"op": "replace", "path": "/steps/0/order", "value": 5}]`, "steps", `200 steps=[{"args":{},"interface":"bios","order":10,"step":"factory_reset"},{"args":{"password":"******"},"interface":"raid","order":5,"step":"create_configuration"}]`),
		runbookPatch("patch-order-text", `[{"op": "replace", "path": "/steps/1/order", "value": "10"}]`, "steps", `500 '<' not supported between instances of 'int' and 'str'`),
		runbookPatch("patch-order-text-elsewhere", `[{"op": "add", "path": "/steps/-", "value": {"interface": "deploy", "step": "y", "order": "9"}}]`, "steps", `500 (sqlite3.IntegrityError) NOT NULL constraint failed: runbook_steps.args …`),
		runbookPatch("patch-order-negative", `[{"op": "replace", "path": "/steps/0/order", "value": -5}]`, "", `400 Schema error for patch: -5 is less than the minimum of 0`),
		runbookPatch("patch-step-unknown-field", `[{"op": "add", "path": "/steps/0/color", "value": "red"}]`, "steps", `200 steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}]`),
		runbookPatch("patch-step-id", `[{"op": "add", "path": "/steps/0/priority", "value": 5}]`, "steps", `200 steps=[{"args":{"password":"******"},"interface":"raid","order":20,"step":"create_configuration"},{"args":{},"interface":"bios","order":10,"step":"factory_reset"}]`),
		runbookPatch("patch-add-steps", `[{"op": "add", "path": "/steps/0", "value": {"interface": "power", "step": "z", "args": {}, "order": 2}}, {"op": "add", "path": "/steps/0", "value": {"interface": "power", "step": "a", "args": {}, "order": 1}}]`, "steps.#.step", `200 steps.#.step=["create_configuration","factory_reset","a","z"]`),
		runbookPatch("patch-remove-a-step", `[{"op": "remove", "path": "/steps/0"}]`, "steps", `200 steps=[{"args":{},"interface":"bios","order":10,"step":"factory_reset"}]`),
		runbookPatch("patch-step-twice", `[{"op": "add", "path": "/steps/-", "value": `+resetStep+`}]`, "", `400 Deploy template invalid: Duplicate deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: bios, step: factory_reset.`),
		runbookPatch("patch-without-args", `[{"op": "remove", "path": "/steps/1/args"}]`, "steps", `500 (sqlite3.IntegrityError) NOT NULL constraint failed: runbook_steps.args …`),
		runbookPatch("patch-two-mistakes", `[{"op": "replace", "path": "/name", "value": 5}, {"op": "replace", "path": "/steps/0/step", "value": 5}]`, "", `400 Schema error for patch: 5 is not of type 'string'`),
		{name: "owners", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: plainRunbook},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}]`, see: "owner public", want: `200 owner="{word1}" public=false`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": null}]`, see: "owner", want: `200 owner=null`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}]`, see: "owner", want: `200 owner="{word1}"`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/public", "value": false}]`, see: "owner public", want: `200 owner=null public=false`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}]`, see: "owner", want: `200 owner="{word1}"`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/public", "value": true}]`, see: "owner public", want: `200 owner=null public=true`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}]`, want: `400 Couldn't apply patch '[{'op': 'replace', 'path': '/owner', 'value': '{word1}'}]'. Reason: There cannot be an owner for a public runbook`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": null}]`, want: `400 Couldn't apply patch '[{'op': 'replace', 'path': '/owner', 'value': None}]'. Reason: There cannot be an owner for a public runbook`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "remove", "path": "/owner"}]`, see: "owner", want: `200 owner=null`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}, {"op": "replace", "path": "/public", "value": false}]`, see: "owner public", want: `200 owner="{word1}" public=false`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": ""}]`, see: "owner", want: `200 owner=""`},
			{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner"}]`, want: `500 'value'`},
		}},
	}
}

func runbookTraits() []behavior {
	return []behavior{
		{name: "traits", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: plainRunbook},
			{call: "GET " + oneRunbook + "/traits", see: "body", want: `200 body={"traits":[]}`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_B", see: "header:Location", want: `204 Location={url}/v1/runbooks/{uuid1}/traits/CUSTOM_B`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_B", want: `204`},
			{call: "PUT " + runbooksPath + "/{trait1}/traits/CUSTOM_A", see: "header:Location", want: `204 Location={url}/v1/runbooks/{trait1}/traits/CUSTOM_A`},
			{call: "GET " + runbooksPath + "/{trait1}/traits", see: "body", want: `200 body={"traits":["CUSTOM_A","CUSTOM_B"]}`},
			{call: "GET " + oneRunbook, see: "traits updated_at", want: `200 traits=["CUSTOM_A","CUSTOM_B"] updated_at=null`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": ["CUSTOM_Z", "HW_CPU_X86_VMX", "CUSTOM_Z", "CUSTOM_D"]}`, see: "header:Location", want: `204 Location=`},
			{call: "GET " + oneRunbook + "/traits", see: "traits.sorted", want: `200 traits.sorted=["CUSTOM_D","CUSTOM_Z","HW_CPU_X86_VMX"]`},
			{call: "DELETE " + oneRunbook + "/traits/CUSTOM_D", want: `204`},
			{call: "DELETE " + oneRunbook + "/traits/CUSTOM_D", want: `204`},
			{call: "DELETE " + oneRunbook + "/traits/lower", want: `204`},
			{call: "GET " + oneRunbook + "/traits", see: "body", want: `200 body={"traits":["CUSTOM_Z","HW_CPU_X86_VMX"]}`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": []}`, want: `204`},
			{call: "GET " + oneRunbook + "/traits", see: "body", want: `200 body={"traits":[]}`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_B"},
			{call: "DELETE " + oneRunbook + "/traits", want: `204`},
			{call: "GET " + oneRunbook, see: "traits updated_at", want: `200 traits=[] updated_at=null`},
		}},
		{name: "traits-refused", since: 112, steps: []step{
			{call: "POST " + runbooksPath, body: plainRunbook},
			{call: "PUT " + oneRunbook + "/traits/slow", want: `400 Schema error for trait: 'slow' is not valid under any of the given schemas. Possible root cause: 'slow' does not match '^CUSTOM_[A-Z0-9_]+$'`},
			{call: "PUT " + oneRunbook + "/traits", want: oneRunbookTrait},
			{call: "PUT " + oneRunbook + "/traits", body: `{}`, want: oneRunbookTrait},
			{call: "PUT " + oneRunbook + "/traits", body: `null`, want: oneRunbookTrait},
			{call: "PUT " + oneRunbook + "/traits", body: `[]`, want: `400 Schema error for body: [] is not of type 'object'`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": null}`, want: `400 Schema error for body: None is not of type 'array'`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": "CUSTOM_A"}`, want: `400 Schema error for body: 'CUSTOM_A' is not of type 'array'`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": ["slow"]}`, want: `400 Schema error for body: 'slow' is not valid under any of the given schemas. Possible root cause: 'slow' does not match '^CUSTOM_[A-Z0-9_]+$'`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": [5]}`, want: `400 Schema error for body: 5 is not of type 'string'`},
			{call: "PUT " + oneRunbook + "/traits", body: `{"traits": [], "color": "red"}`, want: `400 Schema error for body: Additional properties are not allowed ('color' was unexpected)`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_A", body: `{"traits": []}`, want: oneRunbookTrait},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_A", body: `{"color": 1}`, want: `400 Schema error for body: Additional properties are not allowed ('color' was unexpected)`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_A", body: `{}`, want: `204`},
			{call: "PUT " + oneRunbook + "/traits/CUSTOM_A/x", want: `400 Schema error for body: 'x' is not of type 'object'`},
			{call: "PUT " + oneRunbook + "/traits?color=red", body: `{"traits": []}`, want: `400 Unexpected arguments: color`},
			{call: "DELETE " + oneRunbook + "/traits?color=red", want: `400 Unexpected arguments: color`},
			{call: "DELETE " + oneRunbook + "/traits/a/b", want: `500 RunbookTraitsController.delete() takes from 1 to 2 positional arguments but 3 were given`},
			{call: "GET " + oneRunbook + "/traits?color=red", want: `500 RunbookTraitsController.get_all() got an unexpected keyword argument 'color'`},
			{call: "PATCH " + oneRunbook + "/traits", body: `[]`, see: "shape", want: `405 pecan code,description,title`},
			{call: "GET " + runbooksPath + "/nope/traits", want: `404 Runbook nope could not be found.`},
			{call: "GET " + runbooksPath + "/a%20b/traits", want: `400 Expected a logical name or UUID but received a b.`},
			{call: "PUT " + runbooksPath + "/nope/traits/CUSTOM_A", want: `404 Runbook nope could not be found.`},
			{call: "PUT " + runbooksPath + "/nope/traits/slow", want: `400 Schema error for trait: 'slow' is not valid under any of the given schemas. Possible root cause: 'slow' does not match '^CUSTOM_[A-Z0-9_]+$'`},
			{call: "PUT " + runbooksPath + "/nope/traits", want: `404 Runbook nope could not be found.`},
			{call: "DELETE " + runbooksPath + "/nope/traits", want: `404 Runbook nope could not be found.`},
			{call: "DELETE " + runbooksPath + "/nope/traits/CUSTOM_A", want: `404 Runbook nope could not be found.`},
		}},
	}
}

// useRunbook returns a behavior that posts a runbook with a trait and then runs the steps, which use the runbook on a
// node that has no traits yet.
func useRunbook(name, state, runbook string, steps ...step) behavior {
	return behavior{name: name, since: 112, state: state, steps: append([]step{
		{call: "POST " + runbooksPath, body: runbook},
		{call: "PUT " + oneRunbook + "/traits/{trait2}"},
	}, steps...)}
}

func runbookUse() []behavior {
	return []behavior{
		useRunbook("use-traits", "manageable", plainRunbook,
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `400 This runbook has not been approved for use on this node {node}. The node does not have any of the runbook's traits ['{trait2}']. Please ask an administrator to add a matching trait to your node.`},
			step{call: provisionCall, version: "1.111", body: `{"target": "clean", "runbook": "{trait1}"}`, want: `400 This runbook has not been approved for use on this node {node}. Please ask an administrator to add it to your node traits.`},
			step{call: provisionCall, version: "1.91", body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `406 Request not acceptable.`},
			step{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `400 This runbook has not been approved for use on this node {node}. The node does not have any of the runbook's traits ['{trait2}']. Please ask an administrator to add a matching trait to your node.`},
			step{call: "DELETE " + oneRunbook + "/traits"},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{trait1}"}`, want: `400 Runbook {uuid1} has no traits configured. Please ask an administrator to add traits to the runbook.`},
			step{call: "PUT " + oneRunbook + "/traits", body: `{"traits": ["CUSTOM_Z", "CUSTOM_A", "CUSTOM_M"]}`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{trait1}"}`, want: `400 This runbook has not been approved for use on this node {node}. The node does not have any of the runbook's traits ['CUSTOM_A', 'CUSTOM_M', 'CUSTOM_Z']. Please ask an administrator to add a matching trait to your node.`},
		),
		useRunbook("use-refused", "manageable", plainRunbook,
			step{call: "PUT /v1/nodes/{node}/traits/{trait2}"},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "clean_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 Please provide either "clean_steps" or a runbook, but not both.`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "clean_steps": [5]}`, want: `400 Please provide either "clean_steps" or a runbook, but not both.`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "clean_steps": []}`, version: "1.91", want: `406 Request not acceptable.`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "service_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 "runbooks" is only valid when setting target provision state to any of ['clean', 'service']`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "deploy_steps": [{"interface": "bios", "step": "x", "args": {}, "priority": 1}]}`, want: `400 "deploy_steps" is only valid when setting target provision state to active or rebuild`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "rescue_password": "x"}`, want: `400 "rescue_password" is only valid when setting target provision state to rescue`},
			step{call: provisionCall, body: `{"target": "provide", "runbook": "{uuid1}"}`, want: `400 disable_ramdisk is supported only with manual cleaning or servicing`},
			step{call: provisionCall, body: `{"target": "provide", "runbook": "{uuid1}", "clean_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 disable_ramdisk is supported only with manual cleaning or servicing`},
			step{call: provisionCall, body: `{"target": "inspect", "runbook": "{word1}"}`, want: `404 Runbook {word1} could not be found.`},
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}"}`, want: `400 The requested action "service" can not be performed on node "{node}" while it is in state "manageable".`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "a b"}`, want: `400 Expected a logical name or UUID but received a b.`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid2}"}`, want: `404 Runbook {uuid2} could not be found.`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": 5}`, want: `400 Expected types <class 'NoneType'>, <class 'str'> for runbook: 5`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": ""}`, want: `400 "clean_steps" is required when setting target provision state to clean`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": null}`, want: `400 "clean_steps" is required when setting target provision state to clean`},
			step{call: provisionCall, body: `{"target": "active", "runbook": "{uuid2}", "configdrive": "x"}`, want: `400 The requested action "active" can not be performed on node "{node}" while it is in state "manageable".`},
			step{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/maintenance", "value": true}]`},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `400 The cleaning operation can't be performed on node {node} because it's in maintenance mode.`},
		),
		useRunbook("use-disallowed-step", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", "steps": [{"interface": "vendor", "step": "send_raw", "order": 1}]}`,
			step{call: "PUT /v1/nodes/{node}/traits/{trait2}"},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `400 clean step 'vendor.send_raw' is not allowed. Disallowed by operator configuration [api]disallow_clean_steps.`},
		),
		useRunbook("use-on-active-node", "active", plainRunbook,
			step{call: "PUT /v1/nodes/{node}/traits/{trait2}"},
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, want: `400 The requested action "clean" can not be performed on node "{node}" while it is in state "active".`},
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}", "service_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 Please provide either "service_steps" or a runbook, but not both.`},
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}", "clean_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 "runbooks" is only valid when setting target provision state to any of ['clean', 'service']`},
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}", "disable_ramdisk": true}`, version: "1.107", want: `400 This runbook has not been approved for use on this node {node}. Please ask an administrator to add it to your node traits.`},
			step{call: provisionCall, body: `{"target": "rebuild", "runbook": "{uuid1}", "clean_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 disable_ramdisk is supported only with manual cleaning or servicing`},
			step{call: provisionCall, body: `{"target": "rebuild", "runbook": "{uuid1}", "service_steps": [{"interface": "bios", "step": "x"}]}`, want: `400 disable_ramdisk is supported only with manual cleaning or servicing`},
			step{call: provisionCall, body: `{"target": "rebuild", "runbook": "{uuid1}"}`, want: `400 disable_ramdisk is supported only with manual cleaning or servicing`},
		),
	}
}

// runbookRuns covers cleaning and servicing with the steps of a runbook.
func runbookRuns() []behavior {
	const (
		after    = "provision_state target_provision_state last_error clean_step service_step maintenance fault reservation"
		internal = "driver_internal_info.clean_steps driver_internal_info.cleaning_disable_ramdisk driver_internal_info.declarative_cleaning driver_internal_info.keys"
		fakeStep = `"steps": [{"interface": "vendor", "step": "log_passthrough", "args": {}, "order": 2}, {"interface": "bios", "step": "factory_reset", "order": 1}]`
	)
	clean := step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}"}`, see: "header:Location", want: `202 Location={url}/v1/nodes/{node}/states`}
	until := func(state string) step {
		return step{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="` + state + `" reservation=null`}
	}
	match := step{call: "PUT /v1/nodes/{node}/traits/{trait2}"}
	return []behavior{
		useRunbook("clean", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, match, clean, until("manageable"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="manageable" target_provision_state=null last_error=null clean_step={} service_step={} maintenance=false fault=null reservation=null`}, step{call: "GET /v1/nodes/{node}", see: internal, want: `200 driver_internal_info.clean_steps=null driver_internal_info.cleaning_disable_ramdisk=absent driver_internal_info.declarative_cleaning=absent driver_internal_info.keys=["clean_steps"]`}),
		useRunbook("clean-by-name-before-traits", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, step{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			step{call: provisionCall, version: "1.92", body: `{"target": "clean", "runbook": "{trait1}"}`, see: "header:Location", want: `202 Location={url}/v1/nodes/{node}/states`}, until("manageable"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="manageable" target_provision_state=null last_error=null clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
		useRunbook("clean-without-ramdisk", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", "disable_ramdisk": true, `+fakeStep+`}`, match, clean, until("clean failed"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="clean failed" target_provision_state="manageable" last_error="Cannot clean node {node}: clean step {'interface': 'vendor', 'step': 'log_passthrough', 'args': {}, 'order': 2} requires booting a ramdisk; clean step {'interface': 'bios', 'step': 'factory_reset', 'args': {}, 'order': 1} requires booting a ramdisk" clean_step={} service_step={} maintenance=false fault=null reservation=null`}, step{call: "GET /v1/nodes/{node}", see: internal, want: `200 driver_internal_info.clean_steps=[{"args":{},"interface":"vendor","order":2,"step":"log_passthrough"},{"args":{},"interface":"bios","order":1,"step":"factory_reset"}] driver_internal_info.cleaning_disable_ramdisk=true driver_internal_info.declarative_cleaning=true driver_internal_info.keys=["clean_steps","cleaning_disable_ramdisk","declarative_cleaning"]`}),
		useRunbook("clean-ignores-disable-ramdisk", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, match,
			step{call: provisionCall, body: `{"target": "clean", "runbook": "{uuid1}", "disable_ramdisk": true}`, want: `202`}, until("manageable"),
			step{call: "GET /v1/nodes/{node}", see: internal, want: `200 driver_internal_info.clean_steps=null driver_internal_info.cleaning_disable_ramdisk=absent driver_internal_info.declarative_cleaning=absent driver_internal_info.keys=["clean_steps"]`}),
		useRunbook("clean-with-unknown-step", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", "steps": [{"interface": "bios", "step": "polish", "order": 1}]}`, match, clean, until("clean failed"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="clean failed" target_provision_state="manageable" last_error="Cannot clean node {node}: node does not support this clean step: {'interface': 'bios', 'step': 'polish', 'args': {}, 'order': 1}" clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
		useRunbook("clean-with-unknown-argument", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", "steps": [{"interface": "vendor", "step": "log_passthrough", "args": {"a": 1}, "order": 1}]}`, match, clean, until("clean failed"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="clean failed" target_provision_state="manageable" last_error="Cannot clean node {node}: clean step {'interface': 'vendor', 'step': 'log_passthrough', 'args': {'a': 1}, 'order': 1, 'abortable': False, 'priority': 1} has these unexpected arguments: a" clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
		useRunbook("service", "active", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, match,
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}"}`, see: "header:Location", want: `202 Location={url}/v1/nodes/{node}/states`}, until("active"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="active" target_provision_state=null last_error=null clean_step={} service_step={} maintenance=false fault=null reservation=null`},
			step{call: "GET /v1/nodes/{node}", see: "driver_internal_info.service_steps driver_internal_info.service_disable_ramdisk driver_internal_info.keys", want: `200 driver_internal_info.service_steps=null driver_internal_info.service_disable_ramdisk=absent driver_internal_info.keys=["service_steps"]`}),
		useRunbook("service-without-ramdisk", "active", `{"uuid": "{uuid1}", "name": "{trait1}", "disable_ramdisk": true, `+fakeStep+`}`, match,
			step{call: provisionCall, body: `{"target": "service", "runbook": "{trait1}"}`, want: `202`}, step{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation last_error?", want: `200 provision_state="servicing" reservation=null last_error=set`},
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="servicing" target_provision_state="active" last_error="Async execution of do_node_service failed with error: node does not support this service step: {'interface': 'bios', 'step': 'factory_reset', 'args': {}, 'order': 1}" clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
		useRunbook("service-with-unknown-step", "active", `{"uuid": "{uuid1}", "name": "{trait1}", "steps": [{"interface": "bios", "step": "polish", "order": 1}]}`, match,
			step{call: provisionCall, body: `{"target": "service", "runbook": "{uuid1}"}`, want: `202`}, until("service failed"),
			step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="service failed" target_provision_state="active" last_error="Node {node} failed step {'interface': 'bios', 'step': 'polish', 'args': {}, 'order': 1}: 'FakeBIOS' object has no attribute 'polish'" clean_step={} service_step={} maintenance=true fault="service failure" reservation=null`}),
		useRunbook("service-too-old", "active", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, step{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			step{call: provisionCall, version: "1.107", body: `{"target": "service", "runbook": "{trait1}"}`, want: `406 disable_ramdisk is not acceptable in this API version`},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="active" reservation=null`}),
		useRunbook("run-owned", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, match,
			step{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/owner", "value": "{word1}"}]`},
			clean, until("manageable"), step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="manageable" target_provision_state=null last_error=null clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
		useRunbook("run-public", "manageable", `{"uuid": "{uuid1}", "name": "{trait1}", `+fakeStep+`}`, match,
			step{call: "PATCH " + oneRunbook, body: `[{"op": "replace", "path": "/public", "value": true}]`},
			clean, until("manageable"), step{call: "GET /v1/nodes/{node}", see: after, want: `200 provision_state="manageable" target_provision_state=null last_error=null clean_step={} service_step={} maintenance=false fault=null reservation=null`}),
	}
}
