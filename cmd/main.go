// Package cmd implements the ironworks commands: their flags, output and exit codes. The logic of the commands is in
// the packages session, provision, lab and ignition/prepare.
package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
)

// Main runs the command line of the process and returns the exit code.
func Main() int {
	// Commands handle a broken pipe as an error, so SIGPIPE must not kill the process, for example while a node is
	// being deployed.
	signal.Ignore(syscall.SIGPIPE)
	signals := &interrupts{}
	ctx, stop := signals.cancelOnSignal(context.Background())
	defer stop()
	code := run(ctx, cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Options: config.FromOS(), HandOver: signals.handOver,
	})
	if signals.terminated.Load() {
		return cli.ExitTerminated
	}
	return code
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, p cli.Process) int {
	a := newApp(p)
	root := a.rootCommand() //nolint:contextcheck // commands take the context that ExecuteContext gives them
	root.SetArgs(p.Args)
	return a.guard(ctx, root.ExecuteContext)
}

// guard calls work, prints its error and returns the exit code. If work panics, it writes a crash file.
func (a *app) guard(ctx context.Context, work func(context.Context) error) (code int) {
	defer func() {
		if v := recover(); v != nil {
			a.crashed(v, debug.Stack())
			code = cli.ExitFailed
		}
	}()
	err := work(ctx)
	var fault *models.Fault
	if errors.Is(err, syscall.EPIPE) && !errors.As(err, &fault) {
		return cli.ExitOK // the reader closed the pipe, as head does
	}
	return a.Report(ctx, err)
}
