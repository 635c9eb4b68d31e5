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

// Ports are taken from below the range that systems hand out by themselves
// (Linux: from 32768), as seconds pass until the service binds its port: one
// of the range could by then be the local end of some outgoing connection.
const (
	firstPort = 20000
	portCount = 5000
)

// ErrPortTaken reports that another program listens on the port.
var ErrPortTaken = errors.New("the port is taken")

// Reservation keeps a port from other users of this package, in whatever
// process: they would start an Ironic there in the seconds until ours binds
// the port, and we would take theirs for ours. It works by listening on
// another port that stands for the first.
type Reservation struct {
	Port  int
	guard net.Listener
}

// Reserve chooses a loopback port that nobody listens on.
func Reserve(ctx context.Context) (*Reservation, error) {
	const attempts = 100
	for range attempts {
		r := &Reservation{Port: firstPort + rand.IntN(portCount)} //nolint:gosec // not a secret
		if r.hold(ctx) != nil {
			continue
		}
		if l, err := listen(ctx, r.Port); err == nil {
			return r, l.Close()
		}
		r.Release()
	}
	return nil, errors.New("no free loopback port found")
}

// hold reserves the port again after a release.
func (r *Reservation) hold(ctx context.Context) error {
	if r.guard != nil {
		return nil
	}
	var err error
	r.guard, err = listen(ctx, r.Port+portCount)
	return err
}

// Release gives the port back.
func (r *Reservation) Release() {
	if r.guard != nil {
		_ = r.guard.Close()
		r.guard = nil
	}
}

// awaitPort waits until a port is free: one that was just killed may need a
// moment.
func awaitPort(ctx context.Context, host string, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := Poll(ctx, 20*time.Millisecond, func(ctx context.Context) (bool, error) {
		l, err := listenAt(ctx, host, port)
		if err == nil {
			err = l.Close()
		}
		// An address that is not this machine's will not come.
		if err != nil && !errors.Is(err, syscall.EADDRINUSE) {
			return false, err
		}
		return err == nil, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", ErrPortTaken, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return err
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	return listenAt(ctx, loopback, port)
}

func listenAt(ctx context.Context, host string, port int) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listening on port %d of %s: %w", port, host, err)
	}
	return l, nil
}
