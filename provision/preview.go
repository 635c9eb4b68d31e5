package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
)

// Preview describes what an action would send to one node.
type Preview struct {
	Node models.NodeRef
	// Refusal is the reason why nothing would be sent (then Requests and Commands are empty), or nil.
	Refusal *models.Refusal
	// Requests lists the requests in the order in which they would be sent. If there are neither requests nor a
	// refusal, the node is already in the requested state.
	Requests []request.Request
	// Commands lists the baremetal commands that are equivalent to the requests, quoted for a shell.
	Commands []string
	// Warnings lists settings that are legal but may not work, with one sentence for each.
	Warnings []string
}

// MarshalJSON writes the requests as they would be sent, which may include secrets, for the operator only.
func (p Preview) MarshalJSON() ([]byte, error) {
	type shownRequest struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	shown := struct {
		Node     models.NodeRef `json:"node"`
		Refusal  string         `json:"refusal,omitempty"`
		Requests []shownRequest `json:"requests"`
		Commands []string       `json:"commands"`
		Warnings []string       `json:"warnings"`
	}{Node: p.Node, Requests: []shownRequest{}, Commands: append([]string{}, p.Commands...), Warnings: append([]string{}, p.Warnings...)}
	if p.Refusal != nil {
		shown.Refusal = p.Refusal.Error()
	}
	for _, r := range p.Requests {
		shown.Requests = append(shown.Requests, shownRequest{Method: r.Method, Path: r.Path, Body: r.Payload()})
	}
	return json.Marshal(shown)
}

// Unchanged reports whether the node is already in the requested state.
func (p Preview) Unchanged() bool { return p.Refusal == nil && len(p.Requests) == 0 }

// Preview returns the planned requests for each node, for the operator only: the commands contain addresses.
func (b Batch) Preview() []Preview {
	previews := make([]Preview, len(b.Items))
	for i := range b.Items {
		n := &b.Items[i].Node
		previews[i] = Preview{Node: n.Ref(), Refusal: b.Items[i].Refusal, Warnings: b.Action.warnings(n)}
		if previews[i].Refusal == nil {
			previews[i].fill(b.Action, n)
		}
	}
	return previews
}

func (p *Preview) fill(a Action, n *models.Node) {
	entries, err := a.entries(n)
	for i := range entries {
		err = errors.Join(err, entries[i].Check())
	}
	if err == nil {
		p.Requests, p.Commands = requestsOf(entries), commandsOf(entries)
		return
	}
	if !errors.As(err, &p.Refusal) {
		p.Refusal = refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
}

// PlanRetry rereads the nodes of items and plans another attempt. It first repeats the checks of a deployment. changes
// describes, one difference per line, how the nodes differ from what the operator saw before.
func (r *Runner) PlanRetry(ctx context.Context, action Action, items []Item) (second Batch, changes []string, err error) {
	nodes, err := FindNodes(ctx, r.API, textsOf(items, func(i Item) string { return i.Node.UUID }))
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
