package linux_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// converting describes an image that qemu-img must convert.
var converting = agent.ImageWrite{Device: "/dev/sda", Format: "qcow2"}

// TestConvertTriesAgain checks that a conversion is retried after the same errors as in the real agent; see
// _retry_on_res_temp_unavailable in ironic_python_agent/qemu_img.py.
func TestConvertTriesAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stderr string
		tries  int
	}{
		{"qemu-img: Could not open 'x': Cannot allocate memory", 3},
		{"qemu-img: Resource temporarily unavailable", 3},
		{"qemu-img: Image is corrupt", 1},
	} {
		b := newBench(t)
		b.fails(1, c.stderr, "sh -c")
		b.answers("", "sync")
		_, err := b.machine.WriteImage(t.Context(), converting, strings.NewReader("image"))
		var failed *agent.WriteError
		if !errors.As(err, &failed) || failed.Output.Stderr != c.stderr {
			t.Errorf("%q: %v", c.stderr, err)
		}
		tries := 0
		for _, line := range b.runs {
			if strings.Contains(line, "qemu-img convert -f qcow2") {
				tries++
			}
		}
		if tries != c.tries || b.ran("sync") != (c.tries > 1) {
			t.Errorf("%q: %d tries, want %d: %q", c.stderr, tries, c.tries, b.runs)
		}
	}
}

// TestConvertHasLessMemory checks the memory limit and the arguments of qemu-img. Instead of the real qemu-img, it
// runs a script that prints both.
func TestConvertHasLessMemory(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\nulimit -v >&2\necho \"$MALLOC_ARENA_MAX $*\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "qemu-img"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	m := linux.New(linux.Local("/"), linux.Options{})
	_, err := m.WriteImage(t.Context(), converting, strings.NewReader("image"))
	var failed *agent.WriteError
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	got := strings.Fields(failed.Output.Stderr)
	if len(got) < 2 || got[0] != "2097152" || got[1] != "3" || !slices.Contains(got, "convert") || got[len(got)-1] != "/dev/sda" {
		t.Errorf("the program reports %q", got)
	}
}
