package provision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// ConsoleAPI is the part of Ironic's API that serial consoles need.
type ConsoleAPI interface {
	ConsoleState(ctx context.Context, id string) (models.ConsoleState, error)
	Console(ctx context.Context, id string) (models.ConsoleAddress, error)
}

// Consoles opens the serial consoles of nodes and restores their state afterward. If it has enabled a console for a
// reader, it disables the console when the last reader has closed it.
type Consoles struct {
	api    ConsoleAPI
	runner *Runner
	report func(text string)

	mu     sync.Mutex
	nodes  map[string]*nodeConsole
	closed bool
}

// NewConsoles returns a Consoles that changes nodes through the given runner, which also writes the audit log. The
// runner may be read-only. The report function is called for each console that could not be restored; it may be nil.
func NewConsoles(api ConsoleAPI, runner *Runner, report func(text string)) *Consoles {
	return &Consoles{api: api, runner: runner, report: report, nodes: map[string]*nodeConsole{}}
}

var _ agentlog.SerialConsoles = (*Consoles)(nil)

// nodeConsole is the console of one node. All readers of the console share it.
type nodeConsole struct {
	consoles *Consoles
	node     models.NodeRef

	// mu is held during requests, so that a second reader waits until the console is ready.
	mu      sync.Mutex
	readers int
	enabled bool // whether this process has enabled the console
}

const (
	consolePoll    = time.Second
	consoleTimeout = 30 * time.Second // time limit for Ironic to finish a change that it has accepted
)

// Open enables the console of the node, if necessary, and returns a handle for one reader.
func (c *Consoles) Open(ctx context.Context, node models.NodeRef) (agentlog.SerialConsole, error) {
	handle, err := c.open(ctx, node, unreadable)
	if err != nil {
		return nil, err // a nil handle in the interface would not equal nil
	}
	return handle, nil
}

// open enables the console of the node, if necessary. refuse is called with the name of the console interface and
// returns an error if the reader cannot use this interface.
func (c *Consoles) open(ctx context.Context, node models.NodeRef, refuse func(name string) error) (*consoleHandle, error) {
	c.mu.Lock()
	n := c.nodes[node.UUID]
	if n == nil {
		n = &nodeConsole{consoles: c, node: node}
		c.nodes[node.UUID] = n
	}
	c.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.ended() {
		return nil, errors.New("the serial consoles are closed")
	}
	if err := n.enable(ctx, refuse); err != nil {
		if n.readers == 0 {
			err = errors.Join(err, n.restore(ctx))
		}
		return nil, err
	}
	n.readers++
	return &consoleHandle{nodeConsole: n}, nil
}

func (c *Consoles) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Close disables all consoles that were enabled by Open and not yet restored, and makes later calls of Open fail. The
// error names the consoles that could not be disabled.
func (c *Consoles) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	nodes := slices.Collect(maps.Values(c.nodes))
	c.mu.Unlock()
	var failed error
	for _, n := range nodes {
		n.mu.Lock()
		failed = errors.Join(failed, n.restore(ctx))
		n.mu.Unlock()
	}
	return failed
}

// enable enables the console and waits until it is enabled. It does nothing if the console is already enabled.
func (n *nodeConsole) enable(ctx context.Context, refuse func(name string) error) error {
	state, err := n.consoles.api.ConsoleState(ctx, n.node.UUID)
	if err != nil {
		return err
	}
	if err := refuse(state.Interface); err != nil {
		return err
	}
	if state.Enabled {
		return nil
	}
	if n.consoles.runner.ReadOnly {
		return &agentlog.SerialError{
			Reason: "the console is disabled, and this context is read-only", Remedy: "baremetal node console enable " + n.node.Label(), Final: true,
		}
	}
	if err := n.set(ctx, true); err != nil {
		return err
	}
	return n.waitUntil(ctx, true)
}

// set enables or disables the console. If enabling may have succeeded, the console counts as enabled, so that restore
// disables it.
func (n *nodeConsole) set(ctx context.Context, on bool) error {
	verb := "console disable"
	if on {
		verb, n.enabled = "console enable", true
	}
	_, outcome, err := n.consoles.runner.audited(ctx, entry{verb: verb, Request: request.Console(n.node.UUID, on)}, &models.Node{UUID: n.node.UUID, Name: n.node.Name})
	if err != nil && on && outcome == OutcomeFailed {
		n.enabled = false
	}
	var f *models.Fault
	if on && errors.As(err, &f) && f.Kind == models.FaultBadRequest {
		return &agentlog.SerialError{Reason: "Ironic refused to enable the console: " + f.Reason(), Remedy: f.Hint, Final: true}
	}
	return err
}

// waitUntil waits until Ironic reports that the console is enabled or, if on is false, disabled.
func (n *nodeConsole) waitUntil(ctx context.Context, on bool) error {
	for until := time.Now().Add(consoleTimeout); ; {
		state, err := n.consoles.api.ConsoleState(ctx, n.node.UUID)
		switch {
		case err != nil:
			return err
		case state.Enabled == on:
			return nil
		case strings.Contains(state.LastError, "console"):
			// Ironic clears last_error before it switches the console, so the error is about this change.
			return &agentlog.SerialError{Reason: printable.Line(state.LastError), Remedy: "check the conductor's log; the console needs ipmitool, socat and serial over LAN on the BMC", Final: true}
		case !time.Now().Before(until):
			return &agentlog.SerialError{Reason: fmt.Sprintf("Ironic did not turn the console on or off within %v", consoleTimeout)}
		}
		if err := wait(ctx, consolePoll); err != nil {
			return err
		}
	}
}

func (n *nodeConsole) restore(ctx context.Context) error {
	if !n.enabled {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer stop()
	err := n.set(ctx, false)
	if err == nil {
		err = n.waitUntil(ctx, false)
	}
	n.enabled = false // report a failure only once
	if err != nil {
		err = fmt.Errorf("the console of %s is still enabled: %w; run baremetal node console disable %s", n.node.Label(), err, n.node.Label())
		if n.consoles.report != nil {
			n.consoles.report(printable.Line(err.Error()))
		}
	}
	return err
}

// unreadable returns an error if consoles with the named interface are known to be unreadable.
func unreadable(name string) error {
	const others = "set console_interface to ipmitool-socat (it must be enabled on the conductor)"
	switch {
	case strings.Contains(name, "graphical"):
		return wrongConsole(name, ", which is graphical", others)
	case strings.Contains(name, "shellinabox"):
		return wrongConsole(name, ", which is a web page", others)
	}
	return noConsole(name, others)
}

// unviewable returns an error if consoles with the named interface are known to have no web page.
func unviewable(name string) error {
	const others = "set console_interface to redfish-graphical (39.0.0; it must be enabled on the conductor)"
	if strings.Contains(name, "socat") {
		return wrongConsole(name, ", which is serial", "the serial log source reads it; or "+others)
	}
	return noConsole(name, others)
}

func noConsole(name, remedy string) error {
	switch name {
	case "":
		return &agentlog.SerialError{Reason: "the node has no console interface", Remedy: remedy, Final: true}
	case "no-console":
		return wrongConsole(name, "", remedy)
	}
	return nil
}

func wrongConsole(name, kind, remedy string) error {
	return &agentlog.SerialError{Reason: "console_interface is " + printable.Line(name) + kind, Remedy: remedy, Final: true}
}

type consoleHandle struct {
	*nodeConsole
	closed sync.Once
}

// Changed returns a message if the console was enabled for a reader, or "" if it was not.
func (l *consoleHandle) Changed() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enabled {
		return "console enabled temporarily; disabled again when you stop"
	}
	return ""
}

// Address returns the console's address. With IPMI, a new connection disconnects the current reader.
func (l *consoleHandle) Address(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	console, err := l.consoles.api.Console(ctx, l.node.UUID)
	switch {
	case err != nil:
		return "", err
	case !console.Enabled:
		l.enabled = false
		return "", &agentlog.SerialError{Reason: "the console was disabled in the meantime", Remedy: "baremetal node console enable " + l.node.Label()}
	case console.Info.Type != "socat":
		what := "Ironic reports no address"
		if console.Info.Type != "" {
			what = "its type is " + printable.Line(console.Info.Type) + ", not socat"
		}
		return "", &agentlog.SerialError{Reason: "cannot read this type of console: " + what, Remedy: "baremetal node console show " + l.node.Label(), Final: true}
	}
	return console.Info.URL.Reveal(), nil
}

// Close closes the handle. If it is the last open handle, the console is restored.
func (l *consoleHandle) Close(ctx context.Context) (err error) {
	l.closed.Do(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.readers--; l.readers == 0 {
			err = l.restore(ctx)
		}
	})
	return err
}

// GraphicalConsole is an open graphical console. It is a page of Ironic's noVNC proxy or of shellinabox.
type GraphicalConsole struct {
	url models.Secret
	// Kind is the console type reported by Ironic: vnc or shellinabox.
	Kind   string
	handle *consoleHandle
}

// Address returns the URL of the page, which grants access for [vnc]token_timeout, 10 minutes by default.
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

// refusedConsole converts a SerialError to a refusal with a remedy. It returns other errors unchanged.
func refusedConsole(node models.NodeRef, err error) error {
	why, is := errors.AsType[*agentlog.SerialError](err)
	if !is {
		return err
	}
	return &models.Refusal{Kind: models.RefusedArguments, Action: "console", Node: node.Label(), Why: why.Reason, Hint: why.Remedy}
}
