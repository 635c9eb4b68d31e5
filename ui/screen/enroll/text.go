package enroll

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	// Messages and labels of the form.
	textSourceHelp    = "where the nodes come from"
	textNoFilesHelp   = "files: ssh HOST enroll -f - < FILE"
	textFileHelp      = "CSV, or a file for baremetal create, Bifrost or TripleO; the format is detected"
	textFormatHelp    = "format of the file; auto: detected from its content"
	textColumnsHelp   = "fields for columns with unknown headers: 'BMC IP'=bmc Admin=bmc.username Notes="
	textDriverHelp    = "hardware type of spreadsheet rows without one; empty: ipmi for IPMI addresses, else redfish"
	textLoginFileHelp = "YAML file with BMC credentials by node, BMC host or default, for nodes without a password"
	textBMCHelp       = "hosts, URLs or ranges such as 10.0.0.11-30, separated by spaces; no others are queried"
	textUserHelp      = "user name for the BMCs; empty: from the environment, context or keyring"
	textTypedHelp     = "sent to the BMCs above and to Ironic; kept only until this screen closes"
	textInsecureHelp  = "skip verification of the BMCs' certificates, here and in Ironic"
	textNamesHelp     = "serial, hostname, address, or a pattern such as r7-n%02d; empty: no names"
	textSetHelp       = "fields for every node: owner=lab properties.x.y=V traits+=T; quote values with spaces"
	textUpdateHelp    = "update the passwords of existing nodes (passwords cannot be compared)"
	textRamdiskHelp   = "what the nodes boot for deployment, cleaning and inspection: deploy_iso or deploy_kernel"
	textISOHelp       = "deploy_iso of nodes whose boot interface can boot an ISO"
	textKernelHelp    = "deploy_kernel of the other nodes"
	textInitrdHelp    = "deploy_ramdisk of the other nodes"
	textParamsHelp    = "kernel_append_params of the other nodes"
	textNoRamdisk     = "Enter the URL of an ISO, or of a kernel and an initrd."
	textNotServed     = "Serve one image for all nodes on the Ignition screen first."
	textGoalHelp      = "state to bring the nodes to; available runs automated cleaning"
	textNoInspectHelp = "go to available without inspection"
	textNoFile        = "Enter the path of a file."
	textNoBMC         = "Enter at least one BMC address."

	// Messages and labels for the state of the screen.
	textReading       = "reading"
	textAskingBMCs    = "querying BMCs: %d of %d"
	textEscCancels    = "  esc cancels"
	textCanceled      = "Canceled. {enroll-compare} compares again."
	textComparingFail = "Not compared. Correct this, then press {enroll-compare} to compare again."
	textStale         = "form changed"
	textNotCompared   = "not compared"
	textFileSummary   = "%s: %s, format %s"
	textBMCSummary    = "%s: %s"
	textCompleted     = "credentials for %s from %s"
	textDeployments   = "%s in the file; to save as a plan: ironworks enroll -f %s --plan FILE --dry-run"
	textColumns       = "columns: "

	// Messages and labels of empty tabs.
	textPressCompare = "Fill in the form, then press {enroll-compare} to compare it with Ironic."
	textNoNodes      = "The input has no nodes."
	textNoBMCs       = "No BMC queried: the source is a file."
	textNoResult     = "Nothing enrolled yet. {enroll-start} enrolls the compared nodes."

	// Messages and labels of the details.
	textNothingToSend = "nothing to send"
	textNotSent       = "nothing is sent"
	textNotComparable = "not compared: "
	textMatched       = "matched by "
	textPrepare       = "before available: "
	textQueued        = "not sent, or no response yet"

	// Reasons why an action is disabled.
	textNoContext    = "no context is open"
	textNotHere      = "not available while a recording plays"
	textBusy         = "reading the input; esc cancels"
	textCompareFirst = "compare first ({enroll-compare})"
	textCompareAgain = "the form changed: compare again ({enroll-compare})"
	textRunAgain     = "already run: compare again ({enroll-compare}) to continue"
	textRunning      = "the nodes are being enrolled"
	textNoneLegal    = "no node can be enrolled: all are in conflict or invalid"
	textNothingToDo  = "nothing to do: no node differs, and the goal is enroll"
	textNoNode       = "no node selected"
	textNotThere     = "the node does not exist yet"
)
