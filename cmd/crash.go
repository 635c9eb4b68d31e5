package cmd

import (
	"fmt"
	"os"
	"strings"
	"time"

	"ironworks/cmd/cli"
	"ironworks/printable"
)

// crashed writes a panic and its stack, without secrets, to a crash file, and prints the file's path.
func (a *app) crashed(v any, stack []byte) {
	text := a.Masked(fmt.Sprintf("ironworks %s crashed at %s\ncommand: %s\npanic: %v\n\n%s",
		cli.Version(), time.Now().UTC().Format(time.RFC3339), commandName(a.Args), v, stack))
	path, err := writeCrash(a.Files.Crashes, text)
	if err != nil {
		a.PrintMessage("crashed: %s (cannot write a crash file: %v)", a.Masked(fmt.Sprint(v)), err)
		return
	}
	a.PrintMessage("crashed; please report this bug with %s", path)
}

// commandName returns the name of the command without its arguments, which may be secret.
func commandName(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return printable.Line(arg)
		}
	}
	return ""
}

// writeCrash writes a new file that only its owner can read. Without a state directory, it writes to the shared
// directory for temporary files. The name is therefore random, and no symlink is followed.
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
