package linux

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ironworks/agent"
)

// Local returns the agent's host. If root is not "/", the agent is in a container, and programs run in root.
func Local(root string) Host {
	return Host{Root: root, Run: programs(root), Links: Kernel{}}
}

// killDelay is the time that a program may take to end after it was interrupted.
const killDelay = 5 * time.Second

// maxLine is the maximum length of a line of a program's output, in bytes. Longer lines are truncated.
const maxLine = 64 << 10

// programs returns a runner that runs programs with the given root folder. It makes programs print untranslated
// messages, which the agent can parse. It also keeps coreos-installer from printing a backtrace, because the agent
// reports the last line of its output as the reason for a failure.
func programs(root string) Runner {
	return func(ctx context.Context, command Command) (agent.Output, error) {
		argv := command.Argv
		if root != "/" {
			argv = append([]string{"chroot", root}, argv...)
		}
		path, err := exec.LookPath(argv[0])
		if err != nil {
			return agent.Output{}, agent.ErrNoProgram
		}
		cmd := exec.CommandContext(ctx, path, argv[1:]...) //nolint:gosec // the agent runs programs
		cmd.Env = append(os.Environ(), "LC_ALL=C", "RUST_BACKTRACE=0")
		cmd.Stdin = command.Stdin
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = killDelay
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if command.Line != nil {
			lines := &lineWriter{line: command.Line}
			defer lines.flush()
			cmd.Stdout, cmd.Stderr = lines, lines
		}
		err = cmd.Run()
		out := agent.Output{Stdout: stdout.String(), Stderr: stderr.String()}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			const notFound = 127 // the exit status of chroot if the program does not exist in root
			out.Code, err = exit.ExitCode(), nil
			if root != "/" && out.Code == notFound && strings.HasPrefix(out.Stderr, "chroot: ") {
				return agent.Output{}, agent.ErrNoProgram
			}
		}
		return out, err
	}
}

// lineWriter splits the output of a program into lines, and calls the line function for each complete line. A
// carriage return also ends a line, because the lines of progress bars end with one.
type lineWriter struct {
	mu   sync.Mutex
	kept []byte
	line func(string)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, p...)
	for {
		i := bytes.IndexAny(w.kept, "\r\n")
		if i < 0 && len(w.kept) < maxLine {
			return len(p), nil
		}
		if i < 0 {
			i = len(w.kept) - 1
		}
		if text := string(w.kept[:i]); text != "" {
			w.line(text)
		}
		w.kept = w.kept[i+1:]
	}
}

func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.kept) > 0 {
		w.line(string(w.kept))
	}
	w.kept = nil
}
