// Package program lets a test binary run as ironworks itself. Go's test cache and race
// detector then see the program under test; neither sees one that a test builds with a
// child process.
//
// A package that tests the program calls [TestMain] and starts [Path].
package program

import (
	"fmt"
	"os"
	"path/filepath"
)

// name is what the program is called. A test binary called by this name is the program.
const name = "ironworks"

// folder holds the link to this test binary and the reports of the race detector. It is
// named by the process ID, so that no state has to be kept.
func folder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("ironworks-program-%d", os.Getpid()))
}

// Path is the program under test.
func Path() string { return filepath.Join(folder(), name) }

// Env is an environment for the program: what a test sets and where the race detector
// writes. A data race in any run of the program fails the tests at their end. The
// detector would wait for a second at each exit.
func Env(own ...string) []string {
	return append([]string{"GORACE=atexit_sleep_ms=0 log_path=" + filepath.Join(folder(), "race")}, own...)
}

// TestMain is the TestMain of a package that tests the program: it runs the program's
// main where this binary was called as the program, else the tests, and exits.
func TestMain(main func(), tests func() int) {
	if filepath.Base(os.Args[0]) == name {
		main()
		os.Exit(0)
	}
	os.Exit(inFolder(tests))
}

// inFolder runs the tests between making and removing the folder.
func inFolder(tests func() int) (code int) {
	dir := folder()
	defer func() { _ = os.RemoveAll(dir) }()
	if err := link(dir); err != nil {
		fmt.Fprintf(os.Stderr, "link the test binary as %s: %v\n", name, err)
		return 1
	}
	code = tests()
	reports, err := filepath.Glob(filepath.Join(dir, "race.*"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, path := range reports {
		text, err := os.ReadFile(path) //nolint:gosec // in a folder of ours
		fmt.Fprintf(os.Stderr, "the program has a data race (%v):\n%s\n", err, text)
		code = 1
	}
	return code
}

func link(dir string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Symlink(own, filepath.Join(dir, name))
}
