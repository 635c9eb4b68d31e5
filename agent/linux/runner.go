package linux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ironworks/agent"
)

// Local returns the host that the agent runs on. If root is not "/", the agent runs in a container, and programs run in
// the host's root.
func Local(root string) Host {
	return Host{Root: root, Run: Programs(root), Links: Kernel{}}
}

// killDelay is the time that a program may take to end after it was interrupted.
const killDelay = 5 * time.Second

// maxLine bounds a line of a program's output; longer ones are cut.
const maxLine = 64 << 10

// environment returns variables for the programs that the agent runs. With them, programs print untranslated messages,
// which the agent can read. coreos-installer prints no backtrace, because its last line becomes the reason of a
// failure.
func environment() []string { return []string{"LC_ALL=C", "RUST_BACKTRACE=0"} }

// Programs returns a runner that runs programs in a root folder.
func Programs(root string) Runner {
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
		cmd.Env = append(os.Environ(), environment()...)
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
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case errors.As(err, &exit):
			out.Code = exit.ExitCode()
			if missingInRoot(root, out) {
				return agent.Output{}, agent.ErrNoProgram
			}
			return out, nil
		}
		return out, err
	}
}

// missingInRoot reports whether chroot, rather than the program, failed: 127 is its exit status for a program that
// does not exist.
func missingInRoot(root string, out agent.Output) bool {
	const notFound = 127
	return root != "/" && out.Code == notFound && strings.HasPrefix(out.Stderr, "chroot: ")
}

// lineWriter passes on complete lines. Progress bars end their lines with a carriage return only.
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

var _ io.Writer = (*lineWriter)(nil)

// lines returns the lines of a text.
func lines(text string) []string {
	var all []string
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for scanner.Scan() {
		all = append(all, scanner.Text())
	}
	return all
}
