package provision

import (
	"errors"

	"ironworks/models"
	"ironworks/models/request"
)

// Preview is what an action would do to one node, before anything is.
type Preview struct {
	Node models.NodeRef
	// Refusal is why nothing would be sent; the rest is then empty but for Warnings.
	Refusal *models.Refusal
	// Requests are sent in this order, as they are. None without a refusal is a node
	// that is right already.
	Requests []request.Request
	// Commands do the same with the baremetal command, for a shell.
	Commands []string
	// Warnings are what is legal and may not work, a sentence each.
	Warnings []string
}

// Unchanged says that the node is right already.
func (p Preview) Unchanged() bool { return p.Refusal == nil && len(p.Requests) == 0 }

// Preview shows what would be sent, node by node. Addresses are in the commands: it is for
// the operator's eyes, not for a log.
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
