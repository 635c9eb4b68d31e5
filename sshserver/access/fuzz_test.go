package access

import (
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
)

// FuzzAuthorizedKeys checks, with random lines of authorized_keys, that a user without a role cannot log in, and that
// a rejected line grants no access.
func FuzzAuthorizedKeys(f *testing.F) {
	key := newSigner(f).PublicKey()
	f.Add(line("", key, "anna admin"))
	f.Add(line(`from="10.0.0.0/8",expiry-time="20300101Z",restrict`, key, "ben viewer"))
	f.Add(line(`cert-authority,principals="a,b"`, key, "\x1b[31m"))
	f.Add("ssh-ed25519 AAAA= \xff\xfe\n\r\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := parseLine(text)
		if err == nil && (k.key == nil || !k.authority && k.name == "") {
			t.Fatalf("%q was accepted as %+v", text, k)
		}
		l, err := Open(Settings{AuthorizedKeys: []string{write(t, filepath.Join(t.TempDir(), "keys"), text)}})
		if err != nil {
			return
		}
		for _, k := range l.files.keys {
			login, err := l.Login("root", k.key, now())
			if err == nil && (login.Role == "" || login.Name == "") {
				t.Fatalf("%q logs in as %+v", text, login)
			}
		}
	})
}

// FuzzRevokedKeys checks that a revoked key stays revoked, whatever lines follow in the file of revoked keys.
func FuzzRevokedKeys(f *testing.F) {
	key := newSigner(f).PublicKey()
	for _, text := range []string{"serial: 1-5", "serial: 0-18446744073709551615", "id: x", ssh.FingerprintSHA256(key), line("", key, "x"), "SSHKRL\n\x00", "serial:-", "\"\\\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		revoked, problems := readFiles(Settings{RevokedKeys: []string{write(t, filepath.Join(dir, "revoked"), line("", key, ""), text)}})
		if revoked.unsure != (len(problems) > 0) {
			t.Fatalf("%q: %v", text, problems)
		}
		if !revoked.revoked(key, nil) {
			t.Fatalf("%q takes a revocation back", text)
		}
	})
}
