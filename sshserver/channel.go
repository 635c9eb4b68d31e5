package sshserver

import (
	"context"
	"encoding/binary"
	"slices"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// channel passes on those requests of a session that a console needs. It refuses all others, such as agent forwarding,
// which charm.land/ssh accepts. It tracks the terminal's size itself, because charm.land/ssh has a data race there.
type channel struct {
	gossh.NewChannel
	conn *connection
	// connected is canceled when the client has closed the session. The connection may still be open.
	connected  context.Context //nolint:containedctx // the life of the session's client
	disconnect context.CancelFunc
	// sizes holds the last size that has not been read yet. It is closed when the session ends.
	sizes chan Size
}

// openSession starts a session that a client requested on its connection.
func (s *Server) openSession(srv *ssh.Server, conn *gossh.ServerConn, requested gossh.NewChannel, ctx ssh.Context) {
	counted, is := ctx.Value(connKey{}).(*connection)
	if !is || !counted.open(s.opts.Limits.PerUser) {
		_ = requested.Reject(gossh.ResourceShortage, "too many sessions on this connection")
		return
	}
	c := &channel{NewChannel: requested, conn: counted, sizes: make(chan Size, 1)}
	c.connected, c.disconnect = context.WithCancel(ctx)
	// Each session has its own server, because a handler knows only its ssh.Session.
	own := &ssh.Server{PtyHandler: srv.PtyHandler, Handler: func(session ssh.Session) { s.handle(session, c) }}
	ssh.DefaultSessionHandler(own, conn, c, ctx)
}

// Accept accepts the session, and filters its requests.
func (c *channel) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	accepted, requests, err := c.NewChannel.Accept()
	if err != nil {
		c.conn.closed()
		c.disconnect()
		return nil, nil, err
	}
	passed := make(chan *gossh.Request)
	go func() {
		defer c.conn.closed()
		defer c.disconnect()
		defer close(c.sizes)
		defer close(passed)
		var seen []string
		for r := range requests {
			switch {
			case r.Type == "window-change":
				_ = r.Reply(c.resize(r.Payload), nil)
			case passes(r, &seen):
				passed <- r
			default:
				_ = r.Reply(false, nil)
			}
		}
	}()
	return accepted, passed, nil
}

// passes reports whether to pass on a request: each kind once, and only the variables that the console reads.
func passes(r *gossh.Request, seen *[]string) bool {
	id := r.Type
	switch r.Type {
	case "pty-req", "shell", "exec":
	case "env":
		var variable struct{ Name, Value string }
		if gossh.Unmarshal(r.Payload, &variable) != nil || !slices.Contains(passedVariables(), variable.Name) {
			return false
		}
		id = "env " + variable.Name
	default:
		return false
	}
	if slices.Contains(*seen, id) {
		return false
	}
	*seen = append(*seen, id)
	return true
}

// resize stores a new size, which replaces one that has not been read yet. payload comes from a window-change request
// (RFC 4254, 6.7). resize reports whether payload is valid.
func (c *channel) resize(payload []byte) bool {
	if len(payload) < 8 {
		return false
	}
	size := sizeOf(ssh.Window{Width: int(binary.BigEndian.Uint32(payload)), Height: int(binary.BigEndian.Uint32(payload[4:]))})
	select {
	case <-c.sizes:
	default:
	}
	c.sizes <- size
	return true
}
