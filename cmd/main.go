// Package cmd has the commands of ironworks: flags, output and exit codes. Their logic is in
// session, provision, lab and ignition/prepare.
package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"ironworks/config"
	"ironworks/models"
)

// Main runs the command line of the process and returns the exit code.
func Main() int {
	// A broken pipe is an error that the commands handle: the process must not die while a node is deployed.
	signal.Ignore(syscall.SIGPIPE)
	signals := &interrupts{}
	ctx, stop := signals.cancelOnSignal(context.Background())
	defer stop()
	code := run(ctx, process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		options: config.FromOS(), handOver: signals.handOver,
	})
	if signals.terminated.Load() {
		return exitTerminated
	}
	return code
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, p process) int {
	a := newApp(p)
	root := a.rootCommand() //nolint:contextcheck // commands take the context that ExecuteContext gives them
	root.SetArgs(p.args)
	return a.guard(ctx, root.ExecuteContext)
}

// guard calls work, prints its error, and writes a panic to a crash file.
func (a *app) guard(ctx context.Context, work func(context.Context) error) (code int) {
	defer func() {
		if v := recover(); v != nil {
			a.crashed(v, debug.Stack())
			code = exitFailed
		}
	}()
	err := work(ctx)
	var fault *models.Fault
	if errors.Is(err, syscall.EPIPE) && !errors.As(err, &fault) {
		return exitOK // the reader closed the pipe, as head does
	}
	return a.report(ctx, err)
}
