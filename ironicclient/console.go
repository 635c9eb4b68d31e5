package ironicclient

import (
	"context"
	"net/http"

	"ironworks/models"
)

// ConsoleState reads whether the node's serial console is enabled, and what works it.
func (c *Client) ConsoleState(ctx context.Context, id string) (models.ConsoleState, error) {
	var s models.ConsoleState
	err := c.get(ctx, call{op: "read the console's state of node " + models.Printable(id), path: segments("nodes", id)}, &s)
	return s, err
}

// Console reads how the node's console is reached. With IPMI this ends the session of
// whoever reads it at the time: never poll it, and ask only where somebody wants to read.
func (c *Client) Console(ctx context.Context, id string) (models.ConsoleAddress, error) {
	var a models.ConsoleAddress
	err := c.get(ctx, call{
		op: "read the console's address of node " + models.Printable(id), path: segments("nodes", id, "states", "console"), slow: true,
	}, &a)
	return a, err
}

// SetConsole enables the node's console, or disables it. Accepted, not done: the console's
// state tells when it is, and the node's last error why it is not.
func (c *Client) SetConsole(ctx context.Context, id string, on bool) (requestID string, err error) {
	op := "disable the console of node "
	if on {
		op = "enable the console of node "
	}
	return c.act(ctx, call{
		op: op + models.Printable(id), method: http.MethodPut, slow: true,
		path: segments("nodes", id, "states", "console"), body: map[string]any{"enabled": on},
	})
}
