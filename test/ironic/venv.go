package ironic

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Embedded, so that a test binary finds them wherever it runs.
//
//go:embed venv.py pins/*.txt scripts/*.py
var files embed.FS

// errNoPython reports that no Python here is old enough for a release.
var errNoPython = errors.New("no suitable Python")

// exitNoPython is what venv.py exits with in that case.
const exitNoPython = 3

var venvs = struct {
	sync.Mutex
	paths map[string]string
}{paths: map[string]string{}}

// venv returns the folder of a virtual environment and makes it on first use.
func venv(ctx context.Context, name string) (string, error) {
	venvs.Lock()
	defer venvs.Unlock()
	if path, ok := venvs.paths[name]; ok {
		return path, nil
	}
	path, err := makeVenv(ctx, name)
	if err != nil {
		return "", fmt.Errorf("making the Python environment %q: %w", name, err)
	}
	venvs.paths[name] = path
	return path, nil
}

func makeVenv(ctx context.Context, name string) (string, error) {
	dir, err := os.MkdirTemp("", "ironworks-venv-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := unpack(dir); err != nil {
		return "", err
	}

	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "python3", filepath.Join(dir, "venv.py"), name) //nolint:gosec // our own script
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == exitNoPython {
			return "", fmt.Errorf("%w: %s", errNoPython, strings.TrimSpace(stderr.String()))
		}
		return "", fmt.Errorf("running venv.py: %w\n%s", err, stderr.String())
	}
	_, path, ok := strings.Cut(strings.TrimSpace(stdout.String()), " ")
	if !ok {
		return "", fmt.Errorf("venv.py answered %q", stdout.String())
	}
	return path, nil
}

// unpack writes the embedded files below dir.
func unpack(dir string) error {
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// runPython runs one of scripts/ in an environment, with input on stdin, and
// returns what it prints.
func runPython(ctx context.Context, env, script string, input []byte, args ...string) (string, error) {
	source, err := files.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(env, "bin", "python"), append([]string{"-c", string(source)}, args...)...) //nolint:gosec // our own interpreter and script
	cmd.Env = environment(os.TempDir())
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("running %s: %w\n%s", script, err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}
