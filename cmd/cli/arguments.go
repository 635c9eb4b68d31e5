package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
)

// ReadNodeFile reads a file that describes nodes, or standard input for "-".
func (a *App) ReadNodeFile(name string) ([]byte, error) {
	if name == "-" {
		return ReadAll(a.Stdin)
	}
	return provision.ReadNodeFile(name)
}

// ReadHints reads root device hints. arg is JSON text, a file name, or "-" for standard input.
func (a *App) ReadHints(arg string) (hints.Hints, error) {
	raw := []byte(arg)
	if arg != "" && !json.Valid(raw) {
		var err error
		if raw, err = a.ReadArgument(arg); err != nil {
			return hints.Hints{}, err
		}
	}
	return hints.Decode(raw)
}

// ReadAll reads r to its end. It returns an error if there are more than InputMost bytes.
func ReadAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, InputMost+1))
	if len(data) > InputMost {
		return nil, Usagef("standard input has more than %d MiB", InputMost>>20)
	}
	return data, err
}

// InputMost is the maximum size of standard input in bytes. No request to Ironic is larger.
const InputMost = 64 << 20

// ReadArgument returns the content that an argument specifies. The argument is JSON text, the name of a file (FILE or
// @FILE), or "-" for standard input.
func (a *App) ReadArgument(arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return ReadAll(a.Stdin)
	case strings.HasPrefix(arg, "@"):
		return os.ReadFile(arg[1:])
	case strings.HasPrefix(strings.TrimSpace(arg), "[") || strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return []byte(arg), nil
	}
	return os.ReadFile(arg) //nolint:gosec // named by the user
}

// TimeFlag parses the value of a flag that accepts an age or a time. For "" it returns the zero time.
func TimeFlag(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := models.ParseWhen(text, now)
	if err != nil {
		return at, Usagef("%s %q: %w", flag, text, err)
	}
	return at, nil
}
