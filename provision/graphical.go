package provision

import (
	"context"
	"errors"
	"strings"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
)

// GraphicalConsole is an open graphical console. It is a page of Ironic's noVNC proxy or of shellinabox.
type GraphicalConsole struct {
	url models.Secret
	// Kind is the console type reported by Ironic: vnc or shellinabox.
	Kind   string
	handle *consoleHandle
}

// Address returns the URL of the page. It grants access until Ironic's token expires ([vnc]token_timeout, 10 minutes
// by default).
func (g *GraphicalConsole) Address() models.Secret { return g.url }

// Enabled reports whether Ironic's console had to be enabled for this page. If so, closing the page disables it.
func (g *GraphicalConsole) Enabled() bool { return g.handle.Changed() != "" }

// Close closes the console. Closing the last console of a node disables Ironic's console if it had to be enabled.
func (g *GraphicalConsole) Close(ctx context.Context) error { return g.handle.Close(ctx) }

// OpenGraphical enables the console of the node, if necessary, and returns its web page.
func (c *Consoles) OpenGraphical(ctx context.Context, node models.NodeRef) (*GraphicalConsole, error) {
	handle, err := c.open(ctx, node, unviewable)
	if err != nil {
		return nil, refusedConsole(node, err)
	}
	g := &GraphicalConsole{handle: handle}
	console, err := c.api.Console(ctx, node.UUID)
	switch {
	case err != nil:
	case !console.Enabled:
		err = &agentlog.SerialError{Reason: "the console was disabled in the meantime", Remedy: "baremetal node console enable " + node.Label()}
	case !strings.HasPrefix(console.Info.URL.Reveal(), "http://") && !strings.HasPrefix(console.Info.URL.Reveal(), "https://"):
		// If [vnc]public_url is unset, Ironic's get_console (ironic/common/vnc.py) writes None in place of the URL.
		err = &agentlog.SerialError{Reason: "Ironic reports no web page for the console (type " + models.OrNone(printable.Line(console.Info.Type)) + ")", Remedy: "set [vnc]public_url on the conductor to the ironic-novncproxy page", Final: true}
	}
	if err != nil {
		_ = g.Close(ctx) // Close reports its own errors
		return nil, refusedConsole(node, err)
	}
	g.url, g.Kind = console.Info.URL, console.Info.Type
	return g, nil
}

// refusedConsole returns a refusal that explains why the console cannot be shown, with a remedy. Errors other than a
// SerialError are returned unchanged.
func refusedConsole(node models.NodeRef, err error) error {
	var why *agentlog.SerialError
	if !errors.As(err, &why) {
		return err
	}
	return &models.Refusal{Kind: models.RefusedArguments, Action: "console", Node: node.Label(), Why: why.Reason, Hint: why.Remedy}
}

// unviewable returns an error that explains why a console with the named interface has no web page. It returns nil
// for interfaces that have one, and for unknown interfaces.
func unviewable(name string) error {
	const others = "set console_interface to redfish-graphical (39.0.0; it must be enabled on the conductor)"
	switch {
	case name == "":
		return &agentlog.SerialError{Reason: "the node has no console interface", Remedy: others, Final: true}
	case name == "no-console":
		return &agentlog.SerialError{Reason: "console_interface is no-console", Remedy: others, Final: true}
	case strings.Contains(name, "socat"):
		return &agentlog.SerialError{Reason: "console_interface is " + printable.Line(name) + ", which is serial", Remedy: "the serial log source reads it; or " + others, Final: true}
	}
	return nil
}
