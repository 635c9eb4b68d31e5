package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/termios"
	"golang.org/x/term"

	"ironworks/models"
)

// AskSecret prompts for a secret at the terminal without echo, so that the secret is neither on the screen nor in the
// shell's history. It must be called only if [App.Interactive] returns true.
func (a *App) AskSecret(ctx context.Context, question string) (models.Secret, error) {
	in, is := a.Stdin.(*os.File)
	if !is {
		return "", errors.New("read password: stdin is not a terminal")
	}
	fd := int(in.Fd())
	state, err := term.GetState(fd)
	if err == nil {
		err = echoOff(fd)
	}
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	defer func() { _ = term.Restore(fd, state) }()
	type answer struct {
		text []byte
		err  error
	}
	a.prompting.Store(true)
	defer a.prompting.Store(false)
	if _, is := Terminal(a.Stderr); is {
		_, _ = io.WriteString(a.Stderr, "\r\x1b[K") // erases a progress line
	}
	a.PrintErr("%s", question)
	typed := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		typed <- answer{text, err}
	}()
	select {
	case got := <-typed:
		a.PrintErr("\n")
		if got.err != nil {
			return "", fmt.Errorf("read password: %w", got.err)
		}
		return models.Secret(got.text), nil
	case <-ctx.Done():
		a.PrintErr("\n")
		return "", ctx.Err()
	}
}

// echoOff is called before the question is printed: [term.ReadPassword] turns echo off only afterwards, when a
// password that is pasted at once is already on the screen.
func echoOff(fd int) error {
	t, err := termios.GetTermios(fd)
	if err != nil {
		return err
	}
	off := map[termios.L]bool{termios.ECHO: false}
	return termios.SetTermios(fd, uint32(t.Ispeed), uint32(t.Ospeed), nil, nil, nil, nil, off)
}
