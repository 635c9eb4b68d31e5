package contract

// maintaining covers maintenance and locks.
func maintaining() group {
	return group{name: "maintenance", behaviors: []behavior{
		{name: "on-and-off", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{"reason": "disk"}`, want: "202"},
			{call: "GET /v1/nodes/{node}", see: "maintenance maintenance_reason fault", want: `200 maintenance=true maintenance_reason="disk" fault=null`},
			{call: "DELETE /v1/nodes/{node}/maintenance", want: "202"},
			{call: "GET /v1/nodes/{node}", see: "maintenance maintenance_reason fault", want: "200 maintenance=false maintenance_reason=null fault=null"},
		}},
		{name: "without-body", steps: []step{{call: "PUT /v1/nodes/{node}/maintenance", want: "202"}, {call: "GET /v1/nodes/{node}", see: "maintenance maintenance_reason", want: "200 maintenance=true maintenance_reason=null"}}},
		{name: "another-reason", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{"reason": "a"}`},
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{"reason": "b"}`},
			{call: "GET /v1/nodes/{node}", see: "maintenance_reason", want: `200 maintenance_reason="b"`},
		}},
		{name: "reason-number", steps: []step{{call: "PUT /v1/nodes/{node}/maintenance", body: `{"reason": 5}`, want: "400 Expected string for reason: 5"}}},
		{name: "unknown-key", steps: []step{{call: "PUT /v1/nodes/{node}/maintenance", body: `{"why": "x"}`, want: "400 Unexpected arguments: why"}}},
		{name: "off-when-it-is-off", steps: []step{{call: "DELETE /v1/nodes/{node}/maintenance", want: "202"}}},
		{name: "not-there", steps: []step{{call: "PUT /v1/nodes/{uuid1}/maintenance", body: `{}`, want: "404 Node {uuid1} could not be found."}}},
		{name: "locked", steps: []step{{call: "LOCK elsewhere"}, {call: "PUT /v1/nodes/{node}/maintenance", body: `{}`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}, {call: "GET /v1/nodes/{node}", see: "maintenance reservation", want: `200 maintenance=false reservation="elsewhere"`}}},
		{name: "while-it-deploys", state: "wait call-back > active", steps: []step{{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`, want: "202"}}},
		{name: "patched-off-keeps-no-reason", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{"reason": "a"}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/maintenance", "value": false}]`, see: "maintenance maintenance_reason", want: "200 maintenance=false maintenance_reason=null"},
		}},
		{name: "patch-while-it-deploys", state: "wait call-back > active", steps: []step{
			{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "409 Node {node} can not be updated while a state transition is in progress."},
		}},
		{name: "reservation-is-shown", steps: []step{{call: "LOCK elsewhere"}, {call: "GET /v1/nodes/{node}", see: "reservation", want: `200 reservation="elsewhere"`}}},
	}}
}

// power covers PUT states/power.
func power() group {
	const call = "PUT /v1/nodes/{node}/states/power"
	return group{name: "power", behaviors: []behavior{
		{name: "on", state: "manageable", steps: []step{
			{call: call, body: `{"target": "power on"}`, see: "header:Location", want: "202 Location={url}/v1/nodes/{node}/states"},
			{call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation last_error", want: `200 power_state="power on" target_power_state=null reservation=null last_error=null`},
		}},
		{name: "off", state: "manageable", steps: []step{{call: call, body: `{"target": "power off"}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation", want: `200 power_state="power off" target_power_state=null reservation=null`}}},
		{name: "reboot", state: "manageable", steps: []step{{call: call, body: `{"target": "rebooting"}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation", want: `200 power_state="power on" target_power_state=null reservation=null`}}},
		{name: "soft-off", state: "manageable", steps: []step{{call: call, body: `{"target": "soft power off"}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation", want: `200 power_state="power off" target_power_state=null reservation=null`}}},
		{name: "soft-reboot", state: "manageable", steps: []step{{call: call, body: `{"target": "soft rebooting", "timeout": 5}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation", want: `200 power_state="power on" target_power_state=null reservation=null`}}},
		{name: "in-enroll", steps: []step{{call: call, body: `{"target": "power on"}`, want: "202"}}},
		{name: "in-available", state: "available", steps: []step{{call: call, body: `{"target": "power on"}`, want: "202"}}},
		{name: "unknown", state: "manageable", steps: []step{{call: call, body: `{"target": "on"}`, want: `400 The requested action "on" can not be performed on node "{node}" while it is in state "None".`}}},
		{name: "error", state: "manageable", steps: []step{{call: call, body: `{"target": "error"}`, want: `400 The requested action "error" can not be performed on node "{node}" while it is in state "None".`}}},
		{name: "no-target", state: "manageable", steps: []step{{call: call, body: `{}`, want: "400 Missing mandatory parameter: target"}}},
		{name: "timeout-zero", state: "manageable", steps: []step{{call: call, body: `{"target": "power on", "timeout": 0}`, want: "400 timeout has to be positive integer"}}},
		{name: "timeout-negative", state: "manageable", steps: []step{{call: call, body: `{"target": "power on", "timeout": -1}`, want: "400 timeout has to be positive integer"}}},
		{name: "timeout-word", state: "manageable", steps: []step{{call: call, body: `{"target": "power on", "timeout": "long"}`, want: "400 Expected an integer for timeout: long"}}},
		{name: "timeout-before-1-27", state: "manageable", steps: []step{{call: call, version: "1.26", body: `{"target": "power on", "timeout": 5}`, want: "406 Request not acceptable."}}},
		{name: "while-cleaning", state: "cleaning > available", steps: []step{{call: call, body: `{"target": "power on"}`, want: `400 The requested action "power on" can not be performed on node "{node}" while it is in state "cleaning".`}}},
		{name: "in-clean-wait", state: "clean wait > available", steps: []step{{call: call, body: `{"target": "power on"}`, want: `400 The requested action "power on" can not be performed on node "{node}" while it is in state "clean wait".`}}},
		{name: "in-wait-call-back", state: "wait call-back > active", steps: []step{{call: call, body: `{"target": "power on"}`, want: "202"}}},
		{name: "in-service-wait", since: 87, state: "service wait > active", steps: []step{{call: call, body: `{"target": "power on"}`, want: "202"}}},
		{name: "locked", state: "manageable", steps: []step{{call: "LOCK elsewhere"}, {call: call, body: `{"target": "power on"}`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "in-maintenance", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/maintenance", body: `{}`}, {call: call, body: `{"target": "power on"}`, want: "202"}}},
		{name: "disabled", since: 95, node: `{"disable_power_off": true}`, state: "manageable", steps: []step{
			{call: call, body: `{"target": "power off"}`, want: "409 Failed to set node power state to power off."},
			{call: call, body: `{"target": "soft power off"}`, want: "409 Failed to set node power state to soft power off."},
		}},
		{name: "not-there", steps: []step{{call: "PUT /v1/nodes/{uuid1}/states/power", body: `{"target": "power on"}`, want: "404 Node {uuid1} could not be found."}}},
		{name: "redfish-without-address", node: `{"driver": "redfish"}`, state: "manageable", steps: []step{{call: call, body: `{"target": "power on"}`, want: "400 Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"}}},
	}}
}

// management covers boot devices, boot modes and other management calls.
func management() group {
	const device, indicators = "/v1/nodes/{node}/management/boot_device", "/v1/nodes/{node}/management/indicators"
	return group{name: "management", behaviors: []behavior{
		{name: "boot-device", state: "manageable", steps: []step{
			{call: "GET " + device, see: "body", want: `200 body={"boot_device":"pxe","persistent":false}`},
			{call: "PUT " + device, body: `{"boot_device": "pxe", "persistent": true}`, want: "204"},
		}},
		{name: "boot-device-unknown", state: "manageable", steps: []step{{call: "PUT " + device, body: `{"boot_device": "tape"}`, want: "400 Invalid boot device tape specified."}}},
		{name: "boot-device-without", state: "manageable", steps: []step{{call: "PUT " + device, body: `{}`, want: "400 Missing mandatory parameter: boot_device"}}},
		{name: "boot-device-persistent-word", state: "manageable", steps: []step{{call: "PUT " + device, body: `{"boot_device": "pxe", "persistent": "maybe"}`, want: "400 Invalid persistent: Unrecognized value 'maybe', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"}}},
		{name: "boot-devices", state: "manageable", steps: []step{{call: "GET " + device + "/supported", see: "body", want: `200 body={"supported_boot_devices":["pxe"]}`}}},
		{name: "boot-device-locked", state: "manageable", steps: []step{{call: "LOCK elsewhere"}, {call: "PUT " + device, body: `{"boot_device": "pxe"}`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}, {call: "GET " + device, see: "boot_device", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."}}},
		{name: "boot-devices-of-redfish", node: `{"driver": "redfish"}`, steps: []step{{call: "GET " + device + "/supported", see: "body", want: `200 body={"supported_boot_devices":["pxe","disk","cdrom","bios","uefihttp"]}`, old: `200 body={"supported_boot_devices":["pxe","disk","cdrom","bios"]}`}, {call: "GET " + device, want: "400 Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"}}},
		{name: "boot-mode", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/boot_mode", body: `{"target": "uefi"}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "boot_mode reservation last_error", want: `200 boot_mode=null reservation=null last_error="Failed to change boot mode to 'uefi: Driver fake-hardware does not support set_boot_mode (disabled or not implemented)."`}}},
		{name: "boot-mode-unknown", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/boot_mode", body: `{"target": "efi"}`, want: "400 Invalid boot mode efi requested for node. Allowed boot modes are: bios, uefi"}}},
		{name: "boot-mode-too-new", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/boot_mode", version: "1.75", body: `{"target": "uefi"}`, want: "404 This endpoint is supported starting with the API version 1.76"}}},
		{name: "secure-boot", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/secure_boot", body: `{"target": true}`, want: "202"}, {call: "UNTIL /v1/nodes/{node}", see: "secure_boot reservation last_error", want: `200 secure_boot=null reservation=null last_error="Failed to change secure_boot state to 'True': Driver fake-hardware does not support set_secure_boot_state (disabled or not implemented)."`}}},
		{name: "secure-boot-nonsense", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/secure_boot", body: `{"target": "perhaps"}`, want: "400 Invalid target: Unrecognized value 'perhaps', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"}}},
		{name: "nmi", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/management/inject_nmi", body: `{}`, want: "400 Driver fake-hardware does not support inject_nmi (disabled or not implemented)."}}},
		{name: "indicators", steps: []step{
			{call: "GET " + indicators, see: "order:indicators.0 indicators.#.name indicators.#.component indicators.#.readonly indicators.#.states", want: `200 order:indicators.0=name,component,readonly,states,links indicators.#.name=["led-0@chassis","led@system"] indicators.#.component=["chassis","system"] indicators.#.readonly=[true,false] indicators.#.states=[["off","on"],["blinking","off","on"]]`},
			{call: "GET /v1/nodes/{name}/management/indicators", see: "indicators.#.links", want: `200 indicators.#.links=[[{"href":"{url}/v1/nodes/{name}/management/indicators/led-0@chassis","rel":"self"},{"href":"{url}/nodes/{name}/management/indicators/led-0@chassis","rel":"bookmark"}],[{"href":"{url}/v1/nodes/{name}/management/indicators/led@system","rel":"self"},{"href":"{url}/nodes/{name}/management/indicators/led@system","rel":"bookmark"}]]`},
			{call: "GET " + indicators, version: "1.1", see: "indicators.#.name", want: `200 indicators.#.name=["led-0@chassis","led@system"]`},
			{call: "GET " + indicators + "/led@system", see: "body", want: `200 body={"state":"on"}`},
			{call: "GET " + indicators + "/led@system", version: "1.1", see: "body", want: `200 body={"state":"on"}`},
			{call: "GET " + indicators + "/led-0@chassis", see: "body", want: `200 body={"state":"on"}`},
			{call: "GET " + indicators + "/led@fan", want: "400 Invalid component fan specified."},
			{call: "GET " + indicators + "/led@chassis", want: "400 Invalid indicator led specified."},
			{call: "GET " + indicators + "/led@system@chassis", want: "400 Invalid component system@chassis specified."},
			{call: "GET " + indicators + "/led", want: `400 Malformed indicator name "led"`},
			{call: "GET " + indicators + "/led@system?state=on", want: "400 Unexpected arguments: state"},
			{call: "GET " + indicators + "?state=on", want: "200"},
			{call: "GET /v1/nodes/nope/management/indicators/led@system", want: "404 Node nope could not be found."},
		}},
		{name: "indicators-set", steps: []step{
			{call: "PUT " + indicators + "/led@system", body: `{"state": "off"}`, want: "400 Driver fake-hardware does not support set_indicator_state (disabled or not implemented)."},
			{call: "PUT " + indicators + "/led", body: `{"state": "off"}`, want: `400 Malformed indicator name "led"`},
			{call: "PUT " + indicators + "/led@system", body: `{}`, want: "400 Missing mandatory parameter: state"},
			{call: "PUT " + indicators + "/led@system", body: `{"state": 1}`, want: "400 Expected string for state: 1"},
			{call: "PUT " + indicators + "/led@system", body: `{"state": null}`, want: "400 Driver fake-hardware does not support set_indicator_state (disabled or not implemented)."},
			{call: "PUT " + indicators, body: `{"state": "off"}`, want: "400 Missing mandatory parameter: indicator"},
			{call: "DELETE " + indicators + "/led@system", see: "shape", want: "405 pecan code,description,title"},
			{call: "POST " + indicators, body: `{"state": "off"}`, see: "shape", want: "405 pecan code,description,title"},
		}},
		{name: "indicators-locked", steps: []step{
			{call: "LOCK elsewhere"},
			{call: "GET " + indicators, see: "indicators.#.name", want: `200 indicators.#.name=["led-0@chassis","led@system"]`},
			{call: "GET " + indicators + "/led@system", want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."},
		}},
		{name: "indicators-of-redfish", node: `{"driver": "redfish"}`, steps: []step{
			{call: "GET " + indicators, want: "400 Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"},
			{call: "GET " + indicators + "/led@system", want: "400 Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"},
			{call: "PUT " + indicators + "/led@system", body: `{"state": "on"}`, want: "400 Missing the following Redfish properties in node {node} driver_info: ['redfish_address']"},
		}},
		{name: "raid", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/raid", body: `{"logical_disks": [{"size_gb": 100, "raid_level": "1"}]}`, want: "204"},
			{call: "GET /v1/nodes/{node}", see: "target_raid_config raid_config", want: `200 target_raid_config={"logical_disks":[{"raid_level":"1","size_gb":100}]} raid_config={}`},
		}},
		{name: "raid-without-level", state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/raid", body: `{"logical_disks": [{"size_gb": 100}]}`, want: "400 RAID config validation error: 'raid_level' is a required property"}}},
		{name: "raid-that-is-not-supported", node: `{"raid_interface": "no-raid"}`, state: "manageable", steps: []step{{call: "PUT /v1/nodes/{node}/states/raid", body: `{"logical_disks": [{"size_gb": 100, "raid_level": "1"}]}`, want: "404 Driver fake-hardware does not support raid (disabled or not implemented)."}}},
		{name: "bios", steps: []step{{call: "GET /v1/nodes/{node}/bios", see: "body", want: `200 body={"bios":[]}`}, {call: "GET /v1/nodes/{node}/bios/Turbo", want: "404 Node {node} doesn't have a BIOS setting 'Turbo'"}}},
		{name: "bios-applied", state: "manageable", steps: []step{
			{call: provisionCall, body: `{"target": "clean", "clean_steps": [{"interface": "bios", "step": "apply_configuration", "args": {"settings": [{"name": "Turbo", "value": "on"}]}}]}`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation", want: `200 provision_state="manageable" reservation=null`},
			{call: "GET /v1/nodes/{node}/bios", see: "bios.#.name bios.#.value bios.0.keys", want: `200 bios.#.name=["Turbo"] bios.#.value=["on"] bios.0.keys=["created_at","links","name","updated_at","value"]`},
			{call: "GET /v1/nodes/{node}/bios/Turbo", see: "body.keys Turbo.value", want: `200 keys=["Turbo"] Turbo.value="on"`},
			{call: "GET /v1/nodes/{node}/bios?detail=true", see: "bios.0.keys", want: `200 bios.0.keys=["allowable_values","attribute_type","created_at","links","lower_bound","max_length","min_length","name","read_only","reset_required","unique","updated_at","upper_bound","value"]`},
			{call: "GET /v1/nodes/{node}/bios?fields=name,read_only", see: "bios.0.keys", want: `200 bios.0.keys=["created_at","links","name","read_only","updated_at"]`},
		}},
		{name: "firmware", since: 86, steps: []step{{call: "GET /v1/nodes/{node}/firmware", see: "body", want: `200 body={"firmware":[]}`}}},
		{name: "inventory-of-none", steps: []step{{call: "GET /v1/nodes/{node}/inventory", want: `~404 Node inventory record for node \d+ could not be found\.`}}},
		{name: "console", state: "manageable", steps: []step{
			{call: "GET /v1/nodes/{node}", see: "console_interface console_enabled", want: `200 console_interface="fake" console_enabled=false`},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": false}`, want: "202"},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": true}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "console_enabled reservation last_error", want: "200 console_enabled=true reservation=null last_error=null"},
			{call: "GET /v1/nodes/{node}/states/console", see: "body", want: `200 body={"console_enabled":true,"console_info":{}}`},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": "no"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "console_enabled reservation", want: "200 console_enabled=false reservation=null"},
			{call: "GET /v1/nodes/{node}/states/console", see: "body", want: `200 body={"console_enabled":false,"console_info":null}`},
		}},
		{name: "console-without", node: `{"console_interface": "no-console"}`, steps: []step{
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": true}`, want: "400 Driver fake-hardware does not support console (disabled or not implemented)."},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": false}`, want: "400 Driver fake-hardware does not support console (disabled or not implemented)."},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{}`, want: "400 Missing mandatory parameter: enabled"},
			{call: "GET /v1/nodes/{node}/states/console", see: "body", want: `200 body={"console_enabled":false,"console_info":null}`},
		}},
		{name: "console-of-redfish", node: `{"driver": "redfish"}`, steps: []step{
			{call: "GET /v1/nodes/{node}", see: "console_interface", want: `200 console_interface="no-console"`},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": true}`, want: "400 Driver redfish does not support console (disabled or not implemented)."},
		}},
		{name: "console-locked", state: "manageable", steps: []step{
			{call: "LOCK elsewhere"},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": false}`, want: "202"},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": true}`, want: "409 Node {node} is locked by host elsewhere, please retry after the current operation is completed."},
		}},
		{name: "console-forgets-the-last-error", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/boot_mode", body: `{"target": "uefi"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "reservation last_error", want: `200 reservation=null last_error="Failed to change boot mode to 'uefi: Driver fake-hardware does not support set_boot_mode (disabled or not implemented)."`},
			{call: "PUT /v1/nodes/{node}/states/console", body: `{"enabled": true}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "console_enabled reservation last_error", want: "200 console_enabled=true reservation=null last_error=null"},
		}},
		{name: "indicators-of-a-console", steps: []step{{call: "GET /v1/nodes/{node}/states/console", see: "console_enabled console_info.type text", want: "200 console_enabled=false console_info.type=absent"}}},
		{name: "virtual-media-of-fake", since: 93, state: "manageable", steps: []step{{call: "GET /v1/nodes/{node}/vmedia", want: "400 Driver fake-hardware does not support get_virtual_media (disabled or not implemented)."}}},
	}}
}

// validation covers GET /v1/nodes/{node}/validate.
func validation() group {
	return group{name: "validate", behaviors: []behavior{
		{name: "fake", state: "manageable", steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "body", want: `200 body={"bios":{"result":true},"boot":{"result":true},"console":{"result":true},"deploy":{"result":true},"firmware":{"result":true},"inspect":{"result":true},"management":{"result":true},"network":{"result":true},"power":{"result":true},"raid":{"result":true},"rescue":{"result":true},"storage":{"result":true}}`, old: `200 body={"bios":{"result":true},"boot":{"result":true},"console":{"result":true},"deploy":{"result":true},"inspect":{"result":true},"management":{"result":true},"network":{"result":true},"power":{"result":true},"raid":{"result":true},"rescue":{"result":true},"storage":{"result":true}}`}}},
		{name: "by-name", steps: []step{{call: "GET /v1/nodes/{name}/validate", see: "power", want: `200 power={"result":true}`}}},
		{name: "query", steps: []step{{call: "GET /v1/nodes/validate?node={node}", see: "power", want: `200 power={"result":true}`}}},
		{name: "redfish-without-anything", node: `{"driver": "redfish", "boot_interface": "redfish-virtual-media", "deploy_interface": "custom-agent"}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "power boot deploy management network inspect console raid rescue bios storage", want: `200 power={"reason":"Missing the following Redfish properties in node {node} driver_info: ['redfish_address']","result":false} boot={"reason":"Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']","result":false} deploy={"reason":"Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['deploy_kernel', 'deploy_ramdisk']","result":false} management={"reason":"Missing the following Redfish properties in node {node} driver_info: ['redfish_address']","result":false} network={"result":true} inspect={"reason":"Missing the following Redfish properties in node {node} driver_info: ['redfish_address']","result":false} console={"reason":"Driver redfish does not support console (disabled or not implemented).","result":false} raid={"reason":"Driver redfish does not support raid (disabled or not implemented).","result":false} rescue={"reason":"Driver redfish does not support rescue (disabled or not implemented).","result":false} bios={"reason":"Missing the following Redfish properties in node {node} driver_info: ['redfish_address']","result":false} storage={"result":true}`}}},
		{name: "redfish-with-an-address", node: `{"driver": "redfish", "boot_interface": "redfish-virtual-media", "deploy_interface": "custom-agent", "driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_system_id": "/redfish/v1/Systems/1", "deploy_iso": "http://127.0.0.1:1/x.iso"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "power boot deploy management", want: `200 power={"result":true} boot={"result":true} deploy={"result":true} management={"result":true}`}}},
		{name: "bad-address", node: `{"driver": "redfish", "driver_info": {"redfish_address": "ftp://x", "redfish_system_id": "/redfish/v1/Systems/1"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "power", want: `200 power={"result":true}`}}},
		{name: "bad-system-id", node: `{"driver": "redfish", "driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_system_id": 5}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "power", want: `200 power={"reason":"Invalid value \"5\" set in driver_info/redfish_system_id on node {node}. The value should be a path (string) to the resource that the driver will interact with. For example: /redfish/v1/Systems/1","result":false}`}}},
		{name: "bad-verify-ca", node: `{"driver": "redfish", "driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_verify_ca": "/no/such/file"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "power", want: `200 power={"reason":"Invalid value type set in driver_info/redfish_verify_ca on node {node}. The value should be a Boolean or the path to a file/directory, not \"/no/such/file\"","result":false}`}}},
		{name: "bad-root-device", node: `{"deploy_interface": "custom-agent", "properties": {"root_device": {"size": "big"}}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy boot", want: `200 deploy={"reason":"Failed to validate the root device hints {'size': 'big'} (from the node's properties) for node {node}: Root device hint \"size\" is not an integer value. Current value: big","result":false} boot={"result":true}`}}},
		{name: "root-device-with-an-unknown-hint", node: `{"deploy_interface": "custom-agent", "properties": {"root_device": {"colour": "red"}}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"reason":"Failed to validate the root device hints {'colour': 'red'} (from the node's properties) for node {node}: The hints \"colour\" are invalid. Valid hints are: \"size, model, wwn, serial, vendor, wwn_with_extension, wwn_vendor_extension, name, rotational, hctl, by_path\"","result":false}`}}},
		{name: "bad-capabilities", node: `{"deploy_interface": "custom-agent", "properties": {"capabilities": "boot_mode:quick"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"reason":"The parameter 'boot_mode' from properties/capabilities has an invalid value: 'quick'. Acceptable values are: bios, uefi.","result":false}`}}},
		{name: "direct-without-an-image", node: `{"deploy_interface": "direct"}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"reason":"Node {node} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']","result":false}`}}},
		{name: "direct-without-a-checksum", node: `{"deploy_interface": "direct", "instance_info": {"image_source": "http://127.0.0.1:1/image"}}`, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"reason":"image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node {node}","result":false}`}}},
		{name: "not-there", steps: []step{{call: "GET /v1/nodes/{uuid1}/validate", want: "404 Node {uuid1} could not be found."}}},
		{name: "without-a-node", steps: []step{{call: "GET /v1/nodes/validate", want: "400 Expected a logical name or UUID but received None."}}},
		{name: "locked", steps: []step{{call: "LOCK elsewhere"}, {call: "GET /v1/nodes/{node}/validate", see: "power", want: `200 power={"result":true}`}}},
	}}
}
