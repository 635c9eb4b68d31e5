package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
)

// commandStatus is what became of a command.
type commandStatus string

const (
	running   commandStatus = "RUNNING"
	succeeded commandStatus = "SUCCEEDED"
	failed    commandStatus = "FAILED"
	// mismatch is said of any steps, not only of clean steps.
	mismatch commandStatus = "CLEAN_VERSION_MISMATCH"
)

// command is one that the agent was given; it is kept for the agent's life.
type command struct {
	id, name string
	done     chan struct{} // closed when it no longer runs

	// Under the agent's lock.
	status commandStatus
	err    *fault
	result any
}

func (c *command) show() *dict {
	shown := newDict("id", c.id, "command_name", c.name, "command_status", string(c.status), "command_error", nil, "command_result", c.result)
	if c.err != nil {
		shown.Set("command_error", newDict("type", string(c.err.Type), "code", c.err.Code, "message", c.err.Message, "details", c.err.Details))
	}
	return shown
}

// action is what a command does.
type action struct {
	// later: it runs while the conductor does something else, and a heartbeat
	// follows its end.
	later bool
	do    func(ctx context.Context, params *dict) (any, error)
}

// execute begins a command. Its error is the caller's fault; what goes wrong
// in the command is in the command.
func (a *agent) execute(ctx context.Context, full string, params *dict) (*command, error) {
	extension, name, dotted := strings.Cut(full, ".")
	if !dotted {
		return nil, newFault(invalidCommand, "Command name must be of the form <extension>.<name>")
	}
	a.mu.Lock()
	if len(a.commands) > 0 {
		if last := a.commands[len(a.commands)-1]; last.status == running {
			a.mu.Unlock()
			a.log.base.error("Tried to execute %s, agent is still executing Command name: %s", full, last.name)
			return nil, newFault(agentIsBusy, "executing command %s", last.name)
		}
	}
	known, ok := a.actions()[extension]
	if !ok {
		a.mu.Unlock()
		return nil, newFault(objectNotFound, "Extension with id %s not found.", extension)
	}
	act, ok := known[name]
	if !ok {
		a.mu.Unlock()
		return nil, newFault(invalidCommand, "Unknown command: %s", name)
	}
	c := &command{id: newID(), name: name, status: running, done: make(chan struct{})}
	a.commands = append(a.commands, c)
	a.mu.Unlock()

	if !act.later {
		result, err := act.do(ctx, params)
		a.finish(c, result, err)
		a.log.base.info("Synchronous command %s completed", name)
		return c, nil
	}
	a.log.base.info("Asynchronous command %s started execution", name)
	a.work.Go(func() {
		result, err := act.do(ctx, params)
		if ctx.Err() != nil {
			return // the machine is gone, and so is its answer
		}
		a.finish(c, result, err)
		a.beats.soon()
	})
	return c, nil
}

// finish records the end of a command.
func (a *agent) finish(c *command, result any, err error) {
	if text, ok := result.(string); ok {
		result = newDict("result", text)
	}
	var f *fault
	switch {
	case err == nil:
	case errors.As(err, &f):
	default:
		f = newFault(commandExecution, "%v", err)
	}
	a.mu.Lock()
	switch {
	case f == nil:
		c.status, c.result = succeeded, result
	case f.Type == versionMismatch:
		c.status, c.err = mismatch, f
	default:
		c.status, c.err = failed, f
	}
	close(c.done)
	a.mu.Unlock()
	switch {
	case f == nil:
	case f.Type == versionMismatch:
		a.log.base.error("Clean version mismatch for command %s", c.name)
	default:
		a.log.base.error("Command failed: %s, error: %s", c.name, f)
	}
}

// newID is a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it cannot fail
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
