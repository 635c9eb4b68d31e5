package ironicclient

import (
	"context"

	"ironworks/models"
	"ironworks/printable"
)

// ConsoleState reads whether the node's serial console is enabled, and its console interface.
func (c *Client) ConsoleState(ctx context.Context, id string) (models.ConsoleState, error) {
	var s models.ConsoleState
	err := c.get(ctx, call{op: "read the console state of node " + printable.Line(id), path: segments("nodes", id)}, &s)
	return s, err
}

// Console reads the address of the node's console. With IPMI the request ends an open session:
// never poll it, and send it only when an operator opens the console.
func (c *Client) Console(ctx context.Context, id string) (models.ConsoleAddress, error) {
	var a models.ConsoleAddress
	err := c.get(ctx, call{
		op: "read the console address of node " + printable.Line(id), path: segments("nodes", id, "states", "console"), slow: true,
	}, &a)
	return a, err
}
