package explain

// serviceFamilies cover Ironic itself and other services.
var serviceFamilies = []Rule{
	{
		ID: "operation-aborted", Openings: []string{"Inspection was aborted by request", "By request, the … operation was aborted", "Deployment aborted at step", "Pending power operation was aborted", "Failed to abort inspection"},
		Verdict: "The operation was aborted by request", Brief: "aborted by request",
		Not:    []string{"a machine fault: an operator or a program stopped the operation"},
		Next:   Next{Text: "Find out from the history who aborted it, then run the operation again if it is still needed.", Retry: true},
		Source: "ironic/conductor/{inspection,cleaning,deployments,servicing,manager}.py",
	},
	{
		ID: "clean-up-failed", Openings: []string{"Failed to tear down cleaning", "Failed to tear down from cleaning for node ", "Failed to tear down from service for node ", "Failed to tear down service after aborting", "Failed to clean up deploying after aborting", "Failed to clean up rescue after aborting", "Rescue operation was unsuccessful, clean up failed", "Rescue failed, but an unhandled exception", "Inspection clean up failed", "Clean up failed for swift object "},
		Verdict: "Ironic could not clean up after the operation: boot setup or networks may be left over", Brief: "cleanup failed",
		Not:    []string{"the operation's own error: see the earlier history entry"},
		Next:   Next{Text: "Read the first error in the history, check networks and virtual media, then manage the node.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/conductor/utils.py",
	},
	{
		ID: "node-locked", Openings: []string{"Node … parent_node … is presently locked", "Node … child_node … is presently locked", "An exclusive lock is required"}, Words: []string{"parent_node", "child_node", "exclusive lock", "released lock", "is locked by host"},
		Verdict: "Another operation holds the lock on this node, its parent or a child", Brief: "node, parent or child locked",
		Not:      []string{"a machine fault"},
		Next:     Next{Text: "Wait for the other operation, then try again.", Key: "conductors", Command: "ironworks conductors"},
		Evidence: []EvidenceField{evReservation},
		Source:   "ironic/conductor/utils.py, ironic/conductor/task_manager.py",
	},
	{
		ID: "database", Words: []string{"database", "operationalerror", "dberror", "dbconnectionerror", "sqlalchemy", "sqlite3", "pymysql", "deadlock"},
		Verdict: "Ironic's database did not answer or refused the change", Brief: "Ironic's database failed",
		Not:    []string{"the machine: not involved"},
		Next:   Next{Text: "Check the database and the conductor's log, then try again.", Retry: true},
		Source: "ironic/db, ironic/conductor/task_manager.py",
	},
	{
		ID: "conductor-rpc", Openings: []string{"The built-in conductor is not available", "Cannot use 'none' RPC", "Queued backlog count is ", "No conductors registered"}, Words: []string{"conductor workers", "rpc", "no conductors registered", "messagingtimeout", "remote error", "conductor service", "take over", "driver '"},
		Verdict: "The conductor is overloaded, missing or unreachable", Brief: "conductor not available",
		Not:      []string{"a machine fault"},
		Next:     Next{Text: "Check that the conductors are alive and not overloaded, then try again.", Key: "conductors", Command: "ironworks conductors"},
		Evidence: []EvidenceField{evConductor},
		Source:   "ironic/conductor/rpcapi.py, ironic/conductor/base_manager.py",
	},
	{
		ID: "service-catalog", Words: []string{"keystone", "service catalog", "ironic api service", "openstack cloud", "not authorized"},
		Verdict: "A service that Ironic uses was not found, or rejected Ironic's credentials (Keystone)", Brief: "service catalog or login failed",
		Not:    []string{"the machine: not involved"},
		Next:   Next{Text: "Check the conductor's [service_catalog] and [keystone_authtoken] options, and the service's endpoint.", Key: "conductors", Command: "ironworks conductors"},
		Source: "ironic/common/keystone.py, ironic/drivers/modules/deploy_utils.py",
	},
	{
		ID: "allocation", Openings: []string{"Failed to process allocation ", "Cannot remove allocation "},
		Verdict: "The allocation failed: no node matches, or the matching node cannot be changed now", Brief: "allocation failed",
		Not:    []string{"a fault in a single machine"},
		Next:   Next{Text: "Compare the allocation's resource class, traits and candidates with the available nodes.", Key: "fleet", Command: "ironworks nodes"},
		Source: "ironic/conductor/allocations.py",
	},
	{
		ID: "steps-invalid", Openings: []string{"No deploy steps returned by the driver", "Cannot get deploy steps; failed to deploy", "Error while getting deploy steps", "Automated cleaning runbook ", "Unable to perform cleaning for node ", "A wait time exceeding the configured maximum"}, Words: []string{"runbook", "deploy steps", "clean steps", "clean_steps", "service steps", "is not allowed. disallowed", "step_type must be", "step type", "active step", "unique names", "could not find the step", "out-of-band steps", "malformed steps"},
		Verdict: "The step list is invalid: a step is unknown, malformed or not allowed", Brief: "invalid step list",
		Not:    []string{"the machine: no step has run"},
		Next:   Next{Text: "Compare the steps, templates and runbooks with the steps that the node's interfaces and agent offer.", Key: "steps", Command: "ironworks node {node}"},
		Source: "ironic/conductor/steps.py, ironic/conductor/manager.py",
	},
	{
		ID: "ansible", Words: []string{"ansible*", "playbook"},
		Verdict: "An Ansible playbook of the ansible deploy interface failed", Brief: "Ansible playbook failed",
		Not:    []string{"Ironic's agent: Ansible uses SSH"},
		Next:   Next{Text: "Read the playbook's output in the conductor's log, then try again.", Retry: true},
		Source: "ironic/drivers/modules/ansible/deploy.py",
	},
	{
		ID: "wrong-state-now", Openings: []string{"Cannot continue deploying on ", "Cannot continue servicing on ", "Cannot continue cleaning on ", "The … operation can't be performed on node ", `Can not abort service on node "`, `Can not delete node "`, "Node … can not have … unless it is in one of", "Node … can not have 'retired' set", "Node … can only be made protected", "Node … is associated with instance ", "Cannot delete the port … as it is bound", "Portgroup … can not be associated ", "Cannot update hardware address for port ", "Port … can not have any connectivity attributes"},
		Verdict: "Ironic does not allow this in the node's current state", Brief: "not allowed in this state",
		Not:      []string{"a machine fault"},
		Next:     Next{Text: "Check the node's state, maintenance and instance. Move the node to the state named in the error first.", Key: "overview", Command: "ironworks node {node}"},
		Evidence: []EvidenceField{evState, evMaintenance, evInstance},
		Source:   "ironic/conductor/manager.py",
	},
}

// interfaceFamilies cover the settings of nodes and conductors.
var interfaceFamilies = []Rule{
	{
		ID: "interface-unsupported", Openings: []string{"Driver … does not support … (disabled or not implemented)", "Driver, hardware type or interface … could not be loaded", "The driver … does not support the power state"}, Words: []string{"does not support", "not supported", "unsupported", "could not be loaded", "not suitable for node", "incompatible", "unable to import", "deploy interface", "autodetect*", "fast track", "is not a valid choice", "does not permit", "hardware type"},
		Verdict: "The node's interface or hardware does not support this", Brief: "not supported by the interface",
		Not:    []string{"a temporary fault: trying again will not help"},
		Next:   Next{Text: "Set an interface or driver that supports the operation; validate shows the result for each interface.", Key: "conductors", Command: "ironworks drivers"},
		Source: "ironic/common/exception.py: UnsupportedDriverExtension, ironic/drivers/base.py",
	},
	{
		ID: "node-settings", Openings: []string{"Missing the following … in node ", "Cannot specify instance traits", "Error parsing traits from Node ", "Error parsing capabilities from Node "}, Words: []string{"driver_info", "instance_info", "instance traits", "driver_internal_info", "missing the following", "missing are", "is missing", "capabilities", "capability", "invalid parameter", "must be provided", "have different values", "not provided", "invalid configuration", "acceptable values", "value should be", "traits", "set in node"},
		Verdict: "A node setting is missing or invalid; the error names it", Brief: "setting missing or invalid",
		Not:    []string{"the machine: no request was sent"},
		Next:   Next{Text: "Correct the field named in the error, validate, and try again.", Key: "set", Command: "ironworks set {node} driver_info.KEY=VALUE"},
		Source: "ironic/common/exception.py: MissingParameterValue, InvalidParameterValue",
	},
	{
		ID: "conductor-settings", Openings: []string{"Supplied configuration is incorrect and must be fixed", "Failed to load DHCP provider "}, Words: []string{"config option", "configuration option", "ironic.conf", "is not configured", "not configured", "publishing images", "is not writable", "openssl", "crypto policy", "configuration file"},
		Verdict: "The conductor's configuration is incomplete or wrong", Brief: "conductor misconfigured",
		Not:    []string{"a node setting: all nodes of this conductor are affected"},
		Next:   Next{Text: "Correct the option named in the error in the conductor's ironic.conf, and restart the conductor.", Key: "conductors", Command: "ironworks conductors"},
		Source: "ironic/common/exception.py: IncorrectConfiguration",
	},
}

// inspectionFamilies cover the results of inspection.
var inspectionFamilies = []Rule{
	{
		ID: "inspection-rule", Openings: []string{"Inspection rule action execution failed", "Inspection rule condition check failed"}, Words: []string{"inspection rule", "apply rule", "unsupported operator", "unsupported action", "built-in rules", "rule condition", "regular expression", "multiple exclamation marks"},
		Verdict: "An inspection rule failed: its condition or action does not fit the data", Brief: "an inspection rule failed",
		Not:    []string{"the machine: its data has arrived"},
		Next:   Next{Text: "Correct or delete the inspection rule named in the error, then inspect again.", Retry: true},
		Source: "ironic/common/inspection_rules",
	},
	{
		ID: "inspection-hook", Openings: []string{"failed to run inspection hooks: ", "The following failures happened while running preprocess hooks"}, Words: []string{"inspection hook", "hook", "preprocess", "inventory", "pci_devices", "pci_device_alias", "pci devices", "lldp", "mau type", "plugin data", "plugin_data"},
		Verdict: "An inspection hook rejected what the ramdisk found, or could not run", Brief: "an inspection hook failed",
		Not:    []string{"a ramdisk that did not boot: its data has arrived"},
		Next:   Next{Text: "Compare the hook named in the error with [inspector]hooks and the node's data, then inspect again.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/drivers/modules/inspector/hooks, ironic/drivers/modules/inspect_utils.py",
	},
	{
		ID: "inspection-ramdisk", Words: []string{"ramdisk reported error", "inspection failed", "collector", "numa node", "discover the following properties", "stopping inspection"},
		Verdict: "The ramdisk could not collect the hardware's data", Brief: "ramdisk could not collect data",
		Not:    []string{"Ironic's own check of the data: the ramdisk reported the failure"},
		Next:   Next{Text: "Find the failed collector in the ramdisk's log. Remove it from ipa-inspection-collectors, or add what it needs.", Key: "log", Command: "ironworks logs {node}"},
		Source: "ironic_python_agent/inspector.py, ironic/drivers/modules/inspector/hooks/ramdisk_error.py",
	},
}

// networkFamilies cover Neutron, DHCP, switches and network boot.
var networkFamilies = []Rule{
	{
		ID: "network-port", Openings: []string{"Failed to attach VIF ", "Failed to detach VIF ", "Unable to attach VIF ", "Unable to detach VIF "}, Words: []string{"neutron", "vif", "port group", "portgroup", "dhcp", "subnet", "security group", "pxe-enabled", "switchport*", "lag", "vlan", "physical network", "network_type", "tenant network", "local_link_connection", "trait based networking", "port info", "network info", "switch", "tbn*", "native_vlan", "allowed_vlans", "binding:host_id", "mac address", "flat network", "ip address", "network", "port", "ipv4 address", "switch_id", "port_name"},
		Verdict: "A network port could not be set up: Neutron, DHCP or the switch did not accept it", Brief: "network port could not be set up",
		Not:      []string{"the disk or the image"},
		Next:     Next{Text: "Check the node's ports, their switch data and the networks in driver_info, and Neutron's log; then try again.", Key: "network", Command: "ironworks node {node}"},
		Evidence: []EvidenceField{evInstance},
		Source:   "ironic/common/neutron.py, ironic/dhcp, ironic/drivers/modules/network",
	},
	{
		ID: "network-boot", Words: []string{"ipxe", "pxe", "tftp", "pxe_template", "boot file", "http root", "http url", "build_extra_pxe_options", "deploy_kernel", "deploy_ramdisk", "ramdisk for", "kernel or ramdisk", "kernel command line", "kernel_append_params", "kernel parameter", "ramdisk_boot", "boot iso", "loader_file_paths", "asset copy"},
		Verdict: "The network boot or the boot ISO could not be prepared: a kernel, ramdisk, template or option is missing", Brief: "ramdisk boot not prepared",
		Not:      []string{"the machine: it was not switched on"},
		Next:     Next{Text: "Check deploy_kernel and deploy_ramdisk (or deploy_iso), the boot interface and the conductor's [pxe] options.", Key: "validate", Command: "ironworks validate {node}"},
		Evidence: []EvidenceField{evISO},
		Source:   "ironic/common/pxe_utils.py, ironic/drivers/modules/pxe_base.py, ironic/drivers/modules/image_utils.py",
	},
}
