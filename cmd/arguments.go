package cmd

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

func (a *app) readNodeFile(name string) ([]byte, error) {
	if name == "-" {
		return readAll(a.stdin)
	}
	return provision.ReadNodeFile(name)
}

// readHints reads hints from JSON text, a file or standard input.
func (a *app) readHints(arg string) (hints.Hints, error) {
	raw := []byte(arg)
	if arg != "" && !json.Valid(raw) {
		var err error
		if raw, err = a.readArgument(arg); err != nil {
			return hints.Hints{}, err
		}
	}
	return hints.Decode(raw)
}

// readAll reads at most inputMost bytes; no request to Ironic is larger.
func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, inputMost+1))
	if len(data) > inputMost {
		return nil, usagef("standard input has more than %d MiB", inputMost>>20)
	}
	return data, err
}

// inputMost bounds what is read from standard input, in bytes.
const inputMost = 64 << 20

// readArgument reads an argument that is JSON, FILE, @FILE, or - for standard input.
func (a *app) readArgument(arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return readAll(a.stdin)
	case strings.HasPrefix(arg, "@"):
		return os.ReadFile(arg[1:])
	case strings.HasPrefix(strings.TrimSpace(arg), "[") || strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return []byte(arg), nil
	}
	return os.ReadFile(arg) //nolint:gosec // named by the user
}

// timeFlag parses an age or a time; "" is the zero time.
func timeFlag(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := models.ParseWhen(text, now)
	if err != nil {
		return at, usagef("%s %q: %w", flag, text, err)
	}
	return at, nil
}
