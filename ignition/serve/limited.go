package serve

import (
	"net"
	"net/netip"
	"sync"
)

// limited is a listener that limits the number of connections. Further connections wait in the kernel's queue. Those
// above the limit per address are closed immediately, so that one client cannot lock out the machines.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once

	// each is the maximum number of connections per address. Loopback addresses are exempt unless all is set, because
	// the lab's simulated BMCs connect from there.
	each int
	all  bool
	mu   sync.Mutex
	open map[netip.Addr]int
}

func newLimited(l net.Listener, most, each int) *limited {
	limit := &limited{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{}), each: each, all: each > 0, open: map[netip.Addr]int{}}
	if each <= 0 {
		limit.each = max(most/4, 1)
	}
	return limit
}

// Accept first waits until the number of connections is below the limit, and then waits for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.places
			return nil, err
		}
		from := remoteOf(c.RemoteAddr().String())
		if !l.enter(from) {
			_ = c.Close()
			continue
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return &placed{Conn: c, leave: l.leave(from)}, nil
		}
		return &placedTCP{TCPConn: tcp, leave: l.leave(from)}, nil
	}
}

// enter counts a connection, unless its address has reached the limit. It reports whether it counted the connection.
func (l *limited) enter(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from] >= l.each && (l.all || !from.IsLoopback()) {
		return false
	}
	l.open[from]++
	return true
}

func (l *limited) leave(from netip.Addr) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		if l.open[from]--; l.open[from] == 0 {
			delete(l.open, from)
		}
		l.mu.Unlock()
		<-l.places
	})
}

// Close closes the listener. Pending calls to Accept return an error.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type placed struct {
	net.Conn
	leave func()
}

func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// placedTCP is a placed TCP connection. Its ReadFrom method lets the kernel send files directly.
type placedTCP struct {
	*net.TCPConn
	leave func()
}

func (c *placedTCP) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
