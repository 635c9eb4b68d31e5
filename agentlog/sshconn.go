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
	"ironworks/printable"
)

// SSH connections have these timeouts.
const (
	dialTime      = 10 * time.Second // for each step of connecting
	keepaliveTime = 5 * time.Second
	silenceTime   = 15 * time.Second // a connection is considered dead if no response arrives for this time
)

// sshConn is a connection to a machine, possibly through jump hosts.
type sshConn struct {
	clients []*ssh.Client // the last one is the connection to the machine
	keys    *hostKeys     // the check of the machine's host key
	last    hop
	stop    func() bool
	alive   sync.WaitGroup
	quit    context.CancelFunc
}

// authError reports that a machine accepts none of the keys that were offered.
type authError struct {
	hop, keys string
	err       error
}

func (e *authError) Error() string { return fmt.Sprintf("%s accepted no key: %s", e.hop, e.keys) }
func (e *authError) Unwrap() error { return e.err }

// dialSSH connects to a ramdisk's host through its jump hosts. The connection is closed when ctx is canceled.
func dialSSH(ctx context.Context, o *SSHOptions, node models.NodeRef, host string) (*sshConn, error) {
	files, err := readSSHFiles(o)
	if err != nil {
		return nil, err
	}
	way, err := files.route(o, host)
	if err != nil {
		return nil, err
	}
	return logInToAll(ctx, o, node, way, true)
}

// dialHost connects to a host that is not a ramdisk, as ssh would.
func dialHost(ctx context.Context, o *SSHOptions, host string) (*sshConn, error) {
	files, err := readSSHFiles(o)
	if err != nil {
		return nil, err
	}
	if o.User == "" && files.get(host, "User") == "" {
		login, err := user.Current()
		if err != nil {
			return nil, fmt.Errorf("logging into %s: %w", printable.Line(host), err)
		}
		named := *o
		named.User, o = login.Username, &named
	}
	way, err := files.route(o, host)
	if err != nil {
		return nil, err
	}
	return logInToAll(ctx, o, models.NodeRef{}, way, false)
}

// logInToAll logs in to all hops. The ramdisk argument reports whether the last hop is a ramdisk.
func logInToAll(ctx context.Context, o *SSHOptions, node models.NodeRef, way []hop, ramdisk bool) (*sshConn, error) {
	c := &sshConn{last: way[len(way)-1]}
	for i := range way {
		if err := c.logIn(ctx, o, node, &way[i], i < len(way)-1 || !ramdisk); err != nil {
			c.drop()
			return nil, err
		}
	}
	ctx, c.quit = context.WithCancel(ctx)
	c.stop = context.AfterFunc(ctx, c.drop)
	c.alive.Go(func() { c.keepAlive(ctx) })
	return c, nil
}

// logIn logs in to h through the hops to which c is already connected.
func (c *sshConn) logIn(ctx context.Context, o *SSHOptions, node models.NodeRef, h *hop, jump bool) error {
	keys, err := newHostKeys(ctx, o, node, h, jump)
	if err != nil {
		return err
	}
	conn, err := c.connect(ctx, h)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", printable.Line(h.address()), err)
	}
	ring := o.keys(ctx, h)
	defer ring.close()
	// Close the connection after dialTime, because a machine that accepts it and then sends nothing must not block.
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
	// The library has no type for this error, so its text is compared.
	if text := err.Error(); contains(text, "unable to authenticate", "no supported methods remain", "too many authentication failures", "Too many authentication failures") {
		return &authError{hop: h.name(), keys: ring.describeOffered(), err: err}
	}
	return fmt.Errorf("the SSH handshake with %s: %w", h.name(), err)
}

// connect opens the connection to the next hop: directly, or through the previous hop.
func (c *sshConn) connect(ctx context.Context, h *hop) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if len(c.clients) > 0 {
		return c.clients[len(c.clients)-1].DialContext(ctx, "tcp", h.address())
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", h.address())
}

// keepAlive sends keepalive requests, and closes the connection if a request is not answered within silenceTime.
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

// drop closes all connections, starting with the machine's.
func (c *sshConn) drop() {
	for i := len(c.clients) - 1; i >= 0; i-- {
		_ = c.clients[i].Close()
	}
}

// close closes the connection and waits until keepAlive has ended.
func (c *sshConn) close() {
	c.stop()
	c.quit()
	c.drop()
	c.alive.Wait()
}

// commandError reports that a command failed on a machine.
type commandError struct {
	status int    // the exit status; -1 if unknown
	stderr string // the end of the command's error output
	err    error
}

func (e *commandError) Error() string {
	return fmt.Sprintf("the command exited with status %d: %s", e.status, printable.Line(e.stderr))
}
func (e *commandError) Unwrap() error { return e.err }

// run runs a command and passes its output to the read function. The check function, which may be nil, receives the
// end of the command's error output. If either function returns an error, the connection is closed, because the
// command might never exit.
func (c *sshConn) run(ctx context.Context, command string, check func(string) error, read func(io.Reader) error) error {
	session, err := c.client().NewSession()
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	defer func() { _ = session.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	stderr := &stderrTail{onOutput: check, stop: c.drop}
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
	text, found := stderr.result()
	var exit *ssh.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case found != nil:
		return found
	case readErr != nil:
		return readErr
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &commandError{status: exit.ExitStatus(), stderr: text, err: err}
	}
	return fmt.Errorf("connection lost: %w", err)
}

// stderrTail is a writer that keeps the end of a command's error output.
type stderrTail struct {
	onOutput func(string) error
	stop     func()

	mu      sync.Mutex
	text    []byte
	readErr error
}

const maxErrorOutput = 4 << 10

// Write implements io.Writer.
func (s *stderrTail) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	if len(s.text) > maxErrorOutput {
		s.text = append(s.text[:0], s.text[len(s.text)-maxErrorOutput:]...)
	}
	if s.onOutput != nil && s.readErr == nil {
		if s.readErr = s.onOutput(string(s.text)); s.readErr != nil {
			s.stop()
		}
	}
	return len(p), nil
}

func (s *stderrTail) result() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text), s.readErr
}
