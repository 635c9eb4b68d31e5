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
	var found []string
	for i, n := range nodes {
		if i == othersMost {
			break
		}
		if users := e.Seat.AtNode(n.UUID); len(users) > 0 {
			found = append(found, fmt.Sprintf(textOthersLook, strings.Join(users, ", "), n.Label()))
		}
	}
	for _, t := range e.Tasks.OfOthers() {
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
