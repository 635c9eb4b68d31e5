package explain

import (
	"slices"

	"ironworks/models"
)

// offInstead lists the rules that are replaced if the machine is off, which explains their symptoms, too.
var offInstead = []RuleID{"never-booted", "agent-silent", "agent-gone", "agent-refuses", "boot-stuck", "boot-silent", "machine-boots", "ramdisk-boots", "ramdisk-works", "ramdisk-quiet"}

// nextMidway is the next action for a machine that lost power after its agent had called back. Ironic clears the
// agent's token when it powers a machine off, but not when it powers one on (ironic/conductor/utils.py,
// node_power_action). If the machine were only powered on, Ironic would therefore reject its next ramdisk.
var nextMidway = again("Give up and try again: Ironic issues no new agent token after a power-on. The BMC's event log shows what powered the machine off.")

// factRules find a cause in the facts, independently of the reason's text.
var factRules = []Rule{
	newRule("maintenance-by-hand", "in maintenance (no reason given)",
		"The node is in maintenance, set by an operator; Ironic does not work on it").
		in(append(slices.Clone(atRest), atWork...)...).
		when(ifMaintenance).
		shows(evMaintenance, evState, evPower).
		not("a fault detected by Ironic: the node has no fault set").
		next(act("maintenance-off", "ironworks maintenance off {node}", "Read the maintenance reason and ask its author first. Then turn maintenance off.")).
		from("understack's runbook for cleaning up"),
	newRule("conductor-dead", "conductor is dead", "The node's conductor, {conductor}, is dead").
		in(atWork...).
		when(ifConductorDead).
		shows(evConductor, evReservation, evState, evStep, evHeartbeat).
		not("the machine and its ramdisk: no conductor listens to them").
		next(listConductors("Restart the conductor. It marks the operation as failed, unless another conductor takes over. Then try again.")).
		insteadOf("never-booted", "agent-silent", "work-goes-on", "machine-boots", "ramdisk-works").
		from("ironic/conductor/base_manager.py"),
	newRule("conductors-dead", "no conductor is alive", "Ironic reports every conductor dead").
		sure(ConfidenceLow).
		in(atWork...).
		when(ifAllDead).
		shows(evConductor, evState, evWaited).
		not("proof of dead conductors: an Ironic on SQLite reports working conductors as dead").
		next(listConductors("Check whether any node changes state. If not, check the conductor's service.")).
		from("docs/background/ironic.md (heartbeats of conductors on SQLite)"),
	newRule("lock-of-dead", "locked by a dead conductor", "The node is locked by {reservation}, a dead conductor").
		when(ifReserved, ifConductorDead).
		shows(evReservation, evState).
		not("another operation that will end and release the lock").
		next(listConductors("Restart that conductor: a conductor releases its locks when it starts. Waiting does not help.")).
		insteadOf("locked", "lock-held").
		from("ironic/conductor/task_manager.py"),
	newRule("whole-rack", "several machines affected", "Several machines are affected: {siblings}").
		in(waitOrEnded...).
		when(ifSiblings, ifSpreads).
		shows(evSiblings, evState, evHeartbeat, evISO, evStep).
		not("a fault in a single machine, such as a disk, a NIC or a BMC password").
		next(act("watch", "ironworks nodes", "Check what these nodes share: DHCP, the boot network, the image server, the ramdisk, and the Ironic URL given to the ramdisk.")).
		from("ironic doc/source/admin/troubleshooting.rst"),
	newRule("bmc-refuses", "BMC rejected our credentials",
		"The BMC rejected this console's credentials; Ironic may use different ones (Ironic does not show its own)").
		sure(ConfidenceMedium).
		when(ifBMCRefuses).
		shows(evBMCAddress, evFault, evState).
		not("an unreachable BMC: the BMC answered", "a failure of Ironic's own login: Ironic may have other credentials").
		next(validate("Validate the node, so that Ironic contacts the BMC. If Ironic is rejected as well, correct the password in driver_info.")).
		from("metal3-docs, troubleshooting"),
	newRule("bmc-silent", "BMC unreachable from here", "The BMC does not answer requests from this console").
		sure(ConfidenceMedium).
		when(ifBMCUnreachable).
		shows(evBMCAddress, evState, evPower).
		not("the conductor's route: the conductor may reach the BMC over another network").
		next(validate("Validate the node, so that Ironic contacts the BMC. If Ironic gets no answer either, reset the BMC.")).
		from("ironic doc/source/admin/troubleshooting.rst"),
	newRule("iso-not-fetchable", "ISO unreadable from here",
		"The ramdisk's ISO cannot be downloaded from this console").
		sure(ConfidenceMedium).
		in(waitOrEnded...).
		when(ifISONotFetchable, ifNeverCalled).
		shows(evISO, evISOSeen, evMedia, evState, evHeartbeat).
		not("the BMC's route: the BMC may reach the server over another network").
		next(set("driver_info.deploy_iso=URL", "Open the URL from the BMC's network. Serve the ISO over plain HTTP if the BMC does not support HTTPS.")).
		from("iDRAC (RAC0904)"),
	newRule("media-missing", "no virtual media inserted",
		"The BMC has no virtual media inserted, so the machine cannot boot the ramdisk").
		in(waitStates...).
		when(ifNoMedia, ifNeverCalled).
		shows(evMedia, evISO, evState).
		not("a hanging ramdisk: the ramdisk never booted").
		next(again("Give up and try again. If the error returns, check that the BMC can download the ISO and has a virtual media license.")).
		insteadOf("never-booted", "machine-boots").
		from("ironic doc/source/admin/drivers/redfish.rst"),
	newRule("media-left", "virtual media still inserted",
		"Virtual media is still inserted; the machine may boot from the ISO instead of its disk").
		sure(ConfidenceMedium).
		in(models.StateActive, models.StateAvailable, models.StateManageable, models.StateDeployFailed, models.StateCleanFailed).
		when(ifMediaLeft).
		shows(evMedia, evState, evISO).
		next(Next{Text: "Eject the virtual media. Some BMCs keep the last medium inserted."}).
		from("ironic doc/source/admin/drivers/redfish.rst"),
	newRule("rescue-off", "rescue ramdisk not running",
		"The machine is off, so the rescue ramdisk does not run: with virtual media, Ironic powers the machine off and ejects the ramdisk when the rescue ends, unless fast track is on").
		in(models.StateRescue).
		when(ifOffAtRest).
		shows(evPower, evState).
		not("a failed ramdisk boot: the agent had called back").
		next(act("unrescue", "ironworks unrescue {node}", "Unrescue the node, set driver_info.fast_track=true, and rescue again. To boot the installed system only, unrescue.")).
		from("ironic/drivers/modules/redfish/boot.py (clean_up_ramdisk)"),
	newRule("boot-mode-differs", "boot mode mismatch",
		"The BMC's boot mode is {BMC boot mode}, but the node requires {boot_mode}").
		sure(ConfidenceMedium).
		when(ifBMCModeDiffers).
		shows(evBMCMode, evBootMode, evState).
		not("the image, until both boot modes match").
		next(set("properties.capabilities=boot_mode:{BMC boot mode}", "Change the boot mode in the BIOS, or the boot_mode capability of the node.")).
		from("metal3-docs, troubleshooting"),
	newRule("machine-off", "machine is powered off",
		"The machine is powered off while Ironic waits for its ramdisk").
		in(waitStates...).
		when(ifPowerOff).
		shows(evPower, evWaited, evHeartbeat, evDeadline).
		not("a ramdisk that cannot reach Ironic").
		next(act("power-on", "ironworks power on {node}", "Power on the machine, or give up and try again. The BMC's event log shows what powered the machine off.")).
		insteadOf(offInstead...).
		from("ironic doc/source/admin/troubleshooting.rst"),
	newRule("off-midway", "powered off midway", "The machine was powered off while its agent was running").
		in(waitStates...).
		when(ifPowerOff, ifCalled).
		shows(evPower, evStep, evHeartbeat, evDeadline).
		not("a ramdisk that cannot reach Ironic: the agent had called back").
		next(nextMidway).
		insteadOf(append([]RuleID{"machine-off"}, offInstead...)...).
		from("ironic/conductor/utils.py"),
	newRule("bmc-off-midway", "powered off midway (BMC)",
		"The BMC reports the machine powered off, but Ironic waits for an agent that had called back").
		in(waitStates...).
		when(ifBMCOff, ifCalled).
		shows(evBMCPower, evPower, evStep, evHeartbeat, evDeadline).
		not("a ramdisk that cannot reach Ironic: the agent had called back").
		next(nextMidway).
		insteadOf(append([]RuleID{"bmc-says-off"}, offInstead...)...).
		from("ironic/conductor/utils.py"),
	newRule("bmc-says-off", "machine is powered off (BMC)",
		"The BMC reports the machine powered off while Ironic waits for its ramdisk").
		in(waitStates...).
		when(ifBMCOff).
		shows(evBMCPower, evPower, evWaited, evHeartbeat).
		not("a ramdisk that cannot reach Ironic").
		next(act("power-on", "ironworks power on {node}", "Power on the machine, or give up and try again.")).
		insteadOf(offInstead...).
		from("ironic doc/source/admin/troubleshooting.rst"),
	newRule("no-hints", "no root device hints",
		"The node has no root device hints: the agent picks the smallest disk ≥ 4 GiB").
		sure(ConfidenceLow).
		in(models.StateDeployFailed).
		when(ifNoHints).
		shows(evHints, evStep).
		not("proof of the cause: missing hints matter only if the agent picked the wrong disk").
		next(compareDisks("Check which disk the agent picks, and pin the right disk.")).
		from("ironic_python_agent/utils.py"),
	newRule("late", "slower than on other nodes",
		"This phase takes longer than on other nodes, but may still succeed").
		sure(ConfidenceLow).
		in(atWork...).
		when(ifLate).
		shows(evEstimate, evWaited, evStep, evHeartbeat, evDeadline).
		not("a failure: none is reported so far").
		next(readLog("Wait and read the ramdisk's log. Do not abort during POST or while the log grows.")).
		from("ironic/conf/conductor.py (deploy_callback_timeout)"),
	newRule("lock-held", "locked by {reservation}", "Conductor {reservation} holds the node's lock").
		sure(ConfidenceMedium).
		in(atRest...).
		when(ifReserved, ifConductorAlive).
		shows(evReservation, evState, evPower).
		not("an error: a power state check also holds the lock, but only for seconds").
		next(openNode("Wait and refresh. A slow BMC makes the lock last longer.")).
		from("ironic/conductor/task_manager.py"),
}

// fineRules state that nothing is wrong. They are dropped if a rule for a problem matches with more than low
// confidence.
var fineRules = []Rule{
	newRule("ramdisk-works", "ramdisk running", "No problem found: the ramdisk is running and was seen recently").
		noProblem().
		in(waitStates...).
		when(ifFresh).
		shows(evStep, evHeartbeat, evAgentAnswer, evLastLine, evWaited, evEstimate, evDeadline).
		next(readLog("Wait. The ramdisk's log shows the progress.")).
		insteadOf("ramdisk-quiet").
		from("ironic_python_agent/agent.py (a heartbeat every 90 to 180 s)"),
	newRule("ramdisk-quiet", "last heartbeat {silence} ago",
		"No problem found, but the last heartbeat is {silence} old; heartbeats are due every 90 to 180 s").
		sure(ConfidenceMedium).
		noProblem().
		in(waitStates...).
		when(ifSpeaking).
		shows(evStep, evHeartbeat, evAgentAnswer, evLastLine, evWaited, evEstimate, evDeadline).
		next(queryBMC("Check the machine's power at the BMC, and read the ramdisk's log.")).
		from("ironic_python_agent/agent.py (a heartbeat every 90 to 180 s)"),
	newRule("ramdisk-boots", "ramdisk booting", "No problem found: {boot}").
		noProblem().
		in(waitStates...).
		when(ifNeverCalled, ifBooting).
		shows(evBoot, evLastLine, evWaited, evPower, evDeadline).
		next(readLog("Wait. The ramdisk's log shows the progress.")).
		insteadOf("machine-boots").
		from("the ramdisk's log"),
	newRule("step-reboots", "step reboots the machine",
		"No problem found: the step reboots the machine or runs on the BMC, so the agent is silent").
		sure(ConfidenceMedium).
		noProblem().
		in(waitStates...).
		when(ifRebooting).
		shows(evStep, evHeartbeat, evWaited, evDeadline).
		next(act("watch", "ironworks watch {node}", "Wait until the machine has rebooted.")).
		insteadOf("never-booted", "machine-boots").
		from("ironic/common/async_steps.py"),
	newRule("machine-boots", "booting {waited}",
		"No problem found: the machine is booting the ramdisk, which takes up to 10 minutes on a server").
		sure(ConfidenceMedium).
		noProblem().
		in(waitStates...).
		when(ifNeverCalled, ifNotLongEnough).
		shows(evWaited, evPower, evServed, evHeartbeat, evDeadline).
		next(readLog("Wait. If booting takes longer, watch the machine's console.")).
		from("ironic/conf/conductor.py (deploy_callback_timeout)"),
	newRule("work-goes-on", "{reservation} working",
		"No problem found: conductor {reservation} is working on the node").
		noProblem().
		in(working...).
		when(ifReserved, ifConductorAlive).
		shows(evState, evStep, evReservation, evWaited, evEstimate).
		next(act("watch", "ironworks watch {node}", "Wait.")).
		from("ironic/conductor/task_manager.py"),
	newRule("at-rest", "no problem found",
		"No problem found: the node is in state {provision_state}, without error, fault or maintenance").
		noProblem().
		in(atRest...).
		when(ifAtRest).
		shows(evState, evPower).
		next(openNode("No action needed.")).
		from("ironic/common/states.py"),
}
