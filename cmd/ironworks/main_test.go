package main

import (
	"os/exec"
	"strings"
	"testing"

	"ironworks/test/program"
)

func TestMain(m *testing.M) { program.TestMain(main, m.Run) }

// TestMainRuns runs the real main, which no other test covers.
func TestMainRuns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"version"}, 0, "ironworks "},
		{[]string{"no-such-command"}, 2, "no-such-command"},
	} {
		command := exec.CommandContext(t.Context(), program.Path(), tt.args...)
		command.Env = program.Env("HOME=" + t.TempDir())
		out, err := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.says) {
			t.Errorf("ironworks %q: exit code %d (%v), want %d and %q:\n%s", tt.args, code, err, tt.code, tt.says, out)
		}
	}
}
