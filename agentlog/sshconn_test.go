package agentlog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

// queued is a buffered in-memory connection. It is needed because both sides of SSH start by writing, which would
// block without a buffer.
type queued struct {
	net.Conn

	out  chan []byte
	done chan struct{}
	once sync.Once
}

func newQueued(c net.Conn) *queued {
	q := &queued{Conn: c, out: make(chan []byte, 1024), done: make(chan struct{})}
	go func() {
		for {
			select {
			case p := <-q.out:
				_, _ = c.Write(p) // fails when the connection is closed
			case <-q.done:
				return
			}
		}
	}()
	return q
}

func (q *queued) Write(p []byte) (int, error) {
	select {
	case q.out <- bytes.Clone(p):
		return len(p), nil
	case <-q.done:
		return 0, net.ErrClosed
	}
}

func (q *queued) Close() error {
	q.once.Do(func() { close(q.done) })
	return q.Conn.Close()
}

// jumped returns an in-memory connection to s, for use as a jump host. It can be used in a synctest bubble.
func jumped(t *testing.T, s *sshServer, keyFile string) *sshConn {
	t.Helper()
	client, server := net.Pipe()
	ours := newQueued(client)
	s.serve(newQueued(server))
	ring := (&SSHOptions{Keys: []string{keyFile}}).keys(t.Context(), &hop{})
	transport, channels, requests, err := ssh.NewClientConn(ours, "jump:22", &ssh.ClientConfig{
		User: "core", Auth: []ssh.AuthMethod{ssh.PublicKeys(ring.signers...)}, HostKeyCallback: ssh.FixedHostKey(s.key.PublicKey()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &sshConn{clients: []*ssh.Client{ssh.NewClient(transport, channels, requests)}}
}

// silent returns a connection on which nothing ever answers.
func silent(string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	return ours, nil
}

// TestLoginTimeout checks that an attempt to connect ends if one of its steps exceeds the time limit, whichever step
// hangs.
func TestLoginTimeout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dial   func(string) (net.Conn, error)
		mute   bool
		cancel bool
		takes  time.Duration
		want   string
		why    string
	}{
		"it accepts and says nothing":  {dial: silent, takes: dialTime, want: "the SSH handshake with core@ramdisk: context deadline exceeded", why: "timed out"},
		"the jump host says nothing":   {mute: true, takes: dialTime, want: "connecting to ramdisk:22: ", why: "timed out"},
		"the jump host cannot connect": {want: "connecting to ramdisk:22: ", why: "SSH connection refused"},
		"who waits goes":               {dial: silent, cancel: true, takes: time.Second, want: "the SSH handshake with core@ramdisk: "},
		"it is something else": {dial: func(string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				_, _ = io.WriteString(theirs, "HTTP/1.1 400 Bad Request\r\n\r\n")
				_, _ = io.Copy(io.Discard, theirs)
			}()
			return ours, nil
		}, takes: dialTime, want: "the SSH handshake with core@ramdisk: ", why: "timed out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, key := newSSHServer(t, nil)
				s.dial = tt.dial
				c := jumped(t, s, key)
				s.mute.Store(tt.mute)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(tt.takes, cancel)
				}
				began := time.Now()
				err := c.logIn(ctx, &SSHOptions{Keys: []string{key}}, models.NodeRef{}, &hop{host: "ramdisk", port: 22, user: "core"}, false)
				if err == nil || !strings.HasPrefix(err.Error(), tt.want) || time.Since(began) != tt.takes || len(c.clients) != 1 {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				if status := faultStatus(err); tt.why != "" && (status.Reason != tt.why || status.State != StateConnecting) {
					t.Errorf("%+v", status)
				}
				c.drop()
				s.drop()
			})
		})
	}
}

// TestKeepAlive checks that the connection to a machine that no longer answers is closed, and that other connections
// are kept.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mute  bool
		after time.Duration // zero means that the connection stays open
	}{"it answers": {}, "it is silent": {true, keepaliveTime + silenceTime}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, key := newSSHServer(t, nil)
				c := jumped(t, s, key)
				s.mute.Store(tt.mute)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				began := time.Now()
				c.keepAlive(ctx)
				if want := max(tt.after, 0); tt.after > 0 && time.Since(began) != want || tt.after == 0 && time.Since(began) != time.Hour {
					t.Errorf("it ended after %v", time.Since(began))
				}
				if _, err := c.client().NewSession(); tt.after > 0 && err == nil {
					t.Error("the connection lives")
				}
				c.drop()
				s.drop()
			})
		})
	}
}

// TestRun checks the results of commands. It also checks that an endless command ends when its reader returns, when
// its error output is rejected, and when its context is canceled.
func TestRun(t *testing.T) {
	t.Parallel()
	errEnough := errors.New("enough")
	endless := func(_ *sshServer, _ string, ch ssh.Channel) int {
		for {
			if _, err := io.WriteString(ch, "text\n"); err != nil {
				return -1
			}
		}
	}
	drain := func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	for name, tt := range map[string]struct {
		answer func(*sshServer, string, ssh.Channel) int
		hear   func(string) error
		read   func(io.Reader) error
		cancel bool
		check  func(error) bool
	}{
		"it succeeds": {saying("", 0), nil, drain, false, func(err error) bool { return err == nil }},
		"it fails": {saying("bad\x1b", 3), nil, drain, false, func(err error) bool {
			var failed *commandError
			return errors.As(err, &failed) && failed.status == 3 && err.Error() == `the command exited with status 3: bad\x1b`
		}},
		"it says much": {saying(strings.Repeat("x", 3*maxErrorOutput)+"the end", 1), nil, drain, false, func(err error) bool {
			var failed *commandError
			return errors.As(err, &failed) && len(failed.stderr) == maxErrorOutput && strings.HasSuffix(failed.stderr, "the end")
		}},
		"the reader has all": {endless, nil, func(io.Reader) error { return errEnough }, false, func(err error) bool { return errors.Is(err, errEnough) }},
		"the listener stops": {func(s *sshServer, c string, ch ssh.Channel) int {
			_, _ = io.WriteString(ch.Stderr(), "insufficient permissions")
			return endless(s, c, ch)
		}, checkPermission, drain, false, func(err error) bool { return errors.Is(err, errNoPermission) }},
		"nobody waits for it": {endless, nil, drain, true, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"the connection ends": {endless, nil, nil, false, func(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "connection lost: ") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, key := newSSHServer(t, tt.answer)
			c := jumped(t, s, key)
			defer c.drop()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			read := tt.read
			if read == nil {
				read = func(r io.Reader) error {
					_, err := r.Read(make([]byte, 1))
					s.drop()
					return errors.Join(err, drain(r))
				}
			}
			if tt.cancel {
				read = func(r io.Reader) error {
					_, err := r.Read(make([]byte, 1))
					cancel()
					return errors.Join(err, tt.read(r))
				}
			}
			if err := c.run(ctx, "any", tt.hear, read); !tt.check(err) {
				t.Errorf("error %v", err)
			}
		})
	}
	s, key := newSSHServer(t, nil)
	c := jumped(t, s, key)
	c.drop()
	if err := c.run(t.Context(), "any", nil, drain); err == nil || !strings.HasPrefix(err.Error(), "opening a session: ") {
		t.Errorf("on a connection that has ended: %v", err)
	}
}

// TestConnectionEndsWithItsContext checks that a connection is closed when its context is canceled.
func TestConnectionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, key := newSSHServer(t, nil)
	o := s.listen(t, key)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := dialSSH(ctx, &o, models.NodeRef{}, "127.0.0.1", true)
	if err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	ended.Go(func() { _ = c.client().Wait() })
	cancel()
	ended.Wait()
	c.close()
	if _, err := dialSSH(ctx, &o, models.NodeRef{}, "127.0.0.1", true); !errors.Is(err, context.Canceled) {
		t.Errorf("dialed after the end: %v", err)
	}
}
