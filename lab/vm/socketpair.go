package vm

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketPair is a connection of which the far end is for a child.
func socketPair(name string) (near net.Conn, far *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket for the %s: %w", name, err)
	}
	ours := os.NewFile(uintptr(fds[0]), name) //nolint:gosec // a descriptor
	far = os.NewFile(uintptr(fds[1]), name)   //nolint:gosec // a descriptor
	near, err = net.FileConn(ours)            // a copy
	_ = ours.Close()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("making a socket for the %s: %w", name, err), far.Close())
	}
	return near, far, nil
}

// errInUse says that the machine runs, or that another process works on its disks.
var errInUse = errors.New("the virtual machine is on, or another ironworks uses its disks")

// lock keeps other processes off the machine's files.
func lock(folder string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the machine's folder
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil { //nolint:gosec // a descriptor
		_ = file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errInUse
		}
		return nil, fmt.Errorf("locking %s: %w", folder, err)
	}
	return func() { _ = file.Close() }, nil
}
