package access

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

func TestRevoked(t *testing.T) {
	t.Parallel()
	ca, signer := newSigner(t), newSigner(t)
	key := signer.PublicKey()
	cert := certificate(t, ca, key, nil) // serial 7, id laptop
	for name, tt := range map[string]struct {
		text           string
		key, cert, bad bool // whether key and cert are revoked, and whether a line is unreadable
	}{
		"nothing":               {"# none\n", false, false, false},
		"key":                   {line("", key, ""), true, true, false},
		"key of the CA":         {line("", ca.PublicKey(), ""), false, true, false},
		"certificate":           {line("", cert, ""), true, true, false},
		"fingerprint":           {ssh.FingerprintSHA256(key) + " anna's\n", true, true, false},
		"fingerprint of the CA": {ssh.FingerprintSHA256(ca.PublicKey()), false, true, false},
		"serial":                {"serial: 7\n", false, true, false},
		"serial in hex":         {"serial: 0x7", false, true, false},
		"another serial":        {"serial: 8", false, false, false},
		"range":                 {"serial: 5-7", false, true, false},
		"all serials":           {"serial: 0-18446744073709551615", false, true, false},
		"range before":          {"serial: 1-6", false, false, false},
		"reversed range":        {"serial: 7-5", false, false, true},
		"no number":             {"serial: seven", false, false, true},
		"id":                    {"id: laptop", false, true, false},
		"another id":            {"id: lap", false, false, false},
		"broken":                {"SHA1:xx", false, false, true},
		"binary KRL":            {"SSHKRL\n\x00\x00\x00\x00\x01", false, false, true},
		"broken after good":     {"serial: 9\nnonsense\n", false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			revoked := write(t, filepath.Join(dir, "revoked"))
			l, err := Open(Settings{
				AuthorizedKeys: []string{write(t, filepath.Join(dir, "keys"), line("", key, "anna admin"))},
				UserCA:         []string{write(t, filepath.Join(dir, "ca"), line("", ca.PublicKey(), ""))}, RevokedKeys: []string{revoked},
			})
			if err != nil {
				t.Fatal(err)
			}
			replace(t, revoked, tt.text)
			changed, problems := l.Reload()
			if !changed || (len(problems) > 0) != tt.bad {
				t.Fatalf("changed %v, problems %v", changed, problems)
			}
			want := func(revoked bool) error {
				switch {
				case tt.bad:
					return ErrUnsure
				case revoked:
					return ErrRevoked
				}
				return nil
			}
			if _, err := l.Login("x", key, now()); !errors.Is(err, want(tt.key)) {
				t.Errorf("key: %v, want %v", err, want(tt.key))
			}
			if _, err := l.Login("x", cert, now()); !errors.Is(err, want(tt.cert)) {
				t.Errorf("certificate: %v, want %v", err, want(tt.cert))
			}
		})
	}
}

// TestReload checks that changes to the files take effect, and that unreadable entries are not accepted.
func TestReload(t *testing.T) {
	t.Parallel()
	anna, ben := newSigner(t).PublicKey(), newSigner(t).PublicKey()
	for name, tt := range map[string]struct {
		change    func(t *testing.T, keys, revoked string)
		anna, ben error
		problem   string
	}{
		"role": {func(t *testing.T, keys, _ string) {
			t.Helper()
			replace(t, keys, line("", anna, "anna"), line("", ben, "ben viewer"))
		}, ErrNoRole, nil, ""},
		"removed line": {func(t *testing.T, keys, _ string) { t.Helper(); replace(t, keys, line("", ben, "ben viewer")) }, ErrUnknownKey, nil, ""},
		"broken line": {func(t *testing.T, keys, _ string) {
			t.Helper()
			replace(t, keys, "ssh-ed25519 AAAA anna admin\n", line("", ben, "ben viewer"))
		}, ErrUnknownKey, nil, "keys:1"},
		"empty":            {func(t *testing.T, keys, _ string) { t.Helper(); replace(t, keys, "") }, ErrUnknownKey, ErrUnknownKey, ""},
		"removed":          {func(t *testing.T, keys, _ string) { t.Helper(); _ = os.Remove(keys) }, ErrUnknownKey, ErrUnknownKey, "no such file"},
		"wrong mode":       {func(t *testing.T, keys, _ string) { t.Helper(); _ = os.Chmod(keys, 0o666) }, ErrUnknownKey, ErrUnknownKey, "writable by other users"},
		"revocations gone": {func(t *testing.T, _, revoked string) { t.Helper(); _ = os.Remove(revoked) }, ErrUnsure, ErrUnsure, "no such file"},
		"revocations that others may write": {
			func(t *testing.T, _, revoked string) { t.Helper(); _ = os.Chmod(revoked, 0o666) }, ErrUnsure, ErrUnsure,
			"writable by other users",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			keys := write(t, filepath.Join(dir, "keys"), line("", anna, "anna admin"), line("", ben, "ben viewer"))
			revoked := write(t, filepath.Join(dir, "revoked"))
			l, err := Open(Settings{AuthorizedKeys: []string{keys}, RevokedKeys: []string{revoked}})
			if err != nil {
				t.Fatal(err)
			}
			if changed, problems := l.Reload(); changed || len(problems) > 0 {
				t.Fatalf("nothing has changed: %v, %v", changed, problems)
			}
			tt.change(t, keys, revoked)
			changed, problems := l.Reload()
			if !changed || (tt.problem == "") != (len(problems) == 0) || tt.problem != "" && !strings.Contains(errors.Join(problems...).Error(), tt.problem) {
				t.Errorf("changed %v, problems %v", changed, problems)
			}
			if _, err := l.Login("x", anna, now()); !errors.Is(err, tt.anna) {
				t.Errorf("anna: %v", err)
			}
			if _, err := l.Login("x", ben, now()); !errors.Is(err, tt.ben) {
				t.Errorf("ben: %v", err)
			}
			if changed, _ := l.Reload(); changed {
				t.Error("changed twice")
			}
		})
	}
}
