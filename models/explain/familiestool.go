package explain

// toolFamilies cover programs, limits and bugs, and messages that mention images only in passing. A message about a
// program, limit or bug belongs here no matter which module reports it, because such a cause is more specific than
// the module.
var toolFamilies = []Rule{
	{
		ID: "ramdisk-tool-missing", Words: []string{"no such file or directory: '", "command not found", "could not find executable", "is not installed", "is not usable in this ramdisk", "available methods of", "executable file not found", "exit code: 127"},
		Verdict: "A required program or file is missing in the ramdisk or on the conductor", Brief: "program or file missing",
		Not:      []string{"a machine fault: nothing ran on the machine"},
		Next:     Next{Text: "Add the program or file named in the error to the ramdisk, or use another ramdisk. Then try again.", Key: "set", Command: "ironworks set {node} driver_info.deploy_iso=URL"},
		Evidence: []EvidenceField{evAgentIs, evISO},
		Source:   "oslo_concurrency.processutils (ENOENT), ironic_python_agent/utils.py",
	},
	{
		ID: "no-space", Words: []string{"no space left on device", "have enough disk space", "insufficient disk space", "available memory at", "cannot allocate memory", "out of memory"},
		Verdict: "The conductor or the ramdisk ran out of disk space or memory", Brief: "out of disk space or memory",
		Not:    []string{"the node's root disk, unless the error names it"},
		Next:   Next{Text: "Free space in the conductor's image cache and HTTP directory, or stream raw images. Then try again.", Retry: true},
		Source: "ironic/common/utils.py, ironic/common/images.py",
	},
	{
		ID: "python-error", Words: []string{"nonetype", "attributeerror", "keyerror", "indexerror", "zerodivisionerror", "division by zero", "nameerror", "unboundlocalerror", "object has no attribute", "unexpected keyword argument"},
		Verdict: "Ironic or the agent hit a bug: the error is a Python exception", Brief: "bug in Ironic or the agent",
		Not:    []string{"a wrong setting: a Python exception is a bug"},
		Next:   Next{Text: "Find the traceback in the conductor's log, and report it to the Ironic project with your Ironic release.", Key: "history", Command: "ironworks history {node}"},
		Source: "ironic/conductor/utils.py: step_error_handler",
	},
	{
		ID: "agent-version", Words: []string{"version mismatch", "hardwaremanager", "hardware managers", "hardware manager", "out of date agent", "did not transmit a version", "current versions"},
		Verdict: "The agent's hardware managers do not match: their versions changed, or a call is not supported", Brief: "hardware manager mismatch",
		Not:      []string{"the network: the agent answered"},
		Next:     Next{Text: "Boot a ramdisk with the required hardware manager and version, then try again.", Retry: true},
		Evidence: []EvidenceField{evAgentIs},
		Source:   "ironic_python_agent/hardware.py, ironic_python_agent/hardware_managers",
	},
	{
		ID: "agent-clock-sync", Words: []string{"ntp server", "ntpdate", "chrony", "syncing system clock", "sync clock", "clock verify", "bmc clock"},
		Verdict: "A clock could not be set: no answer from the NTP server, or refused by the BMC", Brief: "clock not set",
		Not:    []string{"the image or the disk"},
		Next:   Next{Text: "Check that the ramdisk can reach the NTP server (ipa-ntp-server), or set the BMC's clock by hand. Then try again.", Retry: true},
		Source: "ironic_python_agent/utils.py: sync_clock, ironic/drivers/modules/redfish/management.py",
	},
	{
		ID: "burn-in", Words: []string{"stress-ng", "stress ng", "fio", "gpu-burn", "smart test", "burnin*", "stressor type"},
		Verdict: "A burn-in test of the hardware failed", Brief: "burn-in test failed",
		Not:    []string{"the deployment: burn-in only tests hardware"},
		Next:   Next{Text: "Read the test's output in the ramdisk's log, and replace a failed disk, memory module or NIC.", Key: "log", Command: "ironworks logs {node}"},
		Source: "ironic_python_agent/burnin.py",
	},
	{
		ID: "container-step", Words: []string{"container runner", "container step", "container image", "container_url", "allowed_containers", "container steps", "bootc"},
		Verdict: "A container could not be run: image not permitted, not readable, or unsuitable for bootc", Brief: "container image not usable",
		Not:    []string{"the node's disk"},
		Next:   Next{Text: "Check the image's URL and pull secret, and the agent's [container]allowed_containers. Then try again.", Retry: true},
		Source: "ironic_python_agent/hardware_managers/container.py, extensions/standby.py",
	},
	{
		ID: "agent-api", Openings: []string{"Agent API for node ", "Error invoking agent command ", "Connection to agent failed: ", "Timeout executing command … on node ", `Detected change in ramdisk provided "agent_verify_ca"`, "Agent did not transmit a version"}, Words: []string{"agent_url", "agent command", "agent seems offline", "agent failed to come back", "agent is not running", "decode response as json", "agent is busy", "presently executing a command", "agent ramdisk", "agent returned bad result", "through the agent", "agent ca", "malformed clean_step", "malformed deploy_step", "malformed service_step", "unknown command", "command name must be", "command result", "expected the command", "agent rescue", "system.lockdown"},
		Verdict: "The conductor's call to the agent failed or timed out", Brief: "agent call failed",
		Not:      []string{"a machine that did not boot: the agent had called back"},
		Next:     Next{Text: "Check in the log and on port 9999 that the agent is alive, then try again.", Retry: true},
		Evidence: []EvidenceField{evAgent, evHeartbeat, evAgentIs},
		Source:   "ironic/drivers/modules/agent_client.py, ironic_python_agent/extensions/base.py",
	},
	{
		ID: "file-injection", Words: []string{"inject_files", "files argument", "the `files", "process file", "absolute path to a file", "validation of files", "partition found with path"},
		Verdict: "The inject_files step could not write its files to the disk", Brief: "file injection failed",
		Not:    []string{"the image: already on the disk"},
		Next:   Next{Text: "Check the paths, contents and partitions in inject_files.", Key: "set", Command: "ironworks set {node} properties.inject_files=JSON"},
		Source: "ironic_python_agent/inject_files.py",
	},
	{
		ID: "rescue-password", Words: []string{"rescue_password", "rescue password", "rescue operation failed"},
		Verdict: "The rescue password is missing or could not be set in the ramdisk", Brief: "rescue password missing",
		Not:    []string{"the network: rescue had not started"},
		Next:   Next{Text: "Rescue again with a password.", Key: "rescue", Command: "ironworks rescue {node}"},
		Source: "ironic/drivers/modules/agent.py, ironic_python_agent/extensions/rescue.py",
	},
	{
		ID: "firmware-update", Openings: []string{"Firmware update failed for node "}, Words: []string{"firmware", "component flavor", "mstflint", "mstconfig", "psid", "simple_update", "device id", "fw version", "unsupported config"},
		Verdict: "Firmware could not be updated or read: check the file, its checksum and the BMC's job", Brief: "firmware update failed",
		Not:    []string{"the deployed image"},
		Next:   Next{Text: "Read the BMC's job list, check the firmware file's URL and checksum, then run the step again.", Key: "bmc", Command: "ironworks bmc {node}"},
		Source: "ironic/drivers/modules/redfish/firmware.py, ironic_python_agent/hardware_managers/nvidia",
	},
	{
		ID: "console-failed", Openings: []string{"Failed to start console of node ", "Failed to start console while ", "Error enabling the console on node ", "Error disabling the console on node ", "Console container error with provider '", "Could not stop the console for node", "Console access is not enabled on node "}, Words: []string{"console", "socat", "shellinabox", "ipmi terminal"},
		Verdict: "The node's console could not be started or stopped", Brief: "console start failed",
		Not:    []string{"the operation: it does not depend on the console"},
		Next:   Next{Text: "Check console_interface and its port or container settings, then enable the console again.", Key: "validate", Command: "ironworks validate {node}"},
		Source: "ironic/drivers/modules/console_utils.py, ironic/console/container",
	},
	{
		ID: "disk-not-found", Words: []string{"error finding the disk", "device not found"},
		Verdict: "The agent could not find or open the target disk or partition", Brief: "disk or partition not found",
		Not:      []string{"the image download"},
		Next:     Next{Text: "Compare the machine's disks with the hints, and check in the ramdisk's log what uses the disk.", Key: "disks", Command: "ironworks disks {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic_python_agent/errors.py: DeviceNotFound",
	},
}
