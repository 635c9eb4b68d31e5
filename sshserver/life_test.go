package sshserver

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/sshserver/access"
)

// TestRevokedKey checks that sessions whose key is revoked or removed end within seconds and without a restart, and
// that existing connections get no new session.
func TestRevokedKey(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Rate: 100_000})
	carl := newSigner(t)
	r.write("keys", authorized(r.anna.PublicKey(), "anna admin"), authorized(r.ben.PublicKey(), "ben operator"), authorized(carl.PublicKey(), "carl viewer"))
	r.until("carl may log in", func() bool {
		c, err := r.try("x", ssh.PublicKeys(carl))
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	anna, ben, kept := r.connect(r.anna), r.connect(r.ben), r.connect(carl)
	a, b, k := r.console(anna, 80, 24), r.console(ben, 80, 24), r.console(kept, 80, 24)
	r.shows(a, "anna")
	r.shows(b, "ben")
	r.shows(k, "carl")
	r.write("revoked", ssh.FingerprintSHA256(r.anna.PublicKey())+"\n")
	r.write("keys", authorized(r.anna.PublicKey(), "anna admin"), authorized(carl.PublicKey(), "carl viewer"))
	for name, s := range map[string]*shell{"anna": a, "ben": b} {
		_, _, code := outcome(s.Wait(), &bytes.Buffer{}, &bytes.Buffer{})
		if code != exitFailed || !strings.Contains(s.out.String(), "session ended: your key is no longer accepted") {
			t.Errorf("%s: %d, %s", name, code, &s.out)
		}
	}
	for name, c := range map[string]*ssh.Client{"anna": anna, "ben": ben} {
		if stdout, stderr, code := r.run(c, "", "args here"); code != exitFailed || stdout != "" || !strings.Contains(stderr, "no longer accepted") {
			t.Errorf("a new session of %s: %q, %q, %d", name, stdout, stderr, code)
		}
	}
	_, _ = io.WriteString(k.in, "x")
	r.shows(k, "key 'x'")
	for _, key := range []ssh.Signer{r.anna, r.ben} {
		if _, err := r.try("x", ssh.PublicKeys(key)); err == nil {
			t.Error("a revoked key logs in")
		}
	}
}

// TestChangedRole checks that the sessions of a user end when the user's role changes, because they would keep the
// old role.
func TestChangedRole(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	s := r.console(r.connect(r.ben), 80, 24)
	r.shows(s, "ben operator")
	r.write("keys", authorized(r.ben.PublicKey(), "ben viewer"))
	if _, _, code := outcome(s.Wait(), &bytes.Buffer{}, &bytes.Buffer{}); code != exitFailed || !strings.Contains(s.out.String(), "session ended: your role has changed; connect again") {
		t.Errorf("exit code %d: %s", code, &s.out)
	}
	r.shows(r.console(r.connect(r.ben), 80, 24), "ben viewer")
}

// TestBrokenRevocations checks that a broken file of revoked keys does not end sessions, but keeps users from logging
// in.
func TestBrokenRevocations(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Rate: 100_000})
	s := r.console(r.connect(r.ben), 80, 24)
	r.shows(s, "ben")
	r.write("revoked", "nonsense\n")
	r.until("logins are refused", func() bool {
		c, err := r.try("x", ssh.PublicKeys(r.anna))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	_, _ = io.WriteString(s.in, "x")
	r.shows(s, "key 'x'")
}

func TestHostKey(t *testing.T) {
	t.Parallel()
	list, err := access.Open(access.Settings{AuthorizedKeys: []string{serve(t, Limits{}).path("keys")}})
	if err != nil {
		t.Fatal(err)
	}
	open := func(path string) (*Server, error) {
		return New(Options{HostKey: path, Access: list, Log: func(string, ...any) {}})
	}
	path := t.TempDir() + "/new/folder/key"
	first, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, path[:len(path)-4]: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	again, err := open(path)
	if err != nil || again.Fingerprint() != first.Fingerprint() || !strings.HasPrefix(first.Fingerprint(), "SHA256:") {
		t.Errorf("%v, %v", again, err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := open(path); err == nil || !strings.Contains(err.Error(), "readable by other users (mode 0") || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if _, err := open(path[:len(path)-4]); err == nil || !strings.Contains(err.Error(), "not a file") || strings.Contains(err.Error(), "chmod") {
		t.Errorf("a folder: %v", err)
	}
	_ = os.Chmod(path, 0o600)
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("broken: %v", err)
	}
	if _, err := open(path + "/below/a/file"); err == nil {
		t.Error("a host key below a file")
	}
}

// TestStop checks that, when the server stops, all sessions end with a message and with an exit code that means "try
// again".
func TestStop(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.anna)
	s := r.console(c, 80, 24)
	r.shows(s, "anna")
	wait := r.session(r.connect(r.ben))
	var stderr bytes.Buffer
	wait.Stderr = &stderr
	out, err := wait.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := wait.Start("wait"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("waiting\n"))); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if _, _, code := outcome(s.Wait(), &bytes.Buffer{}, &bytes.Buffer{}); code != exitStopped || !strings.Contains(s.out.String(), "ironworks: come back later\r\n") {
		t.Errorf("console: %d, %q", code, &s.out)
	}
	if _, _, code := outcome(wait.Wait(), &bytes.Buffer{}, &bytes.Buffer{}); code != exitStopped || !strings.Contains(stderr.String(), "come back later") {
		t.Errorf("command: %d, %q", code, &stderr)
	}
	<-r.ended
	if _, err := r.try("x", ssh.PublicKeys(r.anna)); err == nil {
		t.Error("the server accepts connections after its end")
	}
	_ = c.Wait()
}

// TestStuckClient checks that clients that stop reading the console's output, or the whole connection, neither
// disturb other clients nor keep the server from stopping.
func TestStuckClient(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Stuck: 300 * time.Millisecond})
	unread := r.session(r.connect(r.anna))
	if _, err := unread.StdoutPipe(); err != nil { // never read
		t.Fatal(err)
	}
	if err := unread.Start("flood"); err != nil {
		t.Fatal(err)
	}
	conn := &stoppable{Conn: r.dial(), stopped: make(chan struct{})}
	t.Cleanup(conn.Continue)
	client, chans, requests, err := ssh.NewClientConn(conn, r.address, &ssh.ClientConfig{
		Auth: []ssh.AuthMethod{ssh.PublicKeys(r.anna)}, HostKeyCallback: ssh.FixedHostKey(r.server.signer.PublicKey()),
	})
	if err != nil {
		t.Fatal(err)
	}
	dead := ssh.NewClient(client, chans, requests)
	if err := r.session(dead).Start("flood"); err != nil {
		t.Fatal(err)
	}
	conn.Stop()
	r.until("both are there", func() bool { return r.sessions() == 2 })
	other := r.connect(r.ben)
	for range 20 {
		if out, _, code := r.run(other, "x", "cat"); out != "x" || code != 0 {
			t.Fatalf("%q, %d", out, code)
		}
	}
	r.stop()
	began := time.Now()
	select {
	case <-r.ended:
	case <-time.After(10 * time.Second):
		t.Fatalf("the server does not end; %d sessions", r.sessions())
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the end took %s", took)
	}
}
