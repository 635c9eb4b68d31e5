package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ironworks/python"
)

// Output holds the output of a program and its exit status.
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
	// Mode holds the permission bits. If it is 0, the mode is not set.
	Mode  int `json:"mode"`
	Owner int `json:"owner"`
	Group int `json:"group"`
}

// MountError is the error for a device that cannot be mounted, with mount's message after the folder's name.
type MountError struct{ Text string }

func (e *MountError) Error() string { return e.Text }

// processError is the error of a program that failed. Its message is in the format of the real agent.
type processError struct {
	argv []string
	out  Output
}

func (e *processError) Error() string {
	return fmt.Sprintf("Unexpected error while running command.\nCommand: %s\nExit code: %d\nStdout: %s\nStderr: %s",
		strings.Join(e.argv, " "), e.out.Code, python.Repr(e.out.Stdout), python.Repr(e.out.Stderr))
}

// asUncaught converts a program's error to the Python exception that steps raise if they do not handle it.
func asUncaught(err error) error {
	if failed, ok := errors.AsType[*processError](err); ok {
		return raise("ProcessExecutionError", "%s", failed)
	}
	return err
}

// program runs a program of the ramdisk. The error is a *processError, or Python's FileNotFoundError.
func (a *agent) program(ctx context.Context, argv ...string) (Output, error) {
	out, err := a.hardware.Execute(ctx, argv...)
	switch {
	case errors.Is(err, ErrNoProgram):
		return Output{}, raise("FileNotFoundError", "[Errno 2] No such file or directory: %s", python.Repr(argv[0]))
	case err != nil:
		return Output{}, fmt.Errorf("running %s: %w", argv[0], err)
	case out.Code != 0:
		return out, &processError{argv: argv, out: out}
	}
	return out, nil
}

// rescan makes the kernel reread the partition table of a disk, and waits until the device files of the partitions
// exist. See rescan_device in ironic_python_agent/utils.py.
func (a *agent) rescan(ctx context.Context, disk string) {
	for _, argv := range [][]string{{"partx", "-av", disk}, {"udevadm", "settle"}} {
		if _, err := a.program(ctx, argv...); failedProgram(err) {
			a.log.disks.debug("Couldn't re-read the partition table on device %s: %v", disk, err)
		}
	}
}

// failedProgram reports whether a program ran and failed. A program that does not exist does not count.
func failedProgram(err error) bool {
	_, failed := errors.AsType[*processError](err)
	return failed
}
