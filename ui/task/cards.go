package task

import (
	"fmt"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/theme"
)

// confirmationCards describes the effects of an action on each node that it changes, and lists the skipped nodes.
func confirmationCards(disks map[string][]models.Detail, legal, refused []provision.Item) []overlay.Text {
	var lines []overlay.Text
	for i, item := range legal {
		if i == cardsAtMost {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("… and %d more: %s", len(legal)-i, labels(legal[i:]))})
			break
		}
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		lines = append(lines, card(item, disks[item.Node.UUID])...)
	}
	if len(refused) > 0 {
		lines = append(lines, overlay.Text{})
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf(textSkippedNodes, len(refused))})
		lines = append(lines, refusals(refused)...)
	}
	return lines
}

func card(item provision.Item, disks []models.Detail) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: item.Node.Label()}}
	add := func(r theme.Role, d models.Detail) {
		lines = append(lines, overlay.Text{Role: r, Text: fmt.Sprintf("  %-11s %s", d.Name, d.Value), Indent: 14})
	}
	for _, d := range models.Card(&item.Node) {
		if d.Name != "name" {
			add(theme.Plain, d)
		}
	}
	if item.Effect.Text != "" {
		role := theme.Plain
		if item.Effect.Danger >= models.DangerMayErase {
			role = theme.Danger
		}
		add(role, models.Detail{Name: "effect", Value: item.Effect.Text})
	}
	for _, text := range item.Warnings {
		add(theme.Warn, models.Detail{Name: "warning", Value: text})
	}
	for _, d := range disks {
		add(theme.Danger, d)
	}
	return lines
}

func refusals(refused []provision.Item) []overlay.Text {
	lines := make([]overlay.Text, len(refused))
	for i, item := range refused {
		lines[i] = overlay.Text{Text: "  " + item.Refusal.OnScreen()}
	}
	return lines
}

// labelsAtMost is the maximum number of node names in a list.
const labelsAtMost = 100

func labels(items []provision.Item) string {
	text := ""
	for i, item := range items {
		if i == labelsAtMost {
			return text + " …"
		}
		if i > 0 {
			text += " "
		}
		text += item.Node.Label()
	}
	return text
}
