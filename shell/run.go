package shell

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"

	"ironworks/agentlog"
)

// hangup is the exit status of a program that SIGHUP has ended.
const hangup = 128 + int(syscall.SIGHUP)

// Run gives the operator's terminal to a command on a machine until the command ends or ctx is canceled, and then
// restores the terminal. in and out are the terminal's streams, and term is the value of TERM. An empty command is a
// login shell. Run returns the exit status, which is 129 if the terminal was closed. The error is [ErrLeft],
// one from [agentlog.Shell.Run], or one from the terminal.
func Run(ctx context.Context, machine *agentlog.Shell, in io.Reader, out io.Writer, term, command string) (status int, err error) {
	t, err := OpenTerminal(in, out)
	if err != nil {
		return 0, err
	}
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	open, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	status, err = machine.Run(open, agentlog.ShellSession{
		Command: command, In: &keys{t, leave}, Out: t, Err: t,
		PTY: &agentlog.PTY{Term: term, Size: t.Size(), Resized: t.Resized()},
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
