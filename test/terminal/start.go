package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Options configure the program and its terminal.
type Options struct {
	// Command is the program. Its standard streams become the terminal. If Env is nil, the program gets this
	// process's environment, except for variables that describe this process's terminal.
	Command *exec.Cmd
	// Width and Height are the size in cells; the default is 80×24.
	Width, Height int
	// Modern makes the terminal report support for synchronized output (mode 2026) and grapheme clusters (mode 2027),
	// as newer terminals do.
	Modern bool
}

// term is the terminal type. The emulator supports it without mistakes.
const term = "xterm-256color"

// terminalVariables lists the variables that describe a terminal or control a program's output on it. A test must not
// depend on the terminal that it was started from.
var terminalVariables = []string{
	"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION", "WT_SESSION", "TMUX", "STY",
	"SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LINES", "COLUMNS",
}

// Start starts a program on a terminal and kills it when ctx is done. The caller must call Close.
func Start(ctx context.Context, o Options) (*Screen, error) {
	if o.Command == nil {
		return nil, errors.New("no command to start at a terminal")
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.Command.Path, context.Cause(ctx))
	}
	if o.Width <= 0 {
		o.Width = 80
	}
	if o.Height <= 0 {
		o.Height = 24
	}
	o.Command.Env = environment(o.Command.Env)

	s := &Screen{
		cmd: o.Command, emulator: vt.NewEmulator(o.Width, o.Height),
		chunks: make(chan chunk, 256), drained: make(chan struct{}), ended: make(chan struct{}),
		changed: make(chan struct{}),
	}
	s.defaults = s.colors()
	s.registerHandlers(o.Modern)
	started, err := pty.StartWithSize(o.Command, &pty.Winsize{Rows: uint16(o.Height), Cols: uint16(o.Width)})
	if err != nil {
		return nil, fmt.Errorf("starting %s at a terminal: %w", o.Command.Path, err)
	}
	s.written = time.Now()
	if s.tty, err = interruptible(started); err != nil {
		_ = o.Command.Process.Kill()
		_ = o.Command.Wait()
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	s.running.Go(s.read)
	s.running.Go(s.show)
	s.running.Go(s.respond)
	unhook := context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })
	s.running.Go(func() {
		defer unhook()
		s.reap()
	})
	return s, nil
}

// StartT starts a program for a test and kills it when the test ends.
func StartT(t testing.TB, o Options) *Screen {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// environment returns env, with TERM added if it is not set there. A nil env means the environment of this process,
// without the variables that describe a terminal.
func environment(env []string) []string {
	if env == nil {
		env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
			name, _, _ := strings.Cut(entry, "=")
			return slices.Contains(terminalVariables, name)
		})
	}
	if slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "TERM=") }) {
		return env
	}
	return append(slices.Clip(env), "TERM="+term)
}

// interruptible returns the terminal as a file whose reads end when the file is closed. Reads from the file that pty
// returns block in the kernel until the last process that holds the terminal has exited.
func interruptible(blocking *os.File) (*os.File, error) {
	defer func() { _ = blocking.Close() }()
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(blocking.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), blocking.Name()), nil
}
