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

// Local returns the host on which the agent runs. If root is not "/", the agent runs in a container, and programs run
// with root as their root folder.
func Local(root string) Host {
	return Host{Root: root, Run: Programs(root), Links: Kernel{}}
}

// killDelay is the time that a program may take to end after it was interrupted.
const killDelay = 5 * time.Second

// maxLine is the maximum length of a line of a program's output, in bytes. Longer lines are truncated.
const maxLine = 64 << 10

// environment returns environment variables for the programs that the agent runs. They make programs print
// untranslated messages, which the agent can parse. They also keep coreos-installer from printing a backtrace,
// because the agent reports the last line of its output as the reason for a failure.
func environment() []string { return []string{"LC_ALL=C", "RUST_BACKTRACE=0"} }

// Programs returns a runner that runs programs with the given root folder.
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

// missingInRoot reports whether chroot failed because the program does not exist in root. Its exit status is then
// 127.
func missingInRoot(root string, out agent.Output) bool {
	const notFound = 127
	return root != "/" && out.Code == notFound && strings.HasPrefix(out.Stderr, "chroot: ")
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

var _ io.Writer = (*lineWriter)(nil)

// lines splits text into lines, without their line endings.
func lines(text string) []string {
	var all []string
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for scanner.Scan() {
		all = append(all, scanner.Text())
	}
	return all
}
