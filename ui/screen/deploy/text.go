package deploy

// Texts that are used more than once, or are too long for the lines that use them.
const (
	// Messages and labels of the Ramdisk page, including those for allocations.
	textClassHelp     = "resource class to request; empty: the node's"
	textKindDefault   = "; custom-agent without steps: install_coreos"
	textISOHelp       = "URL of a ramdisk ISO; empty: the node's. The Ignition screen can serve an ISO"
	textKernelHelp    = "URL of a kernel, instead of an ISO"
	textInitramfsHelp = "URL of the matching initramfs"
	textImageHelp     = "URL of a CoreOS disk image (signature not checked); empty: the node's, else the live ISO's"
	textDiskImageHelp = "URL of the disk image"
	textChecksumHelp  = "checksum, or URL of a checksum file"
	textFormatHelp    = "auto: Ironic detects the format of the image"
	textHashHelp      = "auto: from the checksum's length"

	// Messages and labels for saving and loading plans.
	textSaveHelp = "for ironworks deploy -f; keeps the comments of a loaded plan"
	textLoadHelp = "a plan for ironworks deploy -f; replaces the current plan"

	// Messages and labels of the First boot page.
	textUserDataHelp = "file: Butane, Ignition or cloud-config"
	textReaderHelp   = "program that reads the user data; auto: from the kind, the image name and the file"
	textKargsHelp    = "coreos_append_karg: one argument for the installed system; for more, use kernelArguments in Ignition"
	textNetworkHelp  = "coreos_copy_network: copy the ramdisk's network configuration; auto: the ramdisk decides"

	// Messages and labels of the Root disk page.
	textHintsHelp      = "root device hints as JSON, as in ironworks hints match"
	textForAllHelp     = "for all nodes of the plan, not only this one"
	textNoInventoryFix = ": disks unknown. Inspect the node first (manage, inspect, provide), or edit hints ({hints-write})."
	textNoDisksFix     = ". Inspect again, or edit hints ({hints-write})."
	textNodeHints      = "node hints in %s: %s"

	// Messages and labels for the state of the checks.
	textPlanKept   = "The plan is unchanged. {refresh} retries."
	textReadyCount = "%d nodes: %d ready, %d refused; {deploy-previous-node} and {deploy-next-node} switch nodes"

	// Messages and labels for editing the plan as YAML.
	textEditKept     = "; plan unchanged, {plan-edit} continues the edit"
	textEdited       = "plan updated"
	textEditRejected = "The plan is unchanged. {plan-edit} continues your edit."

	// Messages and labels of the Review page, including those for overrides.
	textNotSent     = "Not deployed: %s: %s"
	textNodesCount  = "%d nodes: %d to deploy, %d skipped"
	textStaleChecks = " old; checks run again. Review them, then press {deploy-start}"
	textOverrideAsk = "Override %s of %s? The audit log records it. Type the node name to confirm."

	// Messages and labels of the Steps page.
	textAddStep       = "Add step"
	textOtherStepHelp = "enter the step and its arguments as text or JSON"
	textPriorityHelp  = "highest runs first; install steps between deploy (100) and tear_down_agent (40); 0 disables the step"
	textArgumentsHelp = "NAME=VALUE, separated by spaces; or a JSON object"
	textWantPriority  = "Enter a whole number ≥ 0."
	textDriverSteps   = "Driver steps of the %s deploy interface are unknown. {step-add} adds a step."
	textStepsOrder    = "Highest priority first. Install steps belong between deploy (100) and tear_down_agent (40)."
)
