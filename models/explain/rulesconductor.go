package explain

import "ironworks/models"

var conductorRules = []Rule{
	newRule("ramdisk-newer", "ramdisk newer than Ironic",
		"The ramdisk is newer than Ironic: the agent expects a token that the conductor does not send").
		shows(evAgentIs, evAPI, evStep).
		not("the step or its arguments: the step did not start").
		next(set("driver_info.deploy_iso=URL", "Use the agent release that matches Ironic, then try again.")).
		from("real runs: 21.4.4 with agent 13.0.0"),
	newRule("left-over-iso", "leftover ISO; undeploy first",
		"The ISO from the last attempt still exists: this release of Ironic cannot deploy again until you undeploy the node").
		shows(evISO).
		not("a machine fault: Ironic did not contact the machine").
		next(run(models.VerbUndeploy, "Undeploy first, then deploy.")).
		from("real runs: 21.4.4 after a failed deployment"),
	newRule("image-cache-race", "image cache cleaned during a download",
		"The conductor cleaned its image cache while another download was finishing: a bug in Ironic").
		shows(evStep, evSiblings).
		not("a missing image or a full disk", "a machine fault: nothing ran on the machine").
		next(again("Try again: the bug occurs only when two downloads end at the same time.")).
		from("real runs: 39.0.0; ironic/drivers/modules/image_cache.py: _find_candidates_for_deletion"),
	newRule("iso-published-twice", "deploy ISO cannot be published again",
		"The step restarts the machine, and this release of Ironic cannot publish the deploy ISO again").
		shows(evStep, evISO).
		not("a machine fault or wrong step arguments").
		next(Next{Text: "Put the conductor's [deploy]http_root and iso_master_path on different file systems, or change the settings in the BMC."}).
		from("real runs: 21.4.4; ironic/drivers/modules/image_utils.py: publish_image"),
	newRule("conductor-restart", "conductor restarted", "The conductor restarted during the operation").
		shows(evConductor, evStep).
		not("a machine fault").
		next(again("Try again.")).
		from("ironic/conductor/base_manager.py, ironic/conductor/utils.py: abort_on_conductor_take_over"),
	newRule("locked", "locked by another operation", "Another operation held the node's lock").
		shows(evReservation, evState).
		not("a machine fault").
		next(listConductors("Wait for the other operation, then try again. If the lock remains, check that the conductor that holds it is alive.")).
		from("ironic/common/exception.py: NodeLocked"),
	newRule("no-workers", "no free conductor worker", "The conductor has no free worker (300 by default)").
		shows(evConductor, evSiblings).
		not("a machine fault").
		next(again("Wait, then try again with fewer nodes at a time.")).
		from("ironic/common/exception.py: NoFreeConductorWorker"),
	newRule("concurrent-limit", "concurrency limit reached",
		"Ironic's limit on concurrent deployments (250 by default) or cleaning operations (50 by default) has been reached").
		shows(evState).
		not("a machine fault").
		next(again("Wait until some operations end, then try again with fewer nodes.")).
		from("ironic/common/exception.py: ConcurrentActionLimit"),
	newRule("no-conductor", "no conductor for driver and group",
		"No live conductor serves the node's driver in its conductor group").
		shows(evConductor).
		not("a fault in the machine or its BMC: Ironic did not contact the BMC").
		next(listConductors("Compare the node's driver and conductor group with the drivers and groups of the conductors.")).
		from("ironic/conductor/rpcapi.py: get_topic_for"),
	newRule("unavailable", "no conductor accepted the request",
		"Ironic is busy: no conductor accepted the request").
		sure(ConfidenceMedium).
		shows(evConductor).
		not("a machine fault").
		next(listConductors("Try again later. If the error persists, check that the conductors are alive.")).
		from("ironic/common/exception.py: TemporaryFailure"),
	newRule("interface-missing", "interface no longer enabled",
		"The node uses an interface that the conductor no longer enables").
		shows(evConductor).
		not("a machine fault").
		next(act("conductors", "ironworks drivers", "Set an interface that the conductor enables for the driver.")).
		from("ironic/common/exception.py: InterfaceNotFoundInEntrypoint"),
	newRule("in-maintenance", "in maintenance: no operation started",
		"Ironic does not start operations on a node in maintenance").
		shows(evMaintenance, evFault, evState).
		not("a machine fault").
		next(act("maintenance-off", "ironworks maintenance off {node}", "Read the maintenance reason. Turn maintenance off when the reason no longer applies, then try again.")).
		from("ironic/conductor/cleaning.py, ironic/drivers/modules/agent_base.py"),
	newRule("protected", "node is protected", "The node is protected against this operation").
		shows(evState, evInstance).
		not("a fault").
		next(openNode("Read protected_reason and ask its author before you unprotect the node.")).
		from("ironic/common/exception.py: NodeProtected"),
	newRule("wrong-state", "not possible in this state",
		"The operation is not possible in the node's provision state").
		shows(evState, evTarget).
		not("a machine fault").
		next(act("verbs", "ironworks node {node}", "Check which operations are possible now.")).
		from("ironic/common/exception.py: InvalidStateRequested"),
	newRule("redacted", "reason hidden from your role",
		"Ironic hides the reason: your role may not read this field").
		shows(evState).
		not("proof of a node error: the hidden text may not be an error").
		next(act("connect", "ironworks config show", "Use credentials with the permission named in the text.")).
		from("ironic/api/controllers/v1/node.py"),
	newRule("allocation-taken", "all matching nodes in use",
		"All matching nodes are in use, locked or in maintenance").
		not("a wrong resource class or trait: matching nodes exist").
		next(act("fleet", "ironworks nodes", "List the nodes of the resource class. Wait, or undeploy a node.")).
		from("ironic/conductor/allocations.py"),
	newRule("allocation-traits", "no available node has all traits",
		"No available node of the resource class has all traits of the allocation").
		not("a lack of nodes of the resource class").
		next(act("fleet", "ironworks nodes", "Compare the nodes' traits with the traits of the allocation.")).
		from("ironic/conductor/allocations.py"),
	newRule("vif", "network port not bound", "Neutron could not bind the instance's network port").
		sure(ConfidenceMedium).
		shows(evInstance, evState).
		not("the disk or the image", "a node that is safe to clean: the instance may exist").
		next(again("Check the port in Neutron and the Neutron agent's log, then try again. Treat the node as in use.")).
		from("ironic/drivers/modules/network/common.py, ironic/common/neutron.py"),
}
