package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// AtOnce is the maximum number of programs that run in the background at the same time.
const AtOnce = 4

// grace is the time a program gets to exit after SIGTERM.
const grace = 2 * time.Second

// ExitError reports that a program failed.
type ExitError struct {
	Plugin, Node string
	// Code is the exit code, or -1 if a signal or the console ended the program.
	Code int
	// Said is the last line that the program wrote to stderr, or to stdout if there is none on stderr. It is
	// sanitized and may be empty.
	Said string
	Err  error
}

// Error returns the program's exit code and the last line that it wrote.
func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Code < 0 {
		how = printable.Line(e.Err.Error())
	}
	if e.Said != "" {
		how += ": " + e.Said
	}
	return fmt.Sprintf("%s %s: %s", e.Plugin, printable.Line(e.Node), how)
}

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// Output holds the input and output streams of a program that runs in the terminal.
type Output struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs the program for n and waits until it ends. base and selecting are the arguments of [Environment]. When ctx is
// canceled, the program gets SIGTERM and, 2 s later, SIGKILL.
//
// If at is nil, the program runs in the background, without input and in its own process group. If it succeeds, said
// is the last line that it wrote to stdout. If at is not nil, the program runs in the terminal and uses the streams
// in at.
func (p *Plugin) Run(ctx context.Context, n *models.Node, base, selecting []string, at *Output) (said string, err error) {
	argv, err := p.Argv(n)
	if err != nil {
		return "", err
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return "", fmt.Errorf("%s %s: cannot start %s: %w", p.Name, printable.Line(n.Label()), printable.Line(argv[0]), err)
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...) //nolint:gosec // the operator's own program
	cmd.Env = Environment(base, n, selecting)
	cmd.WaitDelay = grace
	var out, complaints lastLine
	if at == nil {
		cmd.Stdout, cmd.Stderr = &out, &complaints
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	} else {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = at.In, at.Out, at.Err
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	}
	err = cmd.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil { // ErrWaitDelay means that a child process still holds the output open
		return out.text(), nil
	}
	failed := &ExitError{Plugin: p.Name, Node: n.Label(), Code: -1, Said: complaints.text(), Err: err}
	if failed.Said == "" {
		failed.Said = out.text()
	}
	if ctx.Err() != nil {
		failed.Err = context.Cause(ctx)
		return "", failed
	}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		failed.Code = exit.ExitCode()
	}
	return "", failed
}

// mostSaid limits the stored length of a program's output line, in bytes.
const mostSaid = 400

// lastLine is a writer that keeps the last non-blank line of a program's output.
type lastLine struct{ last, line []byte }

// Write processes the next part of a program's output.
func (l *lastLine) Write(data []byte) (int, error) {
	n := len(data)
	for {
		part, rest, ended := bytes.Cut(data, []byte("\n"))
		if room := mostSaid - len(l.line); room > 0 {
			l.line = append(l.line, part[:min(len(part), room)]...)
		}
		if !ended {
			return n, nil
		}
		l.end()
		data = rest
	}
}

func (l *lastLine) end() {
	if len(bytes.TrimSpace(l.line)) > 0 {
		l.last = append(l.last[:0], l.line...)
	}
	l.line = l.line[:0]
}

// text returns the stored line, sanitized.
func (l *lastLine) text() string {
	l.end()
	return printable.Line(strings.TrimSpace(string(l.last)))
}
