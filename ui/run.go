package ui

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Terminal is the terminal that the console runs on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env is the environment, NAME=VALUE.
	Env []string
	// FPS bounds the number of redraws a second.
	FPS int
}

// patience is how long Run waits at the end for running work, such as audit entries.
const patience = 3 * time.Second

// Run shows the console until it quits or ctx ends. A panic is returned as a *Crash, with the terminal restored.
func Run(ctx context.Context, opts Options, term Terminal) error {
	// SIGHUP ends the console, which needs a terminal; commands may outlive it.
	ctx, unhook := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer unhook()
	c := New(ctx, opts)
	defer c.cancel()
	// The caller handles other signals through ctx. Bubble Tea's handler for panics would print the stack over the
	// screen.
	p := tea.NewProgram(c,
		tea.WithInput(term.In), tea.WithOutput(term.Out), tea.WithEnvironment(term.Env),
		tea.WithFPS(term.FPS), tea.WithoutSignalHandler(),
	)
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	if c.crash == nil { // what crashes the console must not be restored
		_ = c.saveView()() // an error that lasts was a toast
	}
	c.cancel()
	c.wait()
	switch {
	case c.crash != nil:
		return c.crash
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return nil
	}
	return err
}

// wait waits for sessions and tasks, up to patience.
func (c *Console) wait() {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience):
	}
}
