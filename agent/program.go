package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ironworks/python"
)

// Programs is a [Hardware] whose ramdisk has programs for partitions and RAID. A [Hardware] that does not implement it
// has none of them.
type Programs interface {
	// Execute runs a program until it ends. The error for a missing program is ErrNoProgram. For a program that fails,
	// the output has an exit status, and the error is nil.
	Execute(ctx context.Context, argv ...string) (Output, error)
	// Mount returns the content of a device's file system, Unmount writes it back. A device that
	// cannot be mounted is a *MountError.
	Mount(ctx context.Context, device string) ([]File, error)
	Unmount(ctx context.Context, device string, files []File) error
}

// ErrNoProgram reports a program that the ramdisk does not have.
var ErrNoProgram = errors.New("no such program")

// Output is the output of a program, and its exit status.
type Output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"exit"`
}

// File is a file, or a folder, in a file system.
type File struct {
	// Path is relative to the root of the file system.
	Path    string `json:"path"`
	Folder  bool   `json:"folder"`
	Content []byte `json:"content"`
	// Mode are the permissions, 0 if not set.
	Mode  int `json:"mode"`
	Owner int `json:"owner"`
	Group int `json:"group"`
}

// MountError reports that a device could not be mounted. Text is the part of mount's message that follows the name of
// the folder.
type MountError struct{ Text string }

func (e *MountError) Error() string { return e.Text }

// processError is the failure of a program, as the agent's errors quote it.
type processError struct {
	argv []string
	out  Output
}

func (e *processError) Error() string {
	return fmt.Sprintf("Unexpected error while running command.\nCommand: %s\nExit code: %d\nStdout: %s\nStderr: %s",
		strings.Join(e.argv, " "), e.out.Code, python.Repr(e.out.Stdout), python.Repr(e.out.Stderr))
}

// asUncaught converts the error of a program to the Python exception that the conductor sees if a step does not handle
// it.
func asUncaught(err error) error {
	var failed *processError
	if errors.As(err, &failed) {
		return raise("ProcessExecutionError", "%s", failed)
	}
	return err
}

// program runs a program of the ramdisk. If the program fails, the error is a *processError; if it is missing, Python's
// FileNotFoundError.
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

// rescan makes the kernel read a partition table again, and waits for the devices of the
// partitions. See rescan_device of ironic_python_agent/utils.py.
func (a *agent) rescan(ctx context.Context, disk string) {
	for _, argv := range [][]string{{"partx", "-av", disk}, {"udevadm", "settle"}} {
		if _, err := a.program(ctx, argv...); failedProgram(err) {
			a.log.disks.debug("Couldn't re-read the partition table on device %s: %v", disk, err)
		}
	}
}

// failedProgram reports whether a program failed or is missing; other errors end the step.
func failedProgram(err error) bool {
	var failed *processError
	return errors.As(err, &failed)
}
