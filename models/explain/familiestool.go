package explain

// toolFamilies cover programs, limits and bugs, and messages that mention images only in passing. A message about a
// program, limit or bug belongs here no matter which module reports it, because such a cause is more specific than
// the module.
var toolFamilies = []Rule{
	newRule("ramdisk-tool-missing", "program or file missing",
		"A required program or file is missing in the ramdisk or on the conductor").
		words("no such file or directory: '", "command not found", "could not find executable", "is not installed", "is not usable in this ramdisk", "available methods of", "executable file not found", "exit code: 127").
		shows(evAgentIs, evISO).
		not("a machine fault: nothing ran on the machine").
		next(set("driver_info.deploy_iso=URL", "Add the program or file named in the error to the ramdisk, or use another ramdisk. Then try again.")).
		from("oslo_concurrency.processutils (ENOENT), ironic_python_agent/utils.py"),
	newRule("no-space", "out of disk space or memory",
		"The conductor or the ramdisk ran out of disk space or memory").
		words("no space left on device", "have enough disk space", "insufficient disk space", "available memory at", "cannot allocate memory", "out of memory").
		not("the node's root disk, unless the error names it").
		next(again("Free space in the conductor's image cache and HTTP directory, or stream raw images. Then try again.")).
		from("ironic/common/utils.py, ironic/common/images.py"),
	newRule("python-error", "bug in Ironic or the agent",
		"Ironic or the agent hit a bug: the error is a Python exception").
		words("nonetype", "attributeerror", "keyerror", "indexerror", "zerodivisionerror", "division by zero", "nameerror", "unboundlocalerror", "object has no attribute", "unexpected keyword argument").
		not("a wrong setting: a Python exception is a bug").
		next(act("history", "ironworks history {node}", "Find the traceback in the conductor's log, and report it to the Ironic project with your Ironic release.")).
		from("ironic/conductor/utils.py: step_error_handler"),
	newRule("agent-version", "hardware manager mismatch",
		"The agent's hardware managers do not match: their versions changed, or a call is not supported").
		words("version mismatch", "hardwaremanager", "hardware managers", "hardware manager", "out of date agent", "did not transmit a version", "current versions").
		shows(evAgentIs).
		not("the network: the agent answered").
		next(again("Boot a ramdisk with the required hardware manager and version, then try again.")).
		from("ironic_python_agent/hardware.py, ironic_python_agent/hardware_managers"),
	newRule("agent-clock-sync", "clock not set",
		"A clock could not be set: no answer from the NTP server, or refused by the BMC").
		words("ntp server", "ntpdate", "chrony", "syncing system clock", "sync clock", "clock verify", "bmc clock").
		not("the image or the disk").
		next(again("Check that the ramdisk can reach the NTP server (ipa-ntp-server), or set the BMC's clock by hand. Then try again.")).
		from("ironic_python_agent/utils.py: sync_clock, ironic/drivers/modules/redfish/management.py"),
	newRule("burn-in", "burn-in test failed", "A burn-in test of the hardware failed").
		words("stress-ng", "stress ng", "fio", "gpu-burn", "smart test", "burnin*", "stressor type").
		not("the deployment: burn-in only tests hardware").
		next(readLog("Read the test's output in the ramdisk's log, and replace a failed disk, memory module or NIC.")).
		from("ironic_python_agent/burnin.py"),
	newRule("container-step", "container image not usable",
		"A container could not be run: image not permitted, not readable, or unsuitable for bootc").
		words("container runner", "container step", "container image", "container_url", "allowed_containers", "container steps", "bootc").
		not("the node's disk").
		next(again("Check the image's URL and pull secret, and the agent's [container]allowed_containers. Then try again.")).
		from("ironic_python_agent/hardware_managers/container.py, extensions/standby.py"),
	newRule("agent-api", "agent call failed", "The conductor's call to the agent failed or timed out").
		openings("Agent API for node ", "Error invoking agent command ", "Connection to agent failed: ", "Timeout executing command … on node ", `Detected change in ramdisk provided "agent_verify_ca"`, "Agent did not transmit a version").
		words("agent_url", "agent command", "agent seems offline", "agent failed to come back", "agent is not running", "decode response as json", "agent is busy", "presently executing a command", "agent ramdisk", "agent returned bad result", "through the agent", "agent ca", "malformed clean_step", "malformed deploy_step", "malformed service_step", "unknown command", "command name must be", "command result", "expected the command", "agent rescue", "system.lockdown").
		shows(evAgent, evHeartbeat, evAgentIs).
		not("a machine that did not boot: the agent had called back").
		next(again("Check in the log and on port 9999 that the agent is alive, then try again.")).
		from("ironic/drivers/modules/agent_client.py, ironic_python_agent/extensions/base.py"),
	newRule("file-injection", "file injection failed",
		"The inject_files step could not write its files to the disk").
		words("inject_files", "files argument", "the `files", "process file", "absolute path to a file", "validation of files", "partition found with path").
		not("the image: already on the disk").
		next(set("properties.inject_files=JSON", "Check the paths, contents and partitions in inject_files.")).
		from("ironic_python_agent/inject_files.py"),
	newRule("rescue-password", "rescue password missing",
		"The rescue password is missing or could not be set in the ramdisk").
		words("rescue_password", "rescue password", "rescue operation failed").
		not("the network: rescue had not started").
		next(act("rescue", "ironworks rescue {node}", "Rescue again with a password.")).
		from("ironic/drivers/modules/agent.py, ironic_python_agent/extensions/rescue.py"),
	newRule("firmware-update", "firmware update failed",
		"Firmware could not be updated or read: check the file, its checksum and the BMC's job").
		openings("Firmware update failed for node ").
		words("firmware", "component flavor", "mstflint", "mstconfig", "psid", "simple_update", "device id", "fw version", "unsupported config").
		not("the deployed image").
		next(queryBMC("Read the BMC's job list, check the firmware file's URL and checksum, then run the step again.")).
		from("ironic/drivers/modules/redfish/firmware.py, ironic_python_agent/hardware_managers/nvidia"),
	newRule("console-failed", "console start failed", "The node's console could not be started or stopped").
		openings("Failed to start console of node ", "Failed to start console while ", "Error enabling the console on node ", "Error disabling the console on node ", "Console container error with provider '", "Could not stop the console for node", "Console access is not enabled on node ").
		words("console", "socat", "shellinabox", "ipmi terminal").
		not("the operation: it does not depend on the console").
		next(validate("Check console_interface and its port or container settings, then enable the console again.")).
		from("ironic/drivers/modules/console_utils.py, ironic/console/container"),
	newRule("disk-not-found", "disk or partition not found",
		"The agent could not find or open the target disk or partition").
		words("error finding the disk", "device not found").
		shows(evHints).
		not("the image download").
		next(compareDisks("Compare the machine's disks with the hints, and check in the ramdisk's log what uses the disk.")).
		from("ironic_python_agent/errors.py: DeviceNotFound"),
}
