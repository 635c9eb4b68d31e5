package explain

import "ironworks/models"

var waitRules = []Rule{
	newRule("ramdisk-not-heard", "ramdisk running, no call-back",
		"The ramdisk is running but has not called back: the agent cannot reach Ironic's API, or Ironic rejects it").
		in(notInspecting...).
		when(ifWaiting, ifNeverCalled, ifAgentStarted).
		shows(evBoot, evLastLine, evHeartbeat, evWaited, evDeadline, evSiblings).
		not("a machine that did not boot: the agent has started").
		next(readLog("Check the agent's attempts in the log: Ironic's URL, lookup, certificate. Open that URL from the machine.")).
		insteadOf(append([]RuleID{"never-booted", "machine-boots", "ramdisk-boots", "boot-silent"}, timeouts...)...).
		from("ironic_python_agent/ironic_api_client.py"),
	newRule("never-booted", "no call-back for {waited}",
		"The ramdisk never called back: the machine did not boot the ramdisk, or the ramdisk cannot reach Ironic's API").
		in(notInspecting...).
		when(ifWaiting, ifNeverCalled, ifLongEnough).
		shows(evHeartbeat, evWaited, evPower, evBMCPower, evBMCProgress, evMedia, evISO, evServed, evStep, evDeadline, evSiblings).
		not("a hanging step: no step has started in the ramdisk", "the image and the disk: nothing was written").
		next(again("Watch the machine's console during boot: boot order and mode, DHCP, ISO. Check that a port has the boot NIC's MAC address. Then try again.")).
		insteadOf(timeouts...).
		from("ironic/conductor/utils.py"),
	newRule("ramdisk-no-inventory", "ramdisk running, no inventory",
		"The ramdisk is running but sent no inventory: the inventory failed, or the ramdisk cannot reach Ironic's API").
		sure(ConfidenceMedium).
		in(inspecting...).
		when(ifWaiting, ifLogAlive, ifLongEnough).
		shows(evLastLine, evWaited, evDeadline, evSiblings).
		not("a machine that did not boot: the log has lines from this operation").
		next(readLog("Check the log for the agent's inventory and for the URL it is sent to.")).
		insteadOf("inspect-timeout", "no-inventory-yet", "machine-boots").
		from("ironic_python_agent/inspector.py"),
	newRule("no-inventory-yet", "no inventory for {waited}",
		"No inventory arrived: the ramdisk did not boot, the inventory failed, or the ramdisk cannot reach Ironic's API").
		sure(ConfidenceMedium).
		in(models.StateInspectWait).
		when(ifWaiting, ifNeverCalled, ifLongEnough).
		shows(evWaited, evPower, evBMCPower, evBMCProgress, evMedia, evISO, evServed, evDeadline, evSiblings).
		not("a machine that booted: the inventory is the agent's first message").
		next(again("Watch the machine's console during boot. Check that a port has the boot NIC's MAC address. Then inspect again.")).
		insteadOf("machine-boots").
		from("ironic_python_agent/inspector.py"),
	newRule("agent-silent", "agent silent {silence}",
		"The agent called back, then fell silent in {step}: crash, hang or lost network").
		in(waitOrEnded...).
		when(ifWaiting, ifSilent).
		shows(evHeartbeat, evAgent, evStep, evPower, evDeadline, evLastLine, evSiblings).
		not("a machine that did not boot: the agent called back in this operation", "a slow step: a busy agent still sends heartbeats, every 90 to 180 s").
		next(readLog("Read the last lines of the ramdisk's log, and check the machine's console for a panic or reboot. Then try again.")).
		insteadOf(timeouts...).
		from("ironic_python_agent/agent.py"),
	newRule("callback-timeout", "ramdisk call-back timed out",
		"The ramdisk did not call back in time (30 minutes by default): no boot, crash, or Ironic unreachable").
		sure(ConfidenceMedium).
		shows(evHeartbeat, evStep, evPower, evISO, evSiblings).
		not("an error reported by the ramdisk: no message arrived").
		next(again("Watch the machine's console during boot, then try again.")).
		from("ironic/conductor/utils.py: cleanup_after_timeout"),
	newRule("clean-timeout-no-step", "cleaning: ramdisk never called back",
		"Cleaning timed out before its first step: the ramdisk did not boot, or cannot reach Ironic's API").
		shows(evHeartbeat, evPower, evISO, evFault, evSiblings).
		not("a hanging step: nothing was erased").
		next(run(models.VerbManage, "Watch the machine's console during boot. Manage the node, turn maintenance off, and clean again.")).
		insteadOf("clean-timeout").
		from("ironic/conductor/utils.py: cleanup_cleanwait_timeout"),
	newRule("clean-timeout", "cleaning timed out in a step",
		"Cleaning timed out in a step: hang, crash, or a disk slower than Ironic's timeout").
		sure(ConfidenceMedium).
		shows(evStep, evHeartbeat, evPower, evFault).
		not("a ramdisk that did not boot: a step had started").
		next(run(models.VerbManage, "Read the ramdisk's log. To erase large disks, raise [conductor]clean_callback_timeout. Then manage the node.")).
		from("ironic/conductor/utils.py: cleanup_cleanwait_timeout"),
	newRule("inspect-timeout", "inspection timed out",
		"Inspection timed out (30 minutes by default): the ramdisk did not boot, or Ironic did not recognize the machine").
		sure(ConfidenceMedium).
		shows(evHeartbeat, evPower, evISO, evLastLine, evSiblings).
		not("a rejected inventory: none arrived").
		next(run(models.VerbInspect, "Check the boot interface and that a port has the boot NIC's MAC address, then inspect again.")).
		from("ironic/conductor/utils.py: cleanup_inspectwait_timeout"),
	newRule("service-timeout", "service timed out",
		"Service timed out: the ramdisk did not boot, crashed, or hangs in a step").
		sure(ConfidenceMedium).
		shows(evStep, evHeartbeat, evPower).
		not("a lost installation: service does not deploy").
		next(run(models.VerbAbort, "Abort to boot the installed system again.")).
		from("ironic/conductor/utils.py: cleanup_servicewait_timeout"),
	newRule("rescue-timeout", "rescue call-back timed out", "The rescue ramdisk did not call back in time").
		sure(ConfidenceMedium).
		shows(evHeartbeat, evPower).
		not("a lost installation: rescue writes nothing").
		next(run(models.VerbUnrescue, "Unrescue to boot the instance again.")).
		from("ironic/conductor/utils.py: cleanup_rescuewait_timeout"),
}
