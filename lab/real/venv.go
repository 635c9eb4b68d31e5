package real

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"ironworks/lab/child"
)

// Embedded, so that a program finds them wherever it runs.
//
//go:embed venv.py pins/*.txt scripts/*.py
var files embed.FS

// environments are those that this process knows to be there.
var environments = struct {
	sync.Mutex
	paths map[string]string
}{paths: map[string]string{}}

// Environment returns the folder of a Python environment and makes it on first
// use: newest and old, of an Ironic, and agent-newest and agent-old, of its
// ironic-python-agent. Progress is told, in words for people, while it is
// made; nobody is if nil. The error is [ErrNoPython] if no Python here suits.
func Environment(ctx context.Context, name string, progress func(text string)) (string, error) {
	environments.Lock()
	defer environments.Unlock()
	if path, ok := environments.paths[name]; ok {
		return path, nil
	}
	path, err := makeEnvironment(ctx, name, progress)
	if err != nil {
		return "", fmt.Errorf("making the Python environment %q: %w", name, err)
	}
	environments.paths[name] = path
	return path, nil
}

func makeEnvironment(ctx context.Context, name string, progress func(string)) (string, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", fmt.Errorf("%w: a real Ironic is a Python program, and there is no python3 on PATH", ErrNoPython)
	}
	dir, err := os.MkdirTemp("", "ironworks-venv-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := unpack(dir); err != nil {
		return "", err
	}
	listener, said, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()

	var stdout, stderr bytes.Buffer
	// File descriptor 3 is the first of ExtraFiles.
	cmd := exec.CommandContext(ctx, python, filepath.Join(dir, "venv.py"), "--progress-fd", "3", name) //nolint:gosec // our own script
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, []*os.File{said}
	// pip is a child of the script, and goes with it.
	cmd.SysProcAttr = child.Attributes()
	// The death signal comes when the starting thread ends, so this thread is kept until Wait returns.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Start()
	_ = said.Close()
	if err != nil {
		return "", fmt.Errorf("running %s: %w", python, err)
	}
	for lines := bufio.NewScanner(listener); lines.Scan(); {
		if progress != nil {
			progress(lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", venvError(err, stderr.String())
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

// writeScript writes one of scripts/ into a folder, for a service that outlives its start.
func writeScript(dir, name string) error {
	source, err := files.ReadFile("scripts/" + name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), source, 0o600)
}

// runScript runs one of scripts/ in an environment.
func runScript(ctx context.Context, env, script string, args ...string) (string, error) {
	source, err := files.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	return RunPython(ctx, env, string(source), nil, args...)
}

// RunPython runs a script in an environment, with input on stdin, and returns what it prints.
func RunPython(ctx context.Context, env, source string, input []byte, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(env, "bin", "python"), append([]string{"-c", source}, args...)...) //nolint:gosec // our own interpreter and script
	cmd.Env = ServiceEnv(os.TempDir())
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("running a Python script: %w\n%s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}
