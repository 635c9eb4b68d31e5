package screen

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// othersMost is the maximum number of nodes for which Looking looks for other users.
const othersMost = 50

// Others describes the current activity of other users on the given nodes: the screens that they have open, and their
// running tasks.
func (e *Env) Others(nodes []models.NodeRef) []string {
	if e.Seat == nil {
		return nil
	}
	return append(Looking(e.Seat.AtNode, nodes), e.Tasks.Acting(nodes)...)
}

// Looking returns a message for each node that other users are looking at. The function at returns the names of the
// users who are looking at the node with the given UUID.
func Looking(at func(uuid string) []string, nodes []models.NodeRef) []string {
	var found []string
	for _, n := range nodes[:min(len(nodes), othersMost)] {
		if users := at(n.UUID); len(users) > 0 {
			found = append(found, fmt.Sprintf("%s is looking at %s", strings.Join(users, ", "), n.Label()))
		}
	}
	return found
}

// Acting describes the running tasks of other users that act on the given nodes. It names one node per task.
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
