package enroll

// Texts that are used more than once, or are too long for the lines that use them.
const (
	// Messages and labels of the form.
	textSourceHelp    = "where the nodes come from"
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
	textGoalHelp      = "state to bring the nodes to; available runs automated cleaning"
	textNoInspectHelp = "go to available without inspection"

	// Messages and labels for the state of the screen.
	textComparingFail = "Not compared. Correct this, then press {enroll-compare} to compare again."
	textStale         = "form changed"
	textNotCompared   = "not compared"
	textFileSummary   = "%s: %s, format %s"
	textBMCSummary    = "%s: %s"
	textCompleted     = "credentials for %s from %s"
	textDeployments   = "%s in the file; to save as a plan: ironworks enroll -f %s --plan FILE --dry-run"

	// Messages and labels of empty tabs.
	textPressCompare = "Fill in the form, then press {enroll-compare} to compare it with Ironic."

	// Reasons why an action is disabled.
	textNotThere = "the node does not exist yet"
)
