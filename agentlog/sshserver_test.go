package agentlog

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

// sshServer is an SSH server for tests. Each test defines the responses to commands.
type sshServer struct {
	// answer runs a command and returns its exit status. If the status is negative, the session ends without an exit
	// status.
	answer func(s *sshServer, command string, ch ssh.Channel) (status int)
	// dial connects clients that use the server as a jump host. If nil, such connections are refused.
	dial func(address string) (net.Conn, error)
	// mute makes the server leave requests unanswered.
	mute atomic.Bool
	// user is the only user that can log in, and authorized is that user's key.
	user       string
	authorized ssh.PublicKey

	// If reject is set, all sessions are rejected with this reason. If noTerminals is true, the server rejects
	// terminals. The sizes channel receives the terminal sizes that clients send.
	reject      string
	noTerminals bool
	sizes       chan string

	key  ssh.Signer
	port int

	mu       sync.Mutex
	commands []string
	logins   []string
	conns    []net.Conn
	gone     chan struct{}
	running  sync.WaitGroup
}

func newSigner(tb testing.TB) (signer ssh.Signer, private []byte) {
	tb.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if signer, err = ssh.NewSignerFromKey(key); err != nil {
		tb.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		tb.Fatal(err)
	}
	return signer, pem.EncodeToMemory(block)
}

// newSSHServer returns a server that does not listen yet. It accepts only the key in keyFile.
func newSSHServer(t *testing.T, answer func(s *sshServer, command string, ch ssh.Channel) int) (s *sshServer, keyFile string) {
	t.Helper()
	s = &sshServer{answer: answer, user: "core", gone: make(chan struct{}), sizes: make(chan string, 100)}
	s.key, _ = newSigner(t)
	login, private := newSigner(t)
	s.authorized = login.PublicKey()
	keyFile = filepath.Join(t.TempDir(), "key")
	putText(t, keyFile, string(private))
	t.Cleanup(func() {
		close(s.gone)
		s.drop()
		s.running.Wait()
	})
	return s, keyFile
}

// listen makes the server reachable on a loopback address, and returns the options for connecting to it.
func (s *sshServer) listen(t *testing.T, keyFile string) SSHOptions {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.serve(conn)
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepting.Wait()
	})
	return SSHOptions{User: "core", Port: s.port, Keys: []string{keyFile}, Config: noneWord, Home: t.TempDir()}
}

// serve serves a connection until it ends.
func (s *sshServer) serve(conn net.Conn) {
	s.mu.Lock()
	s.conns = append(s.conns, conn)
	key := s.key
	s.mu.Unlock()
	config := &ssh.ServerConfig{PublicKeyCallback: func(m ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		s.mu.Lock()
		s.logins = append(s.logins, m.User())
		s.mu.Unlock()
		if m.User() != s.user || ssh.FingerprintSHA256(key) != ssh.FingerprintSHA256(s.authorized) {
			return nil, fmt.Errorf("%s with this key is not let in", m.User())
		}
		return &ssh.Permissions{}, nil
	}}
	config.AddHostKey(key)
	s.running.Go(func() {
		defer func() { _ = conn.Close() }()
		_, channels, requests, err := ssh.NewServerConn(conn, config)
		if err != nil {
			return
		}
		s.running.Go(func() {
			for r := range requests {
				if r.WantReply && !s.mute.Load() {
					_ = r.Reply(false, nil) // as OpenSSH answers keepalive@openssh.com
				}
			}
		})
		for c := range channels {
			s.running.Go(func() { s.channel(c) })
		}
	})
}

// channel serves a session, or a forwarded connection.
func (s *sshServer) channel(c ssh.NewChannel) {
	if s.mute.Load() {
		return
	}
	if c.ChannelType() == "direct-tcpip" {
		s.forward(c)
		return
	}
	if s.reject != "" {
		_ = c.Reject(ssh.ResourceShortage, s.reject)
		return
	}
	ch, requests, err := c.Accept()
	if err != nil {
		return
	}
	defer func() { _ = ch.Close() }()
	for r := range requests {
		if r.Type == "pty-req" {
			s.observe(r)
			_ = r.Reply(!s.noTerminals, nil)
			continue
		}
		if r.Type != "exec" && r.Type != "shell" {
			_ = r.Reply(false, nil)
			continue
		}
		command := ""
		if r.Type == "exec" {
			command = string(r.Payload[4:])
		}
		s.mu.Lock()
		s.commands = append(s.commands, command)
		s.mu.Unlock()
		_ = r.Reply(true, nil)
		s.running.Go(func() {
			for r := range requests {
				s.observe(r)
			}
		})
		if status := s.answer(s, command, ch); status >= 0 {
			_, _ = ch.SendRequest("exit-status", false, binary.BigEndian.AppendUint32(nil, uint32(status)))
		}
		return
	}
}

// observe records the type and size of a session's terminal, and later sizes.
func (s *sshServer) observe(r *ssh.Request) {
	var pty struct {
		Term                string
		Width, Height, X, Y uint32
		Modes               string
	}
	var size struct{ Width, Height, X, Y uint32 }
	switch {
	case r.Type == "pty-req" && ssh.Unmarshal(r.Payload, &pty) == nil:
		s.sizes <- fmt.Sprintf("%s %dx%d", pty.Term, pty.Width, pty.Height)
	case r.Type == "window-change" && ssh.Unmarshal(r.Payload, &size) == nil:
		s.sizes <- fmt.Sprintf("%dx%d", size.Width, size.Height)
	}
}

func (s *sshServer) forward(c ssh.NewChannel) {
	var to struct {
		Host  string
		Port  uint32
		From  string
		FPort uint32
	}
	if ssh.Unmarshal(c.ExtraData(), &to) != nil || s.dial == nil {
		_ = c.Reject(ssh.ConnectionFailed, "Connection refused")
		return
	}
	conn, err := s.dial(net.JoinHostPort(to.Host, fmt.Sprint(to.Port)))
	if err != nil {
		_ = c.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	ch, requests, err := c.Accept()
	if err != nil {
		_ = conn.Close()
		return
	}
	s.running.Go(func() { ssh.DiscardRequests(requests) })
	s.running.Go(func() {
		_, _ = io.Copy(ch, conn)
		_ = ch.Close()
	})
	_, _ = io.Copy(conn, ch)
	_ = conn.Close()
}

// drop ends all connections.
func (s *sshServer) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
}

func (s *sshServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// users returns the users that have tried to log in.
func (s *sshServer) users() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logins)
}

// known returns a line for known_hosts that assigns the given key to the server.
func (s *sshServer) known(key ssh.PublicKey) string {
	return fmt.Sprintf("[127.0.0.1]:%d %s", s.port, ssh.MarshalAuthorizedKey(key))
}

func putText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// entryOf returns a journal entry of the agent, in the format of journalctl.
func entryOf(n int, boot, text string) string {
	return fmt.Sprintf(`{"MESSAGE":%q,"__CURSOR":"s=1;i=%d","__REALTIME_TIMESTAMP":"%d","_BOOT_ID":%q,"_SYSTEMD_UNIT":"ironic-agent.service"}`+"\n",
		text, n, testNow().UnixMicro()+int64(n)*1e6, boot)
}

// journalOf returns a function that acts as journalctl on a machine. The journal belongs to boot b1 and contains the
// given texts. The function does not wait for further entries.
func journalOf(texts ...string) func(*sshServer, string, ssh.Channel) int {
	return func(_ *sshServer, command string, ch ssh.Channel) int {
		first := 0
		if strings.Contains(command, " -n 1 ") {
			first = max(0, len(texts)-1)
		}
		for i := first; i < len(texts); i++ {
			_, _ = io.WriteString(ch, entryOf(i, "b1", texts[i]))
		}
		return 0
	}
}

// saying returns a function that answers every command in the same way: it writes text to the error output, and
// returns the given exit status.
func saying(text string, status int) func(*sshServer, string, ssh.Channel) int {
	return func(_ *sshServer, _ string, ch ssh.Channel) int {
		_, _ = io.WriteString(ch.Stderr(), text)
		return status
	}
}

func localhost(models.NodeRef) string { return "https://127.0.0.1:9999" }

// sshOnce reads the journal of a machine on a loopback address once. It returns all lines and the last status.
func sshOnce(t *testing.T, o SSHOptions) (Batch, Status) {
	t.Helper()
	b := onceOf(t, Options{Sources: []models.LogSource{models.LogSSH}, Once: true, Address: localhost, SSH: o})
	return b, b.Status[len(b.Status)-1]
}

// following is a log that is being followed, with the lines and statuses received so far.
type following struct {
	*testing.T
	batches <-chan Batch
	lines   []string
	status  []Status
}

func followSSH(t *testing.T, o SSHOptions, address func(models.NodeRef) string) *following {
	t.Helper()
	f, err := New(Options{Sources: []models.LogSource{models.LogSSH}, Address: address, SSH: o})
	if err != nil {
		t.Fatal(err)
	}
	return &following{T: t, batches: f.Follow(t.Context(), models.NodeRef{UUID: testUUID})}
}

// until reads batches until is() returns true. The what argument describes this condition in messages.
func (f *following) until(what string, is func() bool) {
	f.Helper()
	for !is() {
		b, open := <-f.batches
		if !open {
			f.Fatalf("it ended before %s: lines %q, status %+v", what, f.lines, f.status)
		}
		for _, l := range b.Lines {
			f.lines = append(f.lines, l.Text)
		}
		f.status = append(f.status, b.Status...)
	}
}

func (f *following) untilWhy(state State, why string) {
	f.Helper()
	f.until(why, func() bool {
		return slices.ContainsFunc(f.status, func(s Status) bool { return s.State == state && strings.Contains(s.Reason, why) })
	})
}
