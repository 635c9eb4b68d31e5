package agent

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"
)

type commandStatus string

const (
	running   commandStatus = "RUNNING"
	succeeded commandStatus = "SUCCEEDED"
	failed    commandStatus = "FAILED"
	// mismatch means that the conductor planned the steps for versions that differ from the agent's. As in the real
	// agent, all kinds of steps use this status although its name mentions only cleaning.
	mismatch commandStatus = "CLEAN_VERSION_MISMATCH"
)

// command is a command from the conductor. The agent stores all commands until the agent exits.
type command struct {
	id, name string
	done     chan struct{} // closed when the command has ended

	// The agent's lock guards the following fields.
	status commandStatus
	err    *fault
	result any
}

func (c *command) show() *dict {
	shown := newDict("id", c.id, "command_name", c.name, "command_status", string(c.status), "command_error", nil, "command_result", c.result)
	if c.err != nil {
		shown.Set("command_error", newDict("type", c.err.Type.name, "code", c.err.Type.code, "message", c.err.Message, "details", c.err.Details))
	}
	return shown
}

type action struct {
	// background reports whether the command runs in the background and ends with a heartbeat.
	background bool
	do         func(ctx context.Context, params *dict) (any, error)
}

// execute starts a command. It returns an error only if the command is unknown or if another one is still running. If
// the command itself fails, its error is stored in the command.
func (a *agent) execute(ctx context.Context, full string, params *dict) (*command, *fault) {
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
	c := &command{id: uuid.NewString(), name: name, status: running, done: make(chan struct{})}
	a.commands = append(a.commands, c)
	a.mu.Unlock()

	if !act.background {
		result, err := a.guarded(func() (any, error) { return act.do(ctx, params) })
		a.finish(c, result, err)
		a.log.base.info("Synchronous command %s completed", name)
		return c, nil
	}
	a.log.base.info("Asynchronous command %s started execution", name)
	a.runningCommands.Go(func() {
		result, err := a.guarded(func() (any, error) { return act.do(ctx, params) })
		if ctx.Err() != nil {
			return // the machine is off, so there is no way to answer
		}
		a.finish(c, result, err)
		a.beats.request()
	})
	return c, nil
}

// guarded calls do and turns a panic into an error, so that the conductor gets a reason instead of silence.
func (a *agent) guarded(do func() (any, error)) (result any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			a.log.base.error("The agent crashed: %v\n%s", cause, debug.Stack())
			err = raise("RuntimeError", "the agent crashed: %v", cause)
		}
	}()
	return do()
}

func (a *agent) finish(c *command, result any, err error) {
	if text, ok := result.(string); ok {
		result = newDict("result", text)
	}
	f, known := errors.AsType[*fault](err)
	if err != nil && !known {
		f = newFault(commandExecution, "%v", err)
	}
	status := failed
	switch {
	case f == nil:
		status = succeeded
	case f.Type == versionMismatch:
		status = mismatch
	}
	a.mu.Lock()
	c.status, c.err = status, f
	if f == nil {
		c.result = result
	}
	close(c.done)
	a.mu.Unlock()
	// The journal calls a function of its owner, so log only after the lock is released.
	switch status {
	case mismatch:
		a.log.base.error("Clean version mismatch for command %s", c.name)
	case failed:
		a.log.base.error("Command failed: %s, error: %s", c.name, f)
	default:
	}
}
