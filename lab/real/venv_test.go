package real

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVenvErrors checks the errors that result from typical messages of pip and Python.
func TestVenvErrors(t *testing.T) {
	t.Parallel()
	failed := exec.CommandContext(t.Context(), "sh", "-c", "exit 1").Run()
	tooNew := exec.CommandContext(t.Context(), "sh", "-c", "exit 3").Run()
	for _, test := range []struct {
		name   string
		err    error
		output string
		want   error
		words  string
	}{
		{
			"no network", failed, `WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/alembic/
ERROR: Could not find a version that satisfies the requirement alembic==1.18.5 (from versions: none)
ERROR: No matching distribution found for alembic==1.18.5`, errNoIndex, "PIP_INDEX_URL",
		},
		{
			"disk full", failed, "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", errDiskFull, "IRONWORKS_CACHE",
		},
		{
			"disk full for a folder", failed, "venv.py: making the environment newest failed: [Errno 28] No space left on device: '/x'", errDiskFull, "free space",
		},
		{
			"Debian without python3-venv", failed, "The virtual environment was not created successfully because ensurepip is not\navailable.  On Debian/Ubuntu systems, you need to install the python3-venv", ErrNoPython, "python3-venv",
		},
		{
			"no suitable Python", tooNew, "venv.py: Ironic 21.4.4 needs Python 3.11, and python3 is Python 3.13: install python3.11, or put it on PATH\n", ErrNoPython, "needs Python 3.11",
		},
		{"anything else", failed, "Segmentation fault", failed, "Segmentation fault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := venvError(test.err, test.output)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.words) {
				t.Errorf("error %v, want %v with %q", err, test.want, test.words)
			}
		})
	}
}

// fakePython puts a script into PATH as python3, to simulate a failing Python. If the script is empty, PATH contains
// no Python.
func fakePython(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin:/usr/local/bin")
	if script == "" {
		t.Setenv("PATH", dir)
	}
}

func TestNoPythonAtAll(t *testing.T) {
	fakePython(t, "")
	if _, err := makeEnvironment(t.Context(), "newest", nil); !errors.Is(err, ErrNoPython) || !strings.Contains(err.Error(), "no python3 on PATH") {
		t.Errorf("error %v", err)
	}
}

func TestProgressIsPassedOn(t *testing.T) {
	fakePython(t, "echo one >&3; echo two >&3; echo newest /some/where")
	var progress []string
	path, err := makeEnvironment(t.Context(), "newest", func(text string) { progress = append(progress, text) })
	if err != nil || path != "/some/where" || strings.Join(progress, " ") != "one two" {
		t.Errorf("path %q, error %v, said %q", path, err, progress)
	}
}

// TestCancelEndsTheChildren checks that canceling also ends pip, which is a child of the script. Otherwise, the pipe
// for progress messages would stay open, and this test would not end.
func TestCancelEndsTheChildren(t *testing.T) {
	fakePython(t, "sleep 1000 & echo $! >&3; wait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := makeEnvironment(ctx, "newest", func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
