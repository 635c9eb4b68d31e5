package contract

// autodetection covers the autodetect and bootc deploy interfaces, which 39.0.0 introduced and enables by default.
func autodetection() group {
	const (
		bmc    = `"driver_info": {"redfish_address": "http://127.0.0.1:1", "redfish_system_id": "/x", "deploy_iso": "http://127.0.0.1:1/x.iso"}`
		media  = `"driver": "redfish", "boot_interface": "redfish-virtual-media", ` + bmc
		auto   = `{"deploy_interface": "autodetect", ` + media + `}`
		newest = 115
	)
	with := func(image string) string {
		return `{"deploy_interface": "autodetect", ` + media + `, "instance_info": ` + image + `}`
	}
	validate := func(name, node string, want string) behavior {
		return behavior{name: name, since: newest, node: node, steps: []step{{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: want}}}
	}
	return group{name: "autodetect", behaviors: []behavior{
		{name: "default-of-a-new-node", since: newest, node: `{` + media + `}`, steps: []step{{call: "GET /v1/nodes/{node}", see: "deploy_interface driver_internal_info", want: `200 deploy_interface="autodetect" driver_internal_info={}`}}},
		{name: "default-of-fake-hardware", since: newest, steps: []step{{call: "GET /v1/nodes/{node}", see: "deploy_interface", want: `200 deploy_interface="fake"`}}},
		{name: "patch-to-autodetect-and-bootc", since: newest, node: `{` + media + `, "deploy_interface": "direct"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "autodetect"}]`, see: "deploy_interface", want: `200 deploy_interface="autodetect"`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "replace", "path": "/deploy_interface", "value": "bootc"}]`, see: "deploy_interface", want: `200 deploy_interface="bootc"`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/deploy_interface"}]`, see: "deploy_interface", want: `200 deploy_interface="autodetect"`},
		}},
		validate("validate-nothing", auto, `200 deploy={"reason":"Node {node} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']","result":false}`),
		validate("validate-an-image", with(`{"image_source": "http://127.0.0.1:1/x.raw", "image_checksum": "0123456789abcdef0123456789abcdef"}`), `200 deploy={"result":true}`),
		validate("validate-an-image-without-a-checksum", with(`{"image_source": "http://127.0.0.1:1/x.raw"}`), `200 deploy={"reason":"image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node {node}","result":false}`),
		validate("validate-an-iso", with(`{"boot_iso": "http://127.0.0.1:1/x.iso", "ironic_ramdisk_deploy": true}`), `200 deploy={"result":true}`),
		validate("validate-an-iso-that-is-not-said-to-be-one", with(`{"boot_iso": "http://127.0.0.1:1/x.iso"}`), `200 deploy={"reason":"Node {node} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']","result":false}`),
		validate("validate-kernel-and-ramdisk", with(`{"kernel": "http://127.0.0.1:1/k", "ramdisk": "http://127.0.0.1:1/r", "ironic_ramdisk_deploy": true}`), `200 deploy={"result":true}`),
		validate("validate-a-container", with(`{"image_source": "oci://127.0.0.1:1/x/y:latest"}`), `200 deploy={"result":true}`),
		validate("validate-bootc-nothing", `{"deploy_interface": "bootc", `+media+`}`, `200 deploy={"reason":"Invalid image href None.","result":false}`),
		validate("validate-bootc-image", `{"deploy_interface": "bootc", `+media+`, "instance_info": {"image_source": "http://127.0.0.1:1/x.raw"}}`, `200 deploy={"reason":"Invalid image href http://127.0.0.1:1/x.raw.","result":false}`),
		validate("validate-bootc-container", `{"deploy_interface": "bootc", `+media+`, "instance_info": {"image_source": "oci://127.0.0.1:1/x/y:latest"}}`, `200 deploy={"result":true}`),
		{name: "refused-before-a-deployment-is-switched", since: newest, node: auto, state: "available", steps: []step{
			{call: provisionCall, body: `{"target": "active"}`, want: `400 Failed to validate deploy or power info for node {node}: Node {node} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']`},
			{call: "GET /v1/nodes/{node}", see: "deploy_interface driver_internal_info provision_state", want: `200 deploy_interface="direct" driver_internal_info={"original_deploy_interface":"autodetect"} provision_state="available"`},
		}},
		{name: "not-cleaned-is-not-switched", since: newest, node: `{"deploy_interface": "autodetect", "automated_clean": false, ` + media + `}`, state: "manageable", steps: []step{
			{call: provisionCall, body: `{"target": "provide"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}?fields=provision_state,reservation", see: "provision_state reservation", want: `200 provision_state="available" reservation=null`},
			{call: "GET /v1/nodes/{node}", see: "deploy_interface driver_internal_info", want: `200 deploy_interface="autodetect" driver_internal_info={}`},
		}},
		{name: "fake-hardware-is-switched-too", since: newest, node: `{"deploy_interface": "autodetect", "instance_info": {"image_source": "http://127.0.0.1:1/x.raw"}}`, steps: []step{
			{call: "GET /v1/nodes/{node}/validate", see: "deploy", want: `200 deploy={"reason":"image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node {node}","result":false}`},
		}},
	}}
}
