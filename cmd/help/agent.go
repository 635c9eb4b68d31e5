package help

// agentHelpTexts contains the help texts of ironworks agent and its subcommands, keyed by command path.
var agentHelpTexts = map[string]Text{
	"ironworks agent": {
		"Show what the agent reports about this Linux host",
		`Show what the built-in agent would report about this host, and what it would do there. Use it in the rescue
shell of a machine, or to prepare root device hints. Nothing is changed or sent. Missing programs, such as
lsblk or lscpu, are listed.`,
		`ironworks agent inventory
ironworks agent disks
ironworks agent steps`,
	},
	"ironworks agent inventory": {
		"Show the inventory of this Linux host",
		`Show the inventory that the agent would send to Ironic for an inspection. -o json prints it in Ironic's
format, with all fields. Without root, the BMC and the serial numbers of some disks are missing.`,
		`ironworks agent inventory
ironworks agent inventory -o json > inventory.json`,
	},
	"ironworks agent disks": {
		"Show the disks of this host and the one that hints pick",
		`Show the disks of this host and the one that the agent would install to. For each of the other disks, show why
the hints do not match. Without hints, the agent picks the smallest disk of 4 GiB or more. -o name prints the picked
disk. The exit code is 1 when no disk is picked.`,
		`ironworks agent disks
ironworks agent disks --root-device '{"size": ">= 2"}'`,
	},
	"ironworks agent steps": {
		"List the steps that the agent offers",
		`List the deploy, clean and service steps that the agent offers to Ironic. Steps with priority 0 run only on request.`,
		`ironworks agent steps
ironworks agent steps --agent-version 9.4.2 -o json`,
	},
}
