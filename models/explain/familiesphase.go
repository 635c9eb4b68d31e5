package explain

import "ironworks/models"

// The states in which the messages of each phase can occur.
var (
	deployStates  = []models.ProvisionState{models.StateDeployFailed, models.StateDeploying, models.StateDeployWait, models.StateActive, models.StateError}
	verifyStates  = []models.ProvisionState{models.StateEnroll, models.StateVerifying}
	rescueStates  = []models.ProvisionState{models.StateRescueFailed, models.StateUnrescueFailed, models.StateRescuing, models.StateRescueWait, models.StateUnrescuing, models.StateRescue}
	tearingStates = []models.ProvisionState{models.StateError, models.StateDeleting}
)

// stepOpenings returns the possible beginnings of the reason for a failed step. They cover every interface that has
// steps.
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
	{
		ID: "validation-failed", Openings: []string{"Failed to validate deploy or power info for node", "Validation of node … for cleaning failed: ", "Validation of node … for service failed: ", "Validation of node … for servicing failed: ", "Failed to validate power driver interface", "Failed to validate the final deploy steps list", "Failed to rescue instance … for node … Validation failed", "Failed to unrescue instance … for node … Validation failed"},
		Verdict: "Ironic's validation refused the node's settings", Brief: "validation refused the settings",
		Not:    []string{"the machine: no request was sent"},
		Next:   Next{Text: "Validate the node to see which settings are missing or wrong. Correct them and try again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/deployments.py, ironic/conductor/cleaning.py",
	},
	{
		ID: "prepare-failed", In: deployStates, Openings: []string{"Failed to prepare to deploy: ", "Failed to prepare to deploy. Exception: ", "Failed to prepare instance for booting"},
		Verdict: "The conductor could not prepare the deployment; nothing was written to disk", Brief: "deployment could not be prepared",
		Not:    []string{"the ramdisk or the disk: the machine was not booted"},
		Next:   Next{Text: "Read the rest of the error, and validate the node; the conductor's log has the traceback.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/deployments.py: do_node_deploy",
	},
	{
		ID: "clean-prepare-failed", Openings: []string{"Failed to prepare node … for cleaning: ", "Failed to prepare node … for service: ", "Cannot clean node ", "Cannot service node ", "Failed to select a deploy interface for cleaning node ", "Failed to select a deploy interface for servicing node "},
		Verdict: "The conductor could not prepare the node for cleaning or servicing; no step has run", Brief: "cleaning could not be prepared",
		Not:    []string{"a clean step: none was started"},
		Next:   Next{Text: "Validate the node; the usual cause is the cleaning network or the deploy image. Then manage the node and try again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/cleaning.py, ironic/conductor/servicing.py",
	},
	{
		ID: "inspection-failed", Openings: []string{"Failed to inspect hardware. Reason: ", "failed to run inspection hooks: ", "unable to start inspection: ", "Failed to finish inspection: ", "During inspection, driver returned unexpected state"}, Verdict: "Inspection failed; the error says what went wrong", Brief: "inspection failed",
		Not:    []string{"the node's deployment: inspection changes no disk"},
		Next:   Next{Text: "Read the ramdisk's log from the inspection, then inspect again.", Key: "log", Command: "ironworks logs {node}"},
		Source: "ironic/conductor/inspection.py, ironic/drivers/modules/inspector",
	},
	{
		ID: "step-failed", Openings: append(stepOpenings(), "Node … failed step {'", "Node … failed verify step {'", "Step … failed on the node … with error: ", "Failed to deploy: {'", "While executing step … on node … step returned invalid value", "Reboot requested by … step … failed for node ", "Failed to process the next deploy step: ", "Failed to load in-band deploy steps: ", "Unexpected error when processing next ", "Failed checking if cleaning is done: ", "Failed checking if service is done: ", "Agent returned error for … step ", "Could not continue cleaning on node ", "Could not continue deployment on node ", "Could not restart automated cleaning on node ", "Could not restart deployment on node "),
		Verdict: "A step failed; the rest of the reason is the error that the step returned", Brief: "a step failed",
		Not:      []string{"a machine that did not boot: its steps were running"},
		Next:     Next{Text: "Read what the step wrote to the ramdisk's log before it failed, fix the cause, and try again.", Key: "log", Command: "ironworks logs {node}"},
		Evidence: []EvidenceField{evLastLine},
		Source:   "ironic/drivers/modules/agent_base.py, ironic/conductor/{cleaning,deployments,servicing,verify}.py",
	},
	{
		ID: "after-deploy", Openings: []string{"Error rebooting node … after deploy", "Error booting node … after deploy", "Error changing node … to tenant networks", "An error occurred after deployment, while preparing to reboot"},
		Verdict: "The image is written, but the node could not be switched to its networks or booted from disk", Brief: "failed after the image was written",
		Not:    []string{"the image download: it was complete"},
		Next:   Next{Text: "Check the BMC's power control and the tenant network, then deploy again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/drivers/modules/agent_base.py, ironic/drivers/modules/pxe.py",
	},
	{
		ID: "adoption-failed", Openings: []string{"Error while attempting to adopt node "},
		Verdict: "Adoption failed: Ironic could not take over the running machine with these settings", Brief: "adoption failed",
		Not:    []string{"damage to the machine: adoption changes no disk"},
		Next:   Next{Text: "Validate the node, correct instance_info and driver_info, then adopt again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/manager.py: _do_adoption",
	},
	{
		ID: "verification-failed", Weak: true, In: verifyStates, Openings: []string{"Failed to verify: "},
		Verdict: "Ironic could not verify the node's BMC", Brief: "verification failed",
		Not:    []string{"the machine's operating system: only the BMC was contacted"},
		Next:   Next{Text: "Validate the power and management interfaces, correct driver_info, then manage the node again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/verify.py",
	},
	{
		ID: "rescue-failed", Weak: true, In: rescueStates, Openings: []string{"Failed to rescue: ", "Failed to rescue. Exception: ", "Failed to unrescue: ", "Failed to unrescue. Exception: ", "Node failed to perform rescue operation: "},
		Verdict: "Rescue or unrescue failed; the instance's disk was not changed", Brief: "rescue failed",
		Not:    []string{"the instance's disk: rescue does not mount it"},
		Next:   Next{Text: "Read the ramdisk's log, check rescue_password and the rescue network, and try again.", Key: "log", Command: "ironworks logs {node}"},
		Source: "ironic/conductor/manager.py, ironic/drivers/modules/agent.py",
	},
	{
		ID: "tear-down-failed", Weak: true, In: tearingStates, Openings: []string{"Failed to tear down: "},
		Verdict: "Undeploying failed: Ironic could not tear down the instance", Brief: "undeploy failed",
		Not:    []string{"cleaning: it had not started"},
		Next:   Next{Text: "Check the BMC and the tenant network, then undeploy again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/conductor/manager.py: _do_node_tear_down",
	},
	{
		ID: "internal-error", Weak: true, Openings: []string{"Async execution of … failed with error: ", "Unexpected exception of type ", "An unhandled exception was encountered while aborting"},
		Verdict: "The conductor hit an unexpected error", Brief: "internal conductor error",
		Not:    []string{"proof of a machine fault: Ironic or a service may have a bug"},
		Next:   Next{Text: "Read the traceback in the conductor's log at the time of the failure.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/conductor/task_manager.py, ironic/conductor/inspection.py",
	},
}
