package real

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
	"time"
)

// Ports are chosen below the system's ephemeral range, which starts at 32768 on Linux. Seconds pass until the service
// binds its port, and in that time an outgoing connection could take a port of the ephemeral range.
const (
	firstPort = 20000
	portCount = 5000
)

// ErrPortTaken reports that another program listens on the port.
var ErrPortTaken = errors.New("port in use")

// Reservation keeps other processes that use this package from choosing the same port until ours binds it, which takes
// seconds. It listens on a second port, which marks the first one as reserved.
type Reservation struct {
	Port  int
	guard net.Listener
}

// Reserve chooses and reserves a free loopback port.
func Reserve(ctx context.Context) (*Reservation, error) {
	const attempts = 100
	for range attempts {
		r := &Reservation{Port: firstPort + rand.IntN(portCount)} //nolint:gosec // not a secret
		if r.reserve(ctx) != nil {
			continue
		}
		if l, err := listenAt(ctx, loopback, r.Port); err == nil {
			return r, l.Close()
		}
		r.Release()
	}
	return nil, errors.New("no free loopback port found")
}

// reserve reserves the port, unless it is already reserved. It can be called again after Release.
func (r *Reservation) reserve(ctx context.Context) error {
	if r.guard != nil {
		return nil
	}
	var err error
	r.guard, err = listenAt(ctx, loopback, r.Port+portCount)
	return err
}

// Release allows other processes to choose the port again.
func (r *Reservation) Release() {
	if r.guard != nil {
		_ = r.guard.Close()
		r.guard = nil
	}
}

// awaitPort waits until a port is free, because the port of a killed process may stay in use for a moment.
func awaitPort(ctx context.Context, host string, port int) error {
	l, err := ListenWhenFree(ctx, host, port)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", ErrPortTaken, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	if err != nil {
		return err
	}
	return l.Close()
}

// ListenWhenFree listens on a port that was just closed. It tries for up to five seconds, because a child of this
// process that is between fork and exec may still hold the closed listener.
func ListenWhenFree(ctx context.Context, host string, port int) (l net.Listener, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err = Poll(ctx, 20*time.Millisecond, func(ctx context.Context) (bool, error) {
		var err error
		// Other errors, such as a foreign address, are permanent.
		if l, err = listenAt(ctx, host, port); errors.Is(err, syscall.EADDRINUSE) {
			return false, nil
		}
		return err == nil, err
	})
	return l, err
}

func listenAt(ctx context.Context, host string, port int) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listening on port %d of %s: %w", port, host, err)
	}
	return l, nil
}
