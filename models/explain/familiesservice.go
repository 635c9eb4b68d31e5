package explain

// serviceFamilies are about Ironic itself and the services beside it.
var serviceFamilies = []family{
	{
		ID: "operation-aborted", Openings: []string{"Inspection was aborted by request", "By request, the … operation was aborted", "Deployment aborted at step", "Pending power operation was aborted", "Failed to abort inspection"},
		Verdict: "The operation was aborted by request", Brief: "aborted by request",
		Not:    "a fault of the machine: an operator or a program stopped it",
		Next:   Next{Text: "See in the history who aborted it, then run the operation again when it is wanted.", Retry: true},
		Source: "ironic/conductor/{inspection,cleaning,deployments,servicing,manager}.py",
	},
	{
		ID: "clean-up-failed", Openings: []string{"Failed to tear down cleaning", "Failed to tear down from cleaning for node ", "Failed to tear down from service for node ", "Failed to tear down service after aborting", "Failed to clean up deploying after aborting", "Failed to clean up rescue after aborting", "Rescue operation was unsuccessful, clean up failed", "Rescue failed, but an unhandled exception", "Inspection clean up failed", "Clean up failed for swift object "},
		Verdict: "Ironic could not clean up after the operation: the ramdisk's boot setup or networks may be left over", Brief: "clean-up after the operation failed",
		Not:    "the reason of the operation itself: that is in the history before it",
		Next:   Next{Text: "Read the history for the first error, check the networks and virtual media, then take the node back.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/conductor/utils.py",
	},
	{
		ID: "node-locked", Openings: []string{"Node … parent_node … is presently locked", "Node … child_node … is presently locked", "An exclusive lock is required"}, Words: []string{"parent_node", "child_node", "exclusive lock", "released lock", "is locked by host"},
		Verdict: "Another operation holds the lock of this node, its parent or a child", Brief: "node, parent or child is locked",
		Not:      "a fault of the machine",
		Next:     Next{Text: "Wait until the other operation ends, then try again.", Key: "conductors", Command: "ironworks conductors"},
		Evidence: []EvidenceField{evReservation},
		Source:   "ironic/conductor/utils.py, ironic/conductor/task_manager.py",
	},
	{
		ID: "database", Words: []string{"database", "operationalerror", "dberror", "dbconnectionerror", "sqlalchemy", "sqlite3", "pymysql", "deadlock"},
		Verdict: "Ironic's database did not answer, or refused the change", Brief: "Ironic's database failed",
		Not:    "the machine: it was not involved",
		Next:   Next{Text: "Check the database and the conductor's log, then try again.", Retry: true},
		Source: "ironic/db, ironic/conductor/task_manager.py",
	},
	{
		ID: "conductor-rpc", Openings: []string{"The built-in conductor is not available", "Cannot use 'none' RPC", "Queued backlog count is ", "No conductors registered"}, Words: []string{"conductor workers", "rpc", "no conductors registered", "messagingtimeout", "remote error", "conductor service", "take over", "driver '"},
		Verdict: "The conductor is overloaded, missing or not reached", Brief: "conductor not available",
		Not:      "a fault of the machine",
		Next:     Next{Text: "Check which conductors are alive and how much they do, then try again.", Key: "conductors", Command: "ironworks conductors"},
		Evidence: []EvidenceField{evConductor},
		Source:   "ironic/conductor/rpcapi.py, ironic/conductor/base_manager.py",
	},
	{
		ID: "service-catalog", Words: []string{"keystone", "service catalog", "ironic api service", "openstack cloud", "not authorized"},
		Verdict: "A service beside Ironic was not found or did not accept its credentials (Keystone)", Brief: "service catalog or login failed",
		Not:    "the machine: it was not involved",
		Next:   Next{Text: "Check the [service_catalog] and [keystone_authtoken] options of the conductor, and the service's endpoint.", Key: "conductors", Command: "ironworks conductors"},
		Source: "ironic/common/keystone.py, ironic/drivers/modules/deploy_utils.py",
	},
	{
		ID: "allocation", Openings: []string{"Failed to process allocation ", "Cannot remove allocation "},
		Verdict: "The allocation failed: no node fits it, or its node cannot be changed now", Brief: "allocation failed",
		Not:    "a fault of one machine",
		Next:   Next{Text: "Compare the allocation's resource class, traits and candidates with the available nodes.", Key: "fleet", Command: "ironworks nodes"},
		Source: "ironic/conductor/allocations.py",
	},
	{
		ID: "steps-invalid", Openings: []string{"No deploy steps returned by the driver", "Cannot get deploy steps; failed to deploy", "Error while getting deploy steps", "Automated cleaning runbook ", "Unable to perform cleaning for node ", "A wait time exceeding the configured maximum"}, Words: []string{"runbook", "deploy steps", "clean steps", "clean_steps", "service steps", "is not allowed. disallowed", "step_type must be", "step type", "active step", "unique names", "could not find the step", "out-of-band steps", "malformed steps"},
		Verdict: "The list of steps is wrong: a step is unknown, malformed or not allowed", Brief: "list of steps is wrong",
		Not:    "the machine: no step has run",
		Next:   Next{Text: "Compare the steps, templates and runbooks with what the node's interfaces and ramdisk offer.", Key: "steps", Command: "ironworks node {node}"},
		Source: "ironic/conductor/steps.py, ironic/conductor/manager.py",
	},
	{
		ID: "ansible", Words: []string{"ansible*", "playbook"},
		Verdict: "An Ansible playbook of the ansible deploy interface failed", Brief: "Ansible playbook failed",
		Not:    "Ironic's own agent: Ansible works over SSH",
		Next:   Next{Text: "Read the playbook's output in the conductor's log, then try again.", Retry: true},
		Source: "ironic/drivers/modules/ansible/deploy.py",
	},
	{
		ID: "wrong-state-now", Openings: []string{"Cannot continue deploying on ", "Cannot continue servicing on ", "Cannot continue cleaning on ", "The … operation can't be performed on node ", `Can not abort service on node "`, `Can not delete node "`, "Node … can not have … unless it is in one of", "Node … can not have 'retired' set", "Node … can only be made protected", "Node … is associated with instance ", "Cannot delete the port … as it is bound", "Portgroup … can not be associated ", "Cannot update hardware address for port ", "Port … can not have any connectivity attributes"},
		Verdict: "Ironic does not allow this in the node's present state", Brief: "not allowed in this state",
		Not:      "a fault of the machine",
		Next:     Next{Text: "Look at the node's state, maintenance and instance; bring it into the state that the reason names first.", Key: "overview", Command: "ironworks node {node}"},
		Evidence: []EvidenceField{evState, evMaintenance, evInstance},
		Source:   "ironic/conductor/manager.py",
	},
}

// interfaceFamilies are about settings of the node and of the conductor.
var interfaceFamilies = []family{
	{
		ID: "interface-unsupported", Openings: []string{"Driver … does not support … (disabled or not implemented)", "Driver, hardware type or interface … could not be loaded", "The driver … does not support the power state"}, Words: []string{"does not support", "not supported", "unsupported", "could not be loaded", "not suitable for node", "incompatible", "unable to import", "deploy interface", "autodetect*", "fast track", "is not a valid choice", "does not permit", "hardware type"},
		Verdict: "The node's interface or hardware cannot do what is asked of it", Brief: "not supported by this interface",
		Not:    "a passing fault: trying again changes nothing",
		Next:   Next{Text: "Set another interface or driver that supports it; validation lists what each interface says.", Key: "conductors", Command: "ironworks drivers"},
		Source: "ironic/common/exception.py: UnsupportedDriverExtension, ironic/drivers/base.py",
	},
	{
		ID: "node-settings", Openings: []string{"Missing the following … in node ", "Cannot specify instance traits", "Error parsing traits from Node ", "Error parsing capabilities from Node "}, Words: []string{"driver_info", "instance_info", "instance traits", "driver_internal_info", "missing the following", "missing are", "is missing", "capabilities", "capability", "invalid parameter", "must be provided", "have different values", "not provided", "invalid configuration", "acceptable values", "value should be", "traits", "set in node"},
		Verdict: "A setting of the node is missing or has a wrong value; the reason names it", Brief: "a setting is missing or wrong",
		Not:    "the machine: nothing was sent to it",
		Next:   Next{Text: "Correct the field that the reason names, validate, and try again.", Key: "set", Command: "ironworks set {node} driver_info.KEY=VALUE"},
		Source: "ironic/common/exception.py: MissingParameterValue, InvalidParameterValue",
	},
	{
		ID: "conductor-settings", Openings: []string{"Supplied configuration is incorrect and must be fixed", "Failed to load DHCP provider "}, Words: []string{"config option", "configuration option", "ironic.conf", "is not configured", "not configured", "publishing images", "is not writable", "openssl", "crypto policy", "configuration file"},
		Verdict: "The conductor's own configuration is incomplete or wrong", Brief: "conductor is misconfigured",
		Not:    "a setting of the node: all nodes of this conductor have it",
		Next:   Next{Text: "Correct the option that the reason names in the conductor's ironic.conf and restart it.", Key: "conductors", Command: "ironworks conductors"},
		Source: "ironic/common/exception.py: IncorrectConfiguration",
	},
}
