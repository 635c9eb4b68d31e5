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

// grace is the time an editor gets to exit when the console ends.
const grace = 2 * time.Second

// Editor is the user's editor, opened on one file.
type Editor struct {
	cmd *exec.Cmd
	// name is the editor's command. from is the variable that contains the command, such as "$EDITOR", or empty if
	// name is the default.
	name, from string
}

// New returns an editor for the file at path. The editor is the command in $VISUAL or $EDITOR, or vi if neither is
// set. A command with shell syntax is run by the shell, as in git.
func New(ctx context.Context, path string, env func(name string) string) (*Editor, error) {
	e := &Editor{name: "vi"}
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
		return nil, fmt.Errorf("cannot start the editor set in %s, %s: %w", e.from, printable.Line(words[0]), err)
	}
	e.cmd = exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // the user's own choice
	e.cmd.Cancel = func() error { return e.cmd.Process.Signal(syscall.SIGTERM) }
	e.cmd.WaitDelay = grace
	return e, nil
}

// Run runs the editor and waits until it ends. Meanwhile, the editor handles Ctrl-C.
func (e *Editor) Run() error {
	err := e.cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's status for a missing command
		return fmt.Errorf("editor set in %s not found: %s", e.from, printable.Line(e.name))
	}
	// Show only the name, because folders and arguments would hide the error in a short message.
	return fmt.Errorf("the editor %s: %w", printable.Line(filepath.Base(strings.Fields(e.name)[0])), err)
}

// SetStdin sets the editor's input. Bubble Tea calls SetStdin, SetStdout and SetStderr when it hands over the
// terminal.
func (e *Editor) SetStdin(r io.Reader) { e.cmd.Stdin = r }

// SetStdout sets the editor's output.
func (e *Editor) SetStdout(w io.Writer) { e.cmd.Stdout = w }

// SetStderr sets the editor's error output.
func (e *Editor) SetStderr(w io.Writer) { e.cmd.Stderr = w }
