package screen

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// othersMost bounds the nodes that are looked up.
const othersMost = 50

// Others returns the current activity of other users on nodes: their screens and their running tasks.
func (e *Env) Others(nodes []models.NodeRef) []string {
	if e.Seat == nil {
		return nil
	}
	return append(Looking(e.Seat.AtNode, nodes), e.Tasks.Acting(nodes)...)
}

// Looking returns which other users look at nodes; at returns the users who look at a node.
func Looking(at func(uuid string) []string, nodes []models.NodeRef) []string {
	var found []string
	for _, n := range nodes[:min(len(nodes), othersMost)] {
		if users := at(n.UUID); len(users) > 0 {
			found = append(found, fmt.Sprintf(textOthersLook, strings.Join(users, ", "), n.Label()))
		}
	}
	return found
}

// Acting returns the running tasks of other users on nodes.
func (l *TaskList) Acting(nodes []models.NodeRef) []string {
	var found []string
	for _, t := range l.OfOthers() {
		for _, n := range nodes {
			if i := t.Plan.Index(n.UUID); i >= 0 {
				if _, over := t.ResultOf(i); !over && t.Plan.Items[i].Refusal == nil {
					found = append(found, fmt.Sprintf(textOthersAct, t.Owner, n.Label(), t.Plan.Action.Name(), t.Number))
					break
				}
			}
		}
	}
	return slices.Compact(found)
}
