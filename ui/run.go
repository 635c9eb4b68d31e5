package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
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
	// Width and Height are the size of a terminal that is no file, and Resizes has its later sizes.
	Width, Height int
	Resizes       iter.Seq2[int, int]
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

// recordedFile is a terminal whose output is recorded, too.
type recordedFile struct {
	*os.File
	record io.Writer
}

// Write writes to the terminal and the recording.
func (f recordedFile) Write(p []byte) (int, error) {
	_, _ = f.record.Write(p)
	return f.File.Write(p)
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
	if term.Resizes == nil {
		// SIGHUP ends the console, which needs a terminal; commands may outlive it.
		hooked, unhook := signal.NotifyContext(ctx, syscall.SIGHUP)
		defer unhook()
		ctx = hooked
	}
	c := New(ctx, opts)
	defer c.cancel()
	if term.Resizes != nil {
		return c.runRemote(ctx, term)
	}
	// The caller handles other signals through ctx. Bubble Tea's handler for panics would print the stack over the
	// screen.
	if file, is := term.Out.(*os.File); is && term.Record != nil {
		c.record, term.Out = term.Record, recordedFile{file, term.Record}
	}
	p := tea.NewProgram(c,
		tea.WithInput(term.In), tea.WithOutput(term.Out), tea.WithEnvironment(term.Env),
		tea.WithFPS(term.FPS), tea.WithoutSignalHandler(),
	)
	if c.record != nil {
		c.record.OnPart(func() { go p.Send(tea.ClearScreen()) })
	}
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	return c.ended(ctx, err)
}

// flushes is the number of times per second that Bubble Tea checks for its own output, the questions to the terminal,
// which a console on a server needs only at its start. Every flush of every idle console costs a wake-up.
const flushes = 1

// runRemote is Run for a terminal that is no file.
func (c *Console) runRemote(ctx context.Context, term Terminal) error {
	out := &lockedWriter{out: term.Out}
	if c.record = term.Record; c.record != nil {
		out.out = io.MultiWriter(returned{c.record}, term.Out)
	}
	term.Out = out
	c.painter = newPainter(&term)
	if c.record != nil {
		c.record.OnPart(c.painter.erase)
	}
	var p *tea.Program
	in := &boundedInput{from: term.In, tooLong: func() { go p.Send(screen.Say{Level: screen.Warning, Text: textPasteTooLong}) }}
	p = tea.NewProgram(c,
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(term.Env), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFPS(flushes), tea.WithWindowSize(term.Width, term.Height), tea.WithColorProfile(colorprofile.Env(term.Env)),
	)
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
		_ = c.saveView()() // an error that lasts was a toast
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
