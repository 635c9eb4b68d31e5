package agentlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/user"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

// Patience with machines.
const (
	dialTime      = 10 * time.Second // for each step of the way
	keepaliveTime = 5 * time.Second
	silenceTime   = 15 * time.Second // without an answer a connection is dead
)

// sshConn is a way into a machine, over all its jump hosts.
type sshConn struct {
	clients []*ssh.Client // the machine's is the last
	keys    *hostKeys     // of the machine
	last    hop
	stop    func() bool
	alive   sync.WaitGroup
	quit    context.CancelFunc
}

// authError is a machine that takes none of our keys.
type authError struct {
	hop, keys string
	err       error
}

func (e *authError) Error() string { return fmt.Sprintf("%s takes no key of ours: %s", e.hop, e.keys) }
func (e *authError) Unwrap() error { return e.err }

// dialSSH connects to a host over its way; ctx bounds all of the connection's life.
func dialSSH(ctx context.Context, o *SSHOptions, node models.NodeRef, host string) (*sshConn, error) {
	files, err := readSSHFiles(o)
	if err != nil {
		return nil, err
	}
	way, err := files.way(o, host)
	if err != nil {
		return nil, err
	}
	return enterAll(ctx, o, node, way, true)
}

// dialHost connects to a host that is no ramdisk, as ssh would.
func dialHost(ctx context.Context, o *SSHOptions, host string) (*sshConn, error) {
	files, err := readSSHFiles(o)
	if err != nil {
		return nil, err
	}
	if o.User == "" && files.get(host, "User") == "" {
		login, err := user.Current()
		if err != nil {
			return nil, fmt.Errorf("logging into %s: %w", models.Printable(host), err)
		}
		named := *o
		named.User, o = login.Username, &named
	}
	way, err := files.way(o, host)
	if err != nil {
		return nil, err
	}
	return enterAll(ctx, o, models.NodeRef{}, way, false)
}

// enterAll goes the way; ramdisk says that its end is one.
func enterAll(ctx context.Context, o *SSHOptions, node models.NodeRef, way []hop, ramdisk bool) (*sshConn, error) {
	c := &sshConn{last: way[len(way)-1]}
	for i := range way {
		if err := c.enter(ctx, o, node, &way[i], i < len(way)-1 || !ramdisk); err != nil {
			c.drop()
			return nil, err
		}
	}
	ctx, c.quit = context.WithCancel(ctx)
	c.stop = context.AfterFunc(ctx, c.drop)
	c.alive.Go(func() { c.keepAlive(ctx) })
	return c, nil
}

// enter logs into the next machine of the way.
func (c *sshConn) enter(ctx context.Context, o *SSHOptions, node models.NodeRef, h *hop, jump bool) error {
	keys, err := judge(ctx, o, node, h, jump)
	if err != nil {
		return err
	}
	conn, err := c.connect(ctx, h)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", models.Printable(h.address()), err)
	}
	ring := o.keys(ctx, h)
	defer ring.close()
	// A machine that accepts and then says nothing holds nobody up.
	hurry := time.AfterFunc(dialTime, func() { _ = conn.Close() })
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	began := time.Now()
	transport, channels, requests, err := ssh.NewClientConn(conn, h.address(), &ssh.ClientConfig{
		User: h.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(ring.signers...)},
		HostKeyCallback: keys.check, HostKeyAlgorithms: keys.algorithms(),
	})
	late := !hurry.Stop() && time.Since(began) >= dialTime
	stop()
	if err != nil {
		_ = conn.Close()
		if late {
			return fmt.Errorf("the SSH handshake with %s: %w", h.name(), context.DeadlineExceeded)
		}
		return handshakeFault(err, h, ring)
	}
	c.clients, c.keys = append(c.clients, ssh.NewClient(transport, channels, requests)), keys
	return nil
}

func handshakeFault(err error, h *hop, ring *keyring) error {
	var refused *HostKeyError
	if errors.As(err, &refused) {
		return refused
	}
	// The library has no type for it.
	if text := err.Error(); contains(text, "unable to authenticate", "no supported methods remain", "too many authentication failures", "Too many authentication failures") {
		return &authError{hop: h.name(), keys: ring.text(), err: err}
	}
	return fmt.Errorf("the SSH handshake with %s: %w", h.name(), err)
}

// connect opens the connection to the next machine: straight, or through the one before.
func (c *sshConn) connect(ctx context.Context, h *hop) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if len(c.clients) > 0 {
		return c.clients[len(c.clients)-1].DialContext(ctx, "tcp", h.address())
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", h.address())
}

// keepAlive asks for a sign of life, and ends the connection when there is none.
func (c *sshConn) keepAlive(ctx context.Context) {
	for wait(ctx, keepaliveTime) {
		dead := time.AfterFunc(silenceTime, c.drop)
		_, _, err := c.client().SendRequest("keepalive@openssh.com", true, nil)
		dead.Stop()
		if err != nil {
			c.drop()
			return
		}
	}
}

func (c *sshConn) client() *ssh.Client { return c.clients[len(c.clients)-1] }

// drop closes all connections, the machine's first.
func (c *sshConn) drop() {
	for i := len(c.clients) - 1; i >= 0; i-- {
		_ = c.clients[i].Close()
	}
}

// close ends the connection and waits for what it runs.
func (c *sshConn) close() {
	c.stop()
	c.quit()
	c.drop()
	c.alive.Wait()
}

// commandError is a command that a machine did not run to a good end.
type commandError struct {
	status int    // what it ended with; -1 where it did not tell
	stderr string // the end of what it said
	err    error
}

func (e *commandError) Error() string {
	return fmt.Sprintf("the command ended with %d: %s", e.status, models.Printable(e.stderr))
}
func (e *commandError) Unwrap() error { return e.err }

// run runs a command and hands its output to read. What it writes to its error stream is
// watched by hear, which may be nil. An error of either ends the connection: a command
// need not end because nobody listens.
func (c *sshConn) run(ctx context.Context, command string, hear func(string) error, read func(io.Reader) error) error {
	session, err := c.client().NewSession()
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	defer func() { _ = session.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	stderr := &said{hear: hear, stop: c.drop}
	session.Stderr = stderr
	stdout, err := session.StdoutPipe()
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if err := session.Start(command); err != nil {
		return fmt.Errorf("starting a command: %w", err)
	}
	readErr := read(stdout)
	if readErr != nil {
		c.drop()
	}
	err = session.Wait()
	text, heard := stderr.told()
	var exit *ssh.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case heard != nil:
		return heard
	case readErr != nil:
		return readErr
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &commandError{status: exit.ExitStatus(), stderr: text, err: err}
	}
	return fmt.Errorf("the connection broke: %w", err)
}

// said keeps the end of what a command writes to its error stream.
type said struct {
	hear func(string) error
	stop func()

	mu    sync.Mutex
	text  []byte
	heard error
}

const mostSaid = 4 << 10

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	if len(s.text) > mostSaid {
		s.text = append(s.text[:0], s.text[len(s.text)-mostSaid:]...)
	}
	if s.hear != nil && s.heard == nil {
		if s.heard = s.hear(string(s.text)); s.heard != nil {
			s.stop()
		}
	}
	return len(p), nil
}

func (s *said) told() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text), s.heard
}
