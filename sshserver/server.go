// Package sshserver serves a console over SSH. It authenticates clients, limits and counts sessions, and runs a
// console or a command for each session. It forwards nothing and supports no shell, no subsystems and no passwords.
package sshserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"ironworks/sshserver/access"
)

// Limits bound the resources that clients can use. A zero value selects the default.
type Limits struct {
	// Sessions is the maximum number of concurrent sessions; 0 means 200. PerUser is the maximum for each user; 0
	// means 20.
	Sessions, PerUser int
	// Handshakes limits the connections that have not authenticated yet; 0 means 100. Up to a quarter of them may
	// come from one address.
	Handshakes int
	// Rate bounds the new connections from one address in a minute; 0 means 120.
	Rate int
	// Idle is the time without a key press after which a session ends; 0 means 8 h.
	Idle time.Duration
	// Login is the time after which a connection that has not authenticated is closed; 0 means 20 s. NoSession is the
	// time after which a connection without a session is closed; 0 means 5 min. Stuck is the time for which a client
	// may delay the end of its session by reading nothing. After that, the connection is cut; 0 means 3 s.
	Login, NoSession, Stuck time.Duration
}

func (l Limits) withDefaults() Limits {
	l.Sessions, l.PerUser, l.Handshakes, l.Rate = cmp.Or(l.Sessions, 200), cmp.Or(l.PerUser, 20), cmp.Or(l.Handshakes, 100), cmp.Or(l.Rate, 120)
	l.Idle = cmp.Or(l.Idle, 8*time.Hour)
	l.Login, l.NoSession, l.Stuck = cmp.Or(l.Login, 20*time.Second), cmp.Or(l.NoSession, 5*time.Minute), cmp.Or(l.Stuck, 3*time.Second)
	return l
}

// Options configure a server.
type Options struct {
	// HostKey is the path of the host key. If the file does not exist, it is created.
	HostKey string
	Access  *access.List
	Limits  Limits
	// Console runs a console. Command runs a command without a terminal, and returns its exit code. Both must return
	// when ctx is done.
	Console func(ctx context.Context, s *Session) error
	Command func(ctx context.Context, s *Session, args []string) int
	// Log writes a line about a session or a problem to the server's log.
	Log func(format string, args ...any)
	// Farewell is the last line that clients get when the server stops.
	Farewell string
}

// Server serves consoles. Create it with [New].
type Server struct {
	opts   Options
	ssh    *ssh.Server
	signer gossh.Signer
	gate   *gate
	// refusals logs the clients that were refused.
	refusals *refusals

	mu       sync.Mutex
	last     int
	sessions map[*Session]struct{}
	// running counts the running session handlers.
	running sync.WaitGroup
	// When ctx is canceled, all sessions end.
	ctx  context.Context //nolint:containedctx // the life of the server
	stop context.CancelCauseFunc
}

// These are the causes with which the server ends sessions.
var (
	errStopped = errors.New("the server is shutting down")
	errRevoked = errors.New("your key is no longer accepted")
	errChanged = errors.New("your role has changed; connect again") // the role or the nodes of the user
	errIdle    = errors.New("no input for too long")
)

// New returns a server; it creates the host key if there is none.
func New(opts Options) (*Server, error) {
	opts.Limits = opts.Limits.withDefaults()
	signer, err := hostKey(opts.HostKey)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, signer: signer, gate: newGate(opts.Limits), refusals: newRefusals(opts.Log), sessions: map[*Session]struct{}{}}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.ssh, err = wish.NewServer(
		wish.WithHostKeyPath(opts.HostKey),
		wish.WithVersion("ironworks"),
		wish.WithPublicKeyAuth(s.authenticate),
	)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", opts.HostKey, err)
	}
	s.ssh.ServerConfigCallback = s.config
	s.ssh.HandshakeTimeout = opts.Limits.Login
	s.ssh.ConnCallback = s.admit
	s.ssh.ConnectionFailedCallback = s.failed
	// Nothing is forwarded, and there are no subsystems, such as sftp.
	s.ssh.RequestHandlers = map[string]ssh.RequestHandler{"keepalive@openssh.com": func(ssh.Context, *ssh.Server, *gossh.Request) (bool, []byte) { return true, nil }}
	s.ssh.SubsystemHandlers = map[string]ssh.SubsystemHandler{}
	s.ssh.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.openSession}
	return s, nil
}

// Fingerprint returns the SHA-256 fingerprint of the host key.
func (s *Server) Fingerprint() string { return gossh.FingerprintSHA256(s.signer.PublicKey()) }

// hostKey reads the host key, or creates it with mode 0600.
func hostKey(path string) (gossh.Signer, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("create the host key: %w", err)
		}
		if err := (&ssh.Server{}).SetOption(wish.WithHostKeyPath(path)); err != nil {
			return nil, fmt.Errorf("create the host key %s: %w", path, err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, fmt.Errorf("create the host key: %w", err)
		}
	case err != nil:
		return nil, fmt.Errorf("read the host key: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("host key %s: not a file", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("host key %s: readable by other users (mode %#o); run chmod 600 %s, or remove it to create a new key", path, info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(path) //nolint:gosec // named by the configuration
	if err != nil {
		return nil, fmt.Errorf("read the host key: %w", err)
	}
	signer, err := gossh.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", path, err)
	}
	return signer, nil
}

// Serve accepts connections until ctx is done. It then ends all sessions with a message, and waits for them.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { s.watchAccess(watching) })
	unhook := context.AfterFunc(ctx, func() {
		s.stop(errStopped)
		_ = l.Close()
	})
	err := s.ssh.Serve(l)
	stop()
	unhook()
	s.stop(errStopped)
	watch.Wait()
	s.running.Wait()
	_ = s.ssh.Close()
	s.refusals.report(time.Now(), true)
	if ctx.Err() == nil && !errors.Is(err, ssh.ErrServerClosed) {
		return err
	}
	return nil
}

// watchEvery is the interval between checks for changed key files.
const watchEvery = 2 * time.Second

// watchAccess reads the files again when they change, and ends the sessions of keys that are no longer accepted.
func (s *Server) watchAccess(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		changed, problems := s.opts.Access.Reload()
		for _, p := range problems {
			s.opts.Log("%v", p)
		}
		if changed {
			s.opts.Log("keys reloaded")
		}
		s.recheck()
		s.refusals.report(time.Now(), false)
	}
}

// recheck ends sessions whose key is revoked, removed or expired, or whose user's role or nodes have changed.
func (s *Server) recheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.sessions {
		err := s.stillAllowed(one)
		if err == nil {
			continue
		}
		s.opts.Log("session %d of %s ended: %v", one.ID, one.Name, err)
		one.cancel(endOf(err))
	}
}

// endOf returns the reason that a client gets for the end of its session. It does not reveal why the key is refused.
func endOf(err error) error {
	if errors.Is(err, errChanged) {
		return errChanged
	}
	return errRevoked
}

// stillAllowed returns nil if the session's key would still be accepted, for the same user and from the same address.
// Otherwise, it returns the reason. A broken file of revoked keys only keeps users from logging in again.
func (s *Server) stillAllowed(one *Session) error {
	now, err := s.opts.Access.Login(one.login, one.key, time.Now())
	switch {
	case err != nil && !errors.Is(err, access.ErrUnsure):
		return err
	case !access.AllowedFrom(now.Sources, one.remote):
		return errRevoked
	case now.User != one.User:
		return errChanged
	}
	return nil
}

// loginKey is the context key for the login that was accepted on a connection.
type loginKey struct{}

// authenticate reports whether a public key or a certificate is accepted. Clients learn nothing else.
func (s *Server) authenticate(ctx ssh.Context, key ssh.PublicKey) bool {
	_, err := s.accept(ctx, key)
	if err != nil {
		s.refusals.add(time.Now(), hostOf(ctx.RemoteAddr()), "refused keys", "refused %q from %s: %v: %s", ctx.User(), ctx.RemoteAddr(), err, gossh.FingerprintSHA256(key))
	}
	return err == nil
}

// config returns the configuration of a connection. Its callback accepts or refuses a key after the client has proved
// that it has the key. Before that, clients may ask about any key.
func (s *Server) config(ctx ssh.Context) *gossh.ServerConfig {
	return &gossh.ServerConfig{VerifiedPublicKeyCallback: func(_ gossh.ConnMetadata, key gossh.PublicKey, p *gossh.Permissions, _ string) (*gossh.Permissions, error) {
		login, err := s.accept(ctx, key)
		if err != nil {
			return nil, ssh.ErrPermissionDenied
		}
		ctx.SetValue(loginKey{}, accepted{login, key})
		if conn, is := ctx.Value(connKey{}).(*connection); is {
			conn.leaveGate()
		}
		return p, nil
	}}
}

// accept returns the login for a key, if it may be used from the client's address.
func (s *Server) accept(ctx ssh.Context, key gossh.PublicKey) (access.Login, error) {
	login, err := s.opts.Access.Login(ctx.User(), key, time.Now())
	if err == nil && !access.AllowedFrom(login.Sources, ctx.RemoteAddr()) {
		err = fmt.Errorf("key of %s: not allowed from this address", login.Name)
	}
	return login, err
}

type accepted struct {
	access.Login
	key gossh.PublicKey
}
