package contract

// creating covers POST /v1/nodes.
func creating() group {
	return group{name: "create", behaviors: []behavior{
		{name: "smallest", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware"}`, see: "provision_state target_provision_state power_state name maintenance reservation last_error driver_info properties extra instance_info automated_clean owner conductor_group conductor resource_class created_at? updated_at?", want: `201 provision_state="enroll" target_provision_state=null power_state=null name=null maintenance=false reservation=null last_error=null driver_info={} properties={} extra={} instance_info={} automated_clean=null owner=null conductor_group="" conductor="localhost" resource_class=null created_at=set updated_at=null`},
		}},
		{name: "location", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "uuid": "{uuid1}"}`, see: "uuid header:Location links.0.href links.1.href", want: `201 uuid="{uuid1}" Location={url}/v1/nodes/{uuid1} links.0.href="{url}/v1/nodes/{uuid1}" links.1.href="{url}/nodes/{uuid1}"`},
		}},
		{name: "interfaces-by-default", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware"}`, see: "boot_interface deploy_interface inspect_interface management_interface network_interface power_interface raid_interface rescue_interface storage_interface vendor_interface bios_interface console_interface", want: `201 boot_interface="fake" deploy_interface="fake" inspect_interface="fake" management_interface="fake" network_interface="noop" power_interface="fake" raid_interface="fake" rescue_interface="fake" storage_interface="noop" vendor_interface="fake" bios_interface="fake" console_interface="fake"`},
		}},
		{name: "interfaces-by-default-of-redfish", steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "redfish"}`, see: "boot_interface deploy_interface inspect_interface management_interface network_interface power_interface raid_interface rescue_interface storage_interface vendor_interface bios_interface console_interface", want: `201 boot_interface="ipxe" deploy_interface="autodetect" inspect_interface="redfish" management_interface="redfish" network_interface="noop" power_interface="redfish" raid_interface="no-raid" rescue_interface="no-rescue" storage_interface="noop" vendor_interface="no-vendor" bios_interface="redfish" console_interface="no-console"`, old: `201 boot_interface="ipxe" deploy_interface="direct" inspect_interface="redfish" management_interface="redfish" network_interface="noop" power_interface="redfish" raid_interface="no-raid" rescue_interface="no-rescue" storage_interface="noop" vendor_interface="no-vendor" bios_interface="redfish" console_interface="no-console"`},
		}},
		{name: "firmware-interface-by-default", since: 86, steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware"}`, see: "firmware_interface", want: `201 firmware_interface="fake"`},
			{call: "POST /v1/nodes", body: `{"driver": "redfish"}`, see: "firmware_interface", want: `201 firmware_interface="redfish"`},
		}},
		{name: "without-driver", steps: []step{{call: "POST /v1/nodes", body: `{"name": "{word1}"}`, want: "400 Schema error for node: 'driver' is a required property"}}},
		{name: "unknown-driver", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "ipmi"}`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "".`}}},
		{name: "unknown-field", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "colour": "red"}`, want: "400 Schema error for node: Additional properties are not allowed ('colour' was unexpected)"}}},
		{name: "field-of-the-server", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "reservation": "me"}`, want: "400 Schema error for node: Additional properties are not allowed ('reservation' was unexpected)"}}},
		{name: "provision-state", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "provision_state": "active"}`, want: "400 Schema error for node: Additional properties are not allowed ('provision_state' was unexpected)"}}},
		{name: "wrong-type", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "properties": "none"}`, want: "400 Schema error for node: 'none' is not of type 'object', 'null'"}}},
		{name: "name-is-a-number", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": 5}`, want: "400 Schema error for node: 5 is not of type 'string', 'null'"}}},
		{name: "automated-clean-is-a-text", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "automated_clean": "true"}`, see: "automated_clean", want: "201 automated_clean=true"}}},
		{name: "maintenance-is-a-word", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "maintenance": "perhaps"}`, see: "text", want: "400 Invalid maintenance: Unrecognized value 'perhaps', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"}}},
		{name: "uuid-is-none", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "uuid": "one"}`, want: "400 Expected UUID for uuid: one"}}},
		{name: "uuid-twice", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "uuid": "{node}"}`, want: "409 A node with UUID {node} already exists."}}},
		{name: "name-twice", steps: []step{
			{call: "GET /v1/nodes/{name}"},
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{name}"}`, want: "409 A node with name {name} already exists."},
		}},
		{name: "instance-uuid", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "instance_uuid": "{uuid1}"}`, see: "instance_uuid", want: `201 instance_uuid="{uuid1}"`}}},
		{name: "interface-that-is-not-enabled", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "deploy_interface": "ansible"}`, want: "400 Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: ansible. Valid interfaces are ['autodetect', 'bootc', 'custom-agent', 'direct', 'fake', 'ramdisk'].", old: "400 Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: ansible. Valid interfaces are ['custom-agent', 'direct', 'fake', 'ramdisk']."}}},
		{name: "interface-that-does-not-fit", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "redfish", "power_interface": "fake"}`, want: "~400 power interface implementation '<.*>' is not supported by hardware type RedfishHardware."}}},
		{name: "interface-for-redfish", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "redfish", "deploy_interface": "custom-agent"}`, see: "deploy_interface", want: `201 deploy_interface="custom-agent"`}}},
		{name: "all-that-can-be-set", steps: []step{
			{call: "POST /v1/nodes", version: "1.82", body: `{"driver": "fake-hardware", "name": "{word1}", "driver_info": {"a": 1}, "properties": {"cpus": 4}, "extra": {"e": [1, {"x": null}]}, "resource_class": "Baremetal", "lessee": "you", "description": "text", "conductor_group": "", "automated_clean": false, "network_data": {}, "retired": true, "retired_reason": "old", "shard": "s1"}`, see: "name driver_info properties extra resource_class lessee description conductor_group automated_clean network_data retired retired_reason shard", want: `201 name="{word1}" driver_info={"a":1} properties={"cpus":4} extra={"e":[1,{"x":null}]} resource_class="Baremetal" lessee="you" description="text" conductor_group="" automated_clean=false network_data={} retired=true retired_reason="old" shard="s1"`},
		}},
		{name: "conductor-group-that-is-empty-of-conductors", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "conductor_group": "east"}`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east".`}}},
		{name: "conductor-group-with-a-blank", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "conductor_group": "east wing"}`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east wing". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east wing".`}}},
		{name: "conductor-group-in-capitals", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "conductor_group": "EAST"}`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "EAST". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "EAST".`}}},
		{name: "resource-class-too-long", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "resource_class": "` + repeat("r", 81) + `"}`, want: "400 Schema error for node: 'rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr' is too long"}}},
		{name: "protected", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "protected": true}`, see: "protected text", want: "400 Schema error for node: Additional properties are not allowed ('protected' was unexpected)"}}},
		{name: "traits", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "traits": ["CUSTOM_A"]}`, want: "400 Schema error for node: Additional properties are not allowed ('traits' was unexpected)"}}},
		{name: "network-data-of-nonsense", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "network_data": {"a": 1}}`, want: "400 Schema error for node: {'a': 1} is not valid under any of the given schemas. Possible root cause: {'a': 1} is not of type 'null'"}}},
		{name: "owner-of-another-project", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "owner": "me"}`, want: "400 Cannot create a node as a project scoped admin with an owner other than your own project."}}},
		{name: "lessee", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "lessee": "you"}`, see: "lessee", want: `201 lessee="you"`}}},
		{name: "null-name", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": null}`, see: "name", want: "201 name=null"}}},
		{name: "chassis-that-is-not-there", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "chassis_uuid": "{uuid1}"}`, want: "400 Chassis {uuid1} could not be found."}}},
		{name: "parent-node", since: 83, steps: []step{
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "parent_node": "{node}"}`, see: "parent_node", want: `201 parent_node="{node}"`},
			{call: "GET /v1/nodes/{node}/children", see: "body", want: "~200 body=.*"},
			{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "parent_node": "{uuid1}"}`, want: "400 Unable to apply the requested parent_node '{uuid1}'. Requested value was invalid."},
		}},
		{name: "unicode", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "description": "größer ☃", "extra": {"ключ": "日本"}}`, see: "description extra", want: `201 description="größer ☃" extra={"ключ":"日本"}`}}},
		{name: "boolean-and-null-in-extra", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "extra": {"t": true, "n": null, "f": 1.5, "i": 9007199254740993}}`, see: "extra", want: `201 extra={"f":1.5,"i":9007199254740992,"n":null,"t":true}`}}},
	}}
}

func naming() group {
	return group{name: "names", behaviors: []behavior{
		{name: "with-dots", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}.example.com"}`, want: "201"}, {call: "GET /v1/nodes/{word1}.example.com", see: "name", want: `200 name="{word1}.example.com"`}}},
		{name: "underscore", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}_a"}`, want: "201"}}},
		{name: "tilde", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}~a"}`, want: "201"}}},
		{name: "capitals", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}-ABC"}`, want: "201"}, {call: "GET /v1/nodes/{word1}-abc", want: "404 Node {word1}-abc could not be found."}}},
		{name: "blank", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "a b"}`, want: "400 Cannot create node with invalid name 'a b'"}}},
		{name: "slash", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "a/b"}`, want: "400 Cannot create node with invalid name 'a/b'"}}},
		{name: "leading-hyphen", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "-a"}`, want: "201"}}},
		{name: "trailing-hyphen", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{word1}-"}`, want: "201"}}},
		{name: "only-digits", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "12345"}`, want: "201"}}},
		{name: "empty", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": ""}`, see: "name text", want: "400 Cannot create node with invalid name ''"}}},
		{name: "a-uuid", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "{uuid1}"}`, want: "400 Cannot create node with invalid name '{uuid1}'"}}},
		{name: "umlaut", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "knöten"}`, want: "400 Cannot create node with invalid name 'knöten'"}}},
		{name: "reserved-states", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "states"}`, want: `400 The word "states" is reserved and can not be used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate.`}}},
		{name: "reserved-detail", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "detail"}`, want: `400 The word "detail" is reserved and can not be used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate.`}}},
		{name: "reserved-validate", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "validate"}`, want: `400 The word "validate" is reserved and can not be used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate.`}}},
		{name: "reserved-ports", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "ports"}`, want: "201"}}},
		{name: "too-long", steps: []step{{call: "POST /v1/nodes", body: `{"driver": "fake-hardware", "name": "` + repeat("abcdefghi.", 26) + `"}`, want: "400 Cannot create node with invalid name 'abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.abcdefghi.'"}}},
		{name: "underscore-before-1-10", steps: []step{{call: "POST /v1/nodes", version: "1.9", body: `{"driver": "fake-hardware", "name": "{word1}_a"}`, want: "400 Cannot create node with invalid name '{word1}_a'"}}},
		{name: "json-suffix", steps: []step{
			{call: "POST /v1/nodes", version: "1.82", body: `{"driver": "fake-hardware", "name": "{word1}"}`, want: "201"},
			{call: "GET /v1/nodes/{word1}.json", version: "1.82", see: "name", want: `200 name="{word1}"`},
		}},
		{name: "json-suffix-since-1-91", since: 91, steps: []step{{call: "GET /v1/nodes/{name}.json", version: "1.91", want: "404 Node {name}.json could not be found."}}},
		{name: "patched-to-one-that-is-taken", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/name", "value": "{otherName}"}]`, want: "409 A node with name {otherName} already exists."},
		}},
		{name: "patched-to-a-bad-one", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/name", "value": "a b"}]`, want: "400 Node {node}: Cannot change name to invalid name 'a b'"}}},
		{name: "patched-to-a-reserved-one", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/name", "value": "states"}]`, want: `400 The word "states" is reserved and can not be used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate.`}}},
		{name: "taken-away", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/name"}]`, see: "name", want: "200 name=null"}}},
		{name: "two-without-a-name", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/name"}]`},
			{call: "PATCH /v1/nodes/{other}", body: `[{"op": "remove", "path": "/name"}]`, want: "200"},
		}},
	}}
}

// getting covers GET /v1/nodes/{node}.
func getting() group {
	return group{name: "get", behaviors: []behavior{
		{name: "by-uuid", steps: []step{{call: "GET /v1/nodes/{node}", see: "uuid name driver", want: `200 uuid="{node}" name="{name}" driver="fake-hardware"`}}},
		{name: "by-name", steps: []step{{call: "GET /v1/nodes/{name}", see: "uuid", want: `200 uuid="{node}"`}}},
		{name: "by-uuid-in-capitals", steps: []step{{call: "GET /v1/nodes/ABCDEFAB-ABCD-4BCD-8BCD-ABCDEFABCDEF", want: "404 Node ABCDEFAB-ABCD-4BCD-8BCD-ABCDEFABCDEF could not be found."}}},
		{name: "fields", steps: []step{{call: "GET /v1/nodes/{node}?fields=uuid,name,driver_info", see: "body.keys", want: `200 keys=["driver_info","links","name","uuid"]`}}},
		{name: "fields-unknown", steps: []step{{call: "GET /v1/nodes/{node}?fields=uuid,colour", want: "400 Field colour is not a valid field."}}},
		{name: "fields-updated-at", steps: []step{{call: "GET /v1/nodes/{node}?fields=updated_at", see: "body.keys", want: "400 Field updated_at is not a valid field."}}},
		{name: "fields-created-at", steps: []step{{call: "GET /v1/nodes/{node}?fields=created_at", see: "body.keys", want: "400 Field created_at is not a valid field."}}},
		{name: "fields-conductor", steps: []step{{call: "GET /v1/nodes/{node}?fields=conductor", see: "body.keys", want: `200 keys=["conductor","links"]`}}},
		{name: "fields-allocation-uuid", steps: []step{{call: "GET /v1/nodes/{node}?fields=allocation_uuid", see: "body.keys", want: `200 keys=["allocation_uuid","links"]`}}},
		{name: "fields-chassis-uuid", steps: []step{{call: "GET /v1/nodes/{node}?fields=chassis_uuid", see: "body.keys", want: `200 keys=["chassis_uuid","links"]`}}},
		{name: "fields-traits", steps: []step{{call: "GET /v1/nodes/{node}?fields=traits", see: "body.keys traits", want: `200 keys=["links","traits"] traits=[]`}}},
		{name: "fields-links", steps: []step{{call: "GET /v1/nodes/{node}?fields=links", see: "body.keys", want: "400 Field links is not a valid field."}}},
		{name: "fields-ports", steps: []step{{call: "GET /v1/nodes/{node}?fields=ports", see: "body.keys text", want: "400 Field ports is not a valid field."}}},
		{name: "fields-twice", steps: []step{{call: "GET /v1/nodes/{node}?fields=uuid,uuid", see: "body.keys", want: `200 keys=["links","uuid"]`}}},
		{name: "fields-empty", steps: []step{{call: "GET /v1/nodes/{node}?fields=", see: "body.keys text", want: `200 keys=["links"]`}}},
		{name: "fields-in-capitals", steps: []step{{call: "GET /v1/nodes/{node}?fields=UUID", see: "body.keys text", want: `200 keys=["links","uuid"]`}}},
		{name: "path-of-a-field", steps: []step{{call: "GET /v1/nodes/{node}/driver", want: "200"}}},
		{name: "links", steps: []step{{call: "GET /v1/nodes/{node}", see: "links ports states", want: `200 links=[{"href":"{url}/v1/nodes/{node}","rel":"self"},{"href":"{url}/nodes/{node}","rel":"bookmark"}] ports=[{"href":"{url}/v1/nodes/{node}/ports","rel":"self"},{"href":"{url}/nodes/{node}/ports","rel":"bookmark"}] states=[{"href":"{url}/v1/nodes/{node}/states","rel":"self"},{"href":"{url}/nodes/{node}/states","rel":"bookmark"}]`}}},
		{name: "states", steps: []step{{call: "GET /v1/nodes/{node}/states", see: "body", want: `200 body={"boot_mode":null,"console_enabled":false,"last_error":null,"power_state":null,"provision_state":"enroll","provision_updated_at":null,"raid_config":{},"secure_boot":null,"target_power_state":null,"target_provision_state":null,"target_raid_config":{}}`}}},
		{name: "states-of-one-that-is-not-there", steps: []step{{call: "GET /v1/nodes/{uuid1}/states", want: "404 Node {uuid1} could not be found."}}},
		{name: "states-while-it-deploys", state: "deploying > active", steps: []step{{call: "GET /v1/nodes/{node}/states", see: "provision_state target_provision_state", want: `200 provision_state="deploying" target_provision_state="active"`}}},
		{name: "updated-at-is-null-until-it-is-changed", steps: []step{
			{call: "GET /v1/nodes/{node}", see: "updated_at", want: "200 updated_at=null"},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, see: "updated_at?", want: "200 updated_at=set"},
		}},
		{name: "form-of-a-time", steps: []step{{call: "GET /v1/nodes/{node}", see: "created_at", want: `~200 created_at="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00"`}}},
	}}
}
