package contract

// details covers behaviors that the clients baremetal, gophercloud, openstacksdk, metalsmith and tempest depend on.
// The embedded Ironic once differed in each of these behaviors.
func details() group {
	image := func(source string) string {
		return `{"instance_info": {"image_source": "` + source + `"}}`
	}
	patch := func(name, body, see, want, old string) behavior {
		return behavior{name: name, steps: []step{{call: "PATCH /v1/nodes/{node}", body: body, see: see, want: want, old: old}}}
	}
	return group{name: "details", behaviors: []behavior{
		{name: "managed-boot-is-required", since: 84, node: `{"driver": "redfish", "inspect_interface": "agent", "boot_interface": "redfish-virtual-media", "driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_system_id": "/x"}}`, state: "manageable", steps: []step{
			{call: "GET /v1/nodes/{node}/validate", see: "inspect power", want: `200 inspect={"reason":"Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']","result":false} power={"result":true}`},
			{call: "PUT /v1/nodes/{node}/states/provision", body: `{"target": "inspect"}`, want: `400 Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/driver_info/deploy_iso", "value": "http://127.0.0.1:1/x.iso"}]`},
			{call: "GET /v1/nodes/{node}/validate", see: "inspect", want: `200 inspect={"result":true}`},
		}},
		{name: "managed-boot-from-the-network", since: 84, node: `{"driver": "redfish", "inspect_interface": "agent", "boot_interface": "ipxe", "driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_system_id": "/x"}}`, state: "manageable", steps: []step{
			{call: "GET /v1/nodes/{node}/validate", see: "inspect", want: `200 inspect={"reason":"Insufficient information provided for managed inspection: Node {node} does not have any port associated with it","result":false}`},
			{call: "PUT /v1/nodes/{node}/states/provision", body: `{"target": "inspect"}`, want: `400 Insufficient information provided for managed inspection: Node {node} does not have any port associated with it`},
		}},
		{name: "bmc-of-an-unknown-scheme", node: `{"driver": "redfish", "driver_info": {"redfish_address": "ftp://x", "redfish_system_id": "/x", "redfish_username": "u", "redfish_password": "p"}}`, steps: []step{
			{call: "PUT /v1/nodes/{node}/states/provision", body: `{"target": "manage"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}?fields=provision_state,last_error", see: "provision_state last_error", want: `200 provision_state="enroll" last_error="Failed to get power state for node {node}. Error: Redfish connection failed for node {node}: Unable to connect to ftp://x/redfish/v1/. Error: No connection adapters were found for 'ftp://x/redfish/v1/'"`},
		}},
		{name: "image-without-a-scheme", node: image("nope"), steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `500 Validation of image href nope failed, reason: Scheme-less image href is not a UUID.`}}},
		{name: "image-that-is-a-path", node: image("/x/y"), steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `500 Validation of image href /x/y failed, reason: Scheme-less image href is not a UUID.`}}},
		{name: "image-of-an-unknown-scheme", node: image("ftp://x/y"), steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `500 Validation of image href ftp://x/y failed, reason: Image download protocol ftp is not supported.`}}},
		{name: "image-with-a-type", node: `{"instance_info": {"image_source": "nope", "image_type": "whole-disk"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"result":true}`}}},
		{name: "image-without-a-scheme-is-not-deployed", node: image("nope"), state: "available", steps: []step{{call: "PUT /v1/nodes/{node}/states/provision", body: `{"target": "active"}`, want: `500 Validation of image href nope failed, reason: Scheme-less image href is not a UUID.`}}},
		patch("answer-of-a-patch-shows-the-lock", `[{"op": "add", "path": "/extra/a", "value": 1}]`, "reservation", `200 reservation="localhost"`, ""),
		{name: "lock-of-a-patch-is-gone", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`},
			{call: "GET /v1/nodes/{node}", see: "reservation", want: `200 reservation=null`},
		}},
		{name: "remove-retired", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/retired"}]`, see: "retired", want: `200 retired=null`},
			{call: "GET /v1/nodes/{node}", see: "retired", want: `200 retired=null`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/retired", "value": false}]`, see: "retired", want: `200 retired=false`},
		}},
		{name: "remove-disable-power-off", since: 95, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/disable_power_off"}]`, see: "disable_power_off", want: `200 disable_power_off=null`}}},
		{name: "remove-protected", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/protected"}]`, see: "protected", want: `200 protected=false`}}},
		{name: "empty-texts-stay", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/owner", "value": ""}, {"op": "add", "path": "/lessee", "value": ""}, {"op": "add", "path": "/description", "value": ""}, {"op": "add", "path": "/resource_class", "value": ""}, {"op": "add", "path": "/retired_reason", "value": ""}]`, see: "owner lessee description resource_class retired_reason", want: `200 owner="" lessee="" description="" resource_class="" retired_reason=""`},
			{call: "GET /v1/nodes/{node}", see: "owner lessee description resource_class retired_reason", want: `200 owner="" lessee="" description="" resource_class="" retired_reason=""`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/owner"}]`, see: "owner lessee", want: `200 owner=null lessee=""`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/lessee", "value": "x"}]`, see: "owner lessee", want: `200 owner=null lessee="x"`},
		}},
		{name: "empty-description-of-a-new-node", node: `{"description": ""}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "description", want: `200 description=""`}}},
		patch("empty-boot-interface", `[{"op": "add", "path": "/boot_interface", "value": ""}]`, "boot_interface", `400 Could not find the following interface in the 'ironic.hardware.interfaces.boot' entrypoint: . Valid interfaces are ['fake', 'ipxe', 'pxe', 'redfish-virtual-media'].`, ""),
		{name: "empty-boot-interface-of-a-new-node", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "boot_interface": ""}`, see: "boot_interface", want: `400 Could not find the following interface in the 'ironic.hardware.interfaces.boot' entrypoint: . Valid interfaces are ['fake', 'ipxe', 'pxe', 'redfish-virtual-media'].`}}},
		patch("remove-the-boot-interface", `[{"op": "remove", "path": "/boot_interface"}]`, "boot_interface", `200 boot_interface="fake"`, ""),
		{name: "allocations-of-no-owner", since: 60, steps: []step{
			{call: "POST /v1/allocations", body: `{"resource_class": "{word1}"}`, see: "owner", want: `201 owner=null`},
			{call: "GET /v1/allocations?resource_class={word1}", see: "allocations.len", want: `200 allocations.len=1`},
			{call: "GET /v1/allocations?owner=&resource_class={word1}", see: "allocations.len", want: `200 allocations.len=0`},
		}},
		{name: "name-and-uuid-taken", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{name}", "uuid": "{node}"}`, want: `409 A node with name {name} already exists.`}}},
		{name: "moving-a-port", steps: []step{
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`, save: "port=uuid"},
			{call: "PATCH /v1/ports/{port}", body: `[{"op": "replace", "path": "/node_uuid", "value": "{other}"}]`, want: `500 'address'`},
			{call: "PATCH /v1/ports/{port}", body: `[{"op": "replace", "path": "/node_uuid", "value": "{node}"}]`, see: "node_uuid", want: `200 node_uuid="{node}"`},
		}},
		{name: "moving-a-portgroup", steps: []step{
			{call: "POST /v1/portgroups", body: `{"node_uuid": "{node}"}`, save: "group=uuid"},
			{call: "PATCH /v1/portgroups/{group}", body: `[{"op": "replace", "path": "/node_uuid", "value": "{other}"}]`, want: `500 (sqlite3.IntegrityError) UNIQUE constraint failed: nodes.uuid …`},
		}},
	}}
}

// answerOrders covers the order of the names in responses.
func answerOrders() group {
	get := func(name, path, see, want, old string) behavior {
		return behavior{name: name, steps: []step{{call: "GET " + path, see: see, want: want, old: old}}}
	}
	return group{name: "orders", behaviors: []behavior{
		get("node", "/v1/nodes/{node}", "order", `200 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,disable_power_off,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,firmware_interface,health,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_name,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,parent_node,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,service_step,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`, `200 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`),
		get("some-fields-of-a-node", "/v1/nodes/{node}?fields=name,uuid,driver,traits", "order", `200 order=uuid,name,driver,traits,links`, ""),
		get("states", "/v1/nodes/{node}/states", "order", `200 order=console_enabled,last_error,power_state,provision_state,target_power_state,target_provision_state,provision_updated_at,raid_config,target_raid_config,boot_mode,secure_boot`, ""),
		get("validation", "/v1/nodes/{node}/validate", "order order:firmware", `200 order=boot,deploy,management,network,power,bios,console,firmware,inspect,raid,rescue,storage order:firmware=result`, `200 order=boot,deploy,management,network,power,bios,console,inspect,raid,rescue,storage order:firmware=`),
		get("root", "/", "order order:default_version", `200 order=name,description,default_version,versions order:default_version=id,links,status,min_version,version`, ""),
		get("v1", "/v1", "order", `200 order=id,links,media_types,chassis,nodes,ports,drivers,version,portgroups,volume,lookup,heartbeat,conductors,allocations,events,deploy_templates,shards,runbooks,inspection_rules,continue_inspection`, `200 order=id,links,media_types,chassis,nodes,ports,drivers,version,portgroups,volume,lookup,heartbeat,conductors,allocations,events,deploy_templates,shards`),
		get("volume", "/v1/volume", "order", `200 order=links,connectors,targets`, ""),
		get("conductor", "/v1/conductors/localhost", "order", `200 order=created_at,updated_at,hostname,conductor_group,drivers,links,alive`, ""),
		get("drivers", "/v1/drivers", "order:drivers.0", `200 order:drivers.0=name,hosts,links,properties,type`, ""),
		{name: "list", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "resource_class": "{word1}"}`, see: "order", want: `201 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,disable_power_off,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,firmware_interface,health,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_name,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,parent_node,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,service_step,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`, old: `201 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`},
			{call: "GET /v1/nodes?resource_class={word1}&limit=1", see: "order order:nodes.0", want: `200 order=nodes,next order:nodes.0=uuid,instance_uuid,maintenance,power_state,provision_state,name,links`},
		}},
		{name: "port", steps: []step{
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`, see: "order", want: `201 order=uuid,created_at,updated_at,address,extra,internal_info,is_smartnic,local_link_connection,physical_network,pxe_enabled,node_uuid,name,description,vendor,category,available_for_dynamic_portgroup,links,portgroup_uuid`, old: `201 order=uuid,created_at,updated_at,address,extra,internal_info,is_smartnic,local_link_connection,physical_network,pxe_enabled,node_uuid,links,portgroup_uuid`},
			{call: "GET /v1/ports?address={mac1}&limit=1", see: "order order:ports.0", want: `200 order=ports,next order:ports.0=uuid,address,links`},
		}},
		{name: "portgroup", steps: []step{{call: "POST /v1/portgroups", body: `{"node_uuid": "{node}"}`, see: "order", want: `201 order=uuid,created_at,updated_at,address,extra,internal_info,mode,name,properties,standalone_ports_supported,node_uuid,physical_network,category,dynamic_portgroup,links,ports`, old: `201 order=uuid,created_at,updated_at,address,extra,internal_info,mode,name,properties,standalone_ports_supported,node_uuid,links,ports`}}},
		{name: "allocation", steps: []step{{call: "POST /v1/allocations", body: `{"resource_class": "{word1}"}`, see: "order", want: `201 order=uuid,created_at,updated_at,candidate_nodes,extra,last_error,name,owner,resource_class,state,traits,links,node_uuid`}}},
		{name: "deploy-template", steps: []step{{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "deploy", "step": "x", "args": {}, "priority": 1}]}`, see: "order order:steps.0", want: `201 order=uuid,created_at,updated_at,name,extra,links,steps order:steps.0=interface,step,args,priority`}}},
		{name: "patched-node", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, see: "order", want: `200 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,disable_power_off,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,firmware_interface,health,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_name,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,parent_node,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,service_step,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`, old: `200 order=uuid,created_at,updated_at,automated_clean,bios_interface,boot_interface,boot_mode,clean_step,conductor_group,console_enabled,console_interface,deploy_interface,deploy_step,description,driver,driver_info,driver_internal_info,extra,fault,inspection_finished_at,inspection_started_at,inspect_interface,instance_info,instance_uuid,last_error,lessee,maintenance,maintenance_reason,management_interface,name,network_data,network_interface,owner,power_interface,power_state,properties,protected,protected_reason,provision_state,provision_updated_at,raid_config,raid_interface,rescue_interface,reservation,resource_class,retired,retired_reason,secure_boot,shard,storage_interface,target_power_state,target_provision_state,target_raid_config,traits,vendor_interface,links,conductor,allocation_uuid,chassis_uuid,ports,states,portgroups,volume`}}},
	}}
}
