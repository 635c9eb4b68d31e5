package task

// The messages that this package shows to the operator. Column headers and key hints are defined next to their
// tables.
const (
	// Help for form fields.
	textNoRamdiskHelp   = "run out-of-band steps only, without booting a ramdisk"
	textReasonHelp      = "shown to other operators; optional"
	textNoUserData      = "empty: none"
	textKeepUserData    = "empty: keep the current user data"
	textUserDataHelp    = "Butane or Ignition for the installed system; "
	textRootDeviceHelp  = "hints as JSON, written to instance_info; empty: the node's hints"
	textDeployStepsHelp = "each with @PRIORITY; empty: install_coreos@80 with deploy interface custom-agent"
	textStepsHelp       = "in order, separated by spaces; or a JSON list"
	textRunbookHelp     = "instead of steps (API 1.92)"
	textPasswordHelp    = "password of user rescue in the ramdisk"
	textPersistentHelp  = "every boot, not only the next"
	textSettingsHelp    = "properties.x.y=V, KEY- removes, traits+=T; quote values with spaces"

	// Labels in the list of steps, and messages in the forms for single steps.
	textSeveralSteps     = "several steps …"
	textSeveralStepsHelp = "enter steps as text or JSON"
	textRunbookItem      = "runbook …"

	// Errors shown in a form.
	textNoChecks     = "preflight checks are not available here"
	textEmptyHints   = "no hints given"
	textNotAnAction  = "%s is not an action on nodes"
	textNothingToSet = "nothing to set: give KEY=VALUE"

	// Messages for checks and confirmations.
	textMoreCards       = "… and %d more: %s"
	textSkippedNodes    = "Skipped (%d):"
	textLooking         = "%s: reading %d nodes…"
	textRunningChecks   = "Running checks. Ironic contacts the BMC, which can take a minute."
	textNothingSent     = "Nothing was sent:"
	textRefusedSuffix   = ": refused"
	textNothingToSend   = "Nothing to send"
	textTryAgain        = "Retry"
	textTypeNumber      = " Type the number of nodes to confirm."
	textSkipped         = "skipped: "
	textAlreadySet      = "already set: nothing to send"
	textSkippedByChecks = "Skipped (checks failed): "
	textMoreInList      = "… and %d more, listed above."
	textTypeName        = " Type the node name to confirm."

	// Messages for enrolling nodes.
	textNothingSends    = "not possible in this session"
	textNothingToEnroll = "no node can be enrolled: all are in conflict or invalid"
	textEnrollTo        = "Enroll %s and bring %s to %s?"
	textCleaningErases  = "Automated cleaning may erase the disks of machines that become available."
	textPreparing       = "Manual cleaning sets up RAID and BIOS, and may erase the disks of %s."
	textEnrollSkipped   = "Skipped: %s in conflict or invalid"
	textEnrollMetal3    = "Metal3 manages %s and may undo the changes."

	// Messages for overriding checks.
	textOverrideChoice = "override a check"
	textContinueWith   = "continue with "
	textRefusedTitle   = "%s refused for %s: nothing was sent"
	textNoOverride     = "cannot be overridden"
	textOverrideTitle  = "Override a check"
	textOverrideOn     = "Override %s on %s"
	textOverrideAudit  = "The audit log records the override. All checks run again."
	textOverrideAsk    = "Override the failed check %s? Type the node name to confirm."

	// Messages for shells.
	textConnecting      = "Connecting to the machine."
	textShellBegins     = "%s: shell on %s. exit returns to the console; ~. at the start of a line disconnects.\n"
	textShellEnded      = "shell %s: closed"
	textShellStatus     = "shell %s: exit status %d"
	textOneShell        = "one node at a time: the shell takes over the terminal"
	textPoweredOff      = "the machine is powered off"
	textInstanceAddress = "host name or IP address of the instance, which Ironic does not know; the last ramdisk's address is a guess"
	textNodeIsGone      = "shell %s: the node no longer exists"
	textNoShells        = "not possible in this session"

	// Messages for graphical consoles.
	textOpeningConsole  = "console %s: opening…"
	textConsoleURL      = "Treat the URL as a secret: anyone who has it can use the console. It expires, by default after 10 minutes."
	textConsoleEnabled  = "Enabled for you until you press x or ironworks exits."
	textConsoleDisabled = "console %s: disabled"
	textCopyURL         = "copy URL"
	textDisable         = "disable console"

	// The reasons why actions are disabled.
	textNoNodeSelected   = "no node selected"
	textOneNodeOnly      = "one node at a time"
	textNoneOfMarked     = "not possible on any of the %d marked nodes: %s"
	textNotInMaintenance = "the node is not in maintenance"
	textNotProtected     = "the node is not protected"
	textNotRetired       = "the node is not retired"
	textOtherIronic      = "the context changed since the checks; nothing was sent"
	textNoNodePassed     = "no node passed its checks"
	textNoContext        = "no context is open"

	// Messages for resuming deployments.
	textInterrupted        = "%s interrupted: %s (:%s resumes)"
	textNotRecorded        = ": deployments are not recorded in this context"
	textNodesGone          = "%s: node not found: %s (%s discards its deployment)"
	textNothingInterrupted = ": no interrupted deployments"

	// Messages in toasts, and the line shown after a program that used the terminal.
	textPressEnter  = "\nPress enter to return to the console. "
	textSending     = "%s %s: %s ({tasks} shows tasks)"
	textNodeDone    = "%s %s: %s, now %s"
	textTaskReasons = " ({tasks} shows task %d and the reasons)"
	textValidating  = ": validating interfaces…"
)
