package contract

// ramdisk covers the calls that an agent makes. The nodes are put into a state in which Ironic waits for an agent.
// For calls that would make Ironic call the agent in turn, they are put into a state in which Ironic only records the
// agent's call.
func ramdisk() group {
	const agent = `{"callback_url": "http://127.0.0.1:9999", "agent_token": "{token}", "agent_version": "13.0.0"}`
	with := func(steps ...step) []step {
		return append([]step{
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`},
			{call: "SET deploying > active"},
			{call: "GET /v1/lookup?addresses={mac1}", save: "token=config.agent_token"},
		}, steps...)
	}
	port := func(steps ...step) []step {
		return append([]step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`}}, steps...)
	}
	return group{name: "ramdisk", behaviors: []behavior{
		{name: "lookup", steps: port(
			step{call: "SET deploying > active"},
			step{call: "GET /v1/lookup?addresses={mac1}", version: "1.62", see: "node.keys node.uuid config.keys config.heartbeat_timeout config.agent_token? config.agent_token_required", want: `200 node.keys=["driver_internal_info","instance_info","links","properties","uuid"] node.uuid="{node}" config.keys=["agent_containers","agent_md5_checksum_enable","agent_skip_bmc_detect","agent_token","agent_token_required","disable_deep_image_inspection","enable_bios_bootloader_install","heartbeat_timeout","metrics","metrics_statsd","permitted_image_formats","tls_cipher_suites","tls_min_version"] config.heartbeat_timeout=300 config.agent_token=set config.agent_token_required=true`, old: `200 node.keys=["driver_internal_info","instance_info","links","properties","uuid"] node.uuid="{node}" config.keys=["agent_token","agent_token_required","disable_deep_image_inspection","heartbeat_timeout","metrics","metrics_statsd","permitted_image_formats"] config.heartbeat_timeout=300 config.agent_token=set config.agent_token_required=true`},
			step{call: "GET /v1/nodes/{node}", see: "driver_internal_info reservation", want: `200 driver_internal_info={"agent_secret_token":"******"} reservation=null`},
			step{call: "GET /v1/lookup?addresses={mac1}", see: "config.agent_token", want: `200 config.agent_token="******"`},
		)},
		{name: "lookup-without-anything", steps: []step{{call: "GET /v1/lookup", want: "400 At least one of 'addresses' and 'node_uuid' parameters is required"}}},
		{name: "lookup-with-nonsense", steps: []step{{call: "GET /v1/lookup?addresses=eth0", want: "400 At least one of 'addresses' and 'node_uuid' parameters is required"}}},
		{name: "lookup-of-an-unknown-address", steps: []step{{call: "GET /v1/lookup?addresses={mac1}", want: "404 Resource could not be found."}}},
		{name: "lookup-in-a-wrong-state", steps: port(step{call: "SET active"}, step{call: "GET /v1/lookup?addresses={mac1}", want: "404 Resource could not be found."})},
		{name: "lookup-by-uuid", state: "clean wait > available", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid", want: `200 node.uuid="{node}"`}}},
		{name: "lookup-by-uuid-that-is-none", steps: []step{{call: "GET /v1/lookup?node_uuid=one", want: "400 Expected UUID for node_uuid: one"}}},
		{name: "lookup-by-address-and-uuid", steps: port(step{call: "SET inspect wait > manageable"}, step{call: "GET /v1/lookup?addresses=eth0,{mac1}&node_uuid={node}", see: "node.uuid", want: `200 node.uuid="{node}"`})},
		{name: "lookup-in-rescue-wait", state: "rescue wait > rescue", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid", want: `200 node.uuid="{node}"`}}},
		{name: "lookup-in-wait-call-back", state: "wait call-back > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid", want: `200 node.uuid="{node}"`}}},
		{name: "lookup-in-service-wait", since: 87, state: "service wait > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid", want: `200 node.uuid="{node}"`}}},
		{name: "lookup-in-servicing", since: 87, state: "servicing > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid text", want: "404 Resource could not be found."}}},
		{name: "lookup-in-deploy-hold", since: 85, state: "deploy hold > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid text", want: "404 Resource could not be found."}}},
		{name: "lookup-in-manageable", state: "manageable", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", want: "404 Resource could not be found."}}},
		{name: "lookup-of-a-locked-node", state: "deploying > active", steps: []step{{call: "LOCK elsewhere"}, {call: "GET /v1/lookup?node_uuid={node}", see: "node.uuid config.agent_token", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "lookup-before-1-22", state: "deploying > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", version: "1.21", want: "404 Resource could not be found."}}},
		{name: "lookup-before-1-62", state: "deploying > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", version: "1.61", see: "config.agent_token config.keys", want: `200 config.agent_token=null config.keys=["agent_containers","agent_md5_checksum_enable","agent_skip_bmc_detect","agent_token","agent_token_required","disable_deep_image_inspection","enable_bios_bootloader_install","heartbeat_timeout","metrics","metrics_statsd","permitted_image_formats","tls_cipher_suites","tls_min_version"]`, old: `200 config.agent_token=null config.keys=["agent_token","agent_token_required","disable_deep_image_inspection","heartbeat_timeout","metrics","metrics_statsd","permitted_image_formats"]`}}},
		{name: "lookup-unknown-query", steps: []step{{call: "GET /v1/lookup?colour=red", want: "400 Unexpected arguments: colour"}}},
		{name: "lookup-masks", node: `{"instance_info": {"image_source": "x", "secret_key": "y"}, "driver_info": {"password": "z"}}`, state: "deploying > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}", version: "1.82", see: "node.instance_info node.driver_internal_info", want: `200 node.instance_info={"image_source":"x","secret_key":"******"} node.driver_internal_info={"agent_secret_token":"******"}`}}},

		{name: "heartbeat", node: `{"deploy_interface": "custom-agent"}`, steps: with(
			step{call: "POST /v1/heartbeat/{node}", body: agent, see: "header:Content-Length", want: "202 Content-Length=0"},
			step{call: "UNTIL /v1/nodes/{node}", see: "driver_internal_info.agent_url driver_internal_info.agent_version driver_internal_info.agent_last_heartbeat? reservation provision_state", want: `200 driver_internal_info.agent_url="http://127.0.0.1:9999" driver_internal_info.agent_version="13.0.0" driver_internal_info.agent_last_heartbeat=set reservation=null provision_state="deploying"`},
		)},
		{name: "heartbeat-without-token", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_version": "13.0.0"}`, want: "400 Agent token is required for heartbeat processing."})},
		{name: "heartbeat-with-a-wrong-token", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "wrong", "agent_version": "13.0.0"}`, want: "400 Invalid or missing agent token received."})},
		{name: "heartbeat-before-a-lookup", state: "deploying > active", steps: []step{{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "x", "agent_version": "13.0.0"}`, want: "400 Invalid or missing agent token received."}}},
		{name: "heartbeat-without-version", steps: with(
			step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "{token}"}`, want: "400 Agent did not transmit a version, and a version is required. Please update the agent being used."},
		)},
		{name: "heartbeat-without-callback", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"agent_token": "{token}", "agent_version": "13.0.0"}`, want: "400 Missing mandatory parameter: callback_url"})},
		{name: "heartbeat-with-another-scheme", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "ftp://127.0.0.1", "agent_token": "{token}", "agent_version": "13.0.0"}`, want: `400 An issue with the supplied "callback_url" has been detected.`, old: "202"})},
		{name: "heartbeat-from-elsewhere", node: `{"deploy_interface": "custom-agent"}`, steps: with(
			step{call: "POST /v1/heartbeat/{node}", body: agent},
			step{call: "UNTIL /v1/nodes/{node}", see: "driver_internal_info.agent_url reservation", want: `200 driver_internal_info.agent_url="http://127.0.0.1:9999" reservation=null`},
			step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.2:9999", "agent_token": "{token}", "agent_version": "13.0.0"}`, want: `400 Detected change in ramdisk provided "callback_url"`},
		)},
		{name: "heartbeat-twice", node: `{"deploy_interface": "custom-agent"}`, steps: with(
			step{call: "POST /v1/heartbeat/{node}", body: agent},
			step{call: "UNTIL /v1/nodes/{node}", see: "driver_internal_info.agent_url reservation", want: `200 driver_internal_info.agent_url="http://127.0.0.1:9999" reservation=null`},
			step{call: "POST /v1/heartbeat/{node}", body: agent, want: "202"},
		)},
		{name: "heartbeat-unknown-key", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "{token}", "agent_version": "13.0.0", "mood": "good"}`, want: "400 Unexpected arguments: mood"})},
		{name: "heartbeat-of-no-node", steps: []step{{call: "POST /v1/heartbeat/{uuid1}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "x", "agent_version": "13.0.0"}`, want: "404 Node {uuid1} could not be found."}}},
		{name: "heartbeat-by-name", steps: with(step{call: "POST /v1/heartbeat/{name}", body: agent, want: "202"})},
		{name: "heartbeat-of-a-locked-node", steps: with(step{call: "LOCK elsewhere"}, step{call: "POST /v1/heartbeat/{node}", body: agent, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed.", old: "202"})},
		{name: "heartbeat-in-active", node: `{"deploy_interface": "custom-agent"}`, steps: with(step{call: "SET active"}, step{call: "POST /v1/heartbeat/{node}", body: agent, want: "202"})},
		{name: "heartbeat-token-before-1-62", steps: with(step{call: "POST /v1/heartbeat/{node}", version: "1.61", body: agent, want: "202"})},
		{name: "heartbeat-certificate-before-1-68", steps: with(step{call: "POST /v1/heartbeat/{node}", version: "1.67", body: `{"callback_url": "https://127.0.0.1:9999", "agent_token": "{token}", "agent_version": "13.0.0", "agent_verify_ca": "x"}`, want: `400 Field "agent_verify_ca" not recognised in this version`})},
		{name: "heartbeat-status-before-1-72", steps: with(step{call: "POST /v1/heartbeat/{node}", version: "1.71", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "{token}", "agent_version": "13.0.0", "agent_status": "start"}`, want: `400 Fields "agent_status" and "agent_status_message" not recognised.`})},
		{name: "heartbeat-unknown-status", steps: with(step{call: "POST /v1/heartbeat/{node}", body: `{"callback_url": "http://127.0.0.1:9999", "agent_token": "{token}", "agent_status": "happy", "agent_status_message": "x"}`, want: "400 Agent status is invalid. Valid states are start,end,error."})},
		{name: "heartbeat-in-maintenance", node: `{"deploy_interface": "custom-agent"}`, steps: with(
			step{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			step{call: "POST /v1/heartbeat/{node}", body: agent, want: "202"},
		)},
	}}
}

// inspections covers the inspection data that an agent sends. These behaviors run before any inspection rules exist.
func inspections() []behavior {
	port := func(steps ...step) []step {
		return append([]step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`}}, steps...)
	}
	return []behavior{
		{name: "inspection-without-interfaces", since: 84, steps: []step{
			{call: "POST /v1/continue_inspection", version: "none", body: `{}`, want: "400 Schema error for data: 'inventory' is a required property"},
			{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {}}`, want: "400 Schema error for data: 'interfaces' is a required property"},
			{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": []}}`, want: "400 Schema error for data: [] should be non-empty"},
		}},
		{name: "inspection-of-an-unknown-address", since: 84, steps: []step{{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}]}}`, want: "404 Resource could not be found."}}},
		{name: "inspection-in-a-wrong-state", since: 84, steps: port(step{call: "SET manageable"}, step{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}]}}`, want: "404 Resource could not be found."})},
		{name: "inspection-with-an-old-version", since: 84, steps: []step{{call: "POST /v1/continue_inspection", version: "1.68", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}]}}`, want: "404 API version 1.84 or newer is required"}}},
		{name: "inspection-on-an-old-release", steps: []step{{call: "POST /v1/continue_inspection", version: "1.82", body: `{}`, want: "400 Schema error for data: 'inventory' is a required property", old: "404 Not Found:"}}},
		{name: "inspection", since: 84, node: `{"inspect_interface": "agent"}`, steps: port(
			step{call: "SET inspect wait > manageable"},
			step{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}", "ipv4_address": "192.0.2.7"}, {"name": "eno2", "mac_address": "{mac2}"}], "cpu": {"architecture": "x86_64", "count": 4}, "memory": {"physical_mb": 4096}, "disks": [{"name": "/dev/sda", "size": 100}]}, "boot_interface": "{mac1}", "extra_thing": {"a": 1}}`, see: "body.keys uuid", want: `202 keys=["uuid"] uuid="{node}"`},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state reservation properties last_error inspection_finished_at?", want: `200 provision_state="manageable" target_provision_state=null reservation=null properties={"cpu_arch":"x86_64"} last_error=null inspection_finished_at=set`},
			step{call: "GET /v1/nodes/{node}/inventory", see: "body.keys inventory.cpu plugin_data.keys plugin_data.extra_thing", want: `200 keys=["inventory","plugin_data"] inventory.cpu={"architecture":"x86_64","count":4} plugin_data.keys=["all_interfaces","boot_interface","extra_thing","macs","valid_interfaces"] plugin_data.extra_thing={"a":1}`},
			step{call: "GET /v1/ports?node={node}&fields=address,pxe_enabled", see: "ports.#.address ports.#.pxe_enabled", want: `200 ports.#.address=["{mac1}","{mac2}"] ports.#.pxe_enabled=[false,false]`},
		)},
		{name: "inspection-with-lldp", since: 84, node: `{"inspect_interface": "agent"}`, steps: port(
			step{call: "SET inspect wait > manageable"},
			step{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}", "has_carrier": true, "lldp": [[1, "040a1b2c3d4e5f"], [2, "0545746833"]]}], "cpu": {"architecture": "x86_64", "count": 4}, "memory": {"physical_mb": 4096}}, "lldp_raw": {"eno1": [[5, "737731"]]}}`, want: "202"},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state", want: `200 provision_state="manageable"`},
			step{call: "GET /v1/nodes/{node}/inventory", see: "inventory.interfaces.0.lldp inventory.interfaces.0.has_carrier plugin_data.lldp_raw plugin_data.all_interfaces.eno1.pxe_enabled", want: `200 inventory.interfaces.0.lldp=[[1,"040a1b2c3d4e5f"],[2,"0545746833"]] inventory.interfaces.0.has_carrier=true plugin_data.lldp_raw={"eno1":[[5,"737731"]]} plugin_data.all_interfaces.eno1.pxe_enabled=false`},
		)},
		{name: "inspection-with-an-error", since: 84, node: `{"inspect_interface": "agent"}`, steps: port(
			step{call: "SET inspect wait > manageable"},
			step{call: "POST /v1/continue_inspection", version: "none", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}]}, "error": "no disks"}`, see: "uuid text", want: `202 uuid="{node}"`},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation last_error", want: `200 provision_state="inspect failed" reservation=null last_error="Async execution of continue_inspection failed with error: Failed to inspect hardware. Reason: failed to run inspection hooks: Failed to inspect hardware. Reason: The following failures happened while running preprocess hooks for node {node}:\nError in preprocess hook ramdisk-error: Failed to inspect hardware. Reason: Ramdisk reported error: no disks"`},
		)},
		{name: "inspection-at-the-newest-version", since: 84, node: `{"inspect_interface": "agent"}`, steps: port(
			step{call: "SET inspect wait > manageable"},
			step{call: "POST /v1/continue_inspection?node_uuid={node}", body: `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}], "cpu": {"architecture": "x86_64"}}}`, see: "body.keys config.agent_token? node.uuid", want: `202 keys=["config","node"] config.agent_token=set node.uuid="{node}"`},
		)},
		{name: "inspection-aborted", since: 84, node: `{"inspect_interface": "agent"}`, steps: port(
			step{call: "SET inspect wait > manageable"},
			step{call: provisionCall, body: `{"target": "abort"}`, want: "202"},
			step{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state reservation last_error", want: `200 provision_state="inspect failed" target_provision_state="manageable" reservation=null last_error="Inspection was aborted by request."`},
		)},
	}
}

// secrets covers values that Ironic masks.
func secrets() group {
	return group{name: "secrets", behaviors: []behavior{
		{name: "driver-info", node: `{"driver_info": {"redfish_password": "a", "ipmi_password": "b", "snmp_auth_key": "c", "my_token": "d", "secret_thing": "e", "user": "f", "nested": {"password": "g"}}}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "driver_info", want: `200 driver_info={"ipmi_password":"******","my_token":"******","nested":{"password":"******"},"redfish_password":"******","secret_thing":"******","snmp_auth_key":"******","user":"f"}`, old: `200 driver_info={"ipmi_password":"******","my_token":"******","nested":{"password":"******"},"redfish_password":"******","secret_thing":"******","snmp_auth_key":"c","user":"f"}`}, {call: "GET /v1/nodes?detail=true&limit=1", want: "200"}}},
		{name: "when-creating", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "driver_info": {"redfish_password": "a"}}`, see: "driver_info", want: `201 driver_info={"redfish_password":"******"}`}}},
		{name: "when-patching", node: `{"driver_info": {"redfish_password": "a"}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/driver_info/user", "value": "x"}]`, see: "driver_info", want: `200 driver_info={"redfish_password":"******","user":"x"}`}}},
		{name: "empty-password", node: `{"driver_info": {"redfish_password": ""}}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "driver_info", want: `200 driver_info={"redfish_password":"******"}`}}},
		{name: "instance-info", node: `{"instance_info": {"image_url": "http://x", "image_source": "http://y", "configdrive": "abc", "admin_password": "p", "capabilities": {"a": "b"}}}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "instance_info", want: `200 instance_info={"admin_password":"******","capabilities":{"a":"b"},"configdrive":"******","image_source":"http://y","image_url":"******"}`}}},
		{name: "properties-are-shown", node: `{"properties": {"password": "a"}, "extra": {"password": "b"}}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "properties extra", want: `200 properties={"password":"a"} extra={"password":"b"}`}}},
		{name: "stars-are-written", node: `{"driver_info": {"redfish_password": "a"}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/driver_info/redfish_password", "value": "******"}]`, see: "driver_info", want: `200 driver_info={"redfish_password":"******"}`}}},
		{name: "agent-token", state: "deploying > active", steps: []step{{call: "GET /v1/lookup?node_uuid={node}"}, {call: "GET /v1/nodes/{node}", see: "driver_internal_info.agent_secret_token", want: `200 driver_internal_info.agent_secret_token="******"`}}},
	}}
}
