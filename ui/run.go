package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ironworks/ui/screen"
)

// Terminal describes the terminal that the console runs on.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Env is the environment, as NAME=VALUE.
	Env []string
	// FPS is the maximum number of redraws per second.
	FPS int
	// Width and Height are the initial size of a terminal other than this process's own, and Resizes yields its later
	// sizes. If Resizes is nil, the console uses the process's own terminal.
	Width, Height int
	Resizes       iter.Seq2[int, int]
	// profile says which colors the terminal can show. raw means that the terminal is in raw mode, in which a line
	// feed does not move to the first column.
	profile colorprofile.Profile
	raw     bool
	// Record receives the terminal's output. If nil, nothing is recorded.
	Record Recorder
}

// Recorder records the output of a terminal. It is implemented by *cast.Recording.
type Recorder interface {
	io.Writer
	Resize(width, height int)
	// OnPart sets a function that is called whenever the whole screen has to be drawn. The function must not block.
	OnPart(call func())
}

// returned writes each line feed as a carriage return and a line feed. The terminal of an SSH session receives line
// feeds in this form, and players of recordings do not add the carriage return themselves.
type returned struct{ to io.Writer }

// Write writes all of p, with the carriage returns. It returns len(p) even if it returns an error.
func (r returned) Write(p []byte) (int, error) {
	_, err := r.to.Write(bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// patience is the longest time that Run, at its end, waits for unfinished work, such as writing audit entries.
const patience = 3 * time.Second

// Run runs the console until the user quits or ctx is canceled. If the console panics, Run restores the terminal and
// returns a *Crash.
func Run(ctx context.Context, opts Options, term Terminal) error {
	c := New(ctx, opts)
	defer c.cancel()
	if term.Resizes == nil {
		// SIGHUP ends the console, which needs a terminal, but must not end other commands, which can do without one.
		// The caller handles other signals through ctx.
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

// flushes is the number of times per second that Bubble Tea looks for output of its renderer. There is none, because
// the painter draws. The number is low because each look wakes up an idle console.
const flushes = 1

const textPasteTooLong = "paste refused: more than 256 KiB; pass files to a command on standard input"

// newProgram returns the Bubble Tea program that runs the console, and sets up the painter that draws it.
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
	patiently(painted) // if the client does not read its output, the caller closes its connection
	if c.env.Seat != nil {
		c.env.Seat.Leave()
	}
	return c.ended(ctx, err)
}

// ended saves the view, waits for running work, and returns the result of Run.
func (c *Console) ended(ctx context.Context, err error) error {
	if c.crash == nil { // the next console must not restore a view that crashes it
		_ = c.saveView()() // an error that persists has already been shown as a toast
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

// wait waits until sessions and tasks have ended, but no longer than patience.
func (c *Console) wait() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.running.Wait()
	}()
	patiently(done)
}

// patiently waits until done is closed, but no longer than patience.
func patiently(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(patience):
	}
}

// Crash is a panic that ended the console.
type Crash struct {
	Value any
	Stack []byte
}

// Error returns a message with the panic value. The stack is written only to the crash file.
func (e *Crash) Error() string {
	return fmt.Sprintf("the console crashed (this is a bug): %v", e.Value)
}

func newCrash(v any) *Crash { return &Crash{Value: v, Stack: debug.Stack()} }

// crashed stores the first crash and quits, which restores the terminal.
func (c *Console) crashed(e *Crash) tea.Cmd {
	if c.crash == nil {
		c.crash = e
	}
	c.cancel()
	return tea.Quit
}

// guard wraps cmd and the commands that it batches, so that a panic is reported to the root, not printed.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = newCrash(v)
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			guarded := make(tea.BatchMsg, len(batch))
			for i := range batch {
				guarded[i] = guard(batch[i])
			}
			return guarded
		}
		return msg
	}
}
