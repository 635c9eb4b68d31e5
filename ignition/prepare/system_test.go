package prepare_test

import (
	"crypto/ed25519"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vincent-petithory/dataurl"
	"golang.org/x/crypto/ssh/agent"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
)

func decoded(t *testing.T, source string) string {
	t.Helper()
	data, err := dataurl.DecodeString(source)
	if err != nil {
		t.Fatal(err)
	}
	return string(data.Data)
}

// sshAgent starts an SSH agent that holds one key and accepts a single connection.
func sshAgent(t *testing.T) (socket string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private, Comment: "in the agent"}); err != nil {
		t.Fatal(err)
	}
	return agentSocket(t, func(conn net.Conn) { _ = agent.ServeAgent(ring, conn) }) // returns when the connection ends
}

// agentSocket listens on a socket, and calls serve with the first connection.
func agentSocket(t *testing.T, serve func(net.Conn)) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(dir, "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		serve(conn)
		_ = conn.Close()
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-served
		_ = os.RemoveAll(dir)
	})
	return socket
}

// TestSSHAgentFails checks that an agent that cannot list its keys is reported with the cause.
func TestSSHAgentFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply []byte // the response to the request for the keys, or nil if the connection is closed
		want  string
	}{
		"closes the connection": {nil, "asking the SSH agent: agent: client error: EOF"},
		"refuses":               {[]byte{0, 0, 0, 1, 5}, "asking the SSH agent: agent: failed to list keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := agentSocket(t, func(conn net.Conn) {
				_, _ = io.ReadFull(conn, make([]byte, 5))
				_, _ = conn.Write(tt.reply)
			})
			m := prepare.System(t.TempDir(), socket, ignition.IronicEndpoint{URL: "http://192.0.2.5:6385"})
			_, err := m.Build(t.Context(), prepare.Inputs{SSHAgent: true})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "extra.ign"), []byte(`{"ignition":{"version":"3.0.0"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := prepare.System(home, sshAgent(t), ignition.IronicEndpoint{URL: "http://192.0.2.5:6385"})
	built := build(t, m, prepare.Inputs{ExtraFile: "~/extra.ign"})
	if logins := built.Preview.Logins; len(logins) != 1 || !strings.Contains(logins[0], "in the agent") {
		t.Errorf("%q", logins)
	}
	gone := prepare.System(home, filepath.Join(home, "no-agent"), ignition.IronicEndpoint{URL: "http://192.0.2.5:6385"})
	if _, err := gone.Build(t.Context(), prepare.Inputs{SSHAgent: true}); err == nil || !strings.Contains(err.Error(), "SSH agent") {
		t.Errorf("%v", err)
	}
	if built := build(t, gone, prepare.Inputs{}); len(built.Preview.Logins) != 0 {
		t.Errorf("%q", built.Preview.Logins)
	}
}
