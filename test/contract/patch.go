package contract

import "strings"

// patching covers PATCH of a node.
func patching() group {
	return group{name: "patch", behaviors: []behavior{
		{name: "add", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, see: "extra", want: `200 extra={"a":1}`}}},
		{name: "add-over", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 2}]`, see: "extra", want: `200 extra={"a":2}`}}},
		{name: "add-deep", node: `{"extra": {"a": {"b": 1}}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a/c", "value": 2}]`, see: "extra", want: `200 extra={"a":{"b":1,"c":2}}`}}},
		{name: "add-without-parent", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a/b", "value": 1}]`, want: "400 Couldn't apply patch '{'op': 'add', 'path': '/extra/a/b', 'value': 1}'. Reason: member 'a' not found in {}"}}},
		{name: "add-null", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": null}]`, see: "extra", want: `200 extra={"a":null}`}}},
		{name: "add-without-value", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a"}]`, want: "400 Couldn't apply patch '{'op': 'add', 'path': '/extra/a'}'. Reason: The operation does not contain a 'value' member"}}},
		{name: "add-to-a-list", node: `{"extra": {"l": [1, 2]}}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/l/-", "value": 3}]`, see: "extra", want: `200 extra={"l":[1,2,3]}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/l/0", "value": 0}]`, see: "extra", want: `200 extra={"l":[0,1,2,3]}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/extra/l/1"}]`, see: "extra", want: `200 extra={"l":[0,2,3]}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra/l/0", "value": 9}]`, see: "extra", want: `200 extra={"l":[9,2,3]}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/l/9", "value": 9}]`, want: "400 Couldn't apply patch '{'op': 'add', 'path': '/extra/l/9', 'value': 9}'. Reason: can't insert outside of list"},
		}},
		{name: "replace", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra/a", "value": "x"}]`, see: "extra", want: `200 extra={"a":"x"}`}}},
		{name: "replace-missing", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra/a", "value": 1}]`, want: "400 Couldn't apply patch '{'op': 'replace', 'path': '/extra/a', 'value': 1}'. Reason: can't replace a non-existent object 'a'"}}},
		{name: "replace-null-field", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/description", "value": "x"}]`, see: "description", want: `200 description="x"`}}},
		{name: "replace-by-null", node: `{"description": "x"}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/description", "value": null}]`, see: "description", want: "500 object of type 'NoneType' has no len()"}}},
		{name: "replace-a-whole-object", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra", "value": {"b": 2}}]`, see: "extra", want: `200 extra={"b":2}`}}},
		{name: "replace-an-object-by-a-text", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra", "value": "x"}]`, want: "400 Schema error for patch: 'x' is not of type 'object', 'null'"}}},
		{name: "replace-an-object-by-null", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra", "value": null}]`, see: "extra", want: "200 extra={}"}}},
		{name: "remove", node: `{"extra": {"a": 1, "b": 2}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/extra/a"}]`, see: "extra", want: `200 extra={"b":2}`}}},
		{name: "remove-missing", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/extra/a"}]`, want: "400 Couldn't apply patch '{'op': 'remove', 'path': '/extra/a'}'. Reason: can't remove a non-existent object 'a'"}}},
		{name: "remove-an-object", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/extra"}]`, see: "extra", want: "200 extra={}"}}},
		{name: "remove-a-null-field", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/description"}]`, see: "description", want: "200 description=null"}}},
		{name: "remove-the-driver", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/driver"}]`, want: "400 Schema error for patch: 'driver' is a required property"}}},
		{name: "remove-automated-clean", node: `{"automated_clean": true}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/automated_clean"}]`, see: "automated_clean", want: "500 'value'"}}},
		{name: "move", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "move", "from": "/extra/a", "path": "/extra/b"}]`, want: "400 Schema error for patch: Additional properties are not allowed ('from' was unexpected)"}}},
		{name: "copy", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "copy", "from": "/extra/a", "path": "/extra/b"}]`, want: "400 Schema error for patch: Additional properties are not allowed ('from' was unexpected)"}}},
		{name: "test", node: `{"extra": {"a": 1}}`, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "test", "path": "/extra/a", "value": 1}]`, want: "400 Schema error for patch: 'test' is not one of ['add', 'replace', 'remove']"}}},
		{name: "unknown-op", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "put", "path": "/extra/a", "value": 1}]`, want: "400 Schema error for patch: 'put' is not one of ['add', 'replace', 'remove']"}}},
		{name: "op-in-capitals", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "ADD", "path": "/extra/a", "value": 1}]`, want: "400 Schema error for patch: 'ADD' is not one of ['add', 'replace', 'remove']"}}},
		{name: "no-op", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"path": "/extra/a", "value": 1}]`, want: "400 Schema error for patch: 'op' is a required property"}}},
		{name: "no-path", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "value": 1}]`, want: "400 Schema error for patch: 'path' is a required property"}}},
		{name: "one-key-too-many", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1, "from": "/x"}]`, want: "400 Schema error for patch: Additional properties are not allowed ('from' was unexpected)"}}},
		{name: "path-without-slash", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "extra/a", "value": 1}]`, want: `400 Schema error for patch: 'extra/a' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-root", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/", "value": 1}]`, want: `400 Schema error for patch: '/' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-empty", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "", "value": {}}]`, want: `400 Schema error for patch: '' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-a-trailing-slash", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/", "value": 1}]`, want: `400 Schema error for patch: '/extra/' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-two-slashes", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra//a", "value": 1}]`, want: `400 Schema error for patch: '/extra//a' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-a-dot", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a.b", "value": 1}]`, want: `400 Schema error for patch: '/extra/a.b' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-a-blank", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a b", "value": 1}]`, want: `400 Schema error for patch: '/extra/a b' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-a-tilde", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a~1b", "value": 1}]`, see: "extra", want: `400 Schema error for patch: '/extra/a~1b' does not match '^(/[\\w-]+)+$'`}}},
		{name: "path-with-a-hyphen", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a-b_c", "value": 1}]`, see: "extra", want: `200 extra={"a-b_c":1}`}}},
		{name: "path-with-an-umlaut", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/ä", "value": 1}]`, see: "extra", want: `200 extra={"ä":1}`}}},
		{name: "unknown-field", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/colour", "value": "red"}]`, want: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, disable_power_off, driver, driver_info, extra, inspect_interface, instance_info, instance_name, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface, parent_node, firmware_interface", old: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, driver, driver_info, extra, inspect_interface, instance_info, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface"}}},
		{name: "replace-an-unknown-field", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/colour", "value": "red"}]`, want: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, disable_power_off, driver, driver_info, extra, inspect_interface, instance_info, instance_name, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface, parent_node, firmware_interface", old: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, driver, driver_info, extra, inspect_interface, instance_info, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface"}}},
		{name: "remove-an-unknown-field", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/colour"}]`, want: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, disable_power_off, driver, driver_info, extra, inspect_interface, instance_info, instance_name, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface, parent_node, firmware_interface", old: "400 Cannot patch /colour. Only the following can be updated: automated_clean, bios_interface, boot_interface, chassis_uuid, conductor_group, console_interface, deploy_interface, description, driver, driver_info, extra, inspect_interface, instance_info, instance_uuid, lessee, maintenance, management_interface, name, network_data, network_interface, owner, power_interface, properties, protected, protected_reason, raid_interface, rescue_interface, resource_class, retired, retired_reason, shard, storage_interface, vendor_interface"}}},
		{name: "deep-in-a-field-without-depth", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/description/a", "value": "x"}]`, want: "400 Couldn't apply patch '{'op': 'add', 'path': '/description/a', 'value': 'x'}'. Reason: Document '<class 'NoneType'>' does not support indexing, must be mapping/sequence or support __getitem__"}}},
		{name: "uuid", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/uuid", "value": "{uuid1}"}]`, want: `~400 Cannot patch /uuid\. Only the following can be updated: .*`}}},
		{name: "provision-state", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/provision_state", "value": "active"}]`, want: `~400 Cannot patch /provision_state\. Only the following can be updated: .*`}}},
		{name: "power-state", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/power_state", "value": "power on"}]`, want: `~400 Cannot patch /power_state\. Only the following can be updated: .*`}}},
		{name: "driver-internal-info", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/driver_internal_info/a", "value": 1}]`, want: `~400 Cannot patch /driver_internal_info/a\. Only the following can be updated: .*`}}},
		{name: "reservation", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/reservation"}]`, want: `~400 Cannot patch /reservation\. Only the following can be updated: .*`}}},
		{name: "last-error", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/last_error"}]`, want: `~400 Cannot patch /last_error\. Only the following can be updated: .*`}}},
		{name: "links", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/links"}]`, want: `~400 Cannot patch /links\. Only the following can be updated: .*`}}},
		{name: "created-at", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/created_at"}]`, want: `~400 Cannot patch /created_at\. Only the following can be updated: .*`}}},
		{name: "traits", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/traits", "value": ["CUSTOM_A"]}]`, want: `~400 Cannot patch /traits\. Only the following can be updated: .*`}}},
		{name: "conductor", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/conductor", "value": "x"}]`, want: `~400 Cannot patch /conductor\. Only the following can be updated: .*`}}},
		{name: "allocation-uuid", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/allocation_uuid", "value": "{uuid1}"}]`, want: `~400 Cannot patch /allocation_uuid\. Only the following can be updated: .*`}}},
		{name: "clean-step", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/clean_step", "value": {}}]`, want: `~400 Cannot patch /clean_step\. Only the following can be updated: .*`}}},
		{name: "target-raid-config", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/target_raid_config", "value": {}}]`, want: `~400 Cannot patch /target_raid_config\. Only the following can be updated: .*`}}},
		{name: "maintenance", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/maintenance", "value": true}]`, see: "maintenance", want: "200 maintenance=true"}}},
		{name: "maintenance-reason", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/maintenance_reason", "value": "x"}]`, want: `~400 Cannot patch /maintenance_reason\. Only the following can be updated: .*`}}},
		{name: "boolean-as-a-word", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/automated_clean", "value": "yes"}]`, see: "automated_clean", want: "200 automated_clean=true"}}},
		{name: "boolean-as-nonsense", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/automated_clean", "value": "perhaps"}]`, want: "400 Invalid automated_clean: Unrecognized value 'perhaps', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"}}},
		{name: "text-as-a-number", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/description", "value": 5}]`, want: "500 object of type 'int' has no len()"}}},
		{name: "several", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": {}}, {"op": "add", "path": "/extra/a/b", "value": 1}, {"op": "add", "path": "/description", "value": "x"}]`, see: "extra description", want: `200 extra={"a":{"b":1}} description="x"`},
		}},
		{name: "add-comes-before-replace-and-remove", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra/a", "value": 2}, {"op": "add", "path": "/extra/a", "value": 1}]`, see: "extra", want: "400 Couldn't apply patch '{'op': 'replace', 'path': '/extra/a', 'value': 2}'. Reason: can't replace a non-existent object 'a'"},
		}},
		{name: "remove-then-add", node: `{"extra": {"a": 1}}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/extra/a"}, {"op": "add", "path": "/extra/a", "value": 2}]`, see: "extra", want: `200 extra={"a":2}`},
		}},
		{name: "all-or-nothing", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}, {"op": "remove", "path": "/extra/b"}]`, want: "400 Couldn't apply patch '{'op': 'remove', 'path': '/extra/b'}'. Reason: can't remove a non-existent object 'b'"},
			{call: "GET /v1/nodes/{node}", see: "extra", want: "200 extra={}"},
		}},
		{name: "the-same-path-twice", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}, {"op": "add", "path": "/extra/a", "value": 2}]`, see: "extra", want: `200 extra={"a":2}`},
		}},
		{name: "empty", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[]`, want: "200"}}},
		{name: "an-object", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `{"op": "add", "path": "/extra/a", "value": 1}`, want: "400 Schema error for patch: {'op': 'add', 'path': '/extra/a', 'value': 1} is not of type 'array'"}}},
		{name: "a-node-that-is-not-there", steps: []step{{call: "PATCH /v1/nodes/{uuid1}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "404 Node {uuid1} could not be found."}}},
		{name: "by-name", steps: []step{{call: "PATCH /v1/nodes/{name}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, see: "uuid extra", want: `200 uuid="{node}" extra={"a":1}`}}},
		{name: "of-the-same", node: `{"extra": {"a": 1}}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/extra/a", "value": 1}]`, see: "updated_at?", want: "200 updated_at=set"},
		}},
		{name: "unknown-conductor-group", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/conductor_group", "value": "east"}]`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver fake-hardware for conductor group "east".`}}},
		{name: "resource-class-of-a-deployed-node", node: `{"resource_class": "a"}`, state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/resource_class", "value": "b"}]`, want: `~409 Node \{node\} can not have resource_class updated unless it is in one of allowed \([a-z, ]+\) states(\. Current state is 'active'\.|\.)`},
		}},
		{name: "resource-class-added-to-a-deployed-node", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/resource_class", "value": "b"}]`, see: "resource_class", want: `200 resource_class="b"`},
		}},
		{name: "lessee-owner", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/owner", "value": "me"}, {"op": "add", "path": "/lessee", "value": "you"}]`, see: "owner lessee", want: `200 owner="me" lessee="you"`}}},
		{name: "network-data", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/network_data", "value": {"links": []}}]`, want: "400 Invalid network_data: 'networks' is a required property"}}},
		{name: "bad-root-device", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/properties/root_device", "value": {"size": "<in> banana", "bogus": 1}}]`, see: "properties", want: `200 properties={"root_device":{"bogus":1,"size":"<in> banana"}}`}}},
		{name: "locked", steps: []step{
			{call: "LOCK elsewhere"},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."},
		}},
		{name: "disable-power-off", since: 95, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/disable_power_off", "value": true}]`, see: "disable_power_off", want: "200 disable_power_off=true"}}},
		{name: "parent-of-itself", since: 83, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/parent_node", "value": "{node}"}]`, see: "parent_node", want: `200 parent_node="{node}"`}}},
		{name: "parent-of-one-that-is-not-there", since: 83, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/parent_node", "value": "{uuid1}"}]`, see: "parent_node", want: "400 Unable to apply the requested parent_node '{uuid1}'. Requested value was invalid."}}},
		{name: "health", since: 109, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/health", "value": "OK"}]`, want: `~400 Cannot patch /health\. Only the following can be updated: .*`}}},
		{name: "service-step", since: 87, steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/service_step", "value": {}}]`, want: `~400 Cannot patch /service_step\. Only the following can be updated: .*`}}},
	}}
}

// interfaces covers the hardware interfaces of a node.
func interfaces() group {
	return group{name: "interfaces", behaviors: []behavior{
		{name: "set", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/deploy_interface", "value": "custom-agent"}]`, see: "deploy_interface", want: `200 deploy_interface="custom-agent"`}}},
		{name: "set-in-enroll", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, see: "deploy_interface", want: `200 deploy_interface="custom-agent"`}}},
		{name: "set-in-available", state: "available", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, see: "deploy_interface", want: `200 deploy_interface="custom-agent"`}}},
		{name: "set-in-active", state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, want: `~409 Node \{node\} can not have deploy_interface updated unless it is in one of allowed \([a-z, ]+\) states or in maintenance mode(\. Current state is 'active'\.|\.)`}}},
		{name: "set-in-active-and-maintenance", state: "active", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, see: "deploy_interface", want: `200 deploy_interface="custom-agent"`},
		}},
		{name: "set-in-deploy-failed", state: "deploy failed > active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, want: `~409 Node \{node\} can not have deploy_interface updated unless it is in one of allowed \([a-z, ]+\) states or in maintenance mode(\. Current state is 'deploy failed'\.|\.)`}}},
		{name: "not-enabled", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "ansible"}]`, want: "400 Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: ansible. Valid interfaces are ['autodetect', 'bootc', 'custom-agent', 'direct', 'fake', 'ramdisk'].", old: "400 Could not find the following interface in the 'ironic.hardware.interfaces.deploy' entrypoint: ansible. Valid interfaces are ['custom-agent', 'direct', 'fake', 'ramdisk']."}}},
		{name: "unknown", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/boot_interface", "value": "nonsense"}]`, want: "400 Could not find the following interface in the 'ironic.hardware.interfaces.boot' entrypoint: nonsense. Valid interfaces are ['fake', 'ipxe', 'pxe', 'redfish-virtual-media']."}}},
		{name: "null", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": null}]`, see: "deploy_interface", want: `200 deploy_interface="fake"`}}},
		{name: "remove-gives-the-default", node: `{"deploy_interface": "ramdisk"}`, state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/deploy_interface"}]`, see: "deploy_interface", want: `200 deploy_interface="fake"`}}},
		{name: "remove-in-active", node: `{"deploy_interface": "ramdisk"}`, state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/deploy_interface"}]`, want: `~409 Node \{node\} can not have deploy_interface updated unless it is in one of allowed \([a-z, ]+\) states or in maintenance mode(\. Current state is 'active'\.|\.)`}}},
		{name: "the-same-again-in-active", state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "fake"}]`, see: "deploy_interface", want: `200 deploy_interface="fake"`}}},
		{name: "other-driver", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/driver", "value": "redfish"}]`, want: `~400 [a-z]+ interface implementation '<.*>' is not supported by hardware type RedfishHardware\.`}}},
		{name: "other-driver-with-reset", state: "manageable", steps: []step{
			{call: "PATCH /v1/nodes/{node}?reset_interfaces=true", body: `[{"op": "replace", "path": "/driver", "value": "redfish"}]`, see: "driver power_interface deploy_interface", want: `200 driver="redfish" power_interface="redfish" deploy_interface="autodetect"`, old: `200 driver="redfish" power_interface="redfish" deploy_interface="direct"`},
		}},
		{name: "reset-keeps-what-is-set-with-it", state: "manageable", steps: []step{
			{call: "PATCH /v1/nodes/{node}?reset_interfaces=true", body: `[{"op": "replace", "path": "/driver", "value": "redfish"}, {"op": "replace", "path": "/deploy_interface", "value": "custom-agent"}]`, see: "driver power_interface deploy_interface", want: `200 driver="redfish" power_interface="redfish" deploy_interface="custom-agent"`},
		}},
		{name: "reset-without-driver", state: "manageable", steps: []step{
			{call: "PATCH /v1/nodes/{node}?reset_interfaces=true", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "400 The reset_interfaces parameter can only be used when changing the node's driver."},
		}},
		{name: "unknown-driver", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/driver", "value": "ipmi"}]`, want: `400 No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "". Ensure the driver is valid and enabled.`, old: `400 No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "".`}}},
		{name: "driver-in-active", state: "active", steps: []step{{call: "PATCH /v1/nodes/{node}?reset_interfaces=true", body: `[{"op": "replace", "path": "/driver", "value": "redfish"}]`, want: "200"}}},
		{name: "unknown-query", state: "manageable", steps: []step{{call: "PATCH /v1/nodes/{node}?colour=red", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "400 Unexpected arguments: colour"}}},
	}}
}

// patchingIn covers PATCH of a node in each of the states. Since Ironic checks the target state, too, each state is
// combined with its usual target.
func patchingIn() group {
	const change = `[{"op": "add", "path": "/extra/a", "value": 1}]`
	g := group{name: "patch-in"}
	for _, s := range states {
		want := "409 Node {node} can not be updated while a state transition is in progress."
		switch {
		case s.updatable:
			want = "200"
		case s.name == "inspecting":
			// The API accepts changes in this state, but the conductor does not.
			want = `409 Cannot update node "{node}" while it is in state "inspecting".`
		}
		g.behaviors = append(g.behaviors, behavior{
			name: strings.ReplaceAll(s.name, " ", "-"), since: s.since, state: s.name + " > " + s.target,
			steps: []step{{call: "PATCH /v1/nodes/{node}", body: change, want: want}},
		})
	}
	return g
}
