package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ironworks/lab/python"
)

// Programs is hardware whose ramdisk has programs: those with which the agent
// works on partitions and RAID. [Hardware] without it has none
// of them.
type Programs interface {
	// Execute runs a program until it ends. One that is not there gives
	// ErrNoProgram; one that fails has a code and is no error.
	Execute(ctx context.Context, argv ...string) (Output, error)
	// Mount answers what is in the file system of a device, Unmount writes it
	// back. A device that cannot be mounted gives a *MountError.
	Mount(ctx context.Context, device string) ([]File, error)
	Unmount(ctx context.Context, device string, files []File) error
}

// ErrNoProgram is a program that the ramdisk does not have.
var ErrNoProgram = errors.New("no such program")

// Output is what a program printed, and the code that it ended with.
type Output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"exit"`
}

// File is a file, or a folder, in a file system.
type File struct {
	// Path begins at the root of the file system, without a slash.
	Path    string `json:"path"`
	Folder  bool   `json:"folder"`
	Content []byte `json:"content"`
	// Mode are the permissions, 0 where nobody has set any.
	Mode  int `json:"mode"`
	Owner int `json:"owner"`
	Group int `json:"group"`
}

// MountError is a device that cannot be mounted, as mount says it behind the
// name of the folder.
type MountError struct{ Text string }

func (e *MountError) Error() string { return e.Text }

// processError is what the agent's errors quote of a program that failed.
type processError struct {
	argv []string
	out  Output
}

func (e *processError) Error() string {
	return fmt.Sprintf("Unexpected error while running command.\nCommand: %s\nExit code: %d\nStdout: %s\nStderr: %s",
		strings.Join(e.argv, " "), e.out.Code, python.Repr(e.out.Stdout), python.Repr(e.out.Stderr))
}

// uncaught is what becomes of an error of a program that a step does not
// expect.
func uncaught(err error) error {
	var failed *processError
	if errors.As(err, &failed) {
		return raise("ProcessExecutionError", "%s", failed)
	}
	return err
}

// program runs one that the ramdisk has. One that fails gives a *processError, one that is not
// there Python's FileNotFoundError.
func (a *agent) program(ctx context.Context, argv ...string) (Output, error) {
	missing := raise("FileNotFoundError", "[Errno 2] No such file or directory: %s", python.Repr(argv[0]))
	programs, ok := a.hardware.(Programs)
	if !ok {
		return Output{}, missing
	}
	out, err := programs.Execute(ctx, argv...)
	switch {
	case errors.Is(err, ErrNoProgram):
		return Output{}, missing
	case err != nil:
		return Output{}, fmt.Errorf("running %s: %w", argv[0], err)
	case out.Code != 0:
		return out, &processError{argv: argv, out: out}
	}
	return out, nil
}

// failedProgram tells whether a program failed or is not there; other errors
// are the end of the step.
func failedProgram(err error) bool {
	var failed *processError
	return errors.As(err, &failed)
}
