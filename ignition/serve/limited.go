package serve

import (
	"net"
	"sync"
)

// limited is a listener that accepts no more connections than it has places; the next
// ones wait in the kernel.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimited(l net.Listener, most int) *limited {
	return &limited{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return &placed{Conn: c, leave: l.leave()}, nil
	}
	return &placedTCP{TCPConn: tcp, leave: l.leave()}, nil
}

func (l *limited) leave() func() {
	var once sync.Once
	return func() { once.Do(func() { <-l.places }) }
}

// Close ends waiting Accepts too.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed gives its place back when it is closed.
type placed struct {
	net.Conn
	leave func()
}

func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// placedTCP is one whose files the kernel sends (its ReadFrom is that of the connection).
type placedTCP struct {
	*net.TCPConn
	leave func()
}

func (c *placedTCP) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
