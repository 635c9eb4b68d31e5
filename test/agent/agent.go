// Package agent runs the real ironic-python-agent on machines of the lab, to
// compare it with the lab's agent.
//
// It uses two versions of the agent, 13.0.0 and 9.4.2, one for each release of
// Ironic in [ironworks/test/ironic]. The folder python/ connects them with the
// machine: it contains a hardware manager that reports the machine's disks, the
// programs that the agent finds in PATH, and a guard.
//
// The guard is necessary because the agent treats the computer that it runs on as
// the machine: it erases disks, mounts file systems and, where poweroff fails,
// powers the computer off through /proc/sysrq-trigger. Under the guard, it can start
// only those programs, and it can write only to the temporary folder that is created
// for each boot.
//
// The install_coreos step is not part of ironic-python-agent. It belongs to the
// hardware manager of CoreOS ramdisks, which python/ironworks_machine/coreos.py
// reimplements from its documented behavior. For this step, the tests compare the
// agent around it and Ironic's handling of the step.
package agent

import (
	"bytes"
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ironworks/test/ironic"
)

// files is embedded, so that it is available wherever the test binary runs.
//
//go:embed all:python
var files embed.FS

// Command returns the command line that starts the agent of the given release. It is a value for a lab's AgentCommand
// option.
func Command(tb testing.TB, release ironic.Release) []string {
	tb.Helper()
	return append([]string{"env", "TMPDIR=" + tb.TempDir()}, program(tb, release)...)
}

// program returns the command line that runs python/ in the release's Python environment.
func program(tb testing.TB, release ironic.Release) []string {
	tb.Helper()
	python := filepath.Join(ironic.Environment(tb, "agent-"+release.Name()), "bin", "python")
	return []string{python, "-B", unpack(tb)}
}

// Run runs python/__main__.py with the argument what ("root-disk" or "guard") and with input on standard input, and
// returns the output.
func Run(tb testing.TB, release ironic.Release, what string, input []byte) []byte {
	tb.Helper()
	return start(tb, append(program(tb, release), what), input)
}

// RunFile runs the given file in python/ in the release's Python environment, without the guard, and returns its
// output.
func RunFile(tb testing.TB, release ironic.Release, file string, arguments ...string) []byte {
	tb.Helper()
	argv := program(tb, release)
	last := len(argv) - 1
	argv[last] = filepath.Join(argv[last], file)
	return start(tb, append(argv, arguments...), nil)
}

// start runs a command to its end and returns its standard output. If the command fails, the test fails.
func start(tb testing.TB, argv []string, input []byte) []byte {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tb.TempDir())
	cmd.Stdin = bytes.NewReader(input)
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	if err := cmd.Run(); err != nil {
		tb.Fatalf("%q: %v\n%s%s", argv, err, output.Bytes(), complaints.Bytes())
	}
	return output.Bytes()
}

// unpack writes the Python files to a temporary folder and returns its path.
func unpack(tb testing.TB) string {
	tb.Helper()
	root := tb.TempDir()
	if err := os.CopyFS(root, files); err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(root, "python")
}
