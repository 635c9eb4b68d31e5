package cmd

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"ironworks/models"
)

// crashed writes what is needed to find a bug into a file of its own, without
// secrets, and tells where it is instead of dumping it on the screen.
func (a *app) crashed(v any) { a.crashedWith(v, debug.Stack()) }

// crashedWith is crashed for a panic that was caught elsewhere, with its stack.
func (a *app) crashedWith(v any, stack []byte) {
	text := a.masked(fmt.Sprintf("ironworks %s crashed at %s\ncommand: %s\npanic: %v\n\n%s",
		version(), time.Now().UTC().Format(time.RFC3339), commandName(a.args), v, stack))
	path, err := writeCrash(a.files.Crashes, text)
	if err != nil {
		a.complain("a bug ended the program: %s (and no crash file could be written: %v)", models.Printable(a.masked(fmt.Sprint(v))), err)
		return
	}
	a.complain("a bug ended the program; what is needed to find it is in %s", path)
}

// masked is a text without the secrets of the connection.
func (a *app) masked(text string) string {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	for _, secret := range a.secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, models.Mask)
		}
	}
	return text
}

// commandName is the command without its arguments, which may hold secrets.
func commandName(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return models.Printable(arg)
		}
	}
	return ""
}

// writeCrash writes a file that was not there before, readable by its owner alone. Without a
// folder of our own it is the system's for temporary files, in which everybody may put links
// and files: the name cannot be guessed, and no link is followed.
func writeCrash(dir, text string) (path string, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "crash-"+time.Now().UTC().Format("20060102T150405.000")+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return f.Name(), err
}
