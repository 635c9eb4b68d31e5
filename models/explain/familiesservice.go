package explain

// serviceFamilies cover Ironic itself and other services.
var serviceFamilies = []Rule{
	newRule("operation-aborted", "aborted by request", "The operation was aborted by request").
		openings("Inspection was aborted by request", "By request, the … operation was aborted", "Deployment aborted at step", "Pending power operation was aborted", "Failed to abort inspection").
		not("a machine fault: an operator or a program stopped the operation").
		next(again("Find out from the history who aborted it, then run the operation again if it is still needed.")).
		from("ironic/conductor/{inspection,cleaning,deployments,servicing,manager}.py"),
	newRule("clean-up-failed", "cleanup failed",
		"Ironic could not clean up after the operation: boot setup or networks may be left over").
		openings("Failed to tear down cleaning", "Failed to tear down from cleaning for node ", "Failed to tear down from service for node ", "Failed to tear down service after aborting", "Failed to clean up deploying after aborting", "Failed to clean up rescue after aborting", "Rescue operation was unsuccessful, clean up failed", "Rescue failed, but an unhandled exception", "Inspection clean up failed", "Clean up failed for swift object ").
		not("the operation's own error: see the earlier history entry").
		next(act("history", "ironworks history {node}", "Read the first error in the history, check networks and virtual media, then manage the node.")).
		from("ironic/conductor/utils.py"),
	newRule("node-locked", "node, parent or child locked",
		"Another operation holds the lock on this node, its parent or a child").
		openings("Node … parent_node … is presently locked", "Node … child_node … is presently locked", "An exclusive lock is required").
		words("parent_node", "child_node", "exclusive lock", "released lock", "is locked by host").
		shows(evReservation).
		not("a machine fault").
		next(listConductors("Wait for the other operation, then try again.")).
		from("ironic/conductor/utils.py, ironic/conductor/task_manager.py"),
	newRule("database", "Ironic's database failed", "Ironic's database did not answer or refused the change").
		words("database", "operationalerror", "dberror", "dbconnectionerror", "sqlalchemy", "sqlite3", "pymysql", "deadlock").
		not("the machine: not involved").
		next(again("Check the database and the conductor's log, then try again.")).
		from("ironic/db, ironic/conductor/task_manager.py"),
	newRule("conductor-rpc", "conductor not available", "The conductor is overloaded, missing or unreachable").
		openings("The built-in conductor is not available", "Cannot use 'none' RPC", "Queued backlog count is ", "No conductors registered").
		words("conductor workers", "rpc", "no conductors registered", "messagingtimeout", "remote error", "conductor service", "take over", "driver '").
		shows(evConductor).
		not("a machine fault").
		next(listConductors("Check that the conductors are alive and not overloaded, then try again.")).
		from("ironic/conductor/rpcapi.py, ironic/conductor/base_manager.py"),
	newRule("service-catalog", "service catalog or login failed",
		"A service that Ironic uses was not found, or rejected Ironic's credentials (Keystone)").
		words("keystone", "service catalog", "ironic api service", "openstack cloud", "not authorized").
		not("the machine: not involved").
		next(listConductors("Check the conductor's [service_catalog] and [keystone_authtoken] options, and the service's endpoint.")).
		from("ironic/common/keystone.py, ironic/drivers/modules/deploy_utils.py"),
	newRule("allocation", "allocation failed",
		"The allocation failed: no node matches, or the matching node cannot be changed now").
		openings("Failed to process allocation ", "Cannot remove allocation ").
		not("a fault in a single machine").
		next(act("fleet", "ironworks nodes", "Compare the allocation's resource class, traits and candidates with the available nodes.")).
		from("ironic/conductor/allocations.py"),
	newRule("steps-invalid", "invalid step list",
		"The step list is invalid: a step is unknown, malformed or not allowed").
		openings("No deploy steps returned by the driver", "Cannot get deploy steps; failed to deploy", "Error while getting deploy steps", "Automated cleaning runbook ", "Unable to perform cleaning for node ", "A wait time exceeding the configured maximum").
		words("runbook", "deploy steps", "clean steps", "clean_steps", "service steps", "is not allowed. disallowed", "step_type must be", "step type", "active step", "unique names", "could not find the step", "out-of-band steps", "malformed steps").
		not("the machine: no step has run").
		next(act("steps", "ironworks node {node}", "Compare the steps, templates and runbooks with the steps that the node's interfaces and agent offer.")).
		from("ironic/conductor/steps.py, ironic/conductor/manager.py"),
	newRule("ansible", "Ansible playbook failed", "An Ansible playbook of the ansible deploy interface failed").
		words("ansible*", "playbook").
		not("Ironic's agent: Ansible uses SSH").
		next(again("Read the playbook's output in the conductor's log, then try again.")).
		from("ironic/drivers/modules/ansible/deploy.py"),
	newRule("wrong-state-now", "not allowed in this state",
		"Ironic does not allow this in the node's current state").
		openings("Cannot continue deploying on ", "Cannot continue servicing on ", "Cannot continue cleaning on ", "The … operation can't be performed on node ", `Can not abort service on node "`, `Can not delete node "`, "Node … can not have … unless it is in one of", "Node … can not have 'retired' set", "Node … can only be made protected", "Node … is associated with instance ", "Cannot delete the port … as it is bound", "Portgroup … can not be associated ", "Cannot update hardware address for port ", "Port … can not have any connectivity attributes").
		shows(evState, evMaintenance, evInstance).
		not("a machine fault").
		next(openNode("Check the node's state, maintenance and instance. Move the node to the state named in the error first.")).
		from("ironic/conductor/manager.py"),
}

// interfaceFamilies cover the settings of nodes and conductors.
var interfaceFamilies = []Rule{
	newRule("interface-unsupported", "not supported by the interface",
		"The node's interface or hardware does not support this").
		openings("Driver … does not support … (disabled or not implemented)", "Driver, hardware type or interface … could not be loaded", "The driver … does not support the power state").
		words("does not support", "not supported", "unsupported", "could not be loaded", "not suitable for node", "incompatible", "unable to import", "deploy interface", "autodetect*", "fast track", "is not a valid choice", "does not permit", "hardware type").
		not("a temporary fault: trying again will not help").
		next(act("conductors", "ironworks drivers", "Set an interface or driver that supports the operation; validate shows the result for each interface.")).
		from("ironic/common/exception.py: UnsupportedDriverExtension, ironic/drivers/base.py"),
	newRule("node-settings", "setting missing or invalid",
		"A node setting is missing or invalid; the error names it").
		openings("Missing the following … in node ", "Cannot specify instance traits", "Error parsing traits from Node ", "Error parsing capabilities from Node ").
		words("driver_info", "instance_info", "instance traits", "driver_internal_info", "missing the following", "missing are", "is missing", "capabilities", "capability", "invalid parameter", "must be provided", "have different values", "not provided", "invalid configuration", "acceptable values", "value should be", "traits", "set in node").
		not("the machine: no request was sent").
		next(set("driver_info.KEY=VALUE", "Correct the field named in the error, validate, and try again.")).
		from("ironic/common/exception.py: MissingParameterValue, InvalidParameterValue"),
	newRule("conductor-settings", "conductor misconfigured",
		"The conductor's configuration is incomplete or wrong").
		openings("Supplied configuration is incorrect and must be fixed", "Failed to load DHCP provider ").
		words("config option", "configuration option", "ironic.conf", "is not configured", "not configured", "publishing images", "is not writable", "openssl", "crypto policy", "configuration file").
		not("a node setting: all nodes of this conductor are affected").
		next(listConductors("Correct the option named in the error in the conductor's ironic.conf, and restart the conductor.")).
		from("ironic/common/exception.py: IncorrectConfiguration"),
}

var inspectionFamilies = []Rule{
	newRule("inspection-rule", "an inspection rule failed",
		"An inspection rule failed: its condition or action does not fit the data").
		openings("Inspection rule action execution failed", "Inspection rule condition check failed").
		words("inspection rule", "apply rule", "unsupported operator", "unsupported action", "built-in rules", "rule condition", "regular expression", "multiple exclamation marks").
		not("the machine: its data has arrived").
		next(again("Correct or delete the inspection rule named in the error, then inspect again.")).
		from("ironic/common/inspection_rules"),
	newRule("inspection-hook", "an inspection hook failed",
		"An inspection hook rejected what the ramdisk found, or could not run").
		openings("failed to run inspection hooks: ", "The following failures happened while running preprocess hooks").
		words("inspection hook", "hook", "preprocess", "inventory", "pci_devices", "pci_device_alias", "pci devices", "lldp", "mau type", "plugin data", "plugin_data").
		not("a ramdisk that did not boot: its data has arrived").
		next(act("history", "ironworks history {node}", "Compare the hook named in the error with [inspector]hooks and the node's data, then inspect again.")).
		from("ironic/drivers/modules/inspector/hooks, ironic/drivers/modules/inspect_utils.py"),
	newRule("inspection-ramdisk", "ramdisk could not collect data",
		"The ramdisk could not collect the hardware's data").
		words("ramdisk reported error", "inspection failed", "collector", "numa node", "discover the following properties", "stopping inspection").
		not("Ironic's own check of the data: the ramdisk reported the failure").
		next(readLog("Find the failed collector in the ramdisk's log. Remove it from ipa-inspection-collectors, or add what it needs.")).
		from("ironic_python_agent/inspector.py, ironic/drivers/modules/inspector/hooks/ramdisk_error.py"),
}

var networkFamilies = []Rule{
	newRule("network-port", "network port could not be set up",
		"A network port could not be set up: Neutron, DHCP or the switch did not accept it").
		openings("Failed to attach VIF ", "Failed to detach VIF ", "Unable to attach VIF ", "Unable to detach VIF ").
		words("neutron", "vif", "port group", "portgroup", "dhcp", "subnet", "security group", "pxe-enabled", "switchport*", "lag", "vlan", "physical network", "network_type", "tenant network", "local_link_connection", "trait based networking", "port info", "network info", "switch", "tbn*", "native_vlan", "allowed_vlans", "binding:host_id", "mac address", "flat network", "ip address", "network", "port", "ipv4 address", "switch_id", "port_name").
		shows(evInstance).
		not("the disk or the image").
		next(act("network", "ironworks node {node}", "Check the node's ports, their switch data and the networks in driver_info, and Neutron's log; then try again.")).
		from("ironic/common/neutron.py, ironic/dhcp, ironic/drivers/modules/network"),
	newRule("network-boot", "ramdisk boot not prepared",
		"The network boot or the boot ISO could not be prepared: a kernel, ramdisk, template or option is missing").
		words("ipxe", "pxe", "tftp", "pxe_template", "boot file", "http root", "http url", "build_extra_pxe_options", "deploy_kernel", "deploy_ramdisk", "ramdisk for", "kernel or ramdisk", "kernel command line", "kernel_append_params", "kernel parameter", "ramdisk_boot", "boot iso", "loader_file_paths", "asset copy").
		shows(evISO).
		not("the machine: it was not switched on").
		next(validate("Check deploy_kernel and deploy_ramdisk (or deploy_iso), the boot interface and the conductor's [pxe] options.")).
		from("ironic/common/pxe_utils.py, ironic/drivers/modules/pxe_base.py, ironic/drivers/modules/image_utils.py"),
}
