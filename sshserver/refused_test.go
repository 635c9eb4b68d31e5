package sshserver

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestUnknownClientsLearnNothing checks that no way to authenticate, except with a known key, succeeds or reveals
// anything.
func TestUnknownClientsLearnNothing(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	answers := func(_, _ string, questions []string, _ []bool) ([]string, error) {
		return make([]string, len(questions)), nil
	}
	for name, auth := range map[string][]ssh.AuthMethod{
		"nothing":              nil,
		"unknown key":          {ssh.PublicKeys(newSigner(t))},
		"password":             {ssh.Password("")},
		"keyboard-interactive": {ssh.KeyboardInteractive(answers)},
		"all":                  {ssh.PublicKeys(newSigner(t), newSigner(t)), ssh.Password("secret"), ssh.KeyboardInteractive(answers)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.try("anna", auth...)
			if err == nil || !strings.Contains(err.Error(), "unable to authenticate") {
				t.Fatalf("%v", err)
			}
			if strings.Contains(err.Error(), "ironworks") || strings.Contains(err.Error(), "attempted methods [none publickey password") {
				t.Errorf("the client learns of %v", err)
			}
		})
	}
	if _, err := r.try("anna", ssh.PublicKeys(newSigner(t))); err == nil {
		t.Error("an unknown key was accepted")
	}
	r.until("the refusals are in the log", func() bool { return strings.Contains(r.log.String(), `refused "anna" from 127.0.0.1:`) })
	if strings.Contains(r.log.String(), "secret") {
		t.Error("a password is in the log")
	}
}

// TestNothingIsForwarded checks that the server refuses forwarding and all other features of sshd.
func TestNothingIsForwarded(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.anna)
	if conn, err := c.Dial("tcp", r.address); err == nil {
		_ = conn.Close()
		t.Error("a TCP connection was forwarded")
	}
	if conn, err := c.Dial("unix", "/tmp/x"); err == nil {
		_ = conn.Close()
		t.Error("a connection to a socket was forwarded")
	}
	if l, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close()
		t.Error("a port was forwarded")
	}
	if l, err := c.ListenUnix(r.path("socket")); err == nil {
		_ = l.Close()
		t.Error("a socket was forwarded")
	}
	for _, kind := range []string{"x11", "auth-agent@openssh.com", "tun@openssh.com", "session@example"} {
		if _, _, err := c.OpenChannel(kind, nil); err == nil {
			t.Errorf("a channel %s was opened", kind)
		}
	}
	for _, kind := range []string{"no-more-sessions@openssh.com", "hostkeys-prove-00@openssh.com", "x"} {
		if ok, _, err := c.SendRequest(kind, true, nil); ok || err != nil {
			t.Errorf("request %s: %v, %v", kind, ok, err)
		}
	}
	if ok, _, err := c.SendRequest("keepalive@openssh.com", true, nil); !ok || err != nil {
		t.Errorf("keepalive: %v, %v", ok, err)
	}
	for _, kind := range []string{"auth-agent-req@openssh.com", "x11-req", "signal", "break", "xon-xoff", "eow@openssh.com", "x"} {
		s := r.session(c)
		if ok, err := s.SendRequest(kind, true, ssh.Marshal(struct{ Text string }{"x"})); ok || err != nil {
			t.Errorf("request %s of a session: %v, %v", kind, ok, err)
		}
		_ = s.Close()
	}
	for _, name := range []string{"sftp", "", "netconf"} {
		if err := r.session(c).RequestSubsystem(name); err == nil {
			t.Errorf("subsystem %q", name)
		}
	}
}

func TestNoShellWithoutATerminal(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	s := r.session(r.connect(r.anna))
	out, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 200)
	n, _ := out.Read(text)
	if want := "the console needs a terminal (ssh -t)"; !strings.Contains(string(text[:n]), want) {
		t.Errorf("no %q in %q", want, text[:n])
	}
	if _, _, code := outcome(s.Wait(), &bytes.Buffer{}, &bytes.Buffer{}); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
