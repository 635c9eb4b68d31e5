package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/config"
	tty "ironworks/test/terminal"
)

// buggy is an environment variable. If it is set, this test binary runs as the program, with a console that panics.
const buggy = "IRONWORKS_TEST_BUGGY_CONSOLE"

func TestMain(m *testing.M) {
	if os.Getenv(buggy) == "" {
		os.Exit(m.Run())
	}
	os.Exit(run(context.Background(), cli.Process{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Options: config.FromOS(),
		Bug: func() { panic("the bug says pass-9f3a") },
	}))
}

// TestPanicInTheConsole checks that a panic restores the terminal and names the crash file, and that this file
// contains no secrets of the connection.
func TestPanicInTheConsole(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{buggy + "=yes", "HOME=" + home, "IRONWORKS_URL=http://127.0.0.1:1", "IRONWORKS_USERNAME=admin", "IRONWORKS_PASSWORD=pass-9f3a"}
	s := tty.StartT(t, tty.Options{Command: cmd, Width: 200, Height: 24})
	s.Ends(t, cli.ExitFailed)
	if left := s.Leftovers(); len(left) > 0 {
		t.Errorf("the terminal is left with %q", left)
	}
	files, err := filepath.Glob(filepath.Join(home, ".local/state/ironworks/crashes/crash-*.txt"))
	if err != nil || len(files) != 1 {
		t.Fatalf("crash files: %q, %v", files, err)
	}
	if said := strings.ReplaceAll(s.Text(), "\n", ""); !strings.Contains(said, "crashed; please report this bug with") || !strings.Contains(said, files[0]) {
		t.Errorf("the file %s is not named:\n%s", files[0], s.Text())
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.Contains(s, "panic: the bug says ******") || !strings.Contains(s, "consoleHost") || strings.Contains(s, "pass-9f3a") {
		t.Errorf("crash file:\n%s", s)
	}
}

func TestConsoleNeedsATerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"a terminal":        {nil, "the console needs a terminal"},
		"no arguments":      {[]string{"fleet"}, "fleet"},
		"a theme it knows":  {[]string{"--theme", "pink"}, "the console needs a terminal"},
		"a number of --fps": {[]string{"--fps", "many"}, "--fps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := offline(t, tt.args...); code != cli.ExitUsage || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit code %d, want %q:\n%s", code, tt.says, stderr)
			}
		})
	}
}
