package action

import (
	"strings"

	"ironworks/models"
)

// scopes are the headings of the documentation, in its order.
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
		{List, "Lists"},
		{Filtered, "Lists that can be filtered and sorted"},
		{Fleet, "Fleet"},
		{Nodes, "Acting on nodes: the marked ones, or the one under the cursor"},
		{Node, "Node"},
		{NodeDisks, "Node: disks"},
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
		{Filling, "Forms: Ignition, and Deploy's pages"},
		{Deploy, "Deploy"},
		{DeployDisk, "Deploy: root disk"},
		{DeployStep, "Deploy: steps"},
		{Review, "Deploy: review"},
	}
}

// Markdown is the list of all actions and keys, for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the console's own list of actions (`go test ./ui/action -update`).\n" +
		"`?` shows the ones of the screen in front, and does them; `:` finds each by its name.\n")
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

// cost says what an action can cost, for the documentation.
func cost(d models.Danger) string {
	switch d {
	case models.DangerInterrupts:
		return " (asks: it interrupts what runs)"
	case models.DangerMayErase:
		return " (asks: it may erase disks)"
	case models.DangerErases:
		return " (asks: it erases disks)"
	case models.DangerNone:
	}
	return ""
}
