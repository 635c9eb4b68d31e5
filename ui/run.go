package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ironworks/ui/screen"
)

// Terminal is the terminal that the console runs on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env is the environment, NAME=VALUE.
	Env []string
	// FPS bounds the number of redraws a second.
	FPS int
	// Width and Height are the size of a terminal that is not this process's own, and Resizes has its later sizes; nil
	// means the process's own terminal.
	Width, Height int
	Resizes       iter.Seq2[int, int]
	// profile says which colors the terminal shows. raw is true if the terminal is in raw mode, so that a line feed does
	// not move to the first column.
	profile colorprofile.Profile
	raw     bool
	// Record receives the terminal's output; nil for no recording.
	Record Recorder
}

// Recorder records the output of a terminal; *cast.Recording implements it.
type Recorder interface {
	io.Writer
	Resize(width, height int)
	// OnPart sets a callback for when the whole screen must be drawn. The callback does not block.
	OnPart(call func())
}

// returned writes a line feed as carriage return and line feed, as the terminal of an SSH session gets it: players of
// recordings do not add the carriage return.
type returned struct{ to io.Writer }

// Write writes all of p.
func (r returned) Write(p []byte) (int, error) {
	_, err := r.to.Write(bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// patience is the time for which Run waits at the end for running work, such as audit entries.
const patience = 3 * time.Second

// Run shows the console until it quits or ctx ends. A panic is returned as a *Crash, with the terminal restored.
func Run(ctx context.Context, opts Options, term Terminal) error {
	c := New(ctx, opts)
	defer c.cancel()
	if term.Resizes == nil {
		// SIGHUP ends the console, which needs a terminal; commands may outlive it. The caller handles other signals
		// through ctx.
		hooked, unhook := signal.NotifyContext(ctx, syscall.SIGHUP)
		defer unhook()
		ctx = hooked
		y, err := openTTY(&term)
		if err != nil {
			return err
		}
		defer y.restore()
		c.tty, term.Resizes = y, y.sizes(ctx)
	} else {
		term.profile = colorprofile.Env(term.Env)
	}
	return c.run(ctx, term)
}

// flushes is the number of times per second that Bubble Tea checks for its own output, of which a console has none:
// the painter writes. Every flush of every idle console costs a wake-up.
const flushes = 1

// newProgram returns the Bubble Tea program of the console, and the painter that draws it.
func (c *Console) newProgram(term *Terminal, options ...tea.ProgramOption) *tea.Program {
	out := &lockedWriter{out: term.Out}
	if c.record = term.Record; c.record != nil {
		record := io.Writer(c.record)
		if !term.raw {
			record = returned{record}
		}
		out.out = io.MultiWriter(record, term.Out)
	}
	term.Out = out
	c.painter = newPainter(term)
	if c.record != nil {
		c.record.OnPart(c.painter.erase)
	}
	var p *tea.Program
	in := term.In
	if c.tty == nil {
		in = &boundedInput{from: in, tooLong: func() { go p.Send(screen.Say{Level: screen.Warning, Text: textPasteTooLong}) }}
	}
	p = tea.NewProgram(c, append([]tea.ProgramOption{
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(term.Env), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFPS(flushes), tea.WithWindowSize(term.Width, term.Height), tea.WithColorProfile(term.profile),
	}, options...)...)
	return p
}

// run shows the console on a terminal.
func (c *Console) run(ctx context.Context, term Terminal) error {
	p := c.newProgram(&term)
	defer context.AfterFunc(ctx, p.Quit)()
	go func() {
		for width, height := range term.Resizes {
			p.Send(tea.WindowSizeMsg{Width: width, Height: height})
		}
	}()
	painting, stop := context.WithCancel(ctx)
	painted := make(chan struct{})
	go func() {
		defer close(painted)
		defer func() {
			if v := recover(); v != nil {
				p.Send(newCrash(v))
			}
		}()
		c.painter.run(painting)
	}()
	_, err := p.Run()
	stop()
	select {
	case <-painted:
	case <-time.After(patience): // the client reads nothing; the caller closes its connection
	}
	if c.env.Seat != nil {
		c.env.Seat.Leave()
	}
	return c.ended(ctx, err)
}

// ended saves the view and waits for running work.
func (c *Console) ended(ctx context.Context, err error) error {
	if c.crash == nil { // what crashes the console must not be restored
		_ = c.saveView()() // a persistent error has been shown as a toast
	}
	c.cancel()
	c.wait()
	switch {
	case c.crash != nil:
		return c.crash
	case ctx.Err() == nil || !errors.Is(err, tea.ErrProgramKilled):
		return err
	}
	return nil
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
