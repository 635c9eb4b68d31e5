// Package cmd implements the ironworks commands: their flags, output and exit codes. The logic of the commands is in
// the packages session, provision, lab and ignition/prepare.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
	"ironworks/printable"
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
	if errors.Is(err, syscall.EPIPE) && !cli.Is[*models.Fault](err) {
		return cli.ExitOK // the reader closed the pipe, as head does
	}
	return a.Report(ctx, err)
}

// crashed writes a panic and its stack, without secrets, to a crash file, and prints the file's path.
func (a *app) crashed(v any, stack []byte) {
	text := a.Masked(fmt.Sprintf("ironworks %s crashed at %s\ncommand: %s\npanic: %v\n\n%s",
		cli.Version(), time.Now().UTC().Format(time.RFC3339), commandName(a.Args), v, stack))
	path, err := writeCrash(a.Files.Crashes, text)
	if err != nil {
		a.PrintMessage("crashed: %s (cannot write a crash file: %v)", a.Masked(fmt.Sprint(v)), err)
		return
	}
	a.PrintMessage("crashed; please report this bug with %s", path)
}

// commandName returns the name of the command without its arguments, which may be secret.
func commandName(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return printable.Line(arg)
		}
	}
	return ""
}

// writeCrash writes a new file that only its owner can read. Without a state directory, it writes to the shared
// directory for temporary files. The name is therefore random, and no symlink is followed.
func writeCrash(dir, text string) (path string, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "crash-"+time.Now().UTC().Format("20060102T150405.000")+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return f.Name(), err
}

// editorGrace is the period after an editor exits in which a Ctrl-C that was typed in the editor may still arrive.
const editorGrace = 500 * time.Millisecond

// interrupts handles SIGINT and SIGTERM, which end a run. It ignores SIGINT while an editor has
// the terminal, because Ctrl-C is then meant for the editor.
type interrupts struct {
	// handedOver counts the programs that have the terminal.
	handedOver atomic.Int32
	// terminated is set by SIGTERM.
	terminated atomic.Bool
}

// cancelOnSignal cancels the context at the first signal. The second signal kills the process.
func (i *interrupts) cancelOnSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	caught, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(done)
		defer cancel()
		defer signal.Stop(caught)
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-caught:
				if i.end(s) {
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		<-done
	}
}

// end reports whether a signal must end this program. It also records SIGTERM in i.terminated.
func (i *interrupts) end(s os.Signal) bool {
	if s == syscall.SIGTERM {
		i.terminated.Store(true)
	}
	return s != os.Interrupt || i.handedOver.Load() == 0
}

// handOver makes this program ignore Ctrl-C while another one has the terminal, until shortly after back is called.
func (i *interrupts) handOver() (back func()) {
	i.handedOver.Add(1)
	return func() { time.AfterFunc(editorGrace, func() { i.handedOver.Add(-1) }) }
}
