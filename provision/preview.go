package provision

import (
	"encoding/json"
	"errors"

	"ironworks/models"
	"ironworks/models/request"
)

// Preview describes what an action would send to one node.
type Preview struct {
	Node models.NodeRef
	// Refusal is the reason why nothing would be sent, or nil if the action is legal. If it is set, Requests and
	// Commands are empty.
	Refusal *models.Refusal
	// Requests lists the requests in the order in which they would be sent. If there are neither requests nor a
	// refusal, the node is already in the requested state.
	Requests []request.Request
	// Commands lists the baremetal commands that are equivalent to the requests, quoted for a shell.
	Commands []string
	// Warnings lists settings that are legal but may not work, with one sentence for each.
	Warnings []string
}

// MarshalJSON writes the requests as they would be sent. As they may contain secrets, only the operator may see the
// result.
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

// Preview returns the planned requests for each node. The result is only for the operator and must not be logged,
// because the commands contain addresses.
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
