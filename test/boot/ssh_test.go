package boot

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// sshTime limits the time to log in and run one command.
const sshTime = 30 * time.Second

// login is the SSH key with which the tests log in to the machine.
type login struct {
	public string
	signer ssh.Signer
}

// newLogin creates a key and, below the home directory home, an SSH configuration that uses the key. Clients with
// this configuration trust only known host keys.
func newLogin(t *testing.T, home string) login {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	sshHome(t, home, "yes", pem.EncodeToMemory(block))
	return login{public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))), signer: signer}
}

// sshHome writes the private key and an SSH configuration to the .ssh folder of the home directory. strict is the
// value of StrictHostKeyChecking in the configuration.
func sshHome(t *testing.T, home, strict string, key []byte) {
	t.Helper()
	folder := filepath.Join(home, ".ssh")
	file := filepath.Join(folder, "machine")
	config := fmt.Sprintf("Host 127.18.*\n  User core\n  Port %d\n  IdentityFile %s\n  StrictHostKeyChecking %s\n", sshPort, file, strict)
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(file, key, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "config"), []byte(config), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ssh runs a command on the machine as core and returns its output. It retries until the login succeeds.
func (b *bench) ssh(command string) string {
	b.t.Helper()
	var printed string
	var last error
	b.poll("SSH runs "+command, func() bool {
		printed, last = b.sshOnce(command)
		if last != nil {
			b.t.Logf("SSH: %v", last)
		}
		return last == nil
	})
	return printed
}

func (b *bench) sshOnce(command string) (string, error) {
	address := net.JoinHostPort(b.machine.AgentHost(), strconv.Itoa(sshPort))
	conn, err := (&net.Dialer{Timeout: sshTime}).DialContext(b.t.Context(), "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(sshTime)); err != nil {
		return "", err
	}
	config := &ssh.ClientConfig{
		User: "core", Auth: []ssh.AuthMethod{ssh.PublicKeys(b.login.signer)},
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // a machine of this test
	}
	connection, channels, requests, err := ssh.NewClientConn(conn, address, config)
	if err != nil {
		return "", err
	}
	client := ssh.NewClient(connection, channels, requests)
	defer func() { _ = client.Close() }()
	session, err := client.NewSession()
	if err != nil {
		return "", err
	}
	out, err := session.Output(command)
	return string(out), err
}

// wantSSH runs a command on the machine. Its output must contain each of the texts, but must not contain a text that
// is marked with a leading "!".
func (b *bench) wantSSH(command string, texts ...string) {
	b.t.Helper()
	printed := b.ssh(command)
	for _, text := range texts {
		without, absent := strings.CutPrefix(text, "!")
		if strings.Contains(printed, without) == absent {
			b.t.Errorf("%s printed %q, want %q", command, printed, text)
		}
	}
}
