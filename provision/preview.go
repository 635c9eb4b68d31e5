package provision

import (
	"encoding/json"
	"errors"

	"ironworks/models"
	"ironworks/models/request"
)

// Preview is the planned effect of an action on one node.
type Preview struct {
	Node models.NodeRef
	// Refusal is the reason why nothing would be sent; nil if the action is legal. If it is set, there are no Requests
	// and no Commands.
	Refusal *models.Refusal
	// Requests are sent in this order. If there are neither requests nor a refusal, the node is
	// already as requested.
	Requests []request.Request
	// Commands are the equivalent baremetal commands for a shell.
	Commands []string
	// Warnings describe settings that are legal but may not work, one sentence for each.
	Warnings []string
}

// MarshalJSON writes the requests as they are sent, including secrets, so the result is only for the operator.
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

// Unchanged reports whether the node is already as requested.
func (p Preview) Unchanged() bool { return p.Refusal == nil && len(p.Requests) == 0 }

// Preview returns the planned requests per node. The commands contain addresses, so the result is only for the
// operator, not for a log.
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
