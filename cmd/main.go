// Package cmd holds the commands of ironworks and their wiring; what they do is in the
// packages config, ironicclient, fleet and provision.
package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ironworks/config"
	"ironworks/models"
)

// Main is the program: it runs the command line of the process and returns the exit
// code.
func Main() int {
	// Writing to a pipe that nobody reads is an error to handle, not a reason to die in
	// the middle of following a node.
	signal.Ignore(syscall.SIGPIPE)
	signals := &interrupts{}
	ctx, stop := signals.catch(context.Background())
	defer stop()
	return run(ctx, process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		options: config.FromOS(), away: signals.leave,
	})
}

// process is what a run gets from the outside, so that tests can be the outside.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	options        config.Options
	// away says that somebody else has the terminal, until back is called; may be nil.
	away func() (back func())
	// bug is called when the console opens a session, so that a test can panic there.
	bug func()
}

// run executes one command line and gives the exit code.
func run(ctx context.Context, p process) int {
	a := newApp(p)
	root := a.rootCommand() //nolint:contextcheck // commands take the context that ExecuteContext gives them
	root.SetArgs(p.args)
	return a.guard(ctx, root.ExecuteContext)
}

// guard does the work of a run, tells how it failed, and keeps a panic off the screen.
func (a *app) guard(ctx context.Context, work func(context.Context) error) (code int) {
	defer func() {
		if v := recover(); v != nil {
			a.crashed(v)
			code = exitFailed
		}
	}()
	err := work(ctx)
	var fault *models.Fault
	if errors.Is(err, syscall.EPIPE) && !errors.As(err, &fault) {
		return exitOK // the reader of our output has seen what it wanted
	}
	return a.report(ctx, err)
}
