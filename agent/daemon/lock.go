package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/gofrs/flock"
)

// lockFile is the file that the agent of a host locks while it runs.
const lockFile = "/run/ironworks-agent.lock"

// ErrRunning reports that an agent already runs on the host: two agents would erase and install at the same time.
var ErrRunning = errors.New("another agent is running on this host")

// lock takes the lock of a host; the returned function releases it.
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

// portFree returns an error if another kind of agent, such as ironic-python-agent's container, listens on the port.
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
