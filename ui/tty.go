package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"ironworks/ui/task"
)

// tty is the terminal of this process. It is in raw mode until restore is called. This is necessary because Bubble
// Tea, without a renderer, does not change the terminal's mode.
type tty struct {
	in, out *os.File
	// before is the state in which the console found the terminal.
	before *term.State
	// resized receives a signal when the size of the terminal may have changed.
	resized chan os.Signal
}

// openTTY switches the terminal to raw mode and sets the size, the color profile and the raw flag of t.
func openTTY(t *Terminal) (*tty, error) {
	in, is := t.In.(*os.File)
	out, too := t.Out.(*os.File)
	if !is || !too {
		return nil, errors.New("the console needs a terminal")
	}
	width, height, err := term.GetSize(int(out.Fd())) //nolint:gosec // file descriptors are small
	if err != nil {
		return nil, fmt.Errorf("getting the terminal size: %w", err)
	}
	y := &tty{in: in, out: out, resized: make(chan os.Signal, 1)}
	if err := y.raw(); err != nil {
		return nil, err
	}
	t.Width, t.Height, t.profile, t.raw = width, height, colorprofile.Detect(out, t.Env), true
	return y, nil
}

func (y *tty) raw() error {
	before, err := term.MakeRaw(int(y.in.Fd())) //nolint:gosec // file descriptors are small
	if err != nil {
		return fmt.Errorf("set the terminal to raw mode: %w", err)
	}
	y.before = before
	return nil
}

func (y *tty) restore() {
	_ = term.Restore(int(y.in.Fd()), y.before) //nolint:gosec // file descriptors are small
}

// sizes yields the current size of the terminal, and the size after each possible change, until ctx is canceled.
func (y *tty) sizes(ctx context.Context) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		signal.Notify(y.resized, syscall.SIGWINCH)
		defer signal.Stop(y.resized)
		for {
			if width, height, err := term.GetSize(int(y.out.Fd())); err == nil && !yield(width, height) { //nolint:gosec // file descriptors are small
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-y.resized:
			}
		}
	}
}

// Exec runs a program that takes over the terminal. The message that done returns is sent when the program has ended.
func (c *Console) Exec(program tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(&guest{ExecCommand: program, console: c}, done)
}

type guest struct {
	tea.ExecCommand
	console *Console
}

// Run hands the terminal over to the program, and takes it back when the program has ended.
func (g *guest) Run() error {
	c := g.console
	if c.opts.HandOver != nil {
		defer c.opts.HandOver()()
	}
	if c.tty == nil {
		return g.ExecCommand.Run()
	}
	back := c.painter.handOver()
	c.tty.restore()
	err := g.ExecCommand.Run()
	raw := c.tty.raw()
	back()
	select {
	case c.tty.resized <- syscall.SIGWINCH: // a program in another process group may have received the signal instead of the console
	default:
	}
	return errors.Join(err, raw)
}

// SetStdout gives the program the terminal itself, because Bubble Tea's writer would record the output.
func (g *guest) SetStdout(w io.Writer) {
	if g.console.tty != nil {
		w = g.console.tty.out
	}
	g.ExecCommand.SetStdout(w)
}

// stopped implements [tea.ExecCommand]. It stops the process in the way that job control does.
type stopped struct{ task.Terminal }

// Run stops the process group, which is the effect of Ctrl-Z in a terminal that is not in raw mode.
func (stopped) Run() error {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return fmt.Errorf("stop the process: %w", err)
	}
	<-resumed
	return nil
}
