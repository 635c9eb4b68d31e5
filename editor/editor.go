// Package editor starts the user's editor.
package editor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ironworks/printable"
)

// grace is how long an editor has to end by itself when the console has to.
const grace = 2 * time.Second

// Editor is the user's, about to write on a file.
type Editor struct {
	cmd *exec.Cmd
	// name is what was asked for, from where that is said.
	name, from string
	away       func() (back func())
}

// New makes the command that $VISUAL, or else $EDITOR, stands for; without them vi.
// What has more than words in it is for the shell, as it is for git. Away says that the editor
// has the terminal, until back is called; it may be nil.
func New(ctx context.Context, path string, env func(name string) string, away func() (back func())) (*Editor, error) {
	e := &Editor{name: "vi", away: away}
	for _, from := range []string{"VISUAL", "EDITOR"} {
		if name := strings.TrimSpace(env(from)); name != "" {
			e.name, e.from = name, "$"+from
			break
		}
	}
	words := append(strings.Fields(e.name), path)
	if strings.ContainsAny(e.name, "|&;<>()$`\\\"'*?[]#~=%") {
		words = []string{"sh", "-c", "exec " + e.name + ` "$@"`, "ironworks", path}
	}
	program, err := exec.LookPath(words[0])
	switch {
	case err != nil && e.from == "":
		return nil, errors.New("no editor found; set $VISUAL or $EDITOR")
	case err != nil:
		return nil, fmt.Errorf("cannot start the editor of %s, %s: %w", e.from, printable.Line(words[0]), err)
	}
	e.cmd = exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // the user's own choice
	e.cmd.Cancel = func() error { return e.cmd.Process.Signal(syscall.SIGTERM) }
	e.cmd.WaitDelay = grace
	return e, nil
}

// Run waits until the editor has ended. Ctrl-C is its own meanwhile.
func (e *Editor) Run() error {
	if e.away != nil {
		defer e.away()()
	}
	err := e.cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's word for it
		return fmt.Errorf("editor of %s not found: %s", e.from, printable.Line(e.name))
	}
	// Only the name: folders and arguments would hide the error in a short message.
	return fmt.Errorf("the editor %s: %w", printable.Line(filepath.Base(strings.Fields(e.name)[0])), err)
}

// SetStdin takes what it reads; Bubble Tea gives the terminal away by these.
func (e *Editor) SetStdin(r io.Reader) { e.cmd.Stdin = r }

// SetStdout takes where it draws.
func (e *Editor) SetStdout(w io.Writer) { e.cmd.Stdout = w }

// SetStderr takes where its complaints go.
func (e *Editor) SetStderr(w io.Writer) { e.cmd.Stderr = w }
