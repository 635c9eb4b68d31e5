package prepare_test

import (
	"crypto/ed25519"
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
		_ = agent.ServeAgent(ring, conn) // returns when the connection ends
		_ = conn.Close()
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-served
		_ = os.RemoveAll(dir)
	})
	return socket
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
