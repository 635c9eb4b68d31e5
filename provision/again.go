package provision

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PlanRetry rereads the nodes of items and plans another attempt. It repeats the checks of a deployment before it
// plans. changes describes, one difference per line, how the nodes differ from the state that the operator saw
// before.
func (r *Runner) PlanRetry(ctx context.Context, action Action, items []Item) (second Batch, changes []string, err error) {
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].Node.UUID
	}
	nodes, err := FindNodes(ctx, r.API, ids)
	if err != nil {
		return second, nil, err
	}
	before := shownStatesOf(action, items)
	if deployment, deploys := action.(*DeployAction); deploys {
		deployment.Preflight(ctx, nodes)
	}
	second = r.Plan(action, nodes)
	return second, shownStatesOf(action, second.Items).changesSince(before), nil
}

// shownStates holds the node states that the operator saw before an attempt, by node UUID.
type shownStates map[string]shownState

type shownState struct {
	label, state, effect string
	checks               []string
}

// shownStatesOf returns the state of each item as shown to the operator. For a deployment, this includes the checks.
func shownStatesOf(action Action, items []Item) shownStates {
	shown := shownStates{}
	for _, i := range items {
		n := shownState{label: i.Node.Label(), state: string(i.Node.ProvisionState), effect: i.Effect.Text}
		if deployment, is := action.(*DeployAction); is {
			for _, c := range deployment.Checks(&i.Node) {
				text := c.Mark() + " " + c.String()
				for _, e := range c.Reported() {
					text += " " + e.String()
				}
				n.checks = append(n.checks, strings.Join(strings.Fields(text), " "))
			}
		}
		shown[i.Node.UUID] = n
	}
	return shown
}

// changesSince returns the differences between before and s, one per line. Each line starts with the node's label.
func (s shownStates) changesSince(before shownStates) []string {
	var lines []string
	for _, uuid := range slices.SortedFunc(maps.Keys(s), func(x, y string) int { return strings.Compare(s[x].label, s[y].label) }) {
		for _, change := range s[uuid].changesSince(before[uuid]) {
			lines = append(lines, s[uuid].label+": "+change)
		}
	}
	return lines
}

func (n shownState) changesSince(before shownState) []string {
	var lines []string
	if n.state != before.state {
		lines = append(lines, "state changed from "+before.state+" to "+n.state)
	}
	if n.effect != before.effect {
		lines = append(lines, fmt.Sprintf("effect changed from %q to %q", before.effect, n.effect))
	}
	for _, c := range n.checks {
		if !slices.Contains(before.checks, c) {
			lines = append(lines, "check changed: "+c)
		}
	}
	return lines
}
