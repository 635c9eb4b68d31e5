package sshserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ironworks/sshserver/access"
)

// Size is the size of a terminal in cells.
type Size struct{ Width, Height int }

// Session is one session of a user: a console at a terminal, or a command.
type Session struct {
	access.Login
	// ID is the session's number, starting at 1.
	ID int
	// Address is the client's address.
	Address string
	// In, Out and Err are the streams. Reading In counts as activity of the user.
	In       io.Reader
	Out, Err io.Writer
	// Env contains the variables that describe the client's terminal, such as TERM, COLORTERM and LANG.
	Env []string
	// Size is the size of the terminal at the start. Resizes receives later sizes, and is closed at the end.
	Size    Size
	Resizes <-chan Size

	login  string
	remote net.Addr
	key    gossh.PublicKey
	cancel context.CancelCauseFunc
}

// These are the limits on a terminal's size, in cells. Clients that report no size, such as ssh -tt without a
// terminal, get the usual 80x24.
const (
	minWidth, minHeight = 20, 5
	maxWidth, maxHeight = 500, 200
)

func sizeOf(w ssh.Window) Size {
	s := Size{w.Width, w.Height}
	if s.Width <= 0 || s.Height <= 0 {
		return Size{80, 24}
	}
	return Size{min(max(s.Width, minWidth), maxWidth), min(max(s.Height, minHeight), maxHeight)}
}

// handle runs one session until it ends.
func (s *Server) handle(channel ssh.Session, of *channel) {
	who, is := channel.Context().Value(loginKey{}).(accepted)
	if !is {
		_ = channel.Exit(exitFailed)
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	defer s.cutStuck(ctx, of.conn)()
	one := &Session{
		Login: who.Login, Address: channel.RemoteAddr().String(), login: channel.User(), remote: channel.RemoteAddr(), key: who.key,
		Out: channel, Err: channel.Stderr(), Env: environment(channel), Resizes: of.sizes, cancel: cancel,
	}
	// Check again, because a connection outlives its login: with ControlMaster, new sessions start without a login.
	why := ""
	if err := s.stillAllowed(one); err != nil {
		s.opts.Log("refused a session of %s from %s: %v", one.Name, one.Address, err)
		why = fmt.Sprintf("session ended: %v", endOf(err))
	} else {
		why = s.enter(one)
	}
	if why != "" {
		_, _ = fmt.Fprintf(channel.Stderr(), "ironworks: %s\r\n", why)
		_ = channel.Exit(exitFailed)
		return
	}
	defer s.leave(one)
	idle := time.AfterFunc(s.opts.Limits.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	one.In = &input{from: channel, active: func() { idle.Reset(s.opts.Limits.Idle) }}
	defer context.AfterFunc(of.connected, func() { cancel(nil) })()
	s.opts.Log("session %d of %s (%s) from %s started: %s", one.ID, one.Name, one.Role, one.Address, one.Fingerprint)
	began := time.Now()
	code := s.run(ctx, channel, one)
	s.opts.Log("session %d of %s ended after %s", one.ID, one.Name, time.Since(began).Round(time.Second))
	s.end(ctx, channel, code)
}

// Exit codes.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 75 // EX_TEMPFAIL: try again
)

// cutStuck closes the connection if its session does not end in time after ctx is done. The usual reason is a client
// that no longer reads, which blocks the session's output. The caller must call stop when the session has ended.
func (s *Server) cutStuck(ctx context.Context, conn *connection) (stop func()) {
	over := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(s.opts.Limits.Stuck):
			_ = conn.Close()
		}
	})
	return func() {
		unhook()
		close(over)
	}
}

// run runs the console or the command, and returns the exit code.
func (s *Server) run(ctx context.Context, channel ssh.Session, one *Session) int {
	pty, _, terminal := channel.Pty()
	if raw := channel.RawCommand(); raw != "" {
		args, err := words(raw)
		if err != nil {
			_, _ = fmt.Fprintf(channel.Stderr(), "ironworks: cannot read the command: %v\n", err)
			return exitUsage
		}
		return s.opts.Command(ctx, one, args)
	}
	if !terminal {
		_, _ = fmt.Fprintln(channel.Stderr(), "ironworks: the console needs a terminal (ssh -t); without one, run a command, such as: ssh HOST nodes -o json")
		return exitUsage
	}
	one.Size = sizeOf(pty.Window)
	one.In.(*input).onEnd = func() { one.cancel(nil) }
	if err := s.opts.Console(ctx, one); err != nil {
		_, _ = fmt.Fprintf(channel.Stderr(), "ironworks: %v\r\n", err)
		return exitFailed
	}
	return 0
}

// end tells the client why the server ends the session, and ends it.
func (s *Server) end(ctx context.Context, channel ssh.Session, code int) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errStopped):
		_, _ = fmt.Fprintf(channel.Stderr(), "ironworks: %s\r\n", s.opts.Farewell)
		code = exitStopped
	case errors.Is(cause, errIdle), errors.Is(cause, errRevoked), errors.Is(cause, errChanged):
		_, _ = fmt.Fprintf(channel.Stderr(), "ironworks: session ended: %v\r\n", cause)
		code = exitFailed
	}
	_ = channel.Exit(code)
}

// enter counts a session. It returns the reason why the session is refused, or "" if it is accepted.
func (s *Server) enter(one *Session) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return s.opts.Farewell
	}
	own := 0
	for other := range s.sessions {
		if other.Name == one.Name {
			own++
		}
	}
	limits := s.opts.Limits
	switch {
	case len(s.sessions) >= limits.Sessions:
		return fmt.Sprintf("all %d sessions of this server are in use; try again later", limits.Sessions)
	case own >= limits.PerUser:
		return fmt.Sprintf("you have %d sessions, which is the limit per user; close one", own)
	}
	s.last++
	one.ID = s.last
	s.running.Add(1)
	s.sessions[one] = struct{}{}
	return ""
}

func (s *Server) leave(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, one)
	s.running.Done()
}

// environmentMost bounds the length of a variable's value, in bytes.
const environmentMost = 100

// passedVariables returns the names of the client's variables that are passed on to its session.
func passedVariables() []string {
	return []string{"COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "TERM_PROGRAM"}
}

// environment returns the variables that describe the client's terminal. It drops all other variables.
func environment(channel ssh.Session) []string {
	var env []string
	pty, _, is := channel.Pty()
	if is {
		env = append(env, "TERM="+truncated(pty.Term))
	}
	for _, v := range channel.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if slices.Contains(passedVariables(), name) {
			env = append(env, name+"="+truncated(value))
		}
	}
	return append(env, "SSH_TTY=ssh", "SSH_CONNECTION="+channel.RemoteAddr().String())
}

func truncated(value string) string { return value[:min(len(value), environmentMost)] }

// input is the input of a session. It calls active when keys arrive.
type input struct {
	from   io.Reader
	active func()
	// onEnd is called when the client has closed the input. It may be nil.
	onEnd func()
}

// Read implements [io.Reader].
func (i *input) Read(p []byte) (int, error) {
	n, err := i.from.Read(p)
	if n > 0 {
		i.active()
	}
	if err != nil && i.onEnd != nil {
		i.onEnd()
	}
	return n, err
}

// errOpenQuote reports a quote that is not closed, or a backslash at the end.
var errOpenQuote = errors.New("unbalanced quotes")

// errNoWords reports a command without words.
var errNoWords = errors.New("empty")

// words splits a command into words. It treats quotes and backslashes like a POSIX shell (XCU 2.2), but expands
// nothing. It does not use the Command method of charm.land/ssh, which copies a word for each character and takes 12
// s of processor time for 100 kB. That method also drops empty words, and ignores the rest after an open quote.
func words(command string) ([]string, error) {
	command = strings.ToValidUTF8(command, "\uFFFD")
	var all []string
	var word strings.Builder
	var quote byte
	inWord := false
	for i := 0; i < len(command); i++ {
		b := command[i]
		switch {
		case b == quote && quote != 0:
			quote = 0
		case quote == '\'', quote == '"' && b != '\\':
			word.WriteByte(b)
		case b == '\\':
			if i++; i == len(command) {
				return nil, errOpenQuote
			}
			if quote == '"' && strings.IndexByte("\"\\$`", command[i]) < 0 {
				word.WriteByte(b)
			}
			word.WriteByte(command[i])
			inWord = true
		case b == '\'' || b == '"':
			quote, inWord = b, true
		case strings.IndexByte(" \t\r\n", b) >= 0:
			if inWord {
				all = append(all, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(b)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, errOpenQuote
	case inWord:
		all = append(all, word.String())
	case len(all) == 0:
		return nil, errNoWords
	}
	return all, nil
}
