package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
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
		text, err := term.ReadPassword(int(in.Fd()))
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
		_ = term.Restore(int(in.Fd()), state)
		a.PrintErr("\n")
		return "", ctx.Err()
	}
}
