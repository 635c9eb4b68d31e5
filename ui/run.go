package ui

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Terminal is the terminal that the console runs on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env is the environment, NAME=VALUE.
	Env []string
	// FPS bounds the number of redraws a second.
	FPS int
	// Width and Height are the size of a terminal that is no file, and Resizes has its later sizes.
	Width, Height int
	Resizes       <-chan Size
}

// Size is the size of a terminal in cells.
type Size struct{ Width, Height int }

// patience is how long Run waits at the end for running work, such as audit entries.
const patience = 3 * time.Second

// Run shows the console until it quits or ctx ends. A panic is returned as a *Crash, with the terminal restored.
func Run(ctx context.Context, opts Options, term Terminal) error {
	if term.Resizes == nil {
		// SIGHUP ends the console, which needs a terminal; commands may outlive it.
		hooked, unhook := signal.NotifyContext(ctx, syscall.SIGHUP)
		defer unhook()
		ctx = hooked
	}
	c := New(ctx, opts)
	defer c.cancel()
	// The caller handles other signals through ctx. Bubble Tea's handler for panics would print the stack over the
	// screen.
	options := []tea.ProgramOption{
		tea.WithInput(term.In), tea.WithOutput(term.Out), tea.WithEnvironment(term.Env),
		tea.WithFPS(term.FPS), tea.WithoutSignalHandler(),
	}
	if term.Resizes != nil {
		options = append(options, tea.WithWindowSize(term.Width, term.Height), tea.WithColorProfile(colorprofile.Env(term.Env)))
	}
	p := tea.NewProgram(c, options...)
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	if term.Resizes != nil {
		go func() {
			for size := range term.Resizes {
				p.Send(tea.WindowSizeMsg(size))
			}
		}()
	}
	_, err := p.Run()
	if c.env.Seat != nil {
		c.env.Seat.Leave()
	}
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
