package shell

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"

	"ironworks/agentlog"
)

// Session is a remote session at the operator's terminal.
type Session struct {
	// In and Out are the terminal's streams. Term is the value of TERM.
	In   io.Reader
	Out  io.Writer
	Term string
	// Command is the command to run. If it is empty, a login shell is run.
	Command string
}

// hangup is the exit status of a program that SIGHUP has ended.
const hangup = 128 + int(syscall.SIGHUP)

// Run gives the operator's terminal to a session on a machine until the session ends or ctx is canceled, and then
// restores the terminal. It returns the exit status, which is 129 if the terminal was closed. The error is [ErrLeft],
// one from [agentlog.Shell.Run], or one from the terminal.
func Run(ctx context.Context, machine *agentlog.Shell, s Session) (status int, err error) {
	t, err := OpenTerminal(s.In, s.Out)
	if err != nil {
		return 0, err
	}
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	open, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	status, err = machine.Run(open, agentlog.ShellSession{
		Command: s.Command, In: &keys{t, leave}, Out: t, Err: t,
		PTY: &agentlog.PTY{Term: s.Term, Size: t.Size(), Resized: t.Resized()},
	})
	restored := t.Close()
	switch {
	case errors.Is(context.Cause(ctx), ErrLeft):
		return 0, errors.Join(ErrLeft, restored)
	case open.Err() != nil && ctx.Err() == nil:
		return hangup, nil
	}
	return status, errors.Join(err, restored)
}

// keys reads the terminal and ends the session when the operator leaves.
type keys struct {
	terminal *Terminal
	end      context.CancelCauseFunc
}

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	n, err := k.terminal.Read(p)
	if errors.Is(err, ErrLeft) {
		k.end(err)
	}
	return n, err
}
