package sshserver

import (
	"testing"

	"golang.org/x/crypto/ssh"
)

// FuzzSession sends requests and input to a session, as a hostile client with a valid key could do. It checks that
// the server continues to run and that other sessions work.
func FuzzSession(f *testing.F) {
	shared := serve(f, Limits{Rate: 1 << 30})
	f.Add("pty-req", []byte("\x00\x00\x00\x05xterm\x00\x00\x00\x50\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), []byte("q"))
	f.Add("pty-req", []byte("\xff\xff\xff\xffx"), []byte("\x1b[200~"))
	f.Add("window-change", []byte("\xff\xff\xff\xff\xff\xff\xff\xff"), []byte{})
	f.Add("env", []byte("\x00\x00\x00\x04LANG\xff\xff\xff\xff"), []byte("\xff\xfe"))
	f.Add("exec", []byte("\x00\x00\x00\x06args '"), []byte("x"))
	f.Add("subsystem", []byte("\x00\x00\x00\x04sftp"), []byte("x"))
	f.Add("auth-agent-req@openssh.com", []byte{}, []byte("x"))
	f.Fuzz(func(t *testing.T, kind string, payload, keys []byte) {
		r := shared.of(t)
		hostile, err := r.try("\x1b]0;x\a", ssh.PublicKeys(r.ben))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = hostile.Close() }()
		one, err := hostile.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		in, err := one.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		// "wait", "flood" and "panic" are commands that only tests use. The first two end when the connection is
		// closed.
		_, _ = one.SendRequest(kind, true, payload)
		_ = one.RequestPty("xterm", 24, 80, ssh.TerminalModes{})
		_ = one.Shell()
		_, _ = in.Write(keys)
		_, _ = one.SendRequest(kind, true, payload)
		other, err := r.try("anna", ssh.PublicKeys(r.anna))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Close() }()
		if out, _, code := r.run(other, "", "args one"); code != 0 || out != `["one"]` {
			t.Fatalf("another session: %q, %d", out, code)
		}
		_ = hostile.Close()
		_ = other.Close()
		r.until("both sessions have ended", func() bool { return r.sessions() == 0 && r.pending() == 0 })
	})
}
