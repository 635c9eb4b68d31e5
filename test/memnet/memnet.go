// Package memnet provides an in-memory network for tests in testing/synctest bubbles. In a bubble, time does not
// advance while a goroutine waits for a socket.
package memnet

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Address is the address of every [Listener].
const Address = "127.0.0.1:6385"

// URL is the base URL of a handler passed to [Serve].
const URL = "http://" + Address

// Listener is a net.Listener whose connections come from callers of its Dial method.
type Listener struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Listen returns a listener. It belongs to the bubble that calls Listen.
func Listen() *Listener {
	return &Listener{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for a connection. After Close it returns net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close makes the listener reject further connections, and unblocks Accept.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns [Address].
func (*Listener) Addr() net.Addr { return address(Address) }

// Dial connects to the listener, whatever the address.
func (l *Listener) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return l.From("127.0.0.1")(ctx, network, address)
}

// From returns a Dial function for a client with the given IP address.
func (l *Listener) From(ip string) func(ctx context.Context, network, address string) (net.Conn, error) {
	source := net.JoinHostPort(ip, "49152")
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case l.dialed <- conn{Conn: theirs, remote: source}:
			return conn{Conn: ours, remote: Address}, nil
		case <-l.closed:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Serve serves HTTP requests until the test ends.
func Serve(tb testing.TB, handler http.Handler) *Listener {
	tb.Helper()
	l := Listen()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // the error is always http.ErrServerClosed
	}()
	tb.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return l
}

// conn is a connection that has the remote address of a TCP connection.
type conn struct {
	net.Conn
	remote string
}

// RemoteAddr returns the address of the other end.
func (c conn) RemoteAddr() net.Addr { return address(c.remote) }

func address(s string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s)) }
