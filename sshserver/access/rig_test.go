package access

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// now returns the time at which all tests run.
func now() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func newSigner(tb testing.TB) ssh.Signer {
	tb.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		tb.Fatal(err)
	}
	return signer
}

// line returns a line of authorized_keys.
func line(options string, key ssh.PublicKey, comment string) string {
	text := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) + " " + comment + "\n"
	return strings.TrimLeft(options+" "+text, " ")
}

func write(tb testing.TB, path string, text ...string) string {
	tb.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(text, "")), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// replace overwrites a file, and changes its modification time even if both writes happen within one clock tick.
func replace(tb testing.TB, path string, text ...string) {
	tb.Helper()
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, path, text...)
	if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
		tb.Fatal(err)
	}
}

// listOf opens a list with the lines of one file of authorized keys.
func listOf(tb testing.TB, users map[string]Grant, lines ...string) *List {
	tb.Helper()
	l, err := Open(Settings{AuthorizedKeys: []string{write(tb, filepath.Join(tb.TempDir(), "keys"), lines...)}, Users: users})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// certificate returns a certificate for key. Unless change alters the period, the certificate is valid from an hour
// before now until an hour after now.
func certificate(tb testing.TB, ca ssh.Signer, key ssh.PublicKey, change func(c *ssh.Certificate)) *ssh.Certificate {
	tb.Helper()
	c := &ssh.Certificate{
		Key: key, CertType: ssh.UserCert, Serial: 7, KeyId: "laptop", ValidPrincipals: []string{"anna", "ironworks-operator"},
		ValidAfter: uint64(now().Add(-time.Hour).Unix()), ValidBefore: uint64(now().Add(time.Hour).Unix()), //nolint:gosec // after 1970
	}
	if change != nil {
		change(c)
	}
	if err := c.SignCert(rand.Reader, ca); err != nil {
		tb.Fatal(err)
	}
	// Parse the certificate from bytes, as it is when it comes from the network.
	parsed, err := ssh.ParsePublicKey(c.Marshal())
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(parsed.Marshal(), c.Marshal()) {
		tb.Fatal("the certificate is not the parsed one")
	}
	return parsed.(*ssh.Certificate)
}
