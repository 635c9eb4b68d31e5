package ui

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
)

// Command is a program that has the terminal for itself while it runs.
type Command interface {
	Run() error
	SetStdin(r io.Reader)
	SetStdout(w io.Writer)
	SetStderr(w io.Writer)
}

// editFile gives the terminal to the user's editor until that ends.
func (c *Console) editFile(wish screen.EditFile) tea.Cmd {
	start := c.opts.Editor
	if start == nil {
		start = func(string) (Command, error) { return nil, errors.New("there is no editor here") }
	}
	return func() tea.Msg {
		editor, err := start(wish.Path)
		if err != nil {
			return wish.Done(err)
		}
		return tea.Exec(editor, wish.Done)()
	}
}
