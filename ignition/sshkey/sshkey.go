// Package sshkey parses the public SSH keys of users who may log in.
package sshkey

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"
)

// MinRSABits is the minimum length of an RSA key in bits, by the crypto policy of current CoreOS releases.
const MinRSABits = 2048

// Key is a public key in an authorized_keys file.
type Key struct {
	// Line is the key as used in configurations: options, type, key and comment without surrounding space.
	Line string
	// Type is the type of the key, such as ssh-ed25519. Comment is the text after the key, often user@host.
	Type, Comment string
	// Fingerprint is the SHA-256 fingerprint in the same format as in ssh-keygen -l. It starts with "SHA256:".
	Fingerprint string
	// Bits is the length of the key in bits. It is 0 if the type of the key has no length.
	Bits int
	// Options lists the options before the type, for example command="…". They restrict the use of the key.
	Options []string
}

// String describes the key by its type, length, comment and fingerprint.
func (k Key) String() string {
	text := k.Type
	if k.Bits > 0 {
		text = fmt.Sprintf("%s %d", text, k.Bits)
	}
	if k.Comment != "" {
		text += " " + k.Comment
	}
	return text + " " + k.Fingerprint
}

// These are the possible kinds of an [Error].
var (
	ErrPrivate     = errors.New("a private key (never share it)")
	ErrWeak        = errors.New("a key type that machines reject")
	ErrCertificate = errors.New("a certificate, not a public key")
	ErrNone        = errors.New("not an SSH public key")
)

// Error reports a line that is not a usable public key. It never contains the line itself, which may be a secret.
type Error struct {
	// Line is the number of the line, counted from 1.
	Line int
	// Kind is [ErrPrivate], [ErrWeak], [ErrCertificate] or [ErrNone].
	Kind error
	// Why gives more details than the kind; it may be empty. Hint suggests a fix.
	Why, Hint string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("line %d is %v", e.Line, e.Kind)
	if e.Why != "" {
		text += " (" + e.Why + ")"
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Kind }

// Parse parses authorized_keys, with one key per line. It skips empty lines and lines that start with #. It returns all
// usable keys and joins an [Error] for each other line. It also returns keys with options, which the caller may reject.
// Without keys in text, Parse returns no keys and no error.
func Parse(text string) ([]Key, error) {
	var (
		keys  []Key
		wrong []error
		block string // the end marker of the block that is skipped
	)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if block != "" {
			if strings.HasPrefix(line, block) {
				block = ""
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		key, problem := ParseLine(line)
		if problem == nil {
			keys = append(keys, key)
			continue
		}
		problem.Line = i + 1
		wrong = append(wrong, problem)
		if strings.HasPrefix(line, "-----BEGIN ") && !strings.Contains(line, "-----END ") {
			block = "-----END "
		}
		if strings.HasPrefix(line, "---- BEGIN ") {
			block = "---- END "
		}
	}
	return keys, errors.Join(wrong...)
}

// ParseLine parses a single key. In its errors, Line is 0.
func ParseLine(line string) (Key, *Error) {
	if problem := otherThanKey(line); problem != nil {
		return Key{}, problem
	}
	public, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil || len(rest) > 0 {
		return Key{}, &Error{Kind: ErrNone, Hint: "use the content of a .pub file, for example ssh-ed25519 AAAA… you@host"}
	}
	key := Key{
		Line: line, Type: public.Type(), Comment: comment, Options: options,
		Fingerprint: ssh.FingerprintSHA256(public), Bits: bitsOf(public),
	}
	_, certificate := public.(*ssh.Certificate)
	switch {
	case certificate:
		return Key{}, &Error{Kind: ErrCertificate, Why: key.Type, Hint: "use the .pub file without -cert"}
	case key.Type == ssh.InsecureKeyAlgoDSA: //nolint:staticcheck // named to be refused
		return Key{}, &Error{Kind: ErrWeak, Why: "DSA " + key.Fingerprint, Hint: "create a new key: ssh-keygen -t ed25519"}
	case key.Type == ssh.KeyAlgoRSA && key.Bits < MinRSABits:
		return Key{}, &Error{
			Kind: ErrWeak, Why: fmt.Sprintf("RSA key with %d bits (minimum %d), %s", key.Bits, MinRSABits, key.Fingerprint),
			Hint: "create a new key: ssh-keygen -t ed25519",
		}
	}
	return key, nil
}

// otherThanKey returns an error for the things that users often paste instead of a public key, and for keys whose
// text would not reach the machine unchanged. It returns nil for other lines.
func otherThanKey(line string) *Error {
	switch {
	case strings.Contains(line, "PRIVATE KEY") || strings.HasPrefix(line, "PuTTY-User-Key-File"):
		return &Error{Kind: ErrPrivate, Hint: "use the .pub file next to it"}
	case strings.HasPrefix(line, "---- BEGIN SSH2 PUBLIC KEY"):
		return &Error{Kind: ErrNone, Why: "RFC 4716 format", Hint: "convert it: ssh-keygen -i -f FILE"}
	case strings.HasPrefix(line, "-----BEGIN "):
		return &Error{Kind: ErrNone, Why: "PEM format", Hint: "convert it: ssh-keygen -i -m PKCS8 -f FILE"}
	case !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return &Error{Kind: ErrNone, Why: "control characters or invalid UTF-8", Hint: "use plain text in the comment"}
	}
	return nil
}

func bitsOf(public ssh.PublicKey) int {
	with, ok := public.(ssh.CryptoPublicKey)
	if !ok {
		return 0
	}
	switch key := with.CryptoPublicKey().(type) {
	case *rsa.PublicKey:
		return key.N.BitLen()
	case *ecdsa.PublicKey:
		return key.Curve.Params().BitSize
	}
	if strings.Contains(public.Type(), "ed25519") || strings.Contains(public.Type(), "ecdsa") {
		return 256
	}
	return 0
}

// LooksLikeKey reports whether text looks like a key, even a private one, rather than a file name.
func LooksLikeKey(text string) bool {
	if strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "\n") {
		return true
	}
	if keys, err := Parse(text); err == nil && len(keys) > 0 {
		return true
	}
	starts := func(kind string) bool { return strings.HasPrefix(text, kind) }
	return strings.Contains(text, " ") && slices.ContainsFunc([]string{"ssh-", "ecdsa-", "sk-"}, starts)
}
