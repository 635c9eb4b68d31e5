package sshkey

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParse checks that parsing the line of a parsed key returns the same key, and that errors contain a line number
// and never quote a private key.
func FuzzParse(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ4vPTCXpvJ8P0v0wWz4V3Qe4pQ4m6bC5yJp1mU0d6D a@b"
	for _, s := range []string{
		"", "# comment\n", key, key + "\n" + key, "command=\"x\" " + key, "no-pty,from=\"10.0.0.0/8\" " + key,
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n" + key,
		"---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n", "ssh-rsa AAAA", "\xff", key + "\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := Parse(text)
		for _, k := range keys {
			if strings.Contains(k.Line, "\n") || k.Fingerprint == "" || strings.Contains(k.Line, "PRIVATE KEY") {
				t.Errorf("key %+v", k)
			}
			again, problem := ParseLine(k.Line)
			if problem != nil || again.Fingerprint != k.Fingerprint || again.Type != k.Type {
				t.Errorf("%q is read as %+v, %v", k.Line, again, problem)
			}
		}
		if err == nil {
			return
		}
		list, ok := err.(interface{ Unwrap() []error })
		if !ok {
			t.Fatalf("error %T", err)
		}
		for _, one := range list.Unwrap() {
			var e *Error
			if !errors.As(one, &e) || e.Line < 1 || e.Line > strings.Count(text, "\n")+1 || e.Kind == nil {
				t.Errorf("error %#v", one)
			}
		}
	})
}
