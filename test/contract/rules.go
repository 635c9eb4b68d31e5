package contract

import "slices"

const (
	rulesPath   = "/v1/inspection_rules"
	oneRule     = rulesPath + "/{uuid1}"
	someActions = `"actions": [{"op": "set-attribute", "args": {"path": "/driver", "value": "fake"}}]`
	// validRule holds the fields that Ironic needs. Ironic stores a rule without conditions, but cannot show it.
	validRule     = `"conditions": [], ` + someActions
	plainRule     = `{"uuid": "{uuid1}", ` + validRule + `}`
	fullRule      = `{"uuid": "{uuid1}", "description": "{word1}", "priority": 7, "phase": "main", ` + someActions + `, ` + `"conditions": [{"op": "!eq", "args": {"values": ["{inventory[cpu][count]}", 4]}}]}`
	sensitiveRule = `{"uuid": "{uuid1}", "sensitive": true, ` + someActions + `, "conditions": [{"op": "is-none", "args": {"value": 1}}]}`
)

// rules covers inspections and inspection rules. The inspections come first, because a rule applies to every
// inspection.
func rules() group {
	return group{name: "inspection-rules", alone: true, behaviors: slices.Concat(
		inspections(), ruleRuns(), ruleLife(), ruleLists(), rulePaths(), ruleBodies(), ruleArguments(), ruleOperators(), rulePatches(),
	)}
}

func ruleGet(name, call, see, want string) behavior {
	return behavior{name: name, since: 96, steps: []step{{call: call, see: see, want: want}}}
}

func rulePost(name, body, want string) behavior {
	return behavior{name: name, since: 96, steps: []step{{call: "POST " + rulesPath, body: body, see: "priority phase sensitive description actions conditions", want: want}}}
}

// ruleActions returns a behavior that posts a rule with the actions in body.
func ruleActions(name, body, want string) behavior {
	return behavior{name: name, since: 96, steps: []step{{call: "POST " + rulesPath, body: `{"conditions": [], "actions": [` + body + `]}`, see: "actions", want: want}}}
}

// ruleConditions returns a behavior that posts a rule with the conditions in body.
func ruleConditions(name, body, want string) behavior {
	return behavior{name: name, since: 96, steps: []step{{call: "POST " + rulesPath, body: `{` + someActions + `, "conditions": [` + body + `]}`, see: "conditions", want: want}}}
}

// rulePatch returns a behavior that posts a rule and patches it.
func rulePatch(name, rule, patch, see, want string) behavior {
	return behavior{name: name, since: 96, steps: []step{
		{call: "POST " + rulesPath, body: rule},
		{call: "PATCH " + oneRule, body: patch, see: see, want: want},
	}}
}

// threeRules returns a behavior that creates three rules before the steps. Their descriptions are unique. The list of
// rules cannot be filtered, so the steps use one of these rules as the marker and list only the rules after it.
func threeRules(name string, steps ...step) behavior {
	return behavior{name: name, since: 96, steps: append([]step{
		{call: "POST " + rulesPath, body: `{"uuid": "{uuid1}", "description": "{word1}-b", "priority": 20, ` + validRule + `}`},
		{call: "POST " + rulesPath, body: `{"uuid": "{uuid2}", "description": "{word1}-c", "priority": 10, ` + validRule + `}`},
		{call: "POST " + rulesPath, body: `{"uuid": "{uuid3}", "description": "{word1}-a", "sensitive": true, ` + validRule + `}`},
	}, steps...)}
}

// ruleLife starts with an empty list, so it comes before the behaviors that leave rules behind.
func ruleLife() []behavior {
	return []behavior{
		ruleGet("empty-list", "GET "+rulesPath, "body", `200 body={"inspection_rules":[]}`),
		ruleGet("empty-list-does-not-check-fields", "GET "+rulesPath+"?fields=colour", "body", `200 body={"inspection_rules":[]}`),
		{name: "life", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: fullRule, see: "body.keys order order:actions.0 order:conditions.0 uuid description priority phase sensitive actions conditions links created_at? updated_at? header:Location", want: `201 keys=["actions","conditions","created_at","description","links","phase","priority","sensitive","updated_at","uuid"] order=uuid,created_at,updated_at,description,priority,sensitive,phase,conditions,actions,links order:actions.0=op,args order:conditions.0=op,args uuid="{uuid1}" description="{word1}" priority=7 phase="main" sensitive=false actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[{"args":{"values":["{inventory[cpu][count]}",4]},"op":"!eq"}] links=[{"href":"{url}/v1/inspection/{uuid1}","rel":"self"},{"href":"{url}/inspection/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null Location={url}/v1/inspection_rules/{uuid1}`},
			{call: "GET " + oneRule, see: "order uuid description priority phase sensitive actions conditions links created_at? updated_at?", want: `200 order=uuid,created_at,updated_at,description,priority,sensitive,phase,conditions,actions,links uuid="{uuid1}" description="{word1}" priority=7 phase="main" sensitive=false actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[{"args":{"values":["{inventory[cpu][count]}",4]},"op":"!eq"}] links=[{"href":"{url}/v1/inspection/{uuid1}","rel":"self"},{"href":"{url}/inspection/{uuid1}","rel":"bookmark"}] created_at=set updated_at=null`},
			{call: "GET " + oneRule + "?fields=priority,conditions", see: "body", want: `200 body={"conditions":[{"args":{"values":["{inventory[cpu][count]}",4]},"op":"!eq"}],"links":[{"href":"{url}/v1/inspection/{uuid1}","rel":"self"},{"href":"{url}/inspection/{uuid1}","rel":"bookmark"}],"priority":7}`},
			{call: "PATCH " + oneRule, body: `[{"op": "replace", "path": "/priority", "value": 8}]`, see: "order priority updated_at? header:Location", want: `200 order=uuid,created_at,updated_at,description,priority,sensitive,phase,conditions,actions,links priority=8 updated_at=set Location=`},
			{call: "DELETE " + oneRule, see: "header:Content-Type", want: `204 Content-Type=`},
			{call: "GET " + oneRule, want: `404 Rule {uuid1} could not be found.`},
			{call: "DELETE " + oneRule, want: `404 Rule {uuid1} could not be found.`},
			{call: "PATCH " + oneRule, body: `[]`, want: `404 Rule {uuid1} could not be found.`},
		}},
		{name: "defaults", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: plainRule, see: "description priority phase sensitive actions conditions", want: `201 description=null priority=0 phase="main" sensitive=false actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`},
			{call: "GET " + oneRule, see: "description priority phase sensitive actions conditions", want: `200 description=null priority=0 phase="main" sensitive=false actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`},
		}},
		{name: "without-conditions", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: `{"uuid": "{uuid1}", ` + someActions + `}`, see: "shape text header:Location", want: `500 fault debuginfo,faultcode,faultstring Server 'NoneType' object is not iterable Location={url}/v1/inspection_rules/{uuid1}`},
			{call: "GET " + oneRule, see: "conditions", want: `200 conditions=[]`},
		}},
		{name: "uuid-twice", since: 96, steps: []step{{call: "POST " + rulesPath, body: plainRule}, {call: "POST " + rulesPath, body: plainRule, want: `409 A rule with UUID {uuid1} already exists.`}}},
		{name: "sensitive-hides", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: sensitiveRule, see: "sensitive actions conditions", want: `201 sensitive=true actions=null conditions=null`},
			{call: "GET " + oneRule, see: "sensitive actions conditions", want: `200 sensitive=true actions=null conditions=null`},
			{call: "GET " + oneRule + "?fields=actions,conditions", see: "body.keys actions conditions", want: `200 keys=["actions","conditions","links"] actions=null conditions=null`},
			{call: "PATCH " + oneRule, body: `[{"op": "replace", "path": "/sensitive", "value": false}]`, want: `400 Couldn't apply patch '[{'op': 'replace', 'path': '/sensitive', 'value': False}]'. Reason: Inspection rules cannot have the sensitive flag unset.`},
			{call: "PATCH " + oneRule, body: `[{"op": "replace", "path": "/sensitive", "value": 0}]`, want: `400 Couldn't apply patch '[{'op': 'replace', 'path': '/sensitive', 'value': 0}]'. Reason: Inspection rules cannot have the sensitive flag unset.`},
			{call: "PATCH " + oneRule, body: `[{"op": "add", "path": "/sensitive", "value": true}, {"op": "add", "path": "/sensitive", "value": false}]`, see: "sensitive", want: `200 sensitive=false`},
		}},
		rulePatch("becomes-sensitive", fullRule, `[{"op": "replace", "path": "/sensitive", "value": true}]`, "sensitive actions conditions", `200 sensitive=true actions=null conditions=null`),
		rulePatch("sensitive-operation", sensitiveRule, `[{"op": "replace", "path": "/actions/0/args/value", "value": "other"}]`, "actions", `200 actions=null`),
	}
}

func ruleLists() []behavior {
	return []behavior{
		threeRules("list",
			step{call: "GET " + rulesPath + "?marker={uuid1}", see: "inspection_rules.#.uuid inspection_rules.0.keys body.keys order:inspection_rules.0", want: `200 inspection_rules.#.uuid=["{uuid2}","{uuid3}"] inspection_rules.0.keys=["description","links","phase","priority","uuid"] keys=["inspection_rules"] order:inspection_rules.0=uuid,description,priority,phase,links`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&detail=true", see: "inspection_rules.#.actions inspection_rules.#.conditions inspection_rules.0.keys order:inspection_rules.0 inspection_rules.0.links", want: `200 inspection_rules.#.actions=[[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}],null] inspection_rules.#.conditions=[[],null] inspection_rules.0.keys=["actions","conditions","created_at","description","links","phase","priority","sensitive","updated_at","uuid"] order:inspection_rules.0=uuid,created_at,updated_at,description,priority,sensitive,phase,conditions,actions,links inspection_rules.0.links=[{"href":"{url}/v1/inspection/{uuid2}","rel":"self"},{"href":"{url}/inspection/{uuid2}","rel":"bookmark"}]`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&detail=false&fields=uuid,sensitive", see: "inspection_rules.0.keys inspection_rules.#.sensitive", want: `200 inspection_rules.0.keys=["links","sensitive","uuid"] inspection_rules.#.sensitive=[false,true]`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&detail=true&fields=uuid", want: `400 Can not specify ?detail=True and fields in the same request.`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&fields=actions,conditions", see: "inspection_rules.#.actions order:inspection_rules.0", want: `200 inspection_rules.#.actions=[[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}],null] order:inspection_rules.0=conditions,actions,links`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&fields=uuid,colour", want: `400 Field(s) "colour" are not valid`},
			step{call: "GET " + rulesPath + "?marker={uuid3}", see: "body", want: `200 body={"inspection_rules":[]}`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&limit=1", see: "order inspection_rules.#.uuid next", want: `200 order=inspection_rules,next inspection_rules.#.uuid=["{uuid2}"] next="{url}/v1/inspection?filters={}&sort_key=id&sort_dir=asc&fields=uuid,priority,phase,description&limit=1&marker={uuid2}"`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&limit=1&detail=true&phase=main", see: "next", want: `200 next="{url}/v1/inspection?filters={'phase': 'main'}&sort_key=id&sort_dir=asc&detail=True&limit=1&marker={uuid2}"`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&limit=2&fields=uuid,phase&phase=it's+\"mine\"", see: "inspection_rules.#.uuid next", want: `200 inspection_rules.#.uuid=["{uuid2}","{uuid3}"] next="{url}/v1/inspection?filters={'phase': 'it\\'s \"mine\"'}&sort_key=id&sort_dir=asc&fields=uuid,phase&limit=2&marker={uuid3}"`},
			step{call: "GET " + rulesPath + "?marker={uuid3}&sort_key=description&limit=2", see: "inspection_rules.#.description next", want: `200 inspection_rules.#.description=["{word1}-b","{word1}-c"] next="{url}/v1/inspection?filters={}&sort_key=description&sort_dir=asc&fields=uuid,priority,phase,description&limit=2&marker={uuid2}"`},
			step{call: "GET " + rulesPath + "?marker={uuid2}&sort_key=description&sort_dir=desc&limit=2", see: "inspection_rules.#.description next", want: `200 inspection_rules.#.description=["{word1}-b","{word1}-a"] next="{url}/v1/inspection?filters={}&sort_key=description&sort_dir=desc&fields=uuid,priority,phase,description&limit=2&marker={uuid3}"`},
			step{call: "GET " + rulesPath + "?marker={uuid2}&sort_key=priority&limit=1", see: "inspection_rules.#.priority", want: `200 inspection_rules.#.priority=[20]`},
			step{call: "GET " + rulesPath + "?marker={uuid3}&sort_key=sensitive&sort_dir=desc&limit=1", see: "inspection_rules.#.priority", want: `200 inspection_rules.#.priority=[0]`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&sort_key=created_at", see: "inspection_rules.#.uuid", want: `200 inspection_rules.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&sort_key=phase", see: "inspection_rules.#.uuid", want: `200 inspection_rules.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: "GET " + rulesPath + "?marker={uuid1}&sort_key=scope", see: "inspection_rules.#.uuid", want: `200 inspection_rules.#.uuid=["{uuid2}","{uuid3}"]`},
			step{call: "GET " + rulesPath + "?sort_key=version", want: "200"},
		),
		ruleGet("sort-by-actions", "GET "+rulesPath+"?sort_key=actions", "", `400 Schema error: 'actions' should not be valid under {'type': 'string', 'enum': ['actions', 'conditions']}`),
		ruleGet("sort-by-conditions", "GET "+rulesPath+"?sort_key=conditions", "", `400 Schema error: 'conditions' should not be valid under {'type': 'string', 'enum': ['actions', 'conditions']}`),
		ruleGet("sort-by-unknown", "GET "+rulesPath+"?sort_key=colour", "", `400 The sort_key value "colour" is an invalid field for sorting`),
		ruleGet("sort-by-a-field-of-nodes", "GET "+rulesPath+"?sort_key=owner", "", `400 The sort_key value "owner" is an invalid field for sorting`),
		ruleGet("sort-sideways", "GET "+rulesPath+"?sort_dir=up", "", `400 Schema error: 'up' is not one of ['asc', 'desc']`),
		ruleGet("limit-zero", "GET "+rulesPath+"?limit=0", "", `400 Limit must be positive`),
		ruleGet("limit-word", "GET "+rulesPath+"?limit=ten", "", `400 Expected an integer for limit: ten`),
		ruleGet("marker-that-is-not-there", "GET "+rulesPath+"?marker={uuid1}", "", `404 Rule {uuid1} could not be found.`),
		ruleGet("marker-that-is-no-uuid", "GET "+rulesPath+"?marker=x", "", `404 Rule x could not be found.`),
		ruleGet("marker-and-a-bad-sort-key", "GET "+rulesPath+"?marker=x&sort_key=colour", "", `404 Rule x could not be found.`),
		ruleGet("detail-perhaps", "GET "+rulesPath+"?detail=perhaps", "", `400 Invalid detail: Unrecognized value 'perhaps', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`),
		ruleGet("phase-twice", "GET "+rulesPath+"?phase=a&phase=b", "", `400 Schema error: ['a', 'b'] is not of type 'string'`),
		ruleGet("list-unknown-argument", "GET "+rulesPath+"?colour=red", "", `400 Unexpected arguments: colour`),
		ruleGet("list-several-mistakes", "GET "+rulesPath+"?sort_key=actions&sort_dir=up&phase=a&phase=b", "", `400 Schema error: ['a', 'b'] is not of type 'string'`),
	}
}

func rulePaths() []behavior {
	return []behavior{
		{name: "get-no-uuid", steps: []step{{call: "GET " + rulesPath + "/x", want: `400 Schema error: 'x' is not a 'uuid'`, old: "404 Not Found:"}}},
		{name: "get-missing", steps: []step{{call: "GET " + oneRule, want: "404 Rule {uuid1} could not be found.", old: "404 Not Found:"}}},
		ruleGet("get-no-uuid-and-unknown-argument", "GET "+rulesPath+"/x?colour=red", "", `400 Unexpected arguments: colour`),
		ruleGet("get-with-detail", "GET "+oneRule+"?detail=true", "", `400 Unexpected arguments: detail`),
		ruleGet("get-missing-with-unknown-field", "GET "+oneRule+"?fields=colour", "", `404 Rule {uuid1} could not be found.`),
		{name: "get-unknown-field", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: plainRule},
			{call: "GET " + oneRule + "?fields=colour", want: `400 Field(s) "colour" are not valid`},
			{call: "GET " + oneRule + "?fields=scope", want: `400 Field(s) "scope" are not valid`},
			{call: "GET " + oneRule + "?fields=id", want: `400 Field(s) "id" are not valid`},
			{call: "GET " + oneRule + "?fields=created_at,links", see: "body.keys", want: `200 keys=["created_at","links"]`},
			{call: "GET " + oneRule + "?fields=", see: "body.keys", want: `200 keys=["links"]`},
			{call: "DELETE " + oneRule + "?colour=red", want: `500 InspectionRuleController.delete() got an unexpected keyword argument 'colour'`},
		}},
		{name: "delete-no-uuid", steps: []step{{call: "DELETE " + rulesPath + "/x", want: `400 Schema error: 'x' is not a 'uuid'`, old: "404 Not Found:"}}},
		ruleGet("delete-nothing", "DELETE "+rulesPath, "shape text", `500 fault debuginfo,faultcode,faultstring Server tuple index out of range`),
		ruleGet("put", "PUT "+rulesPath, "shape text header:Allow", `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`),
		ruleGet("put-one", "PUT "+oneRule, "shape text header:Allow", `405 pecan code,description,title Method Not Allowed:  Allow=DELETE, GET, PATCH, POST`),
		{name: "post-to-one", since: 96, steps: []step{
			{call: "POST " + oneRule, body: plainRule, see: "shape text", want: `500 fault debuginfo,faultcode,faultstring Server InspectionRuleController.post() got multiple values for argument 'inspection_rule'`},
			{call: "POST " + oneRule, body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Schema error: 'actions' is a required property`},
		}},
		{name: "patch-nothing", since: 96, steps: []step{
			{call: "PATCH " + rulesPath, body: `[]`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: inspection_rule_uuid`},
			{call: "PATCH " + rulesPath, body: `{}`, see: "shape text", want: `400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: inspection_rule_uuid`},
		}},
		{name: "too-old", since: 96, steps: []step{
			{call: "GET " + rulesPath, version: "1.95", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "GET " + oneRule, version: "1.95", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "GET " + rulesPath + "/x", version: "1.95", see: "shape text", want: `404 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "POST " + rulesPath, version: "1.95", body: plainRule, see: "shape text", want: `405 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "PATCH " + oneRule, version: "1.95", body: `[]`, see: "shape text", want: `405 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "DELETE " + oneRule, version: "1.95", see: "shape text", want: `405 fault debuginfo,faultcode,faultstring Client The API version does not allow inspection rules`},
			{call: "GET /v1", version: "1.95", see: "inspection_rules?", want: `200 inspection_rules=absent`},
			{call: "GET /v1", version: "1.96", see: "inspection_rules", want: `200 inspection_rules=[{"href":"{url}/v1/inspection_rules/","rel":"self"},{"href":"{url}/inspection_rules/","rel":"bookmark"}]`},
			{call: "POST " + rulesPath, version: "1.96", body: plainRule, want: `201`},
		}},
	}
}

func ruleBodies() []behavior {
	return []behavior{
		rulePost("body-missing", "", `400 Schema error: 'actions' is a required property`),
		rulePost("body-null", "null", `400 Schema error: None is not of type 'object'`),
		rulePost("body-list", "[]", `400 Schema error: [] is not of type 'object'`),
		rulePost("body-empty", "{}", `400 Schema error: 'actions' is a required property`),
		rulePost("body-no-json", "{", `500 Expecting property name enclosed in double quotes: line 1 column 2 (char 1)`),
		rulePost("unknown-key", `{`+validRule+`, "colour": "red"}`, `400 Schema error: Additional properties are not allowed ('colour' was unexpected)`),
		rulePost("unknown-keys", `{`+validRule+`, "size": 1, "colour": "red"}`, `400 Schema error: Additional properties are not allowed ('colour', 'size' were unexpected)`),
		rulePost("first-mistake-wins", `{"conditions": 5, "colour": "red"}`, `400 Schema error: 5 is not of type 'array'`),
		rulePost("nested-mistake-wins", `{"actions": [{"op": 5, "args": 6, "loop": 7}], "priority": "high"}`, `400 Schema error: 5 is not one of ['fail', 'log', 'set-attribute', 'extend-attribute', 'del-attribute', 'set-capability', 'unset-capability', 'add-trait', 'remove-trait', 'set-plugin-data', 'extend-plugin-data', 'unset-plugin-data', 'set-port-attribute', 'extend-port-attribute', 'del-port-attribute', 'api-call']`),
		rulePost("no-actions", `{"actions": []}`, `400 Schema error: [] should be non-empty`),
		rulePost("actions-null", `{"actions": null}`, `400 Schema error: None is not of type 'array'`),
		rulePost("action-text", `{"actions": ["fail"]}`, `400 Schema error: 'fail' is not of type 'object'`),
		rulePost("conditions-null", `{`+someActions+`, "conditions": null}`, `400 Schema error: None is not of type 'array'`),
		rulePost("conditions-empty", `{`+someActions+`, "conditions": []}`, `201 priority=0 phase="main" sensitive=false description=null actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("description-empty", `{`+validRule+`, "description": ""}`, `201 priority=0 phase="main" sensitive=false description="" actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("description-null", `{`+validRule+`, "description": null}`, `201 priority=0 phase="main" sensitive=false description=null actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("description-too-long", `{`+validRule+`, "description": "`+repeat("x", 256)+`"}`, `400 Schema error: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' is too long`),
		rulePost("description-number", `{`+validRule+`, "description": 5}`, `400 Schema error: 5 is not of type 'string', 'null'`),
		rulePost("priority-negative", `{`+validRule+`, "priority": -1}`, `400 Schema error: -1 is less than the minimum of 0`),
		rulePost("priority-highest", `{`+validRule+`, "priority": 9999}`, `201 priority=9999 phase="main" sensitive=false description=null actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("priority-too-high", `{`+validRule+`, "priority": 10000}`, `400 Priority must be between 0 and 9999 for user-defined rules.`),
		rulePost("priority-text", `{`+validRule+`, "priority": "5"}`, `400 Schema error: '5' is not of type 'integer'`),
		rulePost("priority-null", `{`+validRule+`, "priority": null}`, `400 Schema error: None is not of type 'integer'`),
		rulePost("priority-true", `{`+validRule+`, "priority": true}`, `400 Schema error: True is not of type 'integer'`),
		rulePost("priority-whole", `{`+validRule+`, "priority": 5.0}`, `201 priority=5 phase="main" sensitive=false description=null actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("priority-fraction", `{`+validRule+`, "priority": 5.5}`, `400 Schema error: 5.5 is not of type 'integer'`),
		rulePost("phase-unknown", `{`+validRule+`, "phase": "early"}`, `400 Invalid phase: early. Valid phases are: main`),
		rulePost("phase-null", `{`+validRule+`, "phase": null}`, `400 Invalid phase: None. Valid phases are: main`),
		rulePost("phase-too-long", `{`+validRule+`, "phase": "seventeen letters"}`, `400 Schema error: 'seventeen letters' is too long`),
		rulePost("phase-and-priority", `{`+validRule+`, "phase": "early", "priority": 10000}`, `400 Multiple validation errors occurred: Invalid phase: early. Valid phases are: main; Priority must be between 0 and 9999 for user-defined rules.`),
		rulePost("phase-and-action", `{"phase": "early", "actions": [{"op": "fail", "args": {}}]}`, `500 missing required argument(s): msg`),
		rulePost("sensitive-null", `{`+validRule+`, "sensitive": null}`, `201 priority=0 phase="main" sensitive=false description=null actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"}] conditions=[]`),
		rulePost("sensitive-text", `{`+validRule+`, "sensitive": "yes"}`, `400 Schema error: 'yes' is not of type 'boolean', 'null'`),
		rulePost("scope", `{`+validRule+`, "scope": "x"}`, `400 Schema error: Additional properties are not allowed ('scope' was unexpected)`),
		{name: "uuids", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: `{"uuid": null, ` + validRule + `}`, see: "uuid?", want: `201 uuid=set`},
			{call: "POST " + rulesPath, body: `{"uuid": "", ` + validRule + `}`, see: "uuid?", want: `201 uuid=set`},
			{call: "POST " + rulesPath, body: `{"uuid": 5, ` + validRule + `}`, want: `400 Schema error: 5 is not of type 'string', 'null'`},
			{call: "POST " + rulesPath, body: `{"uuid": "{word1}/../x", ` + validRule + `}`, see: "uuid links header:Location", want: `201 uuid="{word1}/../x" links=[{"href":"{url}/v1/inspection/{word1}/../x","rel":"self"},{"href":"{url}/inspection/{word1}/../x","rel":"bookmark"}] Location={url}/v1/inspection_rules/{word1}/../x`},
			{call: "GET " + rulesPath + "?marker={word1}/../x", see: "body", want: `200 body={"inspection_rules":[]}`},
		}},
		{name: "post-unknown-argument", since: 96, steps: []step{
			{call: "POST " + rulesPath + "?colour=red", body: plainRule, want: `500 InspectionRuleController.post() got an unexpected keyword argument 'colour'`},
			{call: "POST " + rulesPath + "?colour=red", body: `{}`, want: `400 Schema error: 'actions' is a required property`},
			{call: "POST " + rulesPath, body: plainRule, header: "Content-Type:", see: "uuid", want: `500 InspectionRuleController.post() got an unexpected keyword argument '{"uuid": "{uuid1}", "conditions": [], "actions": [{"op": "set-attribute", "args": {"path": "/driver", "value": "fake"}}]}'`},
			{call: "POST " + rulesPath, body: `{"uuid": "{uuid2}", ` + validRule + `}`, header: "Content-Type: text/plain", see: "uuid", want: `201 uuid="{uuid2}"`},
		}},
	}
}

func ruleArguments() []behavior {
	return []behavior{
		ruleActions("action-unknown", `{"op": "dance", "args": {}}`, `400 Schema error: 'dance' is not one of ['fail', 'log', 'set-attribute', 'extend-attribute', 'del-attribute', 'set-capability', 'unset-capability', 'add-trait', 'remove-trait', 'set-plugin-data', 'extend-plugin-data', 'unset-plugin-data', 'set-port-attribute', 'extend-port-attribute', 'del-port-attribute', 'api-call']`),
		ruleActions("action-number", `{"op": 5, "args": {}}`, `400 Schema error: 5 is not one of ['fail', 'log', 'set-attribute', 'extend-attribute', 'del-attribute', 'set-capability', 'unset-capability', 'add-trait', 'remove-trait', 'set-plugin-data', 'extend-plugin-data', 'unset-plugin-data', 'set-port-attribute', 'extend-port-attribute', 'del-port-attribute', 'api-call']`),
		ruleActions("action-inverted", `{"op": "!fail", "args": {"msg": "x"}}`, `400 Schema error: '!fail' is not one of ['fail', 'log', 'set-attribute', 'extend-attribute', 'del-attribute', 'set-capability', 'unset-capability', 'add-trait', 'remove-trait', 'set-plugin-data', 'extend-plugin-data', 'unset-plugin-data', 'set-port-attribute', 'extend-port-attribute', 'del-port-attribute', 'api-call']`),
		ruleActions("action-without-op", `{"args": {}}`, `400 Schema error: 'op' is a required property`),
		ruleActions("action-without-args", `{"op": "fail"}`, `400 Schema error: 'args' is a required property`),
		ruleActions("action-args-text", `{"op": "fail", "args": "x"}`, `400 Schema error: 'x' is not of type 'array', 'object'`),
		ruleActions("action-args-null", `{"op": "fail", "args": null}`, `400 Schema error: None is not of type 'array', 'object'`),
		ruleActions("action-other-keys", `{"op": "fail", "args": {"msg": "x"}, "colour": "red", "loop": [], "multiple": "any"}`, `201 actions=[{"args":{"msg":"x"},"op":"fail"}]`),
		ruleActions("action-loop", `{"op": "fail", "args": {"msg": "{item}"}, "loop": ["a", "b"]}`, `201 actions=[{"args":{"msg":"{item}"},"loop":["a","b"],"op":"fail"}]`),
		ruleActions("action-loop-object", `{"op": "fail", "args": {"msg": "{item}"}, "loop": {"a": 1}}`, `201 actions=[{"args":{"msg":"{item}"},"loop":{"a":1},"op":"fail"}]`),
		ruleActions("action-loop-text", `{"op": "fail", "args": {"msg": "x"}, "loop": "abc"}`, `400 Schema error: 'abc' is not of type 'array', 'object'`),
		ruleActions("missing-argument", `{"op": "fail", "args": {}}`, `500 missing required argument(s): msg`),
		ruleActions("missing-arguments", `{"op": "set-attribute", "args": {}}`, `~500 missing required argument\(s\): (path, value|value, path)`),
		ruleActions("unexpected-argument", `{"op": "fail", "args": {"msg": "x", "colour": "red"}}`, `500 unexpected argument(s): colour`),
		ruleActions("missing-and-unexpected-argument", `{"op": "fail", "args": {"colour": "red"}}`, `500 missing required argument(s): msg; unexpected argument(s): colour`),
		ruleActions("task-is-no-argument", `{"op": "fail", "args": {"msg": "x", "task": 1}}`, `500 unexpected argument(s): task`),
		ruleActions("arguments-list", `{"op": "set-attribute", "args": ["/driver", "fake"]}`, `201 actions=[{"args":["/driver","fake"],"op":"set-attribute"}]`),
		ruleActions("arguments-list-too-short", `{"op": "set-attribute", "args": ["/driver"]}`, `500 ('Not enough arguments provided. Missing: %s', 'value')`),
		ruleActions("arguments-list-empty", `{"op": "set-port-attribute", "args": []}`, `500 ('Not enough arguments provided. Missing: %s', 'port_id, path, value')`),
		ruleActions("arguments-list-too-long", `{"op": "fail", "args": ["x", "y"]}`, `201 actions=[{"args":["x","y"],"op":"fail"}]`),
		ruleActions("arguments-list-with-options", `{"op": "extend-attribute", "args": ["/extra/a", "x", true]}`, `201 actions=[{"args":["/extra/a","x",true],"op":"extend-attribute"}]`),
		ruleActions("plugin-data", `{"op": "set-plugin-data", "args": {"path": "a", "value": 1}}`, `201 actions=[{"args":{"path":"a","plugin_data":{},"value":1},"op":"set-plugin-data"}]`),
		ruleActions("plugin-data-missing", `{"op": "set-plugin-data", "args": {"path": "a"}}`, `500 missing required argument(s): value`),
		ruleActions("plugin-data-given", `{"op": "extend-plugin-data", "args": {"path": "a", "value": 1, "plugin_data": {"b": 2}, "unique": true}}`, `201 actions=[{"args":{"path":"a","plugin_data":{},"unique":true,"value":1},"op":"extend-plugin-data"}]`),
		ruleActions("plugin-data-list", `{"op": "set-plugin-data", "args": ["a", 1]}`, `201 actions=[{"args":["a",1,{}],"op":"set-plugin-data"}]`),
		ruleActions("plugin-data-list-too-short", `{"op": "set-plugin-data", "args": ["a"]}`, `500 ('Not enough arguments provided. Missing: %s', 'plugin_data')`),
		ruleActions("plugin-data-list-one-short", `{"op": "unset-plugin-data", "args": []}`, `500 ('Not enough arguments provided. Missing: %s', 'plugin_data')`),
		ruleActions("action-all", `{"op": "log", "args": {"msg": "x", "level": "nope"}}, {"op": "del-attribute", "args": {"path": "x"}}, `+
			`{"op": "set-capability", "args": {"name": "x", "value": 1}}, {"op": "unset-capability", "args": {"name": "x"}}, `+
			`{"op": "add-trait", "args": {"name": "x"}}, {"op": "remove-trait", "args": {"name": "x"}}, `+
			`{"op": "extend-plugin-data", "args": {"path": "x", "value": 1}}, {"op": "unset-plugin-data", "args": {"path": "x"}}, `+
			`{"op": "set-port-attribute", "args": {"port_id": "x", "path": "x", "value": 1}}, `+
			`{"op": "extend-port-attribute", "args": {"port_id": "x", "path": "x", "value": 1, "unique": true}}, `+
			`{"op": "del-port-attribute", "args": {"port_id": "x", "path": "x"}}, `+
			`{"op": "api-call", "args": {"url": "x", "headers": {}, "proxies": {}, "timeout": 1, "retries": 2, "backoff_factor": 3}}`, `201 actions=[{"args":{"level":"nope","msg":"x"},"op":"log"},{"args":{"path":"x"},"op":"del-attribute"},{"args":{"name":"x","value":1},"op":"set-capability"},{"args":{"name":"x"},"op":"unset-capability"},{"args":{"name":"x"},"op":"add-trait"},{"args":{"name":"x"},"op":"remove-trait"},{"args":{"path":"x","plugin_data":{},"value":1},"op":"extend-plugin-data"},{"args":{"path":"x","plugin_data":{}},"op":"unset-plugin-data"},{"args":{"path":"x","port_id":"x","value":1},"op":"set-port-attribute"},{"args":{"path":"x","port_id":"x","unique":true,"value":1},"op":"extend-port-attribute"},{"args":{"path":"x","port_id":"x"},"op":"del-port-attribute"},{"args":{"backoff_factor":3,"headers":{},"proxies":{},"retries":2,"timeout":1,"url":"x"},"op":"api-call"}]`),
	}
}

func ruleOperators() []behavior {
	return []behavior{
		ruleConditions("condition-unknown", `{"op": "ne", "args": {}}`, `400 Schema error: 'ne' is not one of ['eq', 'lt', 'gt', 'is-empty', 'in-net', 'matches', 'contains', 'one-of', 'is-none', 'is-true', 'is-false', '!eq', '!lt', '!gt', '!is-empty', '!in-net', '!matches', '!contains', '!one-of', '!is-none', '!is-true', '!is-false']`),
		ruleConditions("condition-inverted-twice", `{"op": "!!eq", "args": {"values": []}}`, `400 Schema error: '!!eq' is not one of ['eq', 'lt', 'gt', 'is-empty', 'in-net', 'matches', 'contains', 'one-of', 'is-none', 'is-true', 'is-false', '!eq', '!lt', '!gt', '!is-empty', '!in-net', '!matches', '!contains', '!one-of', '!is-none', '!is-true', '!is-false']`),
		ruleConditions("condition-with-blank", `{"op": "! eq", "args": {"values": []}}`, `400 Schema error: '! eq' is not one of ['eq', 'lt', 'gt', 'is-empty', 'in-net', 'matches', 'contains', 'one-of', 'is-none', 'is-true', 'is-false', '!eq', '!lt', '!gt', '!is-empty', '!in-net', '!matches', '!contains', '!one-of', '!is-none', '!is-true', '!is-false']`),
		ruleConditions("condition-other-keys", `{"op": "eq", "args": {"values": []}, "colour": "red", "multiple": "all"}`, `201 conditions=[{"args":{"values":[]},"op":"eq"}]`),
		ruleConditions("condition-loop", `{"op": "eq", "args": {"values": []}, "loop": [1]}`, `201 conditions=[{"args":{"values":[]},"loop":[1],"multiple":"any","op":"eq"}]`),
		ruleConditions("condition-loop-multiple", `{"op": "eq", "args": {"values": []}, "loop": [1], "multiple": "last"}`, `201 conditions=[{"args":{"values":[]},"loop":[1],"multiple":"last","op":"eq"}]`),
		ruleConditions("condition-multiple-unknown", `{"op": "eq", "args": {"values": []}, "multiple": "some"}`, `400 Schema error: 'some' is not one of ['any', 'all', 'first', 'last']`),
		ruleConditions("condition-missing-argument", `{"op": "!in-net", "args": {"address": "x"}}`, `500 missing required argument(s): subnet`),
		ruleConditions("condition-unexpected-argument", `{"op": "is-true", "args": {"value": 1, "values": 2}}`, `500 unexpected argument(s): values`),
		ruleConditions("condition-list", `{"op": "one-of", "args": ["x", ["x", "y"]]}`, `201 conditions=[{"args":["x",["x","y"]],"op":"one-of"}]`),
		ruleConditions("condition-list-too-short", `{"op": "matches", "args": ["x"]}`, `500 ('Not enough arguments provided. Missing: %s', 'regex')`),
		ruleConditions("condition-all", `{"op": "eq", "args": {"values": [1], "force_strings": true}}, {"op": "lt", "args": {"values": [1]}}, `+
			`{"op": "gt", "args": {"values": [1]}}, {"op": "is-empty", "args": {"value": 1}}, {"op": "in-net", "args": {"address": 1, "subnet": 2}}, `+
			`{"op": "matches", "args": {"value": 1, "regex": "("}}, {"op": "contains", "args": {"value": 1, "regex": "("}}, `+
			`{"op": "one-of", "args": {"value": 1}}, {"op": "is-none", "args": {"value": 1}}, {"op": "is-true", "args": {"value": 1}}, `+
			`{"op": "is-false", "args": {"value": 1}}`, `201 conditions=[{"args":{"force_strings":true,"values":[1]},"op":"eq"},{"args":{"values":[1]},"op":"lt"},{"args":{"values":[1]},"op":"gt"},{"args":{"value":1},"op":"is-empty"},{"args":{"address":1,"subnet":2},"op":"in-net"},{"args":{"regex":"(","value":1},"op":"matches"},{"args":{"regex":"(","value":1},"op":"contains"},{"args":{"value":1},"op":"one-of"},{"args":{"value":1},"op":"is-none"},{"args":{"value":1},"op":"is-true"},{"args":{"value":1},"op":"is-false"}]`),
	}
}

func rulePatches() []behavior {
	return []behavior{
		rulePatch("patch-no-operation", fullRule, `[]`, "priority updated_at?", `200 priority=7 updated_at=null`),
		rulePatch("patch-to-the-same", fullRule, `[{"op": "replace", "path": "/priority", "value": 7}]`, "priority updated_at?", `200 priority=7 updated_at=null`),
		rulePatch("patch-no-list", fullRule, `{}`, "", `400 Schema error for patch: {} is not of type 'array'`),
		rulePatch("patch-null", fullRule, `null`, "", `400 Schema error: None is not of type 'array'`),
		rulePatch("patch-operation", fullRule, `[{"op": "move", "path": "/priority"}]`, "", `400 Schema error for patch: 'move' is not one of ['add', 'replace', 'remove']`),
		rulePatch("patch-path", fullRule, `[{"op": "add", "path": "priority", "value": 1}]`, "", `400 Schema error for patch: 'priority' does not match '^(/[\\w-]+)+$'`),
		rulePatch("patch-without-value", fullRule, `[{"op": "replace", "path": "/priority"}]`, "", `400 Couldn't apply patch '{'op': 'replace', 'path': '/priority'}'. Reason: The operation does not contain a 'value' member`),
		rulePatch("patch-sensitive-without-value", fullRule, `[{"op": "replace", "path": "/sensitive"}]`, "", `500 'value'`),
		rulePatch("patch-description", fullRule, `[{"op": "replace", "path": "/description", "value": "{word2}"}, {"op": "replace", "path": "/priority", "value": 9}]`, "description priority updated_at?", `200 description="{word2}" priority=9 updated_at=set`),
		rulePatch("patch-remove-description", fullRule, `[{"op": "remove", "path": "/description"}]`, "description", `200 description=null`),
		rulePatch("patch-remove-priority", fullRule, `[{"op": "remove", "path": "/priority"}]`, "priority", `200 priority=0`),
		rulePatch("patch-remove-sensitive", fullRule, `[{"op": "remove", "path": "/sensitive"}]`, "sensitive", `200 sensitive=false`),
		rulePatch("patch-remove-uuid", fullRule, `[{"op": "remove", "path": "/uuid"}]`, "uuid", "500 Field `uuid' cannot be None"),
		{name: "patch-remove-phase", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: fullRule},
			{call: "PATCH " + oneRule, body: `[{"op": "remove", "path": "/phase"}]`, see: "phase", want: `200 phase=null`},
			{call: "GET " + oneRule, see: "phase", want: `200 phase=null`},
			{call: "PATCH " + oneRule, body: `[{"op": "replace", "path": "/priority", "value": 9}]`, want: `400 Invalid phase: None. Valid phases are: main`},
			{call: "PATCH " + oneRule, body: `[{"op": "add", "path": "/phase", "value": "main"}]`, see: "phase", want: `200 phase="main"`},
		}},
		{name: "patch-remove-conditions", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: fullRule},
			{call: "PATCH " + oneRule, body: `[{"op": "remove", "path": "/conditions"}]`, see: "conditions", want: `500 'NoneType' object is not iterable`},
			{call: "GET " + oneRule, see: "conditions", want: `200 conditions=[]`},
		}},
		rulePatch("patch-remove-actions", fullRule, `[{"op": "remove", "path": "/actions"}]`, "", `400 Schema error for patch: 'actions' is a required property`),
		rulePatch("patch-remove-the-last-action", fullRule, `[{"op": "remove", "path": "/actions/0"}]`, "", `400 Schema error for patch: [] should be non-empty`),
		rulePatch("patch-remove-what-is-not-there", fullRule, `[{"op": "remove", "path": "/actions/3"}]`, "", `400 Couldn't apply patch '{'op': 'remove', 'path': '/actions/3'}'. Reason: can't remove a non-existent object '3'`),
		rulePatch("patch-add-action", fullRule, `[{"op": "add", "path": "/actions/-", "value": {"op": "fail", "args": ["x"]}}]`, "actions", `200 actions=[{"args":{"path":"/driver","value":"fake"},"op":"set-attribute"},{"args":["x"],"op":"fail"}]`),
		rulePatch("patch-add-bad-action", fullRule, `[{"op": "add", "path": "/actions/-", "value": {"op": "fail", "args": []}}]`, "actions", `500 ('Not enough arguments provided. Missing: %s', 'msg')`),
		rulePatch("patch-replace-op", fullRule, `[{"op": "replace", "path": "/actions/0/op", "value": "fail"}]`, "actions", `~500 missing required argument\(s\): msg; unexpected argument\(s\): (path, value|value, path)`),
		rulePatch("patch-op-unknown", fullRule, `[{"op": "replace", "path": "/conditions/0/op", "value": "dance"}]`, "", `400 Schema error for patch: 'dance' is not one of ['eq', 'lt', 'gt', 'is-empty', 'in-net', 'matches', 'contains', 'one-of', 'is-none', 'is-true', 'is-false', '!eq', '!lt', '!gt', '!is-empty', '!in-net', '!matches', '!contains', '!one-of', '!is-none', '!is-true', '!is-false']`),
		rulePatch("patch-phase-unknown", fullRule, `[{"op": "replace", "path": "/phase", "value": "early"}]`, "", `400 Invalid phase: early. Valid phases are: main`),
		rulePatch("patch-phase-null", fullRule, `[{"op": "replace", "path": "/phase", "value": null}]`, "", `400 Invalid phase: None. Valid phases are: main`),
		rulePatch("patch-priority-negative", fullRule, `[{"op": "replace", "path": "/priority", "value": -1}]`, "", `400 Schema error for patch: -1 is less than the minimum of 0`),
		rulePatch("patch-priority-too-high", fullRule, `[{"op": "replace", "path": "/priority", "value": 10000}]`, "", `400 Priority must be between 0 and 9999 for user-defined rules.`),
		rulePatch("patch-priority-text", fullRule, `[{"op": "replace", "path": "/priority", "value": "8"}]`, "", `400 Schema error for patch: '8' is not of type 'integer'`),
		rulePatch("patch-uuid", fullRule, `[{"op": "replace", "path": "/uuid", "value": "{uuid2}"}]`, "", `404 Rule {uuid2} could not be found.`),
		rulePatch("patch-uuid-text", fullRule, `[{"op": "replace", "path": "/uuid", "value": "x"}]`, "", `400 Expected UUID for uuid: x`),
		rulePatch("patch-unknown", fullRule, `[{"op": "add", "path": "/colour", "value": "red"}]`, "", `400 Adding a new attribute (/colour) to the root of the resource is not allowed`),
		rulePatch("patch-replace-unknown", fullRule, `[{"op": "replace", "path": "/colour", "value": "red"}]`, "", `400 Couldn't apply patch '{'op': 'replace', 'path': '/colour', 'value': 'red'}'. Reason: can't replace a non-existent object 'colour'`),
		rulePatch("patch-links", fullRule, `[{"op": "add", "path": "/links", "value": []}]`, "", `400 Adding a new attribute (/links) to the root of the resource is not allowed`),
		rulePatch("patch-scope", fullRule, `[{"op": "add", "path": "/scope", "value": "x"}]`, "updated_at?", `200 updated_at=null`),
		rulePatch("patch-id", fullRule, `[{"op": "replace", "path": "/id", "value": "x"}]`, "updated_at?", `200 updated_at=null`),
		rulePatch("patch-created-at", fullRule, `[{"op": "remove", "path": "/created_at"}, {"op": "remove", "path": "/updated_at"}]`, "updated_at?", `200 updated_at=null`),
		rulePatch("patch-two-mistakes", fullRule, `[{"op": "replace", "path": "/priority", "value": "x"}, {"op": "replace", "path": "/conditions", "value": [{"op": 1}]}]`, "", `400 Schema error for patch: 'x' is not of type 'integer'`),
		{name: "patch-no-uuid", since: 96, steps: []step{
			{call: "PATCH " + rulesPath + "/x", body: `[]`, want: `400 Expected UUID for inspection_rule_uuid: x`},
			{call: "PATCH " + rulesPath + "/x", body: `{}`, want: `400 Expected UUID for inspection_rule_uuid: x`},
			{call: "PATCH " + oneRule + "?colour=red", body: `[]`, want: `400 Unexpected arguments: colour`},
		}},
		{name: "plugin-data-grows", since: 96, steps: []step{
			{call: "POST " + rulesPath, body: `{"uuid": "{uuid1}", "conditions": [], "actions": [{"op": "set-plugin-data", "args": ["a", 1]}]}`},
			{call: "PATCH " + oneRule, body: `[{"op": "replace", "path": "/priority", "value": 8}]`, see: "actions", want: `200 actions=[{"args":["a",1,{},{}],"op":"set-plugin-data"}]`},
			{call: "PATCH " + oneRule, body: `[]`, see: "actions updated_at?", want: `200 actions=[{"args":["a",1,{},{}],"op":"set-plugin-data"}] updated_at=set`},
			{call: "GET " + oneRule, see: "actions", want: `200 actions=[{"args":["a",1,{},{}],"op":"set-plugin-data"}]`},
		}},
	}
}
