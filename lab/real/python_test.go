package real

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// findPython is a script that runs venv.py's search for an interpreter. The script pretends that the given version of
// Python runs venv.py, and sets PATH to a folder with other versions.
const findPython = `
import os, sys, types
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import venv
os.environ["PATH"] = sys.argv[4]
major, minor = sys.argv[3].split(".")
venv.sys = types.SimpleNamespace(executable="itself", version_info=(int(major), int(minor), 0))
try:
    print(*venv.find_python(sys.argv[2]))
except venv.NoPython as err:
    print(err)
`

func TestFindPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, pins, runs string
		others           []string
		want             string
	}{
		{"the one that runs", "newest", "3.13", nil, "itself (3, 13)"},
		{"the oldest", "newest", "3.11", nil, "itself (3, 11)"},
		{"a newer one", "newest", "3.9", []string{"3.8", "3.12"}, "python3.12 (3, 12)"},
		{"none that is new enough", "newest", "3.9", []string{"3.10"}, "Ironic 39.0.0 needs Python 3.11 or later, and python3 is Python 3.9: install python3.11, or put it on PATH"},
		{"the old one", "old", "3.11", nil, "itself (3, 11)"},
		{"an older one for the old one", "old", "3.13", []string{"3.11"}, "python3.11 (3, 11)"},
		{"none for the old one", "agent-old", "3.13", []string{"3.10", "3.12"}, "ironic-python-agent 9.4.2 needs Python 3.11, and python3 is Python 3.13: install python3.11, or put it on PATH"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, version := range test.others {
				script := "#!/bin/sh\necho " + strings.Replace(version, ".", " ", 1) + "\n"
				if err := os.WriteFile(filepath.Join(dir, "python"+version), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), python, "-c", findPython, ".", test.pins, test.runs, dir)
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(strings.ReplaceAll(string(out), dir+"/", "")); err != nil || got != test.want {
				t.Errorf("error %v\n got: %s\nwant: %s", err, got, test.want)
			}
		})
	}
}
