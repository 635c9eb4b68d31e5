package journal_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/test/sshd"
)

// newKey creates a private key that no machine accepts, writes it to a file and returns the file's path. The key is
// encrypted if there is a passphrase.
func newKey(t *testing.T, passphrase string) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, string(pem.EncodeToMemory(block)))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func publicKey(t *testing.T, text string) ssh.PublicKey {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)) //nolint:dogsled // its shape
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestHostKeys(t *testing.T) {
	m := sshd.New(t)
	m.Agent("hello")
	another := newKey(t, "")
	text, err := os.ReadFile(another)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	other := string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	type hostKeys = func(context.Context, models.NodeRef) ([]string, bool)
	given := func(keys ...string) hostKeys {
		return func(context.Context, models.NodeRef) ([]string, bool) { return keys, false }
	}
	only := func(keys ...string) hostKeys {
		return func(context.Context, models.NodeRef) ([]string, bool) { return keys, true }
	}
	known := func(key string) string {
		return knownhosts.Line([]string{knownhosts.HashHostname(knownhosts.Normalize(m.Address()))}, publicKey(t, key)) + "\n"
	}
	for name, tt := range map[string]struct {
		expected hostKeys
		known    string
		strict   string
		state    agentlog.State
		words    []string
	}{
		"the Ignition's":                      {given(m.HostKey()), "", "", agentlog.StateFollowing, nil},
		"one of several":                      {given(other, m.HostKey()), "", "", agentlog.StateFollowing, nil},
		"not the Ignition's":                  {given(other), "", "", agentlog.StateFollowing, []string{"SHA256:", "trusted for this boot", "matches no image built by this console"}},
		"that of its own image":               {only(m.HostKey()), "", "", agentlog.StateFollowing, nil},
		"not that of its own image":           {only(other), "", "", agentlog.StateFailed, []string{"SHA256:", "differs from the key in the ramdisk's Ignition configuration", "booted another image"}},
		"not the Ignition's, not checked":     {only(other), "", "no", agentlog.StateFollowing, []string{"trusted for this boot"}},
		"not the Ignition's and strict":       {given(other), "", "yes", agentlog.StateFailed, []string{"it is not in known_hosts"}},
		"the Ignition's comes before a file":  {given(m.HostKey()), known(other), "", agentlog.StateFollowing, nil},
		"in known_hosts":                      {nil, known(m.HostKey()), "yes", agentlog.StateFollowing, nil},
		"another in known_hosts":              {nil, known(other), "", agentlog.StateFailed, []string{"differs from the key in known_hosts", "ssh-keygen -R 127.0.0.1"}},
		"another in known_hosts, not checked": {nil, known(other), "no", agentlog.StateFollowing, []string{"trusted for this boot"}},
		"unknown and strict":                  {nil, "", "yes", agentlog.StateFailed, []string{"it is not in known_hosts", "log in once"}},
		"unknown":                             {nil, "", "", agentlog.StateFollowing, []string{"host key SHA256:", "trusted for this boot"}},
		"unknown and new ones are taken":      {nil, "", "accept-new", agentlog.StateFollowing, []string{"trusted for this boot"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := sshOptions(m)
			o.Home = t.TempDir()
			o.HostKeys = tt.expected
			if tt.known != "" {
				write(t, filepath.Join(o.Home, ".ssh", "known_hosts"), tt.known)
			}
			if tt.strict != "" {
				o.Config = filepath.Join(o.Home, "config")
				write(t, o.Config, "Host 127.0.0.*\n  StrictHostKeyChecking "+tt.strict+"\n")
			}
			f := start(t, agentlog.Options{SSH: o})
			s := f.untilStatus(tt.state, tt.words...)
			if tt.state == agentlog.StateFollowing {
				f.untilLine("hello")
				if len(tt.words) == 0 && s.Reason != "" {
					t.Errorf("why %q", s.Reason)
				}
			} else if len(f.lines) > 0 {
				t.Errorf("%d lines from a rejected machine", len(f.lines))
			}
		})
	}
}

func TestHostKeyMustNotChangeWithinABoot(t *testing.T) {
	m := sshd.New(t)
	m.Agent("hello")
	of := m.HostKey()
	o := sshOptions(m)
	o.Home = t.TempDir()
	o.HostKeys = func(context.Context, models.NodeRef) ([]string, bool) { return []string{of}, false }
	f := start(t, agentlog.Options{SSH: o})
	f.untilLine("hello")
	m.Stop()
	m.NewHostKey()
	m.Agent("somebody else's")
	m.Start()
	f.untilStatus(agentlog.StateFailed, "it changed without a reboot")
	if f.lastText() != "hello" {
		t.Errorf("the last line is %q", f.lastText())
	}
}

func TestKeys(t *testing.T) {
	m := sshd.New(t)
	m.Agent("hello")
	wrong := newKey(t, "")
	locked := newKey(t, "secret")
	right, err := os.ReadFile(m.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(t *testing.T, o *agentlog.SSHOptions)
		words  []string // the words that the failure must contain, or nil if following succeeds
	}{
		"given":             {func(*testing.T, *agentlog.SSHOptions) {}, nil},
		"behind a wrong":    {func(_ *testing.T, o *agentlog.SSHOptions) { o.Keys = []string{wrong, m.Key} }, nil},
		"the wrong":         {func(_ *testing.T, o *agentlog.SSHOptions) { o.Keys = []string{wrong} }, []string{"accepted no key: 1 key was offered, SHA256:", "logs.ssh.keys"}},
		"none":              {func(_ *testing.T, o *agentlog.SSHOptions) { o.Keys = nil }, []string{"no keys to offer"}},
		"one that is not":   {func(_ *testing.T, o *agentlog.SSHOptions) { o.Keys = []string{"/nowhere/key"} }, []string{"cannot read key /nowhere/key"}},
		"with a passphrase": {func(_ *testing.T, o *agentlog.SSHOptions) { o.Keys = []string{locked} }, []string{"has a passphrase; add it with ssh-add"}},
		"a default file": {func(t *testing.T, o *agentlog.SSHOptions) {
			o.Keys = nil
			write(t, filepath.Join(o.Home, ".ssh", "id_ed25519"), string(right))
		}, nil},
		"of ssh_config": {func(t *testing.T, o *agentlog.SSHOptions) {
			o.Keys, o.Port, o.Config = nil, 0, ""
			write(t, filepath.Join(o.Home, ".ssh", "mine"), string(right))
			write(t, filepath.Join(o.Home, ".ssh", "config"), fmt.Sprintf("Match exec \"false\"\n  Port 1\nHost 127.*\n  IdentityFile ~/.ssh/mine\n  Port %d\n  User core\nMatch user x\n  Port 2\n", m.Port))
		}, nil},
		"the agent's": {func(t *testing.T, o *agentlog.SSHOptions) {
			o.Keys, o.Agent = nil, sshAgent(t, right)
		}, nil},
		"an agent that is gone": {func(_ *testing.T, o *agentlog.SSHOptions) {
			o.Keys, o.Agent = nil, "/nowhere/agent"
		}, []string{"ssh-agent does not answer"}},
		"a user that is not": {func(_ *testing.T, o *agentlog.SSHOptions) { o.User = "nobody-here" }, []string{"nobody-here@127.0.0.1", "accepted no key"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := sshOptions(m)
			o.Home = t.TempDir()
			tt.change(t, &o)
			f := start(t, agentlog.Options{SSH: o})
			if tt.words == nil {
				f.untilLine("hello")
				return
			}
			f.untilStatus(agentlog.StateFailed, tt.words...)
		})
	}
}

// sshAgent runs an SSH agent that has the key, and returns the path of the agent's socket.
func sshAgent(t *testing.T, key []byte) string {
	t.Helper()
	private, err := ssh.ParseRawPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "agent") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_ = agent.ServeAgent(ring, conn) // ends with the connection
			}()
		}
	}()
	return socket
}

func TestJumpHost(t *testing.T) {
	jump, m := sshd.New(t), sshd.New(t)
	w := &writer{m: m}
	last := w.write(20)
	o := agentlog.SSHOptions{Home: t.TempDir()}
	write(t, filepath.Join(o.Home, ".ssh", "config"), fmt.Sprintf(`
Host bastion
  HostName 127.0.0.1
  Port %d
  User core
  IdentityFile %s
  StrictHostKeyChecking accept-new
Host 127.0.0.1
  Port %d
  ProxyJump bastion
  IdentityFile %s
`, jump.Port, jump.Key, m.Port, m.Key))
	f := start(t, agentlog.Options{SSH: o})
	f.untilLine(last)
	if jump.Break() == 0 {
		t.Error("no connection through the jump host")
	}
	f.untilLine(w.write(20))
	f.wantTexts(w.want)

	strict := agentlog.SSHOptions{Home: t.TempDir(), Config: "none", Port: m.Port, Keys: []string{m.Key}, Jump: "core@" + jump.Address()}
	start(t, agentlog.Options{SSH: strict}).untilStatus(agentlog.StateFailed, jump.Address(), "it is not in known_hosts")
}

func TestUnreadableJournals(t *testing.T) {
	for name, tt := range map[string]struct {
		programs func(m *sshd.Machine) map[string]string
		state    agentlog.State
		words    []string
	}{
		"no journalctl": {func(*sshd.Machine) map[string]string { return map[string]string{"journalctl": "exit 127"} }, agentlog.StateFailed, []string{"journalctl not found"}},
		"no permission, no sudo": {func(*sshd.Machine) map[string]string {
			return map[string]string{"journalctl": hint, "sudo": "echo 'sudo: a password is required' >&2; exit 1"}
		}, agentlog.StateFailed, []string{"permission denied reading the journal", "a password is required", "systemd-journal"}},
		"no files for us": {func(m *sshd.Machine) map[string]string {
			return map[string]string{"journalctl": "echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1", "sudo": m.Journalctl()}
		}, agentlog.StateFollowing, nil},
		"permission by sudo": {func(m *sshd.Machine) map[string]string {
			return map[string]string{"journalctl": hint, "sudo": "[ \"$1\" = -n ] && [ \"$2\" = journalctl ] || exit 9\nshift 2\n" + m.Journalctl()}
		}, agentlog.StateFollowing, nil},
		"journalctl breaks": {func(*sshd.Machine) map[string]string {
			return map[string]string{"journalctl": "echo 'Failed to open: password=pl4nted' >&2; exit 1"}
		}, agentlog.StateConnecting, []string{"Failed to open: password=******"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := sshd.New(t)
			m.Agent("hello")
			for name, script := range tt.programs(m) {
				if name == "sudo" && tt.words == nil && script == m.Journalctl() {
					script = "shift 2\n" + script
				}
				m.Program(name, script)
			}
			f := start(t, agentlog.Options{SSH: sshOptions(m)})
			f.untilStatus(tt.state, tt.words...)
			if tt.state == agentlog.StateFollowing {
				f.untilLine("hello")
			}
		})
	}
}

// hint is a script that acts as journalctl for a user without permission: it shows only the user's own entries.
const hint = `echo 'Hint: You are currently not seeing messages from other users and the system.' >&2; echo '{"MESSAGE":"mine","__CURSOR":"s=1;i=1"}'; exec sleep 600`

func TestUnreachableMachines(t *testing.T) {
	m := sshd.New(t)
	m.Stop()
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.untilStatus(agentlog.StateConnecting, "SSH connection refused")
	m.Agent("late")
	m.Start()
	f.untilLine("late")

	// This server accepts connections and sends nothing.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	o := sshOptions(m)
	o.Port = listener.Addr().(*net.TCPAddr).Port
	start(t, agentlog.Options{SSH: o}).untilStatus(agentlog.StateConnecting, "timed out")

	o.Config = filepath.Join(t.TempDir(), "config")
	write(t, o.Config, "Host *\n  HostName does-not-exist.invalid\n")
	start(t, agentlog.Options{SSH: o}).untilStatus(agentlog.StateConnecting, "does-not-exist.invalid does not resolve")
}

func TestFrozenMachineIsDetected(t *testing.T) {
	m := sshd.New(t)
	m.Agent("alive")
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.untilLine("alive")
	m.Freeze()
	before := len(f.status)
	f.until("the silence", func() bool {
		for _, s := range f.status[before:] {
			if s.State == agentlog.StateConnecting {
				return true
			}
		}
		return false
	})
}
