package agentlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
	"ironworks/printable"
)

// Shell is an SSH connection to a machine. It can run login shells and commands.
type Shell struct {
	conn *sshConn
	note string
}

// ShellOptions configures the connection of a [Shell] to a machine.
type ShellOptions struct {
	// SSH configures the connection, in the same way as for logs.
	SSH SSHOptions
	// Trust remembers the host keys of machines.
	Trust *Trust
	// Address is the machine's address, either in the form of agent_url or as a bare host.
	Address string
	// Instance reports whether the machine runs its instance, which has other host keys than the ramdisks.
	Instance bool
}

// ShellError reports that a connection to a machine failed.
type ShellError struct {
	// Target consists of the login name and the host. Reason and Remedy may be empty. All are safe to show.
	Target, Reason, Remedy string
	err                    error
}

// Error returns the target, the reason and the remedy in one line.
func (e *ShellError) Error() string {
	text := "ssh " + e.Target + ": " + e.Reason
	if e.Remedy != "" {
		text += " (" + e.Remedy + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *ShellError) Unwrap() error { return e.err }

func newShellError(target string, err error) *ShellError {
	status := faultStatus(err)
	return &ShellError{Target: printable.Line(target), Reason: printable.Line(status.Reason), Remedy: printable.Line(status.Remedy), err: err}
}

// Target returns the login name and the host for display, or "" if the address is not usable.
func (o *ShellOptions) Target() string {
	host := HostOf(o.Address)
	if host == "" {
		return ""
	}
	return printable.Line(o.SSH.target(host))
}

// OpenShell connects to a node's machine. It uses the same keys, jump hosts and rules for host keys as the connection
// for the log. The connection is closed when ctx is canceled. The error is a [*ShellError] or the error of ctx.
func OpenShell(ctx context.Context, o ShellOptions, node models.NodeRef) (*Shell, error) {
	host := HostOf(o.Address)
	switch {
	case o.Address == "":
		return nil, &ShellError{Target: node.Label(), Reason: noAddress, Remedy: noAddressWayOut}
	case host == "":
		return nil, &ShellError{Target: node.Label(), Reason: fmt.Sprintf("%q is not a host name or an IP address", printable.Line(o.Address))}
	}
	if o.Instance {
		o.SSH.HostKeys = nil
	}
	conn, err := dialSSH(ctx, &o.SSH, node, host, true)
	if err == nil {
		s := &Shell{conn: conn}
		if s.note, err = o.Trust.accept(node, conn, s.boot(ctx)); err == nil {
			return s, nil
		}
		conn.close()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, newShellError(o.SSH.target(host), err)
}

// bootIDFile contains the boot ID with dashes. In the journal, the _BOOT_ID field contains the same ID without
// dashes. Unlike the journal, this file is readable for every user.
const bootIDFile = "/proc/sys/kernel/random/boot_id"

// boot returns the machine's boot ID, or "" if it is unknown or not needed.
func (s *Shell) boot(ctx context.Context) string {
	if s.conn.keys.verdict == hostKeyKnown {
		return "" // host keys in known_hosts are not pinned
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	id := ""
	err := s.conn.run(ctx, "cat "+bootIDFile, nil, func(out io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(out, 64))
		id = strings.ReplaceAll(strings.TrimSpace(string(text)), "-", "")
		_, _ = io.Copy(io.Discard, out)
		return err
	})
	if err != nil || len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// Note returns the reason why an unknown host key is trusted, or "" if the key was known. It is safe to show.
func (s *Shell) Note() string { return s.note }

// Target returns the login name and the host, for display.
func (s *Shell) Target() string { return s.conn.last.name() }

// Close drops the connection.
func (s *Shell) Close() { s.conn.close() }

// WindowSize is the size of a terminal in cells.
type WindowSize struct{ Width, Height int }

// PTY describes a terminal to allocate on the machine.
type PTY struct {
	// Term is the value of the TERM variable, and Size is the initial size.
	Term string
	Size WindowSize
	// Resized delivers later sizes. It is nil if the size does not change.
	Resized <-chan WindowSize
}

// ShellSession is a shell or command to run on a machine.
type ShellSession struct {
	// Command is passed to the login shell; if it is empty, the login shell is interactive.
	Command string
	// PTY is nil for a session without a terminal.
	PTY *PTY
	// In is read until the session ends. One call of its Read method may remain blocked after the session has ended,
	// and the caller must unblock it. If In is nil, the input is empty.
	In       io.Reader
	Out, Err io.Writer
}

// Run runs a session until it ends or ctx is canceled, and returns its exit status. If a signal ended the process,
// the status is 128 plus the number of the signal. The error is a [*ShellError], the error of ctx, or an error from
// writing the output. Output is passed through unchanged.
func (s *Shell) Run(ctx context.Context, r ShellSession) (status int, err error) {
	session, err := s.conn.client().NewSession()
	if err != nil {
		return 0, newShellError(s.Target(), fmt.Errorf("opening a session: %w", err))
	}
	defer func() { _ = session.Close() }()
	// Drop the connection when ctx is canceled, because a machine that does not answer would keep the session open.
	stop := context.AfterFunc(ctx, s.conn.drop)
	defer stop()
	out, complaints := &brokenPipe{to: r.Out, stop: s.conn.drop}, &brokenPipe{to: r.Err, stop: s.conn.drop}
	r.Out, r.Err = out, complaints
	if err := start(session, r); err != nil {
		return 0, s.ended(ctx, err)
	}
	if p := r.PTY; p != nil && p.Resized != nil {
		done := make(chan struct{})
		defer close(done)
		go followSize(session, p.Resized, done)
	}
	err = session.Wait()
	if err == nil {
		return 0, nil
	}
	if exit, ok := errors.AsType[*ssh.ExitError](err); ok && ctx.Err() == nil {
		return exit.ExitStatus(), nil
	}
	if broken := cmp.Or(out.err, complaints.err); broken != nil && ctx.Err() == nil {
		return 0, fmt.Errorf("writing the output: %w", broken)
	}
	return 0, s.ended(ctx, err)
}

// brokenPipe is a writer that calls stop when writing fails, so that the machine does not wait for a reader forever.
type brokenPipe struct {
	to   io.Writer
	stop func()
	err  error
}

// Write implements io.Writer.
func (b *brokenPipe) Write(p []byte) (int, error) {
	n, err := b.to.Write(p)
	if err != nil {
		b.err = err
		b.stop()
	}
	return n, err
}

func (s *Shell) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return newShellError(s.Target(), err)
}

func start(session *ssh.Session, r ShellSession) error {
	session.Stdout, session.Stderr = r.Out, r.Err
	if p := r.PTY; p != nil {
		modes := ssh.TerminalModes{ssh.ECHO: 1, ssh.IUTF8: 1, ssh.TTY_OP_ISPEED: 38400, ssh.TTY_OP_OSPEED: 38400}
		if err := session.RequestPty(p.Term, p.Size.Height, p.Size.Width, modes); err != nil {
			return fmt.Errorf("requesting a terminal: %w", err)
		}
	}
	in, err := session.StdinPipe()
	if err != nil {
		return fmt.Errorf("opening a session: %w", err)
	}
	if r.Command == "" {
		err = session.Shell()
	} else {
		err = session.Start(r.Command)
	}
	if err != nil {
		return fmt.Errorf("starting the session: %w", err)
	}
	go func() {
		if r.In != nil {
			_, _ = io.Copy(in, r.In)
		}
		_ = in.Close()
	}()
	return nil
}

func followSize(session *ssh.Session, resized <-chan WindowSize, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case size, open := <-resized:
			if !open || session.WindowChange(size.Height, size.Width) != nil {
				return
			}
		}
	}
}
