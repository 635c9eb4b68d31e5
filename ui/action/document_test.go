package action

import (
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/test/golden"
)

// TestDocumentation checks that docs/reference/keys.md matches the list of actions and covers every action.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	want := Markdown()
	golden.Compare(t, "../../docs/reference/keys.md", want)
	for _, a := range All() {
		if !strings.Contains(want, "| "+string(a.ID)+" |") {
			t.Errorf("%s is on no page", a.ID)
		}
	}
}

// scopes returns the scopes with their headings, in the order of the documentation.
func scopes() []struct {
	scope Scope
	title string
} {
	return []struct {
		scope Scope
		title string
	}{
		{Everywhere, "Everywhere"},
		{Replay, "Everywhere while a recording plays"},
		{Team, "Everywhere on a server"},
		{List, "Lists"},
		{Filtered, "Lists that can be filtered and sorted"},
		{Fleet, "Fleet"},
		{Nodes, "Acting on nodes: marked nodes, or the node at the cursor"},
		{Node, "Node"},
		{NodeDisks, "Node: disks"},
		{NodeNet, "Node: network"},
		{NodeBMC, "Node: BMC"},
		{Reading, "Text"},
		{Log, "Log: a node's, and that of Watch"},
		{Events, "Events"},
		{Explaining, "Explain"},
		{Conductors, "Conductors & drivers"},
		{Connect, "Connect"},
		{Task, "Task"},
		{Watch, "Watch"},
		{Ignition, "Ignition"},
		{Filling, "Forms: Ignition, Enroll, and Deploy's pages"},
		{Enroll, "Enroll"},
		{Rules, "Inspection rules"},
		{StepFiles, "Deploy templates and runbooks"},
		{Compare, "Compare"},
		{Hardware, "BIOS, firmware and RAID"},
		{Deploy, "Deploy"},
		{DeployDisk, "Deploy: root disk"},
		{DeployStep, "Deploy: steps"},
		{Review, "Deploy: review"},
	}
}

// Markdown returns the documentation page that lists all actions and keys.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nGenerated from the console's list of actions (`go test ./ui/action -update`).\n" +
		"`?` lists the actions of the current screen by topic and runs them; `:` finds an action by name. In `?` and `a` the keys\n" +
		"of the list work while nothing is typed; a lower-case letter is typed, and its action comes first.\n" +
		"`keys` of the configuration file binds [other keys](../howto/own-keys.md).\n")
	b.WriteString(confirmations)
	b.WriteString("\n## One key, one meaning\n\nKeys that run more than one action mean the same on every screen:\n\n| key | meaning | actions |\n|---|---|---|\n")
	for _, m := range meanings() {
		b.WriteString("| `" + strings.Join(strings.Fields(m.keys), "` `") + "` | " + m.does + " | " + strings.ReplaceAll(m.actions, " ", ", ") + " |\n")
	}
	for _, s := range scopes() {
		b.WriteString("\n## " + s.title + "\n\n| key | name | what it does |\n|---|---|---|\n")
		for _, a := range In(s.scope) {
			keys := make([]string, len(a.Keys))
			for i, k := range a.Keys {
				keys[i] = "`" + strings.ReplaceAll(k, "|", `\|`) + "`"
			}
			b.WriteString("| " + strings.Join(keys, " ") + " | " + string(a.ID) + " | " + a.Help + cost(a.Danger) + " |\n")
		}
	}
	return b.String()
}

// confirmations is the documentation's section about [models.Consent].
const confirmations = `
## Confirmation

Keys, forms, the palette and commands ask the same, by what the action does to that node at that moment:

| consequence | answer | actions |
|---|---|---|
| reads, or can be reversed | none: sent at once | manage, unhold, protect, retire, boot device; power to the current state |
| disrupts | ` + "`y`" + `, also for several nodes | power, reboot, maintenance, inspect, rescue, abort, adopt |
| may erase disks or ends an instance | the node's name, or the number of nodes | deploy, rebuild, undeploy, clean, provide; virtual media during an operation |

- provide is sent at once if ` + "`automated_clean`" + ` is false: nothing is cleaned.
- deploy asks for ` + "`y`" + ` if the deploy interface is ` + "`ramdisk`" + `, which writes to no disk. Otherwise it always asks for the
  name: Ironic does not say whether a disk has data.
- service asks for the name if a step erases devices or changes RAID volumes, or for a runbook.
- What is previewed as requests (root disk, ramdisk, ports) asks for ` + "`y`" + ` at least.
- Commands ask only at a terminal. Elsewhere, deploy, rebuild, undeploy, clean, delete and the like need ` + "`--yes`" + `.

In the tables below, ` + "`y`" + ` and "type the name" are the strictest answer that the action may need.
`

// cost returns the note that tells readers of the documentation how an action with the danger d is confirmed.
func cost(d models.Danger) string {
	switch d {
	case models.DangerInterrupts:
		return " (`y`)"
	case models.DangerForgets:
		return " (type the name)"
	case models.DangerMayErase:
		return " (type the name: may erase disks)"
	case models.DangerErases:
		return " (type the name: erases disks)"
	case models.DangerNone:
	}
	return ""
}
