// Package program lets a test binary run as ironworks, so that Go's test cache and race detector cover the program
// under test. They do not cover a program that a test builds in a child process.
//
// A package that tests the program calls [TestMain] and starts [Path].
package program

import (
	"fmt"
	"os"
	"path/filepath"
)

// name is the file name of the program under test. A test binary with this name runs the program.
const name = "ironworks"

// folder returns the path of the folder with the link to this test binary and the reports of the race detector. The
// path follows from the process ID, so it need not be stored.
func folder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("ironworks-program-%d", os.Getpid()))
}

// Path returns the path of the program under test.
func Path() string { return filepath.Join(folder(), name) }

// Env returns an environment for the program, which consists of the given variables and the settings of the race
// detector. A data race in any run of the program makes the tests fail at the end. The settings also remove the
// detector's usual delay of one second when the program exits.
func Env(own ...string) []string {
	return append([]string{"GORACE=atexit_sleep_ms=0 log_path=" + filepath.Join(folder(), "race")}, own...)
}

// TestMain implements the TestMain of a package that tests the program. If this binary was started as the program,
// TestMain calls main. Otherwise, it runs the tests. Either way, TestMain ends the process.
func TestMain(main func(), tests func() int) {
	if filepath.Base(os.Args[0]) == name {
		main()
		os.Exit(0)
	}
	os.Exit(inFolder(tests))
}

// inFolder creates the folder, runs the tests and removes the folder. Data races in the program make the tests fail.
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
		text, err := os.ReadFile(path) //nolint:gosec // in the test's folder
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
