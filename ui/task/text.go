package task

// Texts that are used more than once, or are too long for the lines that use them.
const (
	textNoRamdiskHelp   = "run out-of-band steps only, without booting a ramdisk"
	textUserDataHelp    = "Butane or Ignition for the installed system; "
	textRootDeviceHelp  = "hints as JSON, written to instance_info; empty: the node's hints"
	textRunbookHelp     = "instead of steps (API 1.92)"
	textPasswordHelp    = "password of user rescue in the ramdisk"
	textSkippedNodes    = "Skipped (%d):"
	textRunningChecks   = "Running checks. Ironic contacts the BMC, which can take a minute."
	textMoreInList      = "… and %d more, listed above."
	textPreparing       = "Manual cleaning sets up RAID and BIOS, and may erase the disks of %s."
	textOverrideAudit   = "The audit log records the override. All checks run again."
	textShellBegins     = "%s: shell on %s. exit returns to the console; ~. at the start of a line disconnects.\n"
	textInstanceAddress = "host name or IP address of the instance, which Ironic does not know; the last ramdisk's address is a guess"
	textNoShells        = "not possible in this session"
	textConsoleURL      = "Treat the URL as a secret: anyone who has it can use the console. It expires, by default after 10 minutes."
	textConsoleEnabled  = "Enabled for you until you press x or ironworks exits."
	textCopyURL         = "copy URL"
	textNoNodeSelected  = "no node selected"
	textOneNodeOnly     = "one node at a time"
	textNoContext       = "no context is open"
	textNodesGone       = "%s: node not found: %s (%s discards its deployment)"
	textSending         = "%s %s: %s ({tasks} shows tasks)"
)
