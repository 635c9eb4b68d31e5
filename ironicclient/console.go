package ironicclient

import (
	"context"

	"ironworks/models"
	"ironworks/printable"
)

// ConsoleState reads whether the node's serial console is enabled, and what works it.
func (c *Client) ConsoleState(ctx context.Context, id string) (models.ConsoleState, error) {
	var s models.ConsoleState
	err := c.get(ctx, call{op: "read the console's state of node " + printable.Line(id), path: segments("nodes", id)}, &s)
	return s, err
}

// Console reads how the node's console is reached. With IPMI this ends the session of
// whoever reads it at the time: never poll it, and ask only where somebody wants to read.
func (c *Client) Console(ctx context.Context, id string) (models.ConsoleAddress, error) {
	var a models.ConsoleAddress
	err := c.get(ctx, call{
		op: "read the console's address of node " + printable.Line(id), path: segments("nodes", id, "states", "console"), slow: true,
	}, &a)
	return a, err
}
