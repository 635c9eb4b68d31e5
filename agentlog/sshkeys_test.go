package agentlog

import (
	"context"
	"crypto/ed25519"
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
	"golang.org/x/crypto/ssh/agent"
)

// agentSocket starts a fake ssh-agent and returns the path of its socket. The serve function handles the connections.
func agentSocket(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
		_ = os.RemoveAll(dir)
	})
	return socket
}

// TestSSHKeys checks that keys from all sources can be used to log in, and that the error describes the offered and
// the unusable keys.
func TestSSHKeys(t *testing.T) {
	t.Parallel()
	_, locked, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(locked, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	_, wrong := newSigner(t)
	_, wrong2 := newSigner(t)
	// machine holds what a test case needs: the file with the accepted key, a function that writes a file below the
	// home folder and returns its path, and a function that starts an ssh-agent.
	type machine struct {
		key   string
		put   func(name, text string) string
		serve func(func(net.Conn)) string
	}
	for name, tt := range map[string]struct {
		change func(o *SSHOptions, m machine)
		words  []string // words that the error must contain; nil if the login succeeds
	}{
		"named":          {func(*SSHOptions, machine) {}, nil},
		"a default file": {func(o *SSHOptions, m machine) { o.Keys = nil; m.put(".ssh/id_ed25519", m.key) }, nil},
		"ssh_config's": {func(o *SSHOptions, m machine) {
			o.Keys = nil
			m.put("k", m.key)
			o.Config = m.put("config", "IdentityFile none\nIdentityFile ~/k\n")
		}, nil},
		"the agent's": {func(o *SSHOptions, m machine) {
			ring := agent.NewKeyring()
			if private, err := ssh.ParseRawPrivateKey([]byte(m.key)); err == nil {
				_ = ring.Add(agent.AddedKey{PrivateKey: private}) // if it fails, no key is accepted
			}
			o.Keys, o.Agent = nil, m.serve(func(c net.Conn) { _ = agent.ServeAgent(ring, c) })
		}, nil},
		"behind a wrong one": {func(o *SSHOptions, m machine) { o.Keys = []string{m.put("w", string(wrong)), o.Keys[0]} }, nil},
		"none":               {func(o *SSHOptions, _ machine) { o.Keys = nil }, []string{"no keys to offer"}},
		"a wrong one, twice": {func(o *SSHOptions, m machine) {
			o.Keys = []string{m.put("w", string(wrong)), m.put("w2", string(wrong))}
		}, []string{"1 key was offered, SHA256:", "logs.ssh.keys"}},
		"two wrong ones": {func(o *SSHOptions, m machine) {
			o.Keys = []string{m.put("w", string(wrong))}
			m.put(".ssh/id_rsa", string(wrong2))
		}, []string{"2 keys were offered"}},
		"no file":               {func(o *SSHOptions, _ machine) { o.Keys = []string{"/nowhere/k\x1b"} }, []string{`cannot read key /nowhere/k\x1b`}},
		"a large file":          {func(o *SSHOptions, m machine) { o.Keys = []string{m.put("l", strings.Repeat("x", maxKey+1))} }, []string{"cannot read key ", "/l"}},
		"no key in it":          {func(o *SSHOptions, m machine) { o.Keys = []string{m.put("n", "hello")} }, []string{"/n has an unsupported format"}},
		"with a passphrase":     {func(o *SSHOptions, m machine) { o.Keys = []string{m.put("p", string(pem.EncodeToMemory(block)))} }, []string{"/p has a passphrase; add it with ssh-add"}},
		"an agent that is gone": {func(o *SSHOptions, _ machine) { o.Keys, o.Agent = nil, "/nowhere/agent" }, []string{"ssh-agent does not answer at SSH_AUTH_SOCK"}},
		"an agent that hangs up": {func(o *SSHOptions, m machine) {
			o.Keys, o.Agent = nil, m.serve(func(net.Conn) {})
		}, []string{"ssh-agent did not list its keys"}},
		"another user": {func(o *SSHOptions, _ machine) { o.User = "root" }, []string{"root@127.0.0.1", "accepted no key"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, file := newSSHServer(t, journalOf("hello"))
			key, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := s.listen(t, file)
			tt.change(&o, machine{
				key: string(key),
				put: func(name, text string) string {
					path := filepath.Join(o.Home, name)
					putText(t, path, text)
					return path
				},
				serve: func(answer func(net.Conn)) string { return agentSocket(t, answer) },
			})
			b, last := sshOnce(t, o)
			if tt.words == nil {
				if len(b.Lines) != 1 || last.State != StateEnded {
					t.Errorf("%d lines, %+v", len(b.Lines), last)
				}
				return
			}
			for _, want := range tt.words {
				if !strings.Contains(last.Reason+" "+last.Remedy, want) || last.State != StateFailed {
					t.Errorf("no %q in %+v", want, last)
				}
			}
		})
	}
}

// TestCountKeys checks that a key is counted once, even if it is in several places.
func TestCountKeys(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	_, a := newSigner(t)
	_, b := newSigner(t)
	putText(t, home+"/.ssh/id_ed25519", string(a))
	putText(t, home+"/a", string(a))
	putText(t, home+"/b", string(b))
	o := &SSHOptions{Home: home, Keys: []string{home + "/a", home + "/b", home + "/none"}}
	n, notes := o.CountKeys(t.Context())
	if want := []string{"cannot read key " + home + "/none"}; n != 2 || !slices.Equal(notes, want) {
		t.Errorf("%d keys, notes %q, want 2 and %q", n, notes, want)
	}
	if n, notes := (&SSHOptions{}).CountKeys(t.Context()); n != 0 || notes != nil {
		t.Errorf("without a home: %d keys, notes %q", n, notes)
	}
	hanging, stop := context.WithCancel(t.Context())
	socket := agentSocket(t, func(c net.Conn) { // it never answers
		_, _ = c.Read(make([]byte, 1))
		stop()
		_, _ = io.Copy(io.Discard, c)
	})
	if n, notes := (&SSHOptions{Agent: socket}).CountKeys(hanging); n != 0 || !slices.Equal(notes, []string{"ssh-agent did not list its keys"}) {
		t.Errorf("an agent that hangs: %d keys, notes %q", n, notes)
	}
}

// TestSSHJump checks that jump hosts are used with their own keys and users.
func TestSSHJump(t *testing.T) {
	t.Parallel()
	ramdisk, key := newSSHServer(t, journalOf("hello"))
	o := ramdisk.listen(t, key)
	jump, jumpKey := newSSHServer(t, saying("no shell here", 1))
	jump.user = "op"
	var asked atomic.Value // string
	jump.dial = func(address string) (net.Conn, error) {
		asked.Store(address)
		return new(net.Dialer).DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", ramdisk.port))
	}
	jump.listen(t, jumpKey)
	o.Config = filepath.Join(o.Home, "config")
	o.Jump = "op@bastion"
	putText(t, o.Config, fmt.Sprintf("Host bastion\n  HostName 127.0.0.1\n  Port %d\n  IdentityFile %s\n  StrictHostKeyChecking accept-new\n", jump.port, jumpKey))
	b, last := sshOnce(t, o)
	if len(b.Lines) != 1 || last.State != StateEnded || asked.Load() != any(fmt.Sprintf("127.0.0.1:%d", ramdisk.port)) {
		t.Errorf("%d lines, asked for %q, %+v", len(b.Lines), asked.Load(), last)
	}
	if !slices.Contains(jump.users(), "op") || !slices.Contains(ramdisk.users(), "core") {
		t.Errorf("logins at the jump host %q, at the ramdisk %q", jump.users(), ramdisk.users())
	}
	putText(t, o.Config, fmt.Sprintf("Host bastion\n  HostName 127.0.0.1\n  Port %d\n  IdentityFile %s\n", jump.port, jumpKey))
	if _, last := sshOnce(t, o); last.State != StateFailed || !strings.Contains(last.Reason, "it is not in known_hosts") || !strings.Contains(last.Reason, fmt.Sprintf("op@127.0.0.1:%d", jump.port)) {
		t.Errorf("a jump host that is not known: %+v", last)
	}
}
