package real

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"ironworks/lab/child"
)

// The files are embedded, so that a program finds them wherever it runs.
//
//go:embed venv.py pins/*.txt scripts/*.py
var files embed.FS

// environments holds the paths of the Python environments that this process has already verified, by name.
var environments = struct {
	sync.Mutex
	paths map[string]string
}{paths: map[string]string{}}

// Environment returns the folder of a Python environment, and creates the environment on first use. name is newest or
// old for that release of Ironic, agent-newest or agent-old for the release's ironic-python-agent, or asciinema for
// tests. progress receives messages for the user while the environment is created; it may be nil. Without a suitable
// Python, the error is [ErrNoPython].
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
		return "", fmt.Errorf("%w: no python3 on PATH, which a real Ironic requires", ErrNoPython)
	}
	dir, err := os.MkdirTemp("", "ironworks-venv-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(dir, files); err != nil {
		return "", err
	}
	progressReader, progressWriter, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer func() { _ = progressReader.Close() }()

	var stdout, stderr bytes.Buffer
	// File descriptor 3 is the first of ExtraFiles.
	cmd := exec.CommandContext(ctx, python, filepath.Join(dir, "venv.py"), "--progress-fd", "3", name) //nolint:gosec // our own script
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, []*os.File{progressWriter}
	// pip is a child of the script and belongs to the same process group, so that both can be killed together.
	cmd.SysProcAttr = child.Attributes()
	// The death signal comes when the starting thread ends, so this thread is kept until Wait returns.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Start()
	_ = progressWriter.Close()
	if err != nil {
		return "", fmt.Errorf("running %s: %w", python, err)
	}
	for lines := bufio.NewScanner(progressReader); lines.Scan(); {
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

// writeScript writes one of the files in scripts/ to a folder, for a service that outlives this program.
func writeScript(dir, name string) error {
	source, err := files.ReadFile("scripts/" + name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), source, 0o600)
}

// runScript runs one of the files in scripts/ with the Python of an environment, and returns its output.
func runScript(ctx context.Context, env, script string, args ...string) (string, error) {
	source, err := files.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	return RunPython(ctx, env, string(source), args...)
}

// RunPython runs a Python script with the interpreter of an environment, and returns its output without surrounding
// white space. source is the text of the script.
func RunPython(ctx context.Context, env, source string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(env, "bin", "python"), append([]string{"-c", source}, args...)...) //nolint:gosec // our own interpreter and script
	cmd.Env = ServiceEnv(os.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("running a Python script: %w\n%s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}

// Reasons why a Python environment cannot be created.
var (
	// ErrNoPython reports that Python is missing, or that no installed version can run the release.
	ErrNoPython = errors.New("no suitable Python")
	// errNoIndex reports that pip cannot reach its package index.
	errNoIndex = errors.New("package index unreachable")
	// errDiskFull reports that there is not enough space for the environment.
	errDiskFull = errors.New("the disk is full")
)

// exitNoPython is the exit code of venv.py if no Python is suitable.
const exitNoPython = 3

// messages contains typical messages of Python and pip, with an error and a remedy for each. Whatever the cause, later
// lines of pip's output blame the package ("No matching distribution found"), so all lines are searched.
var messages = []struct {
	err   error
	words []string
	hint  string
}{
	{errDiskFull, []string{"No space left on device", "Disk quota exceeded"}, "free space, or set IRONWORKS_CACHE to another directory"},
	{ErrNoPython, []string{"ensurepip is not", "No module named venv", "No module named 'venv'", "No module named ensurepip"}, "python3 lacks venv; on Debian and Ubuntu, install python3-venv"},
	{errNoIndex, []string{
		"Failed to establish a new connection", "Temporary failure in name resolution", "Name or service not known",
		"NewConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "SSLError", "Network is unreachable",
		"(from versions: none)", // the index lists no versions, or cannot be reached
	}, "pip needs the network, or your own index in PIP_INDEX_URL"},
}

// venvError converts a failure of venv.py to an error with a remedy.
func venvError(err error, output string) error {
	output = strings.TrimSpace(output)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitNoPython {
		return fmt.Errorf("%w: %s", ErrNoPython, strings.TrimPrefix(output, "venv.py: "))
	}
	for _, sign := range messages {
		for line := range strings.Lines(output) {
			if slices.ContainsFunc(sign.words, func(word string) bool { return strings.Contains(line, word) }) {
				return fmt.Errorf("%w: %s (%s)", sign.err, sign.hint, strings.TrimSpace(line))
			}
		}
	}
	return fmt.Errorf("running venv.py: %w\n%s", err, output)
}
