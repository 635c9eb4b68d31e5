package sshserver

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/sshserver/access"
)

// rig is a server for tests. Its commands and consoles report what they received.
type rig struct {
	tb      testing.TB
	server  *Server
	address string
	// dir contains the server's files. anna is the key of an admin, ben the key of an operator.
	dir       string
	anna, ben ssh.Signer

	log *lines
	// stop stops the server, and ended is closed when Serve has returned.
	ended chan struct{}
	stop  func()
}

// lines collects output from several goroutines.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newSigner(tb testing.TB) ssh.Signer {
	tb.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		tb.Fatal(err)
	}
	return signer
}

func authorized(key ssh.PublicKey, comment string) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) + " " + comment + "\n"
}

// serve starts a server that ends with the test.
func serve(tb testing.TB, limits Limits) *rig {
	tb.Helper()
	r := &rig{tb: tb, log: &lines{}, dir: tb.TempDir(), anna: newSigner(tb), ben: newSigner(tb), ended: make(chan struct{})}
	r.write("keys", authorized(r.anna.PublicKey(), "anna admin"), authorized(r.ben.PublicKey(), "ben operator"))
	r.write("revoked", "")
	list, err := access.Open(access.Settings{AuthorizedKeys: []string{r.path("keys")}, RevokedKeys: []string{r.path("revoked")}})
	if err != nil {
		tb.Fatal(err)
	}
	r.server, err = New(Options{
		HostKey: r.path("host_key"), Access: list, Limits: limits, Console: console, Command: command, Farewell: "come back later",
		Log: func(format string, args ...any) { _, _ = fmt.Fprintf(r.log, format+"\n", args...) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r.address = l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		defer close(r.ended)
		if err := r.server.Serve(ctx, l); err != nil {
			tb.Errorf("the server ended: %v", err)
		}
	}()
	tb.Cleanup(func() {
		stop()
		r.until("the server ends", func() bool {
			select {
			case <-r.ended:
				return true
			default:
				return false
			}
		})
	})
	return r
}

// of returns a copy of the rig for another test that uses the same server.
func (r *rig) of(tb testing.TB) *rig {
	tb.Helper()
	one := *r
	one.tb = tb
	return &one
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) write(name string, text ...string) {
	r.tb.Helper()
	if err := os.WriteFile(r.path(name), []byte(strings.Join(text, "")), 0o600); err != nil {
		r.tb.Fatal(err)
	}
}

// until waits up to 20 s for a condition.
func (r *rig) until(what string, is func() bool) {
	r.tb.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.tb.Fatalf("timed out waiting until %s; log:\n%s", what, r.log)
		}
	}
}

// try connects with the given authentication methods.
func (r *rig) try(user string, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	return ssh.Dial("tcp", r.address, &ssh.ClientConfig{
		User: user, Auth: auth, Timeout: 20 * time.Second, HostKeyCallback: ssh.FixedHostKey(r.server.signer.PublicKey()),
	})
}

// connect connects with a key. The connection is closed at the end of the test.
func (r *rig) connect(key ssh.Signer) *ssh.Client {
	r.tb.Helper()
	c, err := r.try("root", ssh.PublicKeys(key))
	if err != nil {
		r.tb.Fatalf("%v; log:\n%s", err, r.log)
	}
	r.tb.Cleanup(func() { _ = c.Close() })
	return c
}

func (r *rig) session(c *ssh.Client) *ssh.Session {
	r.tb.Helper()
	s, err := c.NewSession()
	if err != nil {
		r.tb.Fatal(err)
	}
	return s
}

// run runs a command, and returns its output and exit code.
func (r *rig) run(c *ssh.Client, stdin, text string) (stdout, stderr string, code int) {
	r.tb.Helper()
	s := r.session(c)
	var out, errs bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader(stdin), &out, &errs
	return outcome(s.Run(text), &out, &errs)
}

func outcome(err error, stdout, stderr *bytes.Buffer) (string, string, int) {
	code := 0
	var exit *ssh.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitStatus()
	} else if err != nil {
		code = -1
	}
	return stdout.String(), stderr.String(), code
}

// shell is a console that a test has opened.
type shell struct {
	*ssh.Session
	out lines
	in  io.WriteCloser
}

// console opens a console at a terminal of the given size.
func (r *rig) console(c *ssh.Client, width, height int) *shell {
	r.tb.Helper()
	s := &shell{Session: r.session(c)}
	s.Stdout, s.Stderr = &s.out, &s.out
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		r.tb.Fatal(err)
	}
	if err := s.RequestPty("xterm", height, width, ssh.TerminalModes{}); err != nil {
		r.tb.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		r.tb.Fatal(err)
	}
	return s
}

func (r *rig) shows(s *shell, text string) {
	r.tb.Helper()
	r.until(fmt.Sprintf("the console shows %q", text), func() bool { return strings.Contains(s.out.String(), text) })
}

// console is the console that the server runs. It writes its size and each key, until q is pressed.
func console(ctx context.Context, s *Session) error {
	_, _ = fmt.Fprintf(s.Out, "%s %s %dx%d\n", s.Name, s.Role, s.Size.Width, s.Size.Height)
	keys := make(chan byte)
	go func() {
		defer close(keys)
		var one [1]byte
		for {
			if _, err := s.In.Read(one[:]); err != nil {
				return
			}
			select {
			case keys <- one[0]:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case size := <-s.Resizes:
			_, _ = fmt.Fprintf(s.Out, "now %dx%d\n", size.Width, size.Height)
		case key := <-keys:
			switch key {
			case 'q':
				return nil
			case 'e':
				return errors.New("the console failed")
			}
			_, _ = fmt.Fprintf(s.Out, "key %q\n", key)
		}
	}
}

// command implements the commands that tests run.
func command(ctx context.Context, s *Session, args []string) int {
	switch args[0] {
	case "args":
		_, _ = fmt.Fprintf(s.Out, "%q", args[1:])
	case "env":
		_, _ = fmt.Fprintf(s.Out, "%q", s.Env)
	case "cat":
		_, _ = io.Copy(s.Out, s.In)
	case "both":
		_, _ = io.WriteString(s.Out, "out")
		_, _ = io.WriteString(s.Err, "err")
	case "exit":
		code, _ := strconv.Atoi(args[1])
		return code
	case "wait":
		_, _ = io.WriteString(s.Out, "waiting\n")
		<-ctx.Done()
	case "flood":
		for block := make([]byte, 1<<16); ; {
			if _, err := s.Out.Write(block); err != nil {
				return 9
			}
		}
	case "panic":
		panic("as asked for")
	}
	return 0
}

// stoppable is a connection whose reads can be stopped.
type stoppable struct {
	net.Conn
	mu      sync.Mutex
	waits   bool
	stopped chan struct{}
}

// Stop makes later reads wait until Continue is called.
func (s *stoppable) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = true
}

// Continue closes the connection, so that waiting reads return.
func (s *stoppable) Continue() {
	_ = s.Close()
	close(s.stopped)
}

func (s *stoppable) Read(p []byte) (int, error) {
	s.mu.Lock()
	waits := s.waits
	s.mu.Unlock()
	if waits {
		<-s.stopped
	}
	return s.Conn.Read(p)
}
