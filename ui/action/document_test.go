package action

import (
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/test/golden"
)

// TestDocumentation compares the list of keys with reference/keys.md.
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

// scopes are the headings of the documentation, in order.
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
		{Deploy, "Deploy"},
		{DeployDisk, "Deploy: root disk"},
		{DeployStep, "Deploy: steps"},
		{Review, "Deploy: review"},
	}
}

// Markdown returns all actions and keys for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nGenerated from the console's list of actions (`go test ./ui/action -update`).\n" +
		"`?` lists the actions of the current screen by topic and runs them; `:` finds an action by name. In `?` and `a` the keys\n" +
		"of the list work while nothing is typed; a lower-case letter is typed, and its action comes first.\n")
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

// cost describes the danger of an action for the documentation.
func cost(d models.Danger) string {
	switch d {
	case models.DangerInterrupts:
		return " (asks first: interrupts operations)"
	case models.DangerMayErase:
		return " (asks first: may erase disks)"
	case models.DangerErases:
		return " (asks first: erases disks)"
	case models.DangerNone:
	}
	return ""
}
