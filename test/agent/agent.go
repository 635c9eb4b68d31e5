// Package agent runs the real ironic-python-agent on machines of the lab, so
// that the lab's own can be compared with it.
//
// The agents are those of the two releases of Ironic that the tests know
// ([ironworks/test/ironic]): 13.0.0 and 9.4.2. In python/ is what stands
// between them and the machine: a hardware manager that answers with the
// machine's disks, the programs that the agent finds on PATH, and a guard.
//
// The guard is no ornament. The agent takes the computer that it runs on for
// the machine: it erases disks, mounts, and where poweroff fails it asks the
// kernel by /proc/sysrq-trigger. Under the guard it can start nothing but those
// programs and write nowhere but into the folder of its boot.
//
// The step install_coreos is not part of ironic-python-agent. The manager that
// has it on CoreOS ramdisks is expressed anew in python/ironworks_machine/coreos.py,
// from its documented behaviour; what is compared there is the agent around the
// step and what Ironic makes of it.
package agent

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// Embedded, so that a test binary finds it wherever it runs.
//
//go:embed all:python
var files embed.FS

// Command is the agent of a release, to be started on a machine: the
// AgentCommand of a lab.
func Command(tb testing.TB, release ironic.Release) []string {
	tb.Helper()
	return append([]string{"env", "TMPDIR=" + tb.TempDir()}, program(tb, release)...)
}

// program is the Python and our folder.
func program(tb testing.TB, release ironic.Release) []string {
	tb.Helper()
	python := filepath.Join(ironic.Environment(tb, "agent-"+release.Name()), "bin", "python")
	return []string{python, "-B", unpack(tb)}
}

// Run runs one of the other things that python/__main__.py can do, and returns
// what it prints.
func Run(tb testing.TB, release ironic.Release, what string, input []byte) []byte {
	tb.Helper()
	argv := append(program(tb, release), what)
	cmd := exec.CommandContext(tb.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tb.TempDir())
	cmd.Stdin = bytes.NewReader(input)
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	if err := cmd.Run(); err != nil {
		tb.Fatalf("the agent of %s, %s: %v\n%s%s", release.Name(), what, err, output.Bytes(), complaints.Bytes())
	}
	return output.Bytes()
}

// unpack writes the Python files.
func unpack(tb testing.TB) string {
	tb.Helper()
	root := tb.TempDir()
	err := fs.WalkDir(files, "python", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path, "python")))
		switch {
		case entry.Name() == "__pycache__":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return root
}
