package contract

import "strings"

// versions covers the header with the API version.
func versions() group {
	return group{name: "versions", behaviors: []behavior{
		{name: "root", steps: []step{
			{call: "GET /", version: "none", see: "name default_version.id default_version.status default_version.min_version default_version.version versions.len", want: `200 name="OpenStack Ironic API" default_version.id="v1" default_version.status="CURRENT" default_version.min_version="1.1" default_version.version="1.115" versions.len=1`, old: `200 name="OpenStack Ironic API" default_version.id="v1" default_version.status="CURRENT" default_version.min_version="1.1" default_version.version="1.82" versions.len=1`},
		}},
		{name: "root-with-a-version", steps: []step{{call: "GET /", version: "1.50", see: "default_version.id header:X-OpenStack-Ironic-API-Version", want: `200 default_version.id="v1" X-OpenStack-Ironic-API-Version=1.50`, old: `200 default_version.id="v1" X-OpenStack-Ironic-API-Version=`}}},
		{name: "v1", steps: []step{{call: "GET /v1", see: "nodes.0.href nodes.1.href ports? allocations? drivers? continue_inspection? media_types id version.id version.min_version version.version", want: `200 nodes.0.href="{url}/v1/nodes/" nodes.1.href="{url}/nodes/" ports=set allocations=set drivers=set continue_inspection=set media_types={"base":"application/json","type":"application/vnd.openstack.ironic.v1+json"} id="v1" version.id="v1" version.min_version="1.1" version.version="1.115"`, old: `200 nodes.0.href="{url}/v1/nodes/" nodes.1.href="{url}/nodes/" ports=set allocations=set drivers=set continue_inspection=absent media_types={"base":"application/json","type":"application/vnd.openstack.ironic.v1+json"} id="v1" version.id="v1" version.min_version="1.1" version.version="1.82"`}}},
		{name: "v1-slash", steps: []step{{call: "GET /v1/", see: "id", want: `200 id="v1"`}}},
		{name: "v1-of-the-first-version", steps: []step{{call: "GET /v1", version: "1.1", see: "nodes? ports? drivers? allocations? portgroups? lookup?", want: "200 nodes=set ports=set drivers=set allocations=absent portgroups=absent lookup=absent"}}},
		{name: "no-header", steps: []step{
			{call: "GET /v1/nodes", version: "none", see: "header:X-OpenStack-Ironic-API-Version header:X-OpenStack-Ironic-API-Minimum-Version header:X-OpenStack-Ironic-API-Maximum-Version header:Vary", want: "200 X-OpenStack-Ironic-API-Version=1.1 X-OpenStack-Ironic-API-Minimum-Version=1.1 X-OpenStack-Ironic-API-Maximum-Version=1.115 Vary=", old: "200 X-OpenStack-Ironic-API-Version=1.1 X-OpenStack-Ironic-API-Minimum-Version=1.1 X-OpenStack-Ironic-API-Maximum-Version=1.82 Vary="},
		}},
		{name: "latest", steps: []step{{call: "GET /v1/nodes", version: "latest", see: "header:X-OpenStack-Ironic-API-Version", want: "200 X-OpenStack-Ironic-API-Version=1.115", old: "200 X-OpenStack-Ironic-API-Version=1.82"}}},
		{name: "in-between", steps: []step{{call: "GET /v1/nodes", version: "1.31", see: "header:X-OpenStack-Ironic-API-Version", want: "200 X-OpenStack-Ironic-API-Version=1.31"}}},
		{name: "too-new", steps: []step{
			{call: "GET /v1/nodes", version: "1.999", see: "header:X-OpenStack-Ironic-API-Version header:X-OpenStack-Ironic-API-Minimum-Version header:X-OpenStack-Ironic-API-Maximum-Version shape text", want: "406 X-OpenStack-Ironic-API-Version= X-OpenStack-Ironic-API-Minimum-Version=1.1 X-OpenStack-Ironic-API-Maximum-Version=1.115 pecan code,description,title Not Acceptable: Version 1.999 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.115].", old: "406 X-OpenStack-Ironic-API-Version= X-OpenStack-Ironic-API-Minimum-Version=1.1 X-OpenStack-Ironic-API-Maximum-Version=1.82 pecan code,description,title Not Acceptable: Version 1.999 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.82]."},
		}},
		{name: "too-old", steps: []step{{call: "GET /v1/nodes", version: "1.0", want: "406 Not Acceptable: Version 1.0 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.115].", old: "406 Not Acceptable: Version 1.0 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.82]."}}},
		{name: "wrong-major", steps: []step{{call: "GET /v1/nodes", version: "2.1", want: "406 Not Acceptable: Mutually exclusive versions requested. Version 2.1 requested but not supported by this service. The supported version range is: [1.1, 1.115].", old: "406 Not Acceptable: Mutually exclusive versions requested. Version 2.1 requested but not supported by this service. The supported version range is: [1.1, 1.82]."}}},
		{name: "no-number", steps: []step{{call: "GET /v1/nodes", version: "newest", want: "406 Not Acceptable: Invalid value for X-OpenStack-Ironic-API-Version header"}}},
		{name: "other-header", steps: []step{
			{call: "GET /v1/nodes", version: "none", header: "OpenStack-API-Version: baremetal 1.50", see: "header:X-OpenStack-Ironic-API-Version", want: "200 X-OpenStack-Ironic-API-Version=1.50", old: "200 X-OpenStack-Ironic-API-Version=1.1"},
		}},
		{name: "fields-of-a-node-at-1-1", steps: []step{{call: "GET /v1/nodes/{node}", version: "1.1", see: "body.keys", want: `200 keys=["chassis_uuid","console_enabled","created_at","driver","driver_info","extra","instance_info","instance_uuid","last_error","links","maintenance","maintenance_reason","ports","power_state","properties","provision_state","provision_updated_at","reservation","target_power_state","target_provision_state","updated_at","uuid"]`}}},
		{name: "fields-of-a-node-at-1-31", steps: []step{{call: "GET /v1/nodes/{node}", version: "1.31", see: "body.keys", want: `200 keys=["boot_interface","chassis_uuid","clean_step","console_enabled","console_interface","created_at","deploy_interface","driver","driver_info","driver_internal_info","extra","inspect_interface","inspection_finished_at","inspection_started_at","instance_info","instance_uuid","last_error","links","maintenance","maintenance_reason","management_interface","name","network_interface","portgroups","ports","power_interface","power_state","properties","provision_state","provision_updated_at","raid_config","raid_interface","reservation","resource_class","states","target_power_state","target_provision_state","target_raid_config","updated_at","uuid","vendor_interface"]`}}},
		{name: "fields-of-a-node-at-1-82", steps: []step{{call: "GET /v1/nodes/{node}", version: "1.82", see: "body.keys", want: `200 keys=["allocation_uuid","automated_clean","bios_interface","boot_interface","boot_mode","chassis_uuid","clean_step","conductor","conductor_group","console_enabled","console_interface","created_at","deploy_interface","deploy_step","description","driver","driver_info","driver_internal_info","extra","fault","inspect_interface","inspection_finished_at","inspection_started_at","instance_info","instance_uuid","last_error","lessee","links","maintenance","maintenance_reason","management_interface","name","network_data","network_interface","owner","portgroups","ports","power_interface","power_state","properties","protected","protected_reason","provision_state","provision_updated_at","raid_config","raid_interface","rescue_interface","reservation","resource_class","retired","retired_reason","secure_boot","shard","states","storage_interface","target_power_state","target_provision_state","target_raid_config","traits","updated_at","uuid","vendor_interface","volume"]`}}},
		{name: "fields-of-a-node-at-1-115", since: 115, steps: []step{{call: "GET /v1/nodes/{node}", see: "body.keys", want: `200 keys=["allocation_uuid","automated_clean","bios_interface","boot_interface","boot_mode","chassis_uuid","clean_step","conductor","conductor_group","console_enabled","console_interface","created_at","deploy_interface","deploy_step","description","disable_power_off","driver","driver_info","driver_internal_info","extra","fault","firmware_interface","health","inspect_interface","inspection_finished_at","inspection_started_at","instance_info","instance_name","instance_uuid","last_error","lessee","links","maintenance","maintenance_reason","management_interface","name","network_data","network_interface","owner","parent_node","portgroups","ports","power_interface","power_state","properties","protected","protected_reason","provision_state","provision_updated_at","raid_config","raid_interface","rescue_interface","reservation","resource_class","retired","retired_reason","secure_boot","service_step","shard","states","storage_interface","target_power_state","target_provision_state","target_raid_config","traits","updated_at","uuid","vendor_interface","volume"]`}}},
		{name: "available-has-no-name-at-1-1", state: "available", steps: []step{
			{call: "GET /v1/nodes/{node}", version: "1.1", see: "provision_state", want: "200 provision_state=null"},
			{call: "GET /v1/nodes/{node}", version: "1.2", see: "provision_state", want: `200 provision_state="available"`},
		}},
		{name: "a-new-node-is-available-before-1-11", steps: []step{
			{call: "POST /v1/nodes", version: "1.10", body: `{"driver": "fake-hardware"}`, see: "provision_state", want: `201 provision_state="available"`},
			{call: "POST /v1/nodes", version: "1.11", body: `{"driver": "fake-hardware"}`, see: "provision_state", want: `201 provision_state="enroll"`},
		}},
		{name: "names-need-1-5", steps: []step{
			{call: "GET /v1/nodes/{name}", version: "1.4", want: "404 Node {name} could not be found."},
			{call: "GET /v1/nodes/{name}", version: "1.5", see: "uuid", want: `200 uuid="{node}"`},
		}},
		{name: "field-too-new-to-set", steps: []step{{call: "POST /v1/nodes", version: "1.30", body: `{"driver": "fake-hardware", "owner": "me"}`, want: "406 Request not acceptable."}}},
		{name: "field-too-new-to-patch", steps: []step{
			{call: "PATCH /v1/nodes/{node}", version: "1.49", body: `[{"op": "add", "path": "/owner", "value": "me"}]`, want: "406 Request not acceptable."},
		}},
		{name: "field-too-new-to-ask-for", steps: []step{{call: "GET /v1/nodes?fields=owner", version: "1.49", want: "406 Request not acceptable."}}},
		{name: "filter-too-new", steps: []step{{call: "GET /v1/nodes?owner=me", version: "1.49", want: "406 Request not acceptable. The minimal required API version should be 1.50"}}},
		{name: "sort-key-too-new", steps: []step{{call: "GET /v1/nodes?sort_key=owner", version: "1.49", want: "406 Request not acceptable."}}},
		{name: "collection-too-new", steps: []step{{call: "GET /v1/allocations", version: "1.51", want: "404 The API version does not allow allocations", old: "404 Not Found: The API version does not allow allocations"}}},
		{name: "sub-collection-too-new", steps: []step{{call: "GET /v1/nodes/{node}/history", version: "1.77", want: "404 Not Found:"}}},
		{name: "traits-too-new", steps: []step{{call: "GET /v1/nodes/{node}/traits", version: "1.36", want: "406 Request not acceptable."}}},
		{name: "verb-too-new", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/provision", version: "1.3", body: `{"target": "provide"}`, want: "406 Request not acceptable."},
		}},
		{name: "soft-power-too-new", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/power", version: "1.26", body: `{"target": "soft power off"}`, want: "406 Request not acceptable."},
		}},
		{name: "detail-in-the-query-too-new", steps: []step{{call: "GET /v1/nodes?detail=true", version: "1.42", want: "400 Invalid query parameter ?detail=True received."}}},
		{name: "fields-too-new", steps: []step{{call: "GET /v1/nodes?fields=uuid", version: "1.7", want: "406 Request not acceptable."}}},
		{name: "no-inspect-wait-before-1-39", state: "inspect wait > manageable", steps: []step{
			{call: "GET /v1/nodes/{node}", version: "1.38", see: "provision_state", want: `200 provision_state="inspecting"`},
			{call: "GET /v1/nodes/{node}", version: "1.39", see: "provision_state", want: `200 provision_state="inspect wait"`},
		}},
	}}
}

// shapes covers the formats of errors, and paths without a resource.
func shapes() group {
	return group{name: "shapes", behaviors: []behavior{
		{name: "fault", steps: []step{{call: "GET /v1/nodes/{uuid1}", see: "shape text header:Content-Type", want: "404 fault debuginfo,faultcode,faultstring Client Node {uuid1} could not be found. Content-Type=application/json"}}},
		{name: "no-such-collection", steps: []step{{call: "GET /v1/machines", see: "shape text", want: "404 pecan code,description,title Not Found:"}}},
		{name: "no-such-root", steps: []step{{call: "GET /v2", see: "shape text", want: "404 pecan code,description,title Not Found:"}}},
		{name: "no-such-sub-collection", steps: []step{{call: "GET /v1/nodes/{node}/machines", see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Field machines is not a valid field."}}},
		{name: "head", steps: []step{{call: "HEAD /v1/nodes", want: "405"}}},
		{name: "put-nodes", steps: []step{{call: "PUT /v1/nodes", body: `{}`, see: "shape text", want: "405 pecan code,description,title Method Not Allowed:"}}},
		{name: "delete-nodes", steps: []step{{call: "DELETE /v1/nodes", see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Missing mandatory parameter: node_ident"}}},
		{name: "post-to-a-node", steps: []step{{call: "POST /v1/nodes/{node}", body: `{}`, see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Schema error for node: '{node}' is not of type 'object'"}}},
		{name: "body-is-no-json", steps: []step{{call: "POST /v1/nodes", body: `{"driver"`, see: "shape text", want: "~500 fault debuginfo,faultcode,faultstring Server Expecting .* line 1 column .*"}}},
		{name: "body-is-a-list", steps: []step{{call: "POST /v1/nodes", body: `[]`, see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Schema error for node: [] is not of type 'object'"}}},
		{name: "body-is-a-text", steps: []step{{call: "POST /v1/nodes", body: `"node"`, see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Schema error for node: 'node' is not of type 'object'"}}},
		{name: "no-body", steps: []step{{call: "POST /v1/nodes", see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Schema error for node: 'driver' is a required property"}}},
		{name: "patch-without-body", steps: []step{{call: "PATCH /v1/nodes/{node}", see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Schema error for patch: {} is not of type 'array'"}}},
		{name: "other-content-type", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware"}`, header: "Content-Type: text/plain", see: "shape text", want: "201"},
		}},
		{name: "json-with-charset", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware"}`, header: "Content-Type: application/json; charset=utf-8", want: "201"},
		}},
		{name: "accepts-html", steps: []step{{call: "GET /v1/nodes/{uuid1}", header: "Accept: text/html", see: "shape text", want: "406 error_message text <html>\n <head>\n  <title>406 Not Acceptable</title>\n </head>\n <body>\n  <h1>406 Not Acceptable</h1>\n  The resource could not be generated that was acceptable to your browser\n(content of type text/html. <br /><br />\n\n </body>\n</html>"}}},
		{name: "accepts-xml", steps: []step{{call: "GET /v1/nodes/{uuid1}", header: "Accept: application/xml", see: "shape header:Content-Type", want: "406 error_message text Content-Type=application/json"}}},
		{name: "accepts-anything", steps: []step{{call: "GET /v1/nodes/{uuid1}", header: "Accept: */*", see: "shape text", want: "404 fault debuginfo,faultcode,faultstring Client Node {uuid1} could not be found."}}},
		{name: "unknown-query", steps: []step{{call: "GET /v1/nodes?colour=red", see: "shape text", want: "400 fault debuginfo,faultcode,faultstring Client Unexpected arguments: colour"}}},
		{name: "two-unknown-queries", steps: []step{{call: "GET /v1/nodes?colour=red&size=1", see: "text", want: "~400 Unexpected arguments: (size, colour|colour, size)"}}},
		{name: "unknown-query-on-a-node", steps: []step{{call: "GET /v1/nodes/{node}?colour=red", see: "text", want: "400 Unexpected arguments: colour"}}},
		{name: "name-that-is-not-there", steps: []step{{call: "GET /v1/nodes/{word1}", want: "404 Node {word1} could not be found."}}},
		{name: "ident-that-is-no-name", steps: []step{{call: "GET /v1/nodes/not_a_name", want: "404 Node not_a_name could not be found."}}},
		{name: "empty-success", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`, see: "header:Content-Length header:Content-Type", want: "202 Content-Length=0 Content-Type="},
		}},
		{name: "request-id", steps: []step{{call: "GET /v1/nodes/{node}", see: "header:Content-Type", want: "200 Content-Type=application/json"}}},
	}}
}

// limits covers requests just inside and just beyond Ironic's limits on the nesting and size of request bodies and on
// the length of names.
func limits() group {
	return group{name: "limits", behaviors: []behavior{
		{name: "depth-25", since: 83, steps: []step{
			{call: "POST /v1/nodes", body: nested(23), want: "201"},
			{call: "POST /v1/nodes", body: nested(24), want: "201"},
			{call: "POST /v1/nodes", body: nested(25), see: "shape text", want: "400 bare fault faultcode,faultstring Request body JSON is nested too deeply. Please contact the service administrator."},
			{call: "POST /v1/nodes", body: nested(26), see: "shape text", want: "400 bare fault faultcode,faultstring Request body JSON is nested too deeply. Please contact the service administrator."},
		}},
		{name: "depth-100", steps: []step{{call: "POST /v1/nodes", body: nested(100), want: "400 Request body JSON is nested too deeply. Please contact the service administrator.", old: "201"}}},
		{name: "size-below-1-mib", steps: []step{{call: "POST /v1/nodes", body: sized(1<<20 - 1000), want: "201"}}},
		{name: "size-above-1-mib", steps: []step{{call: "POST /v1/nodes", body: sized(1<<20 + 1000), see: "shape text", want: "413 bare fault faultcode,faultstring Request body is too large. Please contact the service administrator.", old: "201"}}},
		{name: "configdrive-of-2-mib", state: "available", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/provision", body: `{"target": "active", "configdrive": "` + strings.Repeat("QUJD", 1<<19) + `"}`, want: "202"},
		}},
		{name: "name-of-255", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}-` + strings.Repeat("a", 49) + `"}`, want: "201"}}},
		{name: "name-label-of-64", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "` + strings.Repeat("a", 64) + `"}`, want: "201"}}},
		{name: "description-of-4096", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "description": "` + strings.Repeat("d", 4096) + `"}`, want: "201"}}},
		{name: "description-of-4097", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "description": "` + strings.Repeat("d", 4097) + `"}`, see: "shape", want: "400 fault debuginfo,faultcode,faultstring Client"}}},
	}}
}

// nested returns the JSON of a node whose extra field contains objects nested depth levels deep. The node itself is
// one more level.
func nested(depth int) string {
	return `{"driver": "fake-hardware", "extra": ` + strings.Repeat(`{"a": `, depth) + "1" + strings.Repeat("}", depth) + "}"
}

// sized returns the JSON of a node, with the given length in bytes.
func sized(bytes int) string {
	frame := `{"driver": "fake-hardware", "extra": {"a": ""}}`
	return strings.Replace(frame, `""`, `"`+strings.Repeat("x", bytes-len(frame))+`"`, 1)
}
