package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/models/request"
)

// ConsoleAPI is what lending serial consoles needs of Ironic; *ironicclient.Client has it.
type ConsoleAPI interface {
	ConsoleState(ctx context.Context, id string) (models.ConsoleState, error)
	Console(ctx context.Context, id string) (models.ConsoleAddress, error)
}

// Consoles lends the serial consoles of nodes, and leaves them as they were found: one that
// was enabled for somebody is disabled when the last one has closed it.
type Consoles struct {
	api    ConsoleAPI
	runner *Runner
	told   func(text string)

	mu    sync.Mutex
	nodes map[string]*nodeConsole
	over  bool
}

// NewConsoles makes a Consoles whose changes are those of a runner: refused where it is
// read-only, and in its audit. Told hears what could not be undone.
func NewConsoles(api ConsoleAPI, runner *Runner, told func(text string)) *Consoles {
	return &Consoles{api: api, runner: runner, told: told, nodes: map[string]*nodeConsole{}}
}

var _ agentlog.SerialConsoles = (*Consoles)(nil)

// nodeConsole is the console of one node, and who reads it.
type nodeConsole struct {
	lender *Consoles
	node   models.NodeRef

	// mu is held while Ironic is asked: who comes meanwhile finds it done.
	mu      sync.Mutex
	readers int
	enabled bool // by us
}

const (
	consolePoll   = time.Second
	consoleWithin = 30 * time.Second // for Ironic to do what it has accepted
)

// Open enables the console of a node where it is not.
func (c *Consoles) Open(ctx context.Context, node models.NodeRef) (agentlog.SerialConsole, error) {
	c.mu.Lock()
	n := c.nodes[node.UUID]
	if n == nil {
		n = &nodeConsole{lender: c, node: node}
		c.nodes[node.UUID] = n
	}
	c.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.ended() {
		return nil, errors.New("no console is lent any more")
	}
	if err := n.enable(ctx); err != nil {
		if n.readers == 0 {
			err = errors.Join(err, n.restore(ctx))
		}
		return nil, err
	}
	n.readers++
	return &lentConsole{nodeConsole: n}, nil
}

func (c *Consoles) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// Close gives back what is still lent, and lends no more. It says what could not be undone.
func (c *Consoles) Close(ctx context.Context) error {
	c.mu.Lock()
	c.over = true
	nodes := make([]*nodeConsole, 0, len(c.nodes))
	for _, n := range c.nodes {
		nodes = append(nodes, n)
	}
	c.mu.Unlock()
	var failed error
	for _, n := range nodes {
		n.mu.Lock()
		failed = errors.Join(failed, n.restore(ctx))
		n.mu.Unlock()
	}
	return failed
}

// enable makes the console ready.
func (n *nodeConsole) enable(ctx context.Context) error {
	state, err := n.lender.api.ConsoleState(ctx, n.node.UUID)
	if err != nil {
		return err
	}
	if err := unreadable(state.Interface); err != nil {
		return err
	}
	if state.Enabled {
		return nil
	}
	if n.lender.runner.ReadOnly {
		return &agentlog.SerialError{
			Why: "the console is not enabled, and to enable it is a change: this context is read-only", WayOut: "baremetal node console enable " + n.node.Label(), Final: true,
		}
	}
	if err := n.set(ctx, true); err != nil {
		return err
	}
	return n.settled(ctx, true)
}

// set asks Ironic to enable or to disable it. What may have arrived is taken back later.
func (n *nodeConsole) set(ctx context.Context, on bool) error {
	verb := "console disable"
	if on {
		verb, n.enabled = "console enable", true
	}
	_, outcome, err := n.lender.runner.audited(ctx, entry{verb: verb, Request: request.Console(n.node.UUID, on)}, &models.Node{UUID: n.node.UUID, Name: n.node.Name})
	if err != nil && on && outcome == OutcomeFailed {
		n.enabled = false
	}
	var f *models.Fault
	if on && errors.As(err, &f) && f.Kind == models.FaultBadRequest {
		return &agentlog.SerialError{Why: "Ironic does not enable the console: " + f.Reason(), WayOut: f.Hint, Final: true}
	}
	return err
}

// settled waits until Ironic has done what it accepted.
func (n *nodeConsole) settled(ctx context.Context, on bool) error {
	clock := n.lender.runner.Clock
	for until := clock.Now().Add(consoleWithin); ; {
		state, err := n.lender.api.ConsoleState(ctx, n.node.UUID)
		switch {
		case err != nil:
			return err
		case state.Enabled == on:
			return nil
		case strings.Contains(state.LastError, "console"):
			// Ironic forgets the last error before it begins.
			return &agentlog.SerialError{Why: models.Printable(state.LastError), WayOut: "the conductor's log has more: it needs ipmitool, socat, and the BMC's serial over LAN", Final: true}
		case !clock.Now().Before(until):
			return &agentlog.SerialError{Why: fmt.Sprintf("Ironic has not done it within %v", consoleWithin)}
		}
		select {
		case <-clock.After(consolePoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// restore disables the console if it was enabled here.
func (n *nodeConsole) restore(ctx context.Context) error {
	if !n.enabled {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer stop()
	err := n.set(ctx, false)
	if err == nil {
		err = n.settled(ctx, false)
	}
	n.enabled = false // it is told of once
	if err != nil {
		err = fmt.Errorf("the console of %s is left enabled: %w; baremetal node console disable %s does it", n.node.Label(), err, n.node.Label())
		if n.lender.told != nil {
			n.lender.told(models.Printable(err.Error()))
		}
	}
	return err
}

// unreadable says why the console of an interface cannot be read here; nil where it can be,
// or nobody knows.
func unreadable(name string) error {
	const others = "console_interface ipmitool-socat can be, where the conductor has it enabled"
	shown := models.Printable(name)
	switch {
	case name == "":
		return &agentlog.SerialError{Why: "Ironic does not say that the node has a console interface", WayOut: others, Final: true}
	case name == "no-console":
		return &agentlog.SerialError{Why: "the node's console interface is no-console: there is nothing to read", WayOut: others, Final: true}
	case strings.Contains(name, "graphical"):
		return &agentlog.SerialError{Why: "the node's console interface is " + shown + ", which shows a picture and no text", WayOut: others, Final: true}
	case strings.Contains(name, "shellinabox"):
		return &agentlog.SerialError{Why: "the node's console interface is " + shown + ", which is a web page and no text", WayOut: others, Final: true}
	}
	return nil
}

// lentConsole is a console that one reader has.
type lentConsole struct {
	*nodeConsole
	closed sync.Once
}

// Changed says that the console was enabled for this, and what becomes of it.
func (l *lentConsole) Changed() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enabled {
		return "the console was enabled for this, and is disabled in the end"
	}
	return ""
}

// Address asks Ironic where the console is. With IPMI that ends who else reads it.
func (l *lentConsole) Address(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, err := l.lender.api.Console(ctx, l.node.UUID)
	switch {
	case err != nil:
		return "", err
	case !at.Enabled:
		l.enabled = false
		return "", &agentlog.SerialError{Why: "somebody has disabled the console", WayOut: "baremetal node console enable " + l.node.Label()}
	case at.Info.Type != "socat":
		what := "Ironic gives no address for it"
		if at.Info.Type != "" {
			what = "what serves it is " + models.Printable(at.Info.Type) + ", and not socat"
		}
		return "", &agentlog.SerialError{Why: "the console is no serial line that can be read here: " + what, WayOut: "baremetal node console show " + l.node.Label(), Final: true}
	}
	return at.Info.URL.Reveal(), nil
}

// Close gives the console back; the last reader's disables it.
func (l *lentConsole) Close(ctx context.Context) (err error) {
	l.closed.Do(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.readers--; l.readers == 0 {
			err = l.restore(ctx)
		}
	})
	return err
}
