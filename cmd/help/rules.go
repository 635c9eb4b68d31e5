package help

// ruleHelpTexts contains the help texts of the commands for inspection rules, keyed by command path.
var ruleHelpTexts = map[string]Text{
	"ironworks rules": {
		"Test and change inspection rules",
		`Inspection rules (API 1.96) change nodes when an inspection ends: if all conditions of a rule are true, its actions
run. These commands check rule files, test rules on the stored inventories of nodes before they are active,
and create, change and delete rules.`,
		`ironworks rules list
ironworks rules example
ironworks rules example traits`,
	},
	"ironworks rules list": {
		"List inspection rules",
		`List the inspection rules in the order in which Ironic runs them: by priority, the highest first.
Rules from the [inspection_rules]built_in_rules option are not in the API.`,
		`ironworks rules list
ironworks rules list -o json`,
	},
	"ironworks rules show": {
		"Print inspection rules as a file",
		`Print rules as a file for rules apply. RULE is a UUID or a description.`,
		`ironworks rules list -o name
ironworks rules list -o yaml`,
	},
	"ironworks rules check": {
		"Check files of inspection rules",
		`Check files of inspection rules without Ironic. Errors are rules that Ironic would refuse. Warnings are rules
that Ironic accepts but that do not work as intended: for example, a template, which is always a string,
compared with a number. Each finding has its line and column.`,
		`ironworks rules example traits | ironworks rules check -
ironworks rules example resource-class | ironworks rules check -`,
	},
	"ironworks rules test": {
		"Run inspection rules on stored inventories",
		`Run inspection rules on the stored inventories of nodes, as Ironic 39.0.0 does, and show what each rule would
change. Only read requests are sent to Ironic; the api-call action sends nothing. Without -f, the rules in Ironic
are tested; with -f, the rules in the file; with --with-active, both.

Where the API does not show a value that a rule uses, such as a password, the result is unclear. The plugin data
come from the last inspection, and the rules that were active then have already changed them. Exit code 1: an
inspection would fail, or a node has no inventory.`,
		`ironworks rules example traits | ironworks rules test -f - --all
ironworks rules example root-device | ironworks rules test -f - r7-n01 -o json`,
	},
	"ironworks rules apply": {
		"Create and change inspection rules from a file",
		`Create the rules in a file, and change existing rules that differ. Rules are matched by UUID,
or else by description. Rules that are not in the file are kept. Changes are shown and confirmed.

Ironic hides the conditions and actions of sensitive rules, so they cannot be compared: --rewrite-sensitive
always writes them. A sensitive rule stays sensitive.`,
		`ironworks rules example traits | ironworks rules apply -f - --dry-run
ironworks rules example traits | ironworks rules apply -f - --yes`,
	},
	"ironworks rules delete": {
		"Delete inspection rules",
		`Delete inspection rules, after confirmation. RULE is a UUID or a description. Nodes are unchanged.`,
		`ironworks rules example traits | ironworks rules apply -f - --yes
ironworks rules delete "Dell trait" --dry-run
ironworks rules delete "Dell trait" "virtualization trait" --yes`,
	},
	"ironworks rules example": {
		"Print example files of inspection rules",
		`Print an example file to start from, or list the examples.`,
		`ironworks rules example
ironworks rules example bmc-credentials`,
	},
}
