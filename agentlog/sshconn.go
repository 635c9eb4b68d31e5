package agentlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
	"ironworks/printable"
)

const (
	dialTime      = 10 * time.Second // for each step of connecting
	keepaliveTime = 5 * time.Second
	silenceTime   = 15 * time.Second // a connection is considered dead if no response arrives for this time
)

type sshConn struct {
	clients []*ssh.Client // the last one is the connection to the machine
	keys    *hostKeys     // the check of the machine's host key
	last    hop
	stop    func() bool
	alive   sync.WaitGroup
	quit    context.CancelFunc
}

type authError struct {
	hop, keys string
	err       error
}

func (e *authError) Error() string { return fmt.Sprintf("%s accepted no key: %s", e.hop, e.keys) }
func (e *authError) Unwrap() error { return e.err }

// dialSSH connects to a host through its jump hosts. The connection is closed when ctx is canceled. The ramdisk
// argument reports whether the host is the node's ramdisk. To other hosts, dialSSH connects as ssh would.
func dialSSH(ctx context.Context, o *SSHOptions, node models.NodeRef, host string, ramdisk bool) (*sshConn, error) {
	files, err := readSSHFiles(o)
	if err != nil {
		return nil, err
	}
	if !ramdisk && o.User == "" && files.get(host, "User") == "" {
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
	if refused, ok := errors.AsType[*HostKeyError](err); ok {
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
		return c.client().DialContext(ctx, "tcp", h.address())
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

func (c *sshConn) drop() {
	for _, client := range slices.Backward(c.clients) {
		_ = client.Close()
	}
}

func (c *sshConn) close() {
	c.stop()
	c.quit()
	c.drop()
	c.alive.Wait()
}

type commandError struct {
	status int    // the exit status; -1 if unknown
	stderr string // the end of the command's error output
	err    error
}

func (e *commandError) Error() string {
	return fmt.Sprintf("the command exited with status %d: %s", e.status, printable.Line(e.stderr))
}
func (e *commandError) Unwrap() error { return e.err }

// run runs a command and passes its output to read. The check function, which may be nil, receives the end of the
// command's error output. If either returns an error, the connection is closed, as the command might never exit.
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
	stderr.mu.Lock()
	defer stderr.mu.Unlock()
	exit, exited := errors.AsType[*ssh.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case stderr.err != nil:
		return stderr.err
	case readErr != nil:
		return readErr
	case err == nil:
		return nil
	case exited:
		return &commandError{status: exit.ExitStatus(), stderr: string(stderr.text), err: err}
	}
	return fmt.Errorf("connection lost: %w", err)
}

// stderrTail is a writer that keeps the end of a command's error output.
type stderrTail struct {
	onOutput func(string) error
	stop     func()

	mu   sync.Mutex
	text []byte
	err  error // from onOutput
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
	if s.onOutput != nil && s.err == nil {
		if s.err = s.onOutput(string(s.text)); s.err != nil {
			s.stop()
		}
	}
	return len(p), nil
}

// faultStatus converts an error to a status that explains why a machine's journal cannot be followed, and how to fix
// this. The state is StateFailed if retrying would not help.
func faultStatus(err error) Status {
	again := func(why, wayOut string) Status { return Status{State: StateConnecting, Reason: why, Remedy: wayOut} }
	failed := func(why, wayOut string) Status { return Status{State: StateFailed, Reason: why, Remedy: wayOut} }
	var (
		hostKey *HostKeyError
		auth    *authError
		command *commandError
		unknown *net.DNSError
		jump    *ssh.OpenChannelError
		missing *ssh.ExitMissingError
	)
	switch {
	case err == nil:
		return again("journalctl exited", "")
	case errors.Is(err, errMoved):
		return again("the machine's address changed", "")
	case errors.As(err, &hostKey):
		return failed("host key "+hostKey.Fingerprint+" of "+hostKey.Host+" is refused: "+hostKey.Reason, hostKey.Remedy)
	case errors.As(err, &auth):
		return failed(auth.Error(), "add the private key that matches the ramdisk's Ignition configuration: set logs.ssh.keys in the context, or use ssh-add")
	case errors.Is(err, errNoPermission):
		return failed(err.Error(), "add the user to the systemd-journal group, or allow sudo without a password")
	case errors.As(err, &command):
		return commandStatus(command)
	case errors.As(err, &unknown):
		return again("the name "+unknown.Name+" does not resolve", "")
	case errors.Is(err, syscall.ECONNREFUSED), errors.As(err, &jump) && jump.Reason == ssh.ConnectionFailed:
		return again("SSH connection refused", "check that the ramdisk runs sshd and that this is still its address")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return again("no route to host", "if a jump host is needed, set logs.ssh.jump in the context")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), timedOut(err):
		return again("timed out", "a firewall may drop packets, or the machine is down; if a jump host is needed, set logs.ssh.jump in the context")
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.As(err, &missing):
		return again("connection lost", "")
	}
	var m masker
	return again(truncate(printable.Line(m.line(err.Error())), 300), "")
}

func commandStatus(e *commandError) Status {
	text := cmp.Or(strings.TrimSpace(e.stderr), "no error output")
	if e.status == 127 || contains(text, "command not found", "No such file or directory") {
		return Status{State: StateFailed, Reason: "journalctl not found", Remedy: "check that this is still the ramdisk's address"}
	}
	var m masker
	return Status{State: StateConnecting, Reason: "journalctl failed: " + truncate(printable.Line(m.line(text)), 300)}
}

func timedOut(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}
