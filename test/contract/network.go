package contract

func ports() group {
	const port = `{"node_uuid": "{node}", "address": "{mac1}", "uuid": "{uuid1}"}`
	return group{name: "ports", behaviors: []behavior{
		{name: "create", steps: []step{{call: "POST /v1/ports", version: "1.82", body: port, see: "body.keys address node_uuid pxe_enabled local_link_connection physical_network is_smartnic portgroup_uuid extra internal_info name header:Location", want: `201 keys=["address","created_at","extra","internal_info","is_smartnic","links","local_link_connection","node_uuid","physical_network","portgroup_uuid","pxe_enabled","updated_at","uuid"] address="{mac1}" node_uuid="{node}" pxe_enabled=true local_link_connection={} physical_network=null is_smartnic=false portgroup_uuid=null extra={} internal_info={} name=absent Location={url}/v1/ports/{uuid1}`}}},
		{name: "keys", since: 115, steps: []step{{call: "POST /v1/ports", body: port, see: "body.keys", want: `201 keys=["address","available_for_dynamic_portgroup","category","created_at","description","extra","internal_info","is_smartnic","links","local_link_connection","name","node_uuid","physical_network","portgroup_uuid","pxe_enabled","updated_at","uuid","vendor"]`}}},
		{name: "address-in-capitals", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "52:54:00:AB:CD:EF"}`, see: "address", want: `201 address="52:54:00:ab:cd:ef"`}}},
		{name: "address-with-dashes", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "52-54-00-ab-cd-01"}`, see: "address", want: "400 Expected valid MAC address for address: 52-54-00-ab-cd-01"}}},
		{name: "address-that-is-none", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "eth0"}`, want: "400 Expected valid MAC address for address: eth0"}}},
		{name: "without-address", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}"}`, want: "400 Schema error for port: 'address' is a required property"}}},
		{name: "without-node", steps: []step{{call: "POST /v1/ports", body: `{"address": "{mac1}"}`, want: "400 Schema error for port: {'address': '{mac1}'} is not valid under any of the given schemas. Possible root cause: 'node_ident' is a required property", old: "400 Schema error for port: 'node_uuid' is a required property"}}},
		{name: "node-that-is-not-there", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{uuid1}", "address": "{mac1}"}`, want: "400 Node {uuid1} could not be found."}}},
		{name: "node-by-name", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{name}", "address": "{mac1}"}`, want: "400 Expected UUID for node_uuid: {name}"}}},
		{name: "unknown-key", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}", "speed": 10}`, want: "400 Schema error for port: Additional properties are not allowed ('speed' was unexpected)"}}},
		{name: "address-twice", steps: []step{{call: "POST /v1/ports", body: port}, {call: "POST /v1/ports", body: `{"node_uuid": "{other}", "address": "{mac1}"}`, want: "409 A port with MAC address {mac1} already exists."}}},
		{name: "uuid-twice", steps: []step{{call: "POST /v1/ports", body: port}, {call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac2}", "uuid": "{uuid1}"}`, want: "409 A port with UUID {uuid1} already exists."}}},
		{name: "on-a-locked-node", steps: []step{{call: "LOCK elsewhere"}, {call: "POST /v1/ports", body: port, want: "201", old: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "by-address", steps: []step{{call: "POST /v1/ports", body: port}, {call: "GET /v1/ports?address={mac1}", see: "ports.#.uuid ports.0.keys", want: `200 ports.#.uuid=["{uuid1}"] ports.0.keys=["address","links","uuid"]`}}},
		{name: "by-node", steps: []step{{call: "POST /v1/ports", body: port}, {call: "GET /v1/ports?node={name}", see: "ports.#.uuid", want: `200 ports.#.uuid=["{uuid1}"]`}, {call: "GET /v1/ports?node_uuid={node}", see: "ports.#.uuid", want: `200 ports.#.uuid=["{uuid1}"]`}, {call: "GET /v1/nodes/{node}/ports", see: "ports.#.uuid", want: `200 ports.#.uuid=["{uuid1}"]`}}},
		{name: "detail", steps: []step{{call: "POST /v1/ports", body: port}, {call: "GET /v1/ports/detail?node={node}", see: "ports.#.node_uuid", want: `200 ports.#.node_uuid=["{node}"]`}, {call: "GET /v1/ports?detail=true&node={node}", see: "ports.#.node_uuid", want: `200 ports.#.node_uuid=["{node}"]`}}},
		{name: "fields", steps: []step{{call: "POST /v1/ports", body: port}, {call: "GET /v1/ports?node={node}&fields=address", see: "ports.0.keys", want: `200 ports.0.keys=["address","links"]`}, {call: "GET /v1/ports/{uuid1}?fields=address,extra", see: "body.keys", want: `200 keys=["address","extra","links"]`}}},
		{name: "page", steps: []step{
			{call: "POST /v1/ports", body: port},
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac2}", "uuid": "{uuid2}"}`},
			{call: "GET /v1/ports?node={node}&limit=1", see: "ports.#.uuid next", want: `200 ports.#.uuid=["{uuid1}"] next="{url}/v1/ports?sort_key=id&sort_dir=asc&fields=uuid,address&limit=1&marker={uuid1}"`},
			{call: "GET /v1/ports?node={node}&limit=1&marker={uuid1}", see: "ports.#.uuid next", want: `200 ports.#.uuid=["{uuid2}"] next="{url}/v1/ports?sort_key=id&sort_dir=asc&fields=uuid,address&limit=1&marker={uuid2}"`},
			{call: "GET /v1/ports?node={node}&sort_key=address&sort_dir=desc", see: "ports.len", want: "200 ports.len=2"},
		}},
		{name: "unknown-query", steps: []step{{call: "GET /v1/ports?colour=red", want: "400 Unexpected arguments: colour"}}},
		{name: "not-there", steps: []step{{call: "GET /v1/ports/{uuid1}", want: "404 Port {uuid1} could not be found."}}},
		{name: "ident-that-is-no-uuid", steps: []step{{call: "GET /v1/ports/eth0", want: "404 Port eth0 could not be found.", old: "400 Expected UUID for port_uuid: eth0"}}},
		{name: "patch", steps: []step{{call: "POST /v1/ports", body: port}, {call: "PATCH /v1/ports/{uuid1}", body: `[{"op": "replace", "path": "/pxe_enabled", "value": false}, {"op": "add", "path": "/extra/a", "value": 1}]`, see: "pxe_enabled extra", want: `200 pxe_enabled=false extra={"a":1}`}}},
		{name: "patch-address-of-a-deployed-node", steps: []step{
			{call: "POST /v1/ports", body: port},
			{call: "SET active"},
			{call: "PATCH /v1/ports/{uuid1}", body: `[{"op": "replace", "path": "/address", "value": "{mac2}"}]`, see: "address", want: "409 Cannot update hardware address for port {uuid1} as node {node} is active or has instance UUID assigned"},
			{call: "PATCH /v1/ports/{uuid1}", body: `[{"op": "replace", "path": "/pxe_enabled", "value": false}]`, want: `~409 Port \{uuid1\} can not have any connectivity attributes \([a-z_, ]+\) updated unless node \{node\} is in a enroll, inspecting, inspect wait, manageable state or in maintenance mode\. The current state is active\.`},
		}},
		{name: "patch-internal-info", steps: []step{{call: "POST /v1/ports", body: port}, {call: "PATCH /v1/ports/{uuid1}", body: `[{"op": "add", "path": "/internal_info/a", "value": 1}]`, want: "400 Cannot patch /internal_info/a. Only the following can be updated: address, extra, is_smartnic, local_link_connection, node_ident, node_uuid, physical_network, portgroup_uuid, pxe_enabled, name, description, vendor, category, available_for_dynamic_portgroup", old: "400 Cannot patch /internal_info/a. Only the following can be updated: address, extra, is_smartnic, local_link_connection, node_uuid, physical_network, portgroup_uuid, pxe_enabled"}}},
		{name: "delete", steps: []step{{call: "POST /v1/ports", body: port}, {call: "DELETE /v1/ports/{uuid1}", want: "204"}, {call: "GET /v1/ports/{uuid1}", want: "404 Port {uuid1} could not be found."}}},
		{name: "delete-on-a-locked-node", steps: []step{{call: "POST /v1/ports", body: port}, {call: "LOCK elsewhere"}, {call: "DELETE /v1/ports/{uuid1}", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "delete-of-a-deployed-node", steps: []step{{call: "POST /v1/ports", body: port}, {call: "SET active"}, {call: "DELETE /v1/ports/{uuid1}", want: "204"}}},
		{name: "delete-with-an-instance", node: `{"instance_uuid": "{uuid2}"}`, steps: []step{{call: "POST /v1/ports", body: port}, {call: "SET active"}, {call: "DELETE /v1/ports/{uuid1}", want: "204"}}},
		{name: "local-link", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}", "local_link_connection": {"switch_id": "0a:1b:2c:3d:4e:5f", "port_id": "Eth3/1", "switch_info": "sw1"}, "physical_network": "phys1"}`, see: "local_link_connection physical_network", want: `201 local_link_connection={"port_id":"Eth3/1","switch_id":"0a:1b:2c:3d:4e:5f","switch_info":"sw1"} physical_network="phys1"`}}},
		{name: "local-link-incomplete", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}", "local_link_connection": {"switch_id": "0a:1b:2c:3d:4e:5f"}}`, want: "400 Schema error for local_link_connection: {'switch_id': '0a:1b:2c:3d:4e:5f'} is not valid under any of the given schemas. Possible root cause: 'port_id' is a required property"}}},
		{name: "local-link-unknown-key", steps: []step{{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}", "local_link_connection": {"colour": "red"}}`, want: "400 Schema error for local_link_connection: {'colour': 'red'} is not valid under any of the given schemas. Possible root cause: Additional properties are not allowed ('colour' was unexpected)"}}},
	}}
}

func portgroups() group {
	const bond = `{"node_uuid": "{node}", "uuid": "{uuid1}", "name": "{word1}", "address": "{mac1}"}`
	return group{name: "portgroups", behaviors: []behavior{
		{name: "create", steps: []step{{call: "POST /v1/portgroups", version: "1.82", body: bond, see: "body.keys name address mode standalone_ports_supported properties header:Location", want: `201 keys=["address","created_at","extra","internal_info","links","mode","name","node_uuid","ports","properties","standalone_ports_supported","updated_at","uuid"] name="{word1}" address="{mac1}" mode="active-backup" standalone_ports_supported=true properties={} Location={url}/v1/portgroups/{uuid1}`}}},
		{name: "by-name", steps: []step{{call: "POST /v1/portgroups", body: bond}, {call: "GET /v1/portgroups/{word1}", see: "uuid", want: `200 uuid="{uuid1}"`}, {call: "GET /v1/portgroups?node={node}", see: "portgroups.#.uuid portgroups.0.keys", want: `200 portgroups.#.uuid=["{uuid1}"] portgroups.0.keys=["address","links","name","uuid"]`}, {call: "GET /v1/nodes/{node}/portgroups", see: "portgroups.#.uuid", want: `200 portgroups.#.uuid=["{uuid1}"]`}}},
		{name: "name-twice", steps: []step{{call: "POST /v1/portgroups", body: bond}, {call: "POST /v1/portgroups", body: `{"node_uuid": "{node}", "name": "{word1}"}`, want: "409 A portgroup with name {word1} already exists."}}},
		{name: "address-twice", steps: []step{{call: "POST /v1/portgroups", body: bond}, {call: "POST /v1/portgroups", body: `{"node_uuid": "{node}", "address": "{mac1}"}`, want: "409 A portgroup with MAC address {mac1} already exists."}}},
		{name: "bad-name", steps: []step{{call: "POST /v1/portgroups", body: `{"node_uuid": "{node}", "name": "a b"}`, want: "400 Cannot create portgroup with invalid name 'a b'"}}},
		{name: "without-node", steps: []step{{call: "POST /v1/portgroups", body: `{"name": "{word1}"}`, want: "400 Schema error for portgroup: 'node_uuid' is a required property"}}},
		{name: "member", steps: []step{
			{call: "POST /v1/portgroups", body: bond},
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac2}", "uuid": "{uuid2}", "portgroup_uuid": "{uuid1}"}`, see: "portgroup_uuid", want: `201 portgroup_uuid="{uuid1}"`},
			{call: "GET /v1/portgroups/{uuid1}/ports", see: "ports.#.uuid", want: `200 ports.#.uuid=["{uuid2}"]`},
			{call: "DELETE /v1/portgroups/{uuid1}", want: `~400 Cannot complete the requested action because portgroup \d+ contains ports\.`, old: "500 (sqlite3.IntegrityError) FOREIGN KEY constraint failed …"},
		}},
		{name: "member-of-another-node", steps: []step{
			{call: "POST /v1/portgroups", body: bond},
			{call: "POST /v1/ports", body: `{"node_uuid": "{other}", "address": "{mac2}", "portgroup_uuid": "{uuid1}"}`, want: "400 Port can not be added to a portgroup belonging to a different node.", old: "500 Port can not be added to a portgroup belonging to a different node."},
		}},
		{name: "patch", steps: []step{{call: "POST /v1/portgroups", body: bond}, {call: "PATCH /v1/portgroups/{uuid1}", body: `[{"op": "replace", "path": "/mode", "value": "802.3ad"}]`, see: "mode", want: `200 mode="802.3ad"`}}},
		{name: "delete", steps: []step{{call: "POST /v1/portgroups", body: bond}, {call: "DELETE /v1/portgroups/{uuid1}", want: "204"}, {call: "GET /v1/portgroups/{uuid1}", want: "404 Portgroup {uuid1} could not be found."}}},
		{name: "unknown-query", steps: []step{{call: "GET /v1/portgroups?colour=red", want: "400 Unexpected arguments: colour"}}},
	}}
}

// vifs covers the VIFs of nodes with the noop network interface.
func vifs() group {
	return group{name: "vifs", behaviors: []behavior{
		{name: "list", steps: []step{{call: "GET /v1/nodes/{node}/vifs", see: "body", want: `200 body={"vifs":[]}`}}},
		{name: "attach", steps: []step{{call: "POST /v1/nodes/{node}/vifs", body: `{"id": "{uuid1}"}`, want: "204"}, {call: "GET /v1/nodes/{node}/vifs", see: "body", want: `200 body={"vifs":[]}`}}},
		{name: "attach-without-id", steps: []step{{call: "POST /v1/nodes/{node}/vifs", body: `{}`, want: "400 Schema error for vif: 'id' is a required property"}}},
		{name: "detach", steps: []step{{call: "DELETE /v1/nodes/{node}/vifs/{uuid1}", want: "204"}}},
		{name: "attach-to-a-locked-node", steps: []step{{call: "LOCK elsewhere"}, {call: "POST /v1/nodes/{node}/vifs", body: `{"id": "{uuid1}"}`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "of-no-node", steps: []step{{call: "GET /v1/nodes/{uuid1}/vifs", want: "404 Node {uuid1} could not be found."}}},
		{name: "attach-to-two", steps: []step{{call: "POST /v1/nodes/{node}/vifs", body: `{"id": "{uuid1}", "port_uuid": "{uuid2}", "portgroup_uuid": "{uuid3}"}`, want: "400 Cannot specify both port_uuid and portgroup_uuid"}}},
	}}
}

// serving covers the API calls for drivers and conductors.
func serving() group {
	return group{name: "drivers", behaviors: []behavior{
		{name: "list", steps: []step{{call: "GET /v1/drivers", see: "body.keys drivers.#.name drivers.#.hosts drivers.#.type drivers.0.keys", want: `200 keys=["drivers"] drivers.#.name=["fake-hardware","redfish"] drivers.#.hosts=[["localhost"],["localhost"]] drivers.#.type=["dynamic","dynamic"] drivers.0.keys=["hosts","links","name","properties","type"]`}}},
		{name: "list-detail", steps: []step{{call: "GET /v1/drivers?detail=true", version: "1.82", see: "drivers.0.keys", want: `200 drivers.0.keys=["default_bios_interface","default_boot_interface","default_console_interface","default_deploy_interface","default_inspect_interface","default_management_interface","default_network_interface","default_power_interface","default_raid_interface","default_rescue_interface","default_storage_interface","default_vendor_interface","enabled_bios_interfaces","enabled_boot_interfaces","enabled_console_interfaces","enabled_deploy_interfaces","enabled_inspect_interfaces","enabled_management_interfaces","enabled_network_interfaces","enabled_power_interfaces","enabled_raid_interfaces","enabled_rescue_interfaces","enabled_storage_interfaces","enabled_vendor_interfaces","hosts","links","name","properties","type"]`}}},
		{name: "list-classic", steps: []step{{call: "GET /v1/drivers?type=classic", see: "drivers", want: "200 drivers=[]"}}},
		{name: "list-unknown-type", steps: []step{{call: "GET /v1/drivers?type=modern", want: `400 "type" filter must be one of "classic" or "dynamic", if specified.`}}},
		{name: "list-fields", steps: []step{{call: "GET /v1/drivers?fields=name,hosts", see: "drivers.0.keys", want: `200 drivers.0.keys=["hosts","links","name"]`}}},
		{name: "list-unknown-query", steps: []step{{call: "GET /v1/drivers?colour=red", want: "400 Unexpected arguments: colour"}}},
		{name: "one", steps: []step{{call: "GET /v1/drivers/redfish", version: "1.82", see: "body.keys name hosts type enabled_deploy_interfaces.sorted default_deploy_interface enabled_boot_interfaces.sorted default_boot_interface default_inspect_interface", want: `200 keys=["default_bios_interface","default_boot_interface","default_console_interface","default_deploy_interface","default_inspect_interface","default_management_interface","default_network_interface","default_power_interface","default_raid_interface","default_rescue_interface","default_storage_interface","default_vendor_interface","enabled_bios_interfaces","enabled_boot_interfaces","enabled_console_interfaces","enabled_deploy_interfaces","enabled_inspect_interfaces","enabled_management_interfaces","enabled_network_interfaces","enabled_power_interfaces","enabled_raid_interfaces","enabled_rescue_interfaces","enabled_storage_interfaces","enabled_vendor_interfaces","hosts","links","name","properties","type"] name="redfish" hosts=["localhost"] type="dynamic" enabled_deploy_interfaces.sorted=["autodetect","bootc","custom-agent","direct","ramdisk"] default_deploy_interface="autodetect" enabled_boot_interfaces.sorted=["ipxe","pxe","redfish-virtual-media"] default_boot_interface="ipxe" default_inspect_interface="redfish"`, old: `200 keys=["default_bios_interface","default_boot_interface","default_console_interface","default_deploy_interface","default_inspect_interface","default_management_interface","default_network_interface","default_power_interface","default_raid_interface","default_rescue_interface","default_storage_interface","default_vendor_interface","enabled_bios_interfaces","enabled_boot_interfaces","enabled_console_interfaces","enabled_deploy_interfaces","enabled_inspect_interfaces","enabled_management_interfaces","enabled_network_interfaces","enabled_power_interfaces","enabled_raid_interfaces","enabled_rescue_interfaces","enabled_storage_interfaces","enabled_vendor_interfaces","hosts","links","name","properties","type"] name="redfish" hosts=["localhost"] type="dynamic" enabled_deploy_interfaces.sorted=["custom-agent","direct","ramdisk"] default_deploy_interface="direct" enabled_boot_interfaces.sorted=["ipxe","pxe","redfish-virtual-media"] default_boot_interface="ipxe" default_inspect_interface="redfish"`}}},
		{name: "one-fields", steps: []step{{call: "GET /v1/drivers/redfish?fields=name,default_power_interface", see: "body", want: `200 body={"default_power_interface":"redfish","links":[{"href":"{url}/v1/drivers/redfish","rel":"self"},{"href":"{url}/drivers/redfish","rel":"bookmark"}],"name":"redfish"}`}}},
		{name: "not-there", steps: []step{{call: "GET /v1/drivers/ipmi", want: "404 Could not find the following driver(s) or hardware type(s): ipmi."}}},
		{name: "properties-of-redfish", steps: []step{{call: "GET /v1/drivers/redfish/properties", see: "redfish_address redfish_username", want: `200 redfish_address="The URL address to the Redfish controller. It must include the authority portion of the URL. If the scheme is missing, https is assumed. For example: https://mgmt.vendor.com. If a path is added, it will be used as the API endpoint root_prefix. Required" redfish_username="User account with admin/server-profile access privilege. Although this property is not mandatory it's highly recommended to set a username. Optional"`}}},
		{name: "properties-of-fake", steps: []step{{call: "GET /v1/drivers/fake-hardware/properties", see: "body.keys", want: `200 keys=["B1","B2"]`}}},
		{name: "properties-of-none", steps: []step{{call: "GET /v1/drivers/ipmi/properties", want: "404 The driver 'ipmi' is unknown."}}},
		{name: "raid-properties", steps: []step{{call: "GET /v1/drivers/fake-hardware/raid/logical_disk_properties", see: "body.keys", want: `200 keys=["controller","disk_type","interface_type","is_root_volume","number_of_physical_disks","physical_disks","raid_level","share_physical_disks","size_gb","volume_name"]`}}},
		{name: "conductors", steps: []step{{call: "GET /v1/conductors", see: "body.keys conductors.#.hostname conductors.#.conductor_group conductors.0.keys", want: `200 keys=["conductors"] conductors.#.hostname=["localhost"] conductors.#.conductor_group=[""] conductors.0.keys=["alive","conductor_group","hostname","links"]`}}},
		{name: "conductor", steps: []step{{call: "GET /v1/conductors/localhost", see: "body.keys hostname drivers", want: `200 keys=["alive","conductor_group","created_at","drivers","hostname","links","updated_at"] hostname="localhost" drivers=["fake-hardware","redfish"]`}}},
		{name: "conductor-that-is-not-there", steps: []step{{call: "GET /v1/conductors/elsewhere", want: "404 Conductor elsewhere could not be found."}}},
		{name: "conductors-detail", steps: []step{{call: "GET /v1/conductors?detail=true", see: "conductors.0.keys", want: `200 conductors.0.keys=["alive","conductor_group","created_at","drivers","hostname","links","updated_at"]`}}},
		{name: "conductors-unknown-query", steps: []step{{call: "GET /v1/conductors?colour=red", want: "400 Unexpected arguments: colour"}}},
		{name: "conductor-of-a-node", steps: []step{{call: "GET /v1/nodes/{node}", see: "conductor", want: `200 conductor="localhost"`}}},
	}}
}
