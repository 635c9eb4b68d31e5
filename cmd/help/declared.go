package help

var stepFileHelpTexts = map[string]string{
	"ironworks templates": `Create and change deploy templates
A deploy template adds deploy steps, or changes their priority and arguments. Its name is a trait: the template applies
to a deployment whose instance requests that trait, on a node that has it. These commands keep templates in files.
$ ironworks templates list
$ ironworks templates list --node r7-n01`,
	"ironworks templates list": `List deploy templates
List the deploy templates with their steps, the highest priority first. --node lists only templates whose trait the
node has.
$ ironworks templates list
$ ironworks templates list -o yaml`,
	"ironworks templates show": `Print deploy templates as a file
Print templates as a file for templates apply. NAME is a name or a UUID. Ironic masks secrets in arguments.
$ ironworks templates list -o name
$ ironworks templates list -o json`,
	"ironworks templates check": `Check files of deploy templates
Check files of deploy templates without Ironic. Errors have their line and column.
$ echo '{name: CUSTOM_FAST, steps: [{interface: deploy, step: erase_devices, priority: 0}]}' | ironworks templates check -
$ ironworks templates list -o yaml`,
	"ironworks templates apply": `Create and change deploy templates from a file
Create the templates in a file, and change existing templates that differ. Templates are matched by UUID, or
else by name. Fields and templates that are not in the file are kept. Changes are shown and confirmed.
$ echo '{name: CUSTOM_FAST, steps: [{interface: deploy, step: erase_devices, priority: 0}]}' | ironworks templates apply -f - --dry-run
$ echo '{name: CUSTOM_FAST, steps: [{interface: deploy, step: erase_devices, priority: 0}]}' | ironworks templates apply -f - --yes`,
	"ironworks templates delete": `Delete deploy templates
Delete deploy templates, after confirmation. NAME is a name or a UUID.
$ echo '{name: CUSTOM_OLD, steps: [{interface: deploy, step: erase_devices, priority: 0}]}' | ironworks templates apply -f - --yes
$ ironworks templates delete CUSTOM_OLD --yes`,
	"ironworks runbooks": `Create and change runbooks
A runbook (API 1.92) is a list of steps for cleaning or servicing, which ironworks clean --runbook and ironworks
service --runbook run on nodes with its trait. These commands keep runbooks in files.
$ ironworks runbooks list
$ ironworks runbooks list --node r7-n01`,
	"ironworks runbooks list": `List runbooks
List the runbooks with their steps in order. A node needs one of the TRAITS (before API 1.112: the name of the
runbook); a runbook without traits runs on no node. --node lists only runbooks that the node's traits allow.
$ ironworks runbooks list
$ ironworks runbooks list -o json`,
	"ironworks runbooks show": `Print runbooks as a file
Print runbooks as a file for runbooks apply. NAME is a name or a UUID. Ironic masks secrets in arguments.
$ ironworks runbooks list -o name
$ ironworks runbooks list -o yaml`,
	"ironworks runbooks check": `Check files of runbooks
Check files of runbooks without Ironic. Errors have their line and column.
$ echo '{name: CUSTOM_WIPE, steps: [{interface: deploy, step: erase_devices_metadata, order: 1}]}' | ironworks runbooks check -
$ ironworks runbooks list -o yaml`,
	"ironworks runbooks apply": `Create and change runbooks from a file
Create the runbooks in a file, and change existing runbooks that differ. Runbooks are matched by UUID, or else by
name. Fields and runbooks that are not in the file are kept. traits and description need API 1.112. Changes are shown
and confirmed.
$ echo '{name: CUSTOM_WIPE, steps: [{interface: deploy, step: erase_devices_metadata, order: 1}]}' | ironworks runbooks apply -f - --dry-run
$ echo '{name: CUSTOM_WIPE, steps: [{interface: deploy, step: erase_devices_metadata, order: 1}]}' | ironworks runbooks apply -f - --yes`,
	"ironworks runbooks delete": `Delete runbooks
Delete runbooks, after confirmation. NAME is a name or a UUID.
$ echo '{name: CUSTOM_OLD, steps: [{interface: deploy, step: erase_devices, order: 1}]}' | ironworks runbooks apply -f - --yes
$ ironworks runbooks delete CUSTOM_OLD --yes`,
}

var ruleHelpTexts = map[string]string{
	"ironworks rules": `Test and change inspection rules
Inspection rules (API 1.96) change nodes when an inspection ends: if all conditions of a rule are true, its actions
run. These commands check rule files, test rules on the stored inventories of nodes before they are active,
and create, change and delete rules.
$ ironworks rules list
$ ironworks rules example
$ ironworks rules example traits`,
	"ironworks rules list": `List inspection rules
List the inspection rules in the order in which Ironic runs them: by priority, the highest first.
Rules from the [inspection_rules]built_in_rules option are not in the API.
$ ironworks rules list
$ ironworks rules list -o json`,
	"ironworks rules show": `Print inspection rules as a file
Print rules as a file for rules apply. RULE is a UUID or a description.
$ ironworks rules list -o name
$ ironworks rules list -o yaml`,
	"ironworks rules check": `Check files of inspection rules
Check files of inspection rules without Ironic. Errors are rules that Ironic would refuse. Warnings are rules
that Ironic accepts but that do not work as intended: for example, a template, which is always a string,
compared with a number. Each finding has its line and column.
$ ironworks rules example traits | ironworks rules check -
$ ironworks rules example resource-class | ironworks rules check -`,
	"ironworks rules test": `Run inspection rules on stored inventories
Run inspection rules on the stored inventories of nodes, as Ironic 39.0.0 does, and show what each rule would
change. Only read requests are sent to Ironic; the api-call action sends nothing. Without -f, the rules in Ironic
are tested; with -f, the rules in the file; with --with-active, both.

Where the API does not show a value that a rule uses, such as a password, the result is unclear. The plugin data
come from the last inspection, and the rules that were active then have already changed them. Exit code 1: an
inspection would fail, or a node has no inventory.
$ ironworks rules example traits | ironworks rules test -f - --all
$ ironworks rules example root-device | ironworks rules test -f - r7-n01 -o json`,
	"ironworks rules apply": `Create and change inspection rules from a file
Create the rules in a file, and change existing rules that differ. Rules are matched by UUID,
or else by description. Rules that are not in the file are kept. Changes are shown and confirmed.

Ironic hides the conditions and actions of sensitive rules, so they cannot be compared: --rewrite-sensitive
always writes them. A sensitive rule stays sensitive.
$ ironworks rules example traits | ironworks rules apply -f - --dry-run
$ ironworks rules example traits | ironworks rules apply -f - --yes`,
	"ironworks rules delete": `Delete inspection rules
Delete inspection rules, after confirmation. RULE is a UUID or a description. Nodes are unchanged.
$ ironworks rules example traits | ironworks rules apply -f - --yes
$ ironworks rules delete "Dell trait" --dry-run
$ ironworks rules delete "Dell trait" "virtualization trait" --yes`,
	"ironworks rules example": `Print example files of inspection rules
Print an example file to start from, or list the examples.
$ ironworks rules example
$ ironworks rules example bmc-credentials`,
}
