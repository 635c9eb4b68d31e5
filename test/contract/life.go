package contract

// life covers a node of fake hardware as it moves from state to state.
func life() group {
	return group{name: "life", behaviors: []behavior{
		{name: "verified", steps: []step{
			{call: provisionCall, body: `{"target": "manage"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state power_state last_error provision_updated_at? reservation", want: `200 provision_state="manageable" target_provision_state=null power_state=null last_error=null provision_updated_at=set reservation=null`},
		}},
		{name: "not-verified", node: `{"driver": "redfish", "driver_info": {"redfish_address": "{url}", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "u", "redfish_password": "p"}}`, steps: []step{
			{call: provisionCall, body: `{"target": "manage"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state power_state last_error reservation", want: `200 provision_state="enroll" target_provision_state=null power_state=null last_error="Failed to get power state for node {node}. Error: Redfish exception occurred. Error: Resource {url}/redfish/v1/ not found" reservation=null`},
			{call: "GET /v1/nodes/{node}/history", see: "history.#.event history.#.severity history.0.keys", want: `200 history.#.event=["Failed to get power state for node {node}. Error: Redfish exception occurred. Error: Resource {url}/redfish/v1/ not found"] history.#.severity=["ERROR"] history.0.keys=["created_at","event","links","severity","uuid"]`},
			{call: "GET /v1/nodes/{node}/history?detail=true", version: "1.82", see: "history.#.event_type history.#.conductor history.0.keys", want: `200 history.#.event_type=["verify"] history.#.conductor=["localhost"] history.0.keys=["conductor","created_at","event","event_type","links","severity","user","uuid"]`},
		}},
		{name: "manage-without-what-is-needed", node: `{"driver": "redfish"}`, steps: []step{
			{call: provisionCall, body: `{"target": "manage"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state last_error reservation", want: `200 provision_state="enroll" last_error="Failed to validate power driver interface for node {node}. Error: Missing the following Redfish properties in node {node} driver_info: ['redfish_address']" reservation=null`},
		}},
		{name: "history-of-none", steps: []step{{call: "GET /v1/nodes/{node}/history", see: "body", want: `200 body={"history":[]}`}, {call: "GET /v1/nodes/{node}/history/{uuid1}", want: "404 Node history record {uuid1} could not be found."}, {call: "GET /v1/nodes/{node}/history?colour=red", want: "400 Unexpected arguments: colour"}}},
		{name: "history-of-a-deployment", since: 115, state: "available", steps: []step{
			{call: provisionCall, body: `{"target": "active"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="active" reservation=null`},
			{call: "GET /v1/nodes/{node}/history?detail=true", see: "history.#.event_type history.#.severity history.#.state history.#.target_provision_state", want: `200 history.#.event_type=["deployment_start","deployment_end"] history.#.severity=["INFO","INFO"] history.#.state=["deploying","deploying"] history.#.target_provision_state=["active","active"]`},
			{call: "GET /v1/nodes/{node}/history?detail=true&sort_dir=desc&limit=1", see: "history.#.event_type next?", want: `200 history.#.event_type=["deployment_end"] next=set`},
			{call: "GET /v1/nodes/{node}/history?detail=true", see: "history.#.event", want: `200 history.#.event=["Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}]","Deployment completed successfully with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}]"]`},
		}},
		{name: "history-of-a-deployment-before", state: "available", steps: []step{
			{call: provisionCall, body: `{"target": "active"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="active" reservation=null`},
			{call: "GET /v1/nodes/{node}/history", version: "1.78", see: "history.len", want: "200 history.len=2", old: "200 history.len=0"},
		}},
		{name: "deployed", state: "available", node: `{"instance_info": {"a": 1}}`, steps: []step{
			{call: provisionCall, body: `{"target": "active", "configdrive": {"user_data": "x"}}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state last_error deploy_step instance_info driver_internal_info.deploy_steps driver_internal_info.user_deploy_steps driver_internal_info.is_whole_disk_image power_state reservation", want: `200 provision_state="active" target_provision_state=null last_error=null deploy_step={} instance_info={"a":1,"configdrive":"******"} driver_internal_info.deploy_steps=null driver_internal_info.user_deploy_steps=absent driver_internal_info.is_whole_disk_image=absent power_state=null reservation=null`},
			{call: "GET /v1/nodes/{node}", version: "1.82", see: "driver_internal_info.keys", want: `200 driver_internal_info.keys=["deploy_steps"]`},
		}},
		{name: "what-undeploying-wipes", state: "active", node: `{"instance_uuid": "{uuid1}", "instance_info": {"a": 1, "root_device": {"size": 1}}, "properties": {"root_device": {"size": 2}}, "extra": {"e": 1}, "lessee": "you"}`, steps: []step{
			{call: provisionCall, body: `{"target": "deleted"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state instance_uuid instance_info properties extra lessee driver_internal_info reservation", want: `200 provision_state="available" target_provision_state=null instance_uuid=null instance_info={} properties={"root_device":{"size":2}} extra={"e":1} lessee="you" driver_internal_info={"deploy_steps":null} reservation=null`},
		}},
		{name: "auto-lessee", state: "available", node: `{"instance_info": {"image_source": "http://127.0.0.1:1/x"}}`, steps: []step{
			{call: provisionCall, body: `{"target": "active"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state lessee reservation", want: `200 provision_state="active" lessee=null reservation=null`},
		}},
		{name: "rebuilt-with-an-image", state: "active", node: `{"instance_info": {"image_source": "http://127.0.0.1:1/x"}}`, steps: []step{
			{call: provisionCall, body: `{"target": "rebuild"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state instance_info last_error reservation", want: `200 provision_state="active" instance_info={"image_source":"http://127.0.0.1:1/x","image_type":"whole-disk"} last_error=null reservation=null`},
		}},
		{name: "automated-cleaning", node: `{"automated_clean": true}`, state: "manageable", steps: []step{
			{call: provisionCall, body: `{"target": "provide"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state clean_step last_error automated_clean driver_internal_info reservation", want: `200 provision_state="available" target_provision_state=null clean_step={} last_error=null automated_clean=true driver_internal_info={"clean_steps":null} reservation=null`},
		}},
		{name: "adopted", state: "manageable", node: `{"instance_info": {"a": 1}}`, steps: []step{
			{call: provisionCall, body: `{"target": "adopt"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state instance_info last_error reservation", want: `200 provision_state="active" target_provision_state=null instance_info={"a":1} last_error=null reservation=null`},
		}},
		{name: "adopt-failed", state: "manageable", node: `{"driver": "redfish", "driver_info": {"redfish_address": "{url}", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "u", "redfish_password": "p"}}`, steps: []step{
			{call: provisionCall, body: `{"target": "adopt"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state last_error reservation", want: `200 provision_state="adopt failed" target_provision_state="active" last_error="Error while attempting to adopt node {node}: Redfish exception occurred. Error: Resource {url}/redfish/v1/ not found." reservation=null`, old: `200 provision_state="active" target_provision_state=null last_error=null reservation=null`},
		}},
		{name: "deploy-failed-for-power", state: "available", node: `{"driver": "redfish", "deploy_interface": "custom-agent", "boot_interface": "redfish-virtual-media", "driver_info": {"redfish_address": "{url}", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "u", "redfish_password": "p", "deploy_iso": "http://127.0.0.1:1/x.iso"}}`, steps: []step{
			{call: provisionCall, body: `{"target": "active"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state last_error deploy_step reservation", want: `200 provision_state="deploy failed" target_provision_state="active" last_error="Failed to prepare to deploy: Redfish exception occurred. Error: Resource {url}/redfish/v1/ not found" deploy_step={} reservation=null`},
			{call: "GET /v1/nodes/{node}/history", see: "history.#.severity", want: `200 history.#.severity=["ERROR","ERROR"]`},
		}},
		{name: "deploy-that-does-not-validate", state: "available", node: `{"driver": "redfish", "deploy_interface": "custom-agent", "boot_interface": "redfish-virtual-media"}`, steps: []step{
			{call: provisionCall, body: `{"target": "active"}`, want: "400 Failed to validate deploy or power info for node {node}: Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"},
			{call: "GET /v1/nodes/{node}", see: "provision_state last_error", want: `200 provision_state="available" last_error=null`},
		}},
		{name: "bad-root-device-keeps-from-deploying", state: "available", node: `{"deploy_interface": "custom-agent", "properties": {"root_device": {"size": "big"}}}`, steps: []step{{call: provisionCall, body: `{"target": "active"}`, want: `400 Failed to validate deploy or power info for node {node}: Failed to validate the root device hints {'size': 'big'} (from the node's properties) for node {node}: Root device hint "size" is not an integer value. Current value: big`}}},
		{name: "protected-only-when-deployed", state: "available", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/protected", "value": true}]`, want: "409 Node {node} can only be made protected in provision states 'active' or 'rescue', the current state is 'available'"}}},
		{name: "protected", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/protected", "value": true}, {"op": "add", "path": "/protected_reason", "value": "mine"}]`, see: "protected protected_reason", want: `200 protected=true protected_reason="mine"`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/protected", "value": false}]`, see: "protected protected_reason", want: "200 protected=false protected_reason=null"},
		}},
		{name: "protected-reason-alone", state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/protected_reason", "value": "mine"}]`, want: "400 The protected_reason field can only be set when protected is True"}}},
		{name: "retired-not-when-available", state: "available", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/retired", "value": true}]`, want: "409 Node {node} can not have 'retired' set in provision state 'available', the current state is 'available'"}}},
		{name: "retired", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/retired", "value": true}, {"op": "add", "path": "/retired_reason", "value": "old"}]`, see: "retired retired_reason", want: `200 retired=true retired_reason="old"`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/retired", "value": false}]`, see: "retired retired_reason", want: "200 retired=false retired_reason=null"},
		}},
		{name: "retired-reason-alone", state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/retired_reason", "value": "x"}]`, want: "400 The retired_reason field can only be set when retired is True"}}},
		{name: "retired-without-cleaning", state: "active", node: `{"retired": true}`, steps: []step{
			{call: provisionCall, body: `{"target": "deleted"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state reservation", want: `200 provision_state="available" target_provision_state=null reservation=null`},
		}},
		{name: "waits-for-the-agent", state: "available", node: `{"deploy_interface": "custom-agent"}`, steps: []step{
			{call: provisionCall, body: `{"target": "active", "deploy_steps": [{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 80}]}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state deploy_step driver_internal_info.user_deploy_steps driver_internal_info.deploy_step_index reservation power_state", want: `200 provision_state="wait call-back" target_provision_state="active" deploy_step={"abortable":true,"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} driver_internal_info.user_deploy_steps=[{"args":{},"interface":"deploy","priority":80,"step":"install_coreos"}] driver_internal_info.deploy_step_index=0 reservation=null power_state="power on"`, old: `200 provision_state="wait call-back" target_provision_state="active" deploy_step={"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} driver_internal_info.user_deploy_steps=[{"args":{},"interface":"deploy","priority":80,"step":"install_coreos"}] driver_internal_info.deploy_step_index=0 reservation=null power_state="power on"`},
			{call: "GET /v1/nodes/{node}", see: "driver_internal_info.deploy_steps", want: `200 driver_internal_info.deploy_steps=[{"abortable":true,"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"},{"abortable":true,"argsinfo":null,"interface":"deploy","priority":60,"step":"prepare_instance_boot"},{"abortable":true,"argsinfo":null,"interface":"deploy","priority":40,"step":"tear_down_agent"},{"abortable":true,"argsinfo":null,"interface":"deploy","priority":30,"step":"switch_to_tenant_network"},{"abortable":true,"argsinfo":null,"interface":"deploy","priority":20,"step":"boot_instance"}]`, old: `200 driver_internal_info.deploy_steps=[{"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"},{"argsinfo":null,"interface":"deploy","priority":60,"step":"prepare_instance_boot"},{"argsinfo":null,"interface":"deploy","priority":40,"step":"tear_down_agent"},{"argsinfo":null,"interface":"deploy","priority":30,"step":"switch_to_tenant_network"},{"argsinfo":null,"interface":"deploy","priority":20,"step":"boot_instance"}]`},
			{call: provisionCall, body: `{"target": "deleted"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state deploy_step driver_internal_info.keys last_error reservation", want: `200 provision_state="available" target_provision_state=null deploy_step={"abortable":true,"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} driver_internal_info.keys=["deploy_steps","last_power_state_change"] last_error=null reservation=null`, old: `200 provision_state="available" target_provision_state=null deploy_step={"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} driver_internal_info.keys=["deploy_steps","last_power_state_change"] last_error=null reservation=null`},
		}},
		{name: "abort-while-it-waits", since: 110, state: "available", node: `{"deploy_interface": "custom-agent"}`, steps: []step{
			{call: provisionCall, body: `{"target": "active"}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="wait call-back" reservation=null`},
			{call: provisionCall, body: `{"target": "abort"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state deploy_step last_error reservation", want: `200 provision_state="deploy failed" target_provision_state="active" deploy_step={} last_error="By request, the deploy operation was aborted during or after the completion of step \"deploy.deploy\"" reservation=null`},
		}},
		{name: "templates-are-merged", state: "available", node: `{"deploy_interface": "custom-agent", "instance_info": {"traits": ["{trait1}"]}}`, steps: []step{
			{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "deploy", "step": "from_template", "args": {"a": 1}, "priority": 70}, {"interface": "deploy", "step": "both", "args": {"from": "template"}, "priority": 65}]}`},
			{call: "PUT /v1/nodes/{node}/traits/{trait1}"},
			{call: provisionCall, body: `{"target": "active", "deploy_steps": [{"interface": "deploy", "step": "mine", "args": {}, "priority": 80}, {"interface": "deploy", "step": "both", "args": {"from": "me"}, "priority": 66}, {"interface": "deploy", "step": "never", "args": {}, "priority": 0}]}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="wait call-back" reservation=null`},
			{call: "GET /v1/nodes/{node}", see: "driver_internal_info.deploy_steps.#.step driver_internal_info.deploy_steps.#.priority driver_internal_info.user_deploy_steps.#.step", want: `200 driver_internal_info.deploy_steps.#.step=["deploy","prepare_instance_boot","tear_down_agent","switch_to_tenant_network","boot_instance"] driver_internal_info.deploy_steps.#.priority=[100,60,40,30,20] driver_internal_info.user_deploy_steps.#.step=["mine","both","never"]`},
		}},
		{name: "the-order-of-equal-priorities", state: "available", node: `{"deploy_interface": "custom-agent"}`, steps: []step{
			{call: provisionCall, body: `{"target": "active", "deploy_steps": [{"interface": "raid", "step": "apply_configuration", "args": {"raid_config": {"logical_disks": []}}, "priority": 150}, {"interface": "bios", "step": "factory_reset", "args": {}, "priority": 150}]}`, want: "202"},
		}},
		{name: "timeout-of-a-callback-is-not-yet", state: "wait call-back > active", steps: []step{{call: "GET /v1/nodes/{node}", see: "provision_state", want: `200 provision_state="wait call-back"`}}},
	}}
}
