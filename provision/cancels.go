package provision

import (
	"context"
	"errors"
	"sync"
)

// ErrCanceled is the error of nodes that were canceled before anything was sent. ErrCanceledLater is the error of
// nodes that were canceled when their operation was already running.
var (
	ErrCanceled      = errors.New("canceled: nothing was sent")
	ErrCanceledLater = errors.New("canceled: no longer followed; the operation continues")
)

// Cancels removes individual nodes from a run. Nothing more is sent to them, and they are no longer followed. The
// zero value is ready for use; a nil *Cancels cancels nothing.
type Cancels struct {
	mu       sync.Mutex
	canceled map[string]bool
	ends     map[string]func()
}

// Cancel removes the node with the given UUID from the run, even if the node is still queued.
func (c *Cancels) Cancel(uuid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.canceled == nil {
		c.canceled = map[string]bool{}
	}
	c.canceled[uuid] = true
	if end := c.ends[uuid]; end != nil {
		end()
	}
}

// Has reports whether the node with the given UUID was removed from the run.
func (c *Cancels) Has(uuid string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.canceled[uuid]
}

// contexts returns contexts for acting on a node, derived from ctx and going. Cancel and end cancel both.
func (c *Cancels) contexts(ctx, going context.Context, uuid string) (nodeCtx, nodeGoing context.Context, end func()) {
	if c == nil {
		return ctx, going, func() {}
	}
	nodeCtx, endCtx := context.WithCancel(ctx)
	nodeGoing, endGoing := context.WithCancel(going)
	both := func() { endCtx(); endGoing() }
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends == nil {
		c.ends = map[string]func(){}
	}
	c.ends[uuid] = both
	if c.canceled[uuid] {
		both()
	}
	return nodeCtx, nodeGoing, both
}

// mark sets the outcome of res to canceled if Cancel interrupted work on the node, unless a result is unknown.
func (c *Cancels) mark(res *Result) {
	switch {
	case res.Err == nil || !c.Has(res.Node.UUID):
	case errors.Is(res.Err, ErrLeft):
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceledLater
	case errors.Is(res.Err, errNotSent):
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceled
	}
}
