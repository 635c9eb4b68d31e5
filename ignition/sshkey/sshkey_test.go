package sshkey

import (
	"crypto/dsa" //nolint:staticcheck // the key that must be refused
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// authorizedKey returns a public key as a line of an authorized_keys file, without a comment.
func authorizedKey(tb testing.TB, public any) string {
	tb.Helper()
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// plainKey returns a line with an ed25519 key, which is the same in every call.
func plainKey(tb testing.TB) string {
	tb.Helper()
	return authorizedKey(tb, ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests")).Public())
}

func weakRSA(tb testing.TB) string {
	tb.Helper()
	n := new(big.Int).SetBit(big.NewInt(1), 1023, 1)
	return authorizedKey(tb, &rsa.PublicKey{N: n, E: 65537})
}

func TestParse(t *testing.T) {
	ed := plainKey(t)
	long := new(big.Int).SetBit(big.NewInt(1), 3071, 1)
	rsaLine := authorizedKey(t, &rsa.PublicKey{N: long, E: 65537})
	curve, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := "# keys\r\n\n  " + ed + " me@host with spaces \r\n" + rsaLine + "\n" +
		`command="echo \"a b\"",no-pty ` + authorizedKey(t, &curve.PublicKey) + " c"
	keys, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != 3 {
		t.Fatalf("got %d keys: %v", len(keys), keys)
	}
	if k := keys[0]; k.Type != "ssh-ed25519" || k.Bits != 256 || k.Comment != "me@host with spaces" ||
		k.Line != ed+" me@host with spaces" || k.Options != nil || !strings.HasPrefix(k.Fingerprint, "SHA256:") {
		t.Errorf("the first key is %+v", k)
	}
	if k := keys[1]; k.Type != "ssh-rsa" || k.Bits != 3072 || k.Comment != "" {
		t.Errorf("the second key is %+v", k)
	}
	if k := keys[2]; k.Bits != 384 || k.Comment != "c" || !slices.Equal(k.Options, []string{`command="echo \"a b\""`, "no-pty"}) {
		t.Errorf("the third key is %+v", k)
	}
}

func TestParseRefuses(t *testing.T) {
	private, err := ssh.MarshalPrivateKey(ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests")), "")
	if err != nil {
		t.Fatal(err)
	}
	block := string(pem.EncodeToMemory(private))
	ed := plainKey(t)
	var weak dsa.PublicKey
	weak.P, weak.Q, weak.G, weak.Y = new(big.Int).SetBit(big.NewInt(1), 1023, 1), new(big.Int).SetBit(big.NewInt(1), 159, 1), big.NewInt(2), big.NewInt(3)
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests")))
	if err != nil {
		t.Fatal(err)
	}
	certificate := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert}
	if err := certificate.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		kind       error
		line       int
	}{
		{"garbage", "hello", ErrNone, 1},
		{"truncated", ed[:len(ed)-8], ErrNone, 1},
		{"the type alone", "ssh-ed25519", ErrNone, 1},
		{"private", "\n" + block, ErrPrivate, 2},
		{"private on one line", strings.ReplaceAll(block, "\n", " "), ErrPrivate, 1},
		{"PuTTY's private", "PuTTY-User-Key-File-3: ssh-ed25519", ErrPrivate, 1},
		{"RFC 4716", "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----", ErrNone, 1},
		{"PEM", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", ErrNone, 1},
		{"short RSA", weakRSA(t), ErrWeak, 1},
		{"DSA", authorizedKey(t, &weak), ErrWeak, 1},
		{"certificate", string(ssh.MarshalAuthorizedKey(certificate)), ErrCertificate, 1},
		{"control characters", ed + " a\x1b[31m", ErrNone, 1},
		{"invalid UTF-8", ed + " a\xff", ErrNone, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			keys, err := Parse(test.text + "\n" + ed)
			var problem *Error
			if !errors.Is(err, test.kind) || !errors.As(err, &problem) || problem.Line != test.line {
				t.Errorf("got %v, want %v in line %d", err, test.kind, test.line)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one problem is told of: %v", err)
			}
			if len(keys) != 1 {
				t.Errorf("the good key beside it is not there: %v", keys)
			}
		})
	}
}

func TestErrorHasNoSecret(t *testing.T) {
	private, err := ssh.MarshalPrivateKey(ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests")), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(pem.EncodeToMemory(private)), "hunter2 is the password"} {
		_, err := Parse(text)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > 10 && strings.Contains(err.Error(), line) {
				t.Errorf("the error shows %q", line)
			}
		}
	}
}
