package explain

// inspectionFamilies are about what the ramdisk finds in a machine.
var inspectionFamilies = []family{
	{
		ID: "inspection-rule", Openings: []string{"Inspection rule action execution failed", "Inspection rule condition check failed"}, Words: []string{"inspection rule", "apply rule", "unsupported operator", "unsupported action", "built-in rules", "rule condition", "regular expression", "multiple exclamation marks"},
		Verdict: "An inspection rule failed: its condition or action does not fit the data", Brief: "an inspection rule failed",
		Not:    "the machine: its data has arrived",
		Next:   Next{Text: "Correct or delete the inspection rule that the reason names, then inspect again.", Retry: true},
		Source: "ironic/common/inspection_rules",
	},
	{
		ID: "inspection-hook", Openings: []string{"failed to run inspection hooks: ", "The following failures happened while running preprocess hooks"}, Words: []string{"inspection hook", "hook", "preprocess", "inventory", "pci_devices", "pci_device_alias", "pci devices", "lldp", "mau type", "plugin data", "plugin_data"},
		Verdict: "An inspection hook rejected what the ramdisk found, or could not run", Brief: "an inspection hook failed",
		Not:    "a ramdisk that did not boot: its data has arrived",
		Next:   Next{Text: "Compare the hook that the reason names with [inspector]hooks and the node's data, then inspect again.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/drivers/modules/inspector/hooks, ironic/drivers/modules/inspect_utils.py",
	},
	{
		ID: "inspection-ramdisk", Words: []string{"ramdisk reported error", "inspection failed", "collector", "numa node", "discover the following properties", "stopping inspection"},
		Verdict: "The ramdisk could not collect the hardware's data", Brief: "ramdisk could not collect data",
		Not:    "Ironic's own check of the data: the ramdisk says it failed",
		Next:   Next{Text: "Read the ramdisk's log for the collector that failed; leave it out of ipa-inspection-collectors or add what it needs.", Key: "log", Command: "ironworks logs {node}"},
		Source: "ironic_python_agent/inspector.py, ironic/drivers/modules/inspector/hooks/ramdisk_error.py",
	},
}

// networkFamilies are about Neutron, DHCP, switches and network boot.
var networkFamilies = []family{
	{
		ID: "network-port", Openings: []string{"Failed to attach VIF ", "Failed to detach VIF ", "Unable to attach VIF ", "Unable to detach VIF "}, Words: []string{"neutron", "vif", "port group", "portgroup", "dhcp", "subnet", "security group", "pxe-enabled", "switchport*", "lag", "vlan", "physical network", "network_type", "tenant network", "local_link_connection", "trait based networking", "port info", "network info", "switch", "tbn*", "native_vlan", "allowed_vlans", "binding:host_id", "mac address", "flat network", "ip address", "network", "port", "ipv4 address", "switch_id", "port_name"},
		Verdict: "A network port could not be set up: Neutron, DHCP or the switch did not take it", Brief: "network port could not be set up",
		Not:      "the disk or the image",
		Next:     Next{Text: "Check the node's ports, their switch data and the networks in driver_info, and Neutron's log; then try again.", Key: "network", Command: "ironworks node {node}"},
		Evidence: []EvidenceField{evInstance},
		Source:   "ironic/common/neutron.py, ironic/dhcp, ironic/drivers/modules/network",
	},
	{
		ID: "network-boot", Words: []string{"ipxe", "pxe", "tftp", "pxe_template", "boot file", "http root", "http url", "build_extra_pxe_options", "deploy_kernel", "deploy_ramdisk", "ramdisk for", "kernel or ramdisk", "kernel command line", "kernel_append_params", "kernel parameter", "ramdisk_boot", "boot iso", "loader_file_paths", "asset copy"},
		Verdict: "The network boot or the boot ISO could not be prepared: a kernel, ramdisk, template or option is missing", Brief: "boot of the ramdisk not prepared",
		Not:      "the machine: it was not switched on",
		Next:     Next{Text: "Check deploy_kernel and deploy_ramdisk (or deploy_iso), the boot interface and the conductor's [pxe] options.", Key: "validate", Command: "ironworks validate {node}"},
		Evidence: []EvidenceField{evISO},
		Source:   "ironic/common/pxe_utils.py, ironic/drivers/modules/pxe_base.py, ironic/drivers/modules/image_utils.py",
	},
}
