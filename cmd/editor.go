package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/ui"
)

// editorGrace is how long an editor has to end by itself when the console has to.
const editorGrace = 2 * time.Second

// editor is the user's, about to write on a file.
type editor struct {
	cmd *exec.Cmd
	// name is what was asked for, from where that is said.
	name, from string
	away       func() (back func())
}

// newEditor makes the command that $VISUAL, or else $EDITOR, stands for; without them vi.
// What has more than words in it is for the shell, as it is for git.
func (a *app) newEditor(ctx context.Context, path string) (ui.Command, error) {
	e := &editor{name: "vi", away: a.away}
	for _, from := range []string{"VISUAL", "EDITOR"} {
		if name := strings.TrimSpace(a.options.Env(from)); name != "" {
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
		return nil, errors.New("neither $VISUAL nor $EDITOR names an editor, and there is no vi")
	case err != nil:
		return nil, fmt.Errorf("%s names %s, which cannot be started: %w", e.from, models.Printable(words[0]), err)
	}
	e.cmd = exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // the user's own choice
	e.cmd.Cancel = func() error { return e.cmd.Process.Signal(syscall.SIGTERM) }
	e.cmd.WaitDelay = editorGrace
	return e, nil
}

// Run waits until the editor has ended. Ctrl-C is its own meanwhile.
func (e *editor) Run() error {
	if e.away != nil {
		defer e.away()()
	}
	err := e.cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's word for it
		return fmt.Errorf("%s names %s, which there is not", e.from, models.Printable(e.name))
	}
	return fmt.Errorf("the editor %s: %w", models.Printable(e.name), err)
}

// SetStdin, SetStdout and SetStderr are Bubble Tea's way to give the terminal away.
func (e *editor) SetStdin(r io.Reader)  { e.cmd.Stdin = r }
func (e *editor) SetStdout(w io.Writer) { e.cmd.Stdout = w }

// SetStderr takes where its complaints go.
func (e *editor) SetStderr(w io.Writer) { e.cmd.Stderr = w }
