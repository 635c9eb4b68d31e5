package sshserver

import (
	"net"
	"sync"
	"time"

	"charm.land/ssh"
)

// gate counts the connections that have not authenticated yet, and the new connections from each address.
type gate struct {
	limits Limits

	mu      sync.Mutex
	pending int
	// from counts the pending connections from each address.
	from map[string]int
	// recent counts the connections from each address since the start of the current minute.
	recent map[string]int
	minute time.Time
}

func newGate(l Limits) *gate {
	return &gate{limits: l, from: map[string]int{}, recent: map[string]int{}}
}

// enter counts a new connection from address. It returns the reason why the connection is refused, or "".
func (g *gate) enter(address string, now time.Time) (why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.minute) >= time.Minute {
		clear(g.recent)
		g.minute = now
	}
	g.recent[address]++
	switch {
	case g.recent[address] > g.limits.Rate:
		return "too many connections from this address in a minute"
	case g.pending >= g.limits.Handshakes:
		return "too many connections that have not authenticated"
	case g.from[address] >= max(g.limits.Handshakes/4, 1): // so that one address leaves room for others
		return "too many connections from this address that have not authenticated"
	}
	g.pending++
	g.from[address]++
	return ""
}

func (g *gate) release(address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending--
	if g.from[address]--; g.from[address] == 0 {
		delete(g.from, address)
	}
}

// connection is a client's connection. The gate counts it as pending until the client has authenticated or the
// connection is closed. A connection that has no session for too long is closed.
type connection struct {
	net.Conn
	once sync.Once
	gate *gate
	host string

	mu       sync.Mutex
	sessions int
	// noSession closes the connection if it has no session for too long.
	noSession *time.Timer
}

// leaveGate removes the connection from the gate's count. Only the first call has an effect.
func (c *connection) leaveGate() { c.once.Do(func() { c.gate.release(c.host) }) }

// Close closes the connection.
func (c *connection) Close() error {
	c.leaveGate()
	c.noSession.Stop()
	return c.Conn.Close()
}

// open counts a new session if the connection has fewer than most sessions, and reports whether it did.
func (c *connection) open(most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions >= most {
		return false
	}
	c.sessions++
	c.noSession.Stop()
	return true
}

// closed stops counting a session. After the last one, the timer for connections without a session starts again.
func (c *connection) closed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions--; c.sessions == 0 {
		c.noSession.Reset(c.gate.limits.NoSession)
	}
}

// connKey is the context key for the connection.
type connKey struct{}

// admit refuses connections beyond the limits before anything is read from them.
func (s *Server) admit(ctx ssh.Context, conn net.Conn) net.Conn {
	host := hostOf(conn.RemoteAddr())
	if why := s.gate.enter(host, time.Now()); why != "" {
		s.refusals.add(time.Now(), host, "refused connections", "refused %s: %s", conn.RemoteAddr(), why)
		return nil
	}
	limits := s.opts.Limits
	counted := &connection{Conn: conn, gate: s.gate, host: host, noSession: time.AfterFunc(limits.Login+limits.NoSession, func() { _ = conn.Close() })}
	ctx.SetValue(connKey{}, counted)
	return counted
}

// failed is called for connections that did not authenticate.
func (s *Server) failed(conn net.Conn, err error) {
	s.refusals.add(time.Now(), hostOf(conn.RemoteAddr()), "no login", "no login from %s: %v", conn.RemoteAddr(), err)
}
