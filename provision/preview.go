package provision

import (
	"ironworks/ironicclient"
	"ironworks/models"
)

// Previewed is an action that shows its requests, as they will be sent.
type Previewed interface {
	Action
	Preview(p Plan) []Preview
}

// Preview is what an action would do to one node, before anything is.
type Preview struct {
	Node models.NodeRef
	// Refusal is why nothing would be sent; the rest is then empty but for Warnings.
	Refusal *models.Refusal
	// Requests are sent in this order, as they are. None without a refusal is a node
	// that is right already.
	Requests []ironicclient.Request
	// Commands do the same with the baremetal command, for a shell.
	Commands []string
	// Warnings are what is legal and may not work, a sentence each.
	Warnings []string
}

// Unchanged says that the node is right already.
func (p Preview) Unchanged() bool { return p.Refusal == nil && len(p.Requests) == 0 }

// patch puts the request with the operations into the preview; none where there are
// none.
func (p *Preview) patch(a Action, n *models.Node, ops []models.PatchOp) {
	if len(ops) == 0 {
		return
	}
	req, err := ironicclient.PatchRequest(n.UUID, ops)
	if err != nil {
		p.Refusal = refusal(a, n, models.RefusedArguments, err.Error(), "")
		return
	}
	p.Requests = []ironicclient.Request{req}
	p.Commands = baremetalCommands(n, ops)
}
