package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/gofrs/flock"
)

// lockFile is the file that an agent locks while it runs, so that no second agent starts on the same host.
const lockFile = "/run/ironworks-agent.lock"

// ErrRunning is returned if another agent already runs on the host. Two agents would erase and install disks at the
// same time.
var ErrRunning = errors.New("another agent is running on this host")

// lock locks the given file, or returns [ErrRunning] if another process holds the lock. The returned function
// releases the lock.
func lock(file string) (release func(), err error) {
	held := flock.New(file)
	got, err := held.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", file, err)
	case !got:
		return nil, fmt.Errorf("%w: it holds %s", ErrRunning, file)
	}
	return func() { _ = held.Unlock() }, nil
}

// portFree returns an error if the address is in use. This happens if another kind of agent runs on the host, such as
// the container of ironic-python-agent.
func portFree(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: %s is in use", ErrRunning, address)
	case err != nil:
		return fmt.Errorf("listening: %w", err)
	}
	return listener.Close()
}
