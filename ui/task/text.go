package task

// The messages that this package shows to the operator. Column headers and key hints are defined next to their
// tables.
const (
	// Help for form fields.
	textNoRamdiskHelp  = "run out-of-band steps only, without booting a ramdisk"
	textUserDataHelp   = "Butane or Ignition for the installed system; "
	textRootDeviceHelp = "hints as JSON, written to instance_info; empty: the node's hints"
	textRunbookHelp    = "instead of steps (API 1.92)"
	textPasswordHelp   = "password of user rescue in the ramdisk"

	// Labels in the list of steps, and messages in the forms for single steps.

	// Errors shown in a form.

	// Messages for checks and confirmations.
	textSkippedNodes  = "Skipped (%d):"
	textRunningChecks = "Running checks. Ironic contacts the BMC, which can take a minute."
	textSkipped       = "skipped: "
	textMoreInList    = "… and %d more, listed above."

	// Messages for enrolling nodes.
	textPreparing = "Manual cleaning sets up RAID and BIOS, and may erase the disks of %s."

	// Messages for overriding checks.
	textOverrideChoice = "override a check"
	textContinueWith   = "continue with "
	textOverrideAudit  = "The audit log records the override. All checks run again."

	// Messages for shells.
	textShellBegins     = "%s: shell on %s. exit returns to the console; ~. at the start of a line disconnects.\n"
	textInstanceAddress = "host name or IP address of the instance, which Ironic does not know; the last ramdisk's address is a guess"
	textNoShells        = "not possible in this session"

	// Messages for graphical consoles.
	textConsoleURL     = "Treat the URL as a secret: anyone who has it can use the console. It expires, by default after 10 minutes."
	textConsoleEnabled = "Enabled for you until you press x or ironworks exits."
	textCopyURL        = "copy URL"

	// The reasons why actions are disabled.
	textNoNodeSelected = "no node selected"
	textOneNodeOnly    = "one node at a time"
	textNoContext      = "no context is open"

	// Messages for resuming deployments.
	textNodesGone = "%s: node not found: %s (%s discards its deployment)"

	// Messages in toasts, and the line shown after a program that used the terminal.
	textSending = "%s %s: %s ({tasks} shows tasks)"
)
