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

// Terminal is what the console runs on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env are the environment's variables, NAME=VALUE.
	Env []string
	// FPS bounds how often a second the screen is sent.
	FPS int
}

// patience is how long the end waits for what is under way: lines of the audit.
const patience = 3 * time.Second

// Run shows the console until it is left or ctx ends. A bug in it comes back as a
// *Crash, with the terminal restored.
func Run(ctx context.Context, opts Options, term Terminal) error {
	// A hangup ends only who has a terminal; a command may outlive it.
	ctx, unhook := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer unhook()
	c := New(ctx, opts)
	defer c.cancel()
	// The other signals are the owner's: they end ctx. Bubble Tea's own handling of panics would
	// print the stack over the screen.
	p := tea.NewProgram(c,
		tea.WithInput(term.In), tea.WithOutput(term.Out), tea.WithEnvironment(term.Env),
		tea.WithFPS(term.FPS), tea.WithoutSignalHandler(),
	)
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
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

// wait gives sessions and tasks time to end; what hangs longer ends with the process.
func (c *Console) wait() {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-c.opts.Clock.After(patience):
	}
}
