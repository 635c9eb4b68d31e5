package explain

import "ironworks/models"

// The states in which the messages of each phase can occur.
var (
	deployStates  = []models.ProvisionState{models.StateDeployFailed, models.StateDeploying, models.StateDeployWait, models.StateActive, models.StateError}
	verifyStates  = []models.ProvisionState{models.StateEnroll, models.StateVerifying}
	rescueStates  = []models.ProvisionState{models.StateRescueFailed, models.StateUnrescueFailed, models.StateRescuing, models.StateRescueWait, models.StateUnrescuing, models.StateRescue}
	tearingStates = []models.ProvisionState{models.StateError, models.StateDeleting}
)

// stepOpenings returns the possible beginnings of the reason for a failed step, for every interface with steps.
func stepOpenings() []string {
	var all []string
	for _, kind := range []string{"Deploy", "Clean", "Service"} {
		for _, iface := range []string{"deploy", "raid", "bios", "management", "firmware", "power"} {
			for _, end := range []string{" failed on node ", " failed: ", " failed with "} {
				all = append(all, kind+" step "+iface+".…"+end)
			}
		}
	}
	return append(all, "Deploy step {'… failed: ")
}

// phaseFamilies explain messages without a known topic. They only name the phase that failed. Their next action says
// where to find the cause: in the conductor's log, in the ramdisk's log, or in the result of a validation.
var phaseFamilies = []Rule{
	newRule("validation-failed", "validation refused the settings",
		"Ironic's validation refused the node's settings").
		openings("Failed to validate deploy or power info for node", "Validation of node … for cleaning failed: ", "Validation of node … for service failed: ", "Validation of node … for servicing failed: ", "Failed to validate power driver interface", "Failed to validate the final deploy steps list", "Failed to rescue instance … for node … Validation failed", "Failed to unrescue instance … for node … Validation failed").
		not("the machine: no request was sent").
		next(validate("Validate the node to see which settings are missing or wrong. Correct them and try again.")).
		from("ironic/conductor/deployments.py, ironic/conductor/cleaning.py"),
	newRule("prepare-failed", "deployment could not be prepared",
		"The conductor could not prepare the deployment; nothing was written to disk").
		in(deployStates...).
		openings("Failed to prepare to deploy: ", "Failed to prepare to deploy. Exception: ", "Failed to prepare instance for booting").
		not("the ramdisk or the disk: the machine was not booted").
		next(validate("Read the rest of the error, and validate the node; the conductor's log has the traceback.")).
		from("ironic/conductor/deployments.py: do_node_deploy"),
	newRule("clean-prepare-failed", "cleaning could not be prepared",
		"The conductor could not prepare the node for cleaning or servicing; no step has run").
		openings("Failed to prepare node … for cleaning: ", "Failed to prepare node … for service: ", "Cannot clean node ", "Cannot service node ", "Failed to select a deploy interface for cleaning node ", "Failed to select a deploy interface for servicing node ").
		not("a clean step: none was started").
		next(validate("Validate the node; the usual cause is the cleaning network or the deploy image. Then manage the node and try again.")).
		from("ironic/conductor/cleaning.py, ironic/conductor/servicing.py"),
	newRule("inspection-failed", "inspection failed", "Inspection failed; the error says what went wrong").
		openings("Failed to inspect hardware. Reason: ", "failed to run inspection hooks: ", "unable to start inspection: ", "Failed to finish inspection: ", "During inspection, driver returned unexpected state").
		not("the node's deployment: inspection changes no disk").
		next(readLog("Read the ramdisk's log from the inspection, then inspect again.")).
		from("ironic/conductor/inspection.py, ironic/drivers/modules/inspector"),
	newRule("step-failed", "a step failed",
		"A step failed; the rest of the reason is the error that the step returned").
		openings(append(stepOpenings(), "Node … failed step {'", "Node … failed verify step {'", "Step … failed on the node … with error: ", "Failed to deploy: {'", "While executing step … on node … step returned invalid value", "Reboot requested by … step … failed for node ", "Failed to process the next deploy step: ", "Failed to load in-band deploy steps: ", "Unexpected error when processing next ", "Failed checking if cleaning is done: ", "Failed checking if service is done: ", "Agent returned error for … step ", "Could not continue cleaning on node ", "Could not continue deployment on node ", "Could not restart automated cleaning on node ", "Could not restart deployment on node ")...).
		shows(evLastLine).
		not("a machine that did not boot: its steps were running").
		next(readLog("Read what the step wrote to the ramdisk's log before it failed, fix the cause, and try again.")).
		from("ironic/drivers/modules/agent_base.py, ironic/conductor/{cleaning,deployments,servicing,verify}.py"),
	newRule("after-deploy", "failed after the image was written",
		"The image is written, but the node could not be switched to its networks or booted from disk").
		openings("Error rebooting node … after deploy", "Error booting node … after deploy", "Error changing node … to tenant networks", "An error occurred after deployment, while preparing to reboot").
		not("the image download: it was complete").
		next(validate("Check the BMC's power control and the tenant network, then deploy again.")).
		from("ironic/drivers/modules/agent_base.py, ironic/drivers/modules/pxe.py"),
	newRule("adoption-failed", "adoption failed",
		"Adoption failed: Ironic could not take over the running machine with these settings").
		openings("Error while attempting to adopt node ").
		not("damage to the machine: adoption changes no disk").
		next(validate("Validate the node, correct instance_info and driver_info, then adopt again.")).
		from("ironic/conductor/manager.py: _do_adoption"),
	newRule("verification-failed", "verification failed", "Ironic could not verify the node's BMC").
		in(verifyStates...).
		openings("Failed to verify: ").
		weak().
		not("the machine's operating system: only the BMC was contacted").
		next(validate("Validate the power and management interfaces, correct driver_info, then manage the node again.")).
		from("ironic/conductor/verify.py"),
	newRule("rescue-failed", "rescue failed", "Rescue or unrescue failed; the instance's disk was not changed").
		in(rescueStates...).
		openings("Failed to rescue: ", "Failed to rescue. Exception: ", "Failed to unrescue: ", "Failed to unrescue. Exception: ", "Node failed to perform rescue operation: ").
		weak().
		not("the instance's disk: rescue does not mount it").
		next(readLog("Read the ramdisk's log, check rescue_password and the rescue network, and try again.")).
		from("ironic/conductor/manager.py, ironic/drivers/modules/agent.py"),
	newRule("tear-down-failed", "undeploy failed", "Undeploying failed: Ironic could not tear down the instance").
		in(tearingStates...).
		openings("Failed to tear down: ").
		weak().
		not("cleaning: it had not started").
		next(validate("Check the BMC and the tenant network, then undeploy again.")).
		from("ironic/conductor/manager.py: _do_node_tear_down"),
	newRule("internal-error", "internal conductor error", "The conductor hit an unexpected error").
		openings("Async execution of … failed with error: ", "Unexpected exception of type ", "An unhandled exception was encountered while aborting").
		weak().
		not("proof of a machine fault: Ironic or a service may have a bug").
		next(act("history", "ironworks history {node}", "Read the traceback in the conductor's log at the time of the failure.")).
		from("ironic/conductor/task_manager.py, ironic/conductor/inspection.py"),
}
