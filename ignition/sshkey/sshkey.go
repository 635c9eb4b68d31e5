// Package sshkey reads the public SSH keys that may log in to a machine.
package sshkey

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"
)

// MinRSABits is the shortest RSA key that OpenSSH on a current CoreOS accepts:
// the system-wide crypto policy refuses shorter ones.
const MinRSABits = 2048

// Key is one public key, as it stands in an authorized_keys file.
type Key struct {
	// Line is the key as it is written into a configuration: options, type,
	// key and comment on one line, without space around it.
	Line string
	// Type is such as ssh-ed25519, Comment is what follows the key, often
	// user@host, or empty.
	Type, Comment string
	// Fingerprint is the one that ssh-keygen -l shows: SHA256:….
	Fingerprint string
	// Bits is the length of the key; 0 if it is of a type that has none.
	Bits int
	// Options are what stands before the type, such as command="…": what the
	// key may do. Most keys have none.
	Options []string
}

// String is what tells keys apart for people: type, length, comment and
// fingerprint.
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

// Kinds of errors of a line that is not a usable public key.
var (
	ErrPrivate     = errors.New("a private key (never share it)")
	ErrWeak        = errors.New("a key type that machines reject")
	ErrCertificate = errors.New("a certificate, not a public key")
	ErrNone        = errors.New("not an SSH public key")
)

// Error says which line of a text is no key that can be used. It never
// carries the line itself: it may be a secret.
type Error struct {
	// Line counts from 1.
	Line int
	// Kind is [ErrPrivate], [ErrWeak], [ErrCertificate] or [ErrNone].
	Kind error
	// Why tells more than the kind, or is empty; Hint is the remedy.
	Why, Hint string
}

// Error names the line, the reason and the remedy.
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

// Unwrap gives the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

// Parse reads public keys in the form of authorized_keys: one key a
// line, empty lines and lines that start with # are passed over. It returns all
// keys that can be used, and an [Error] for each line that cannot, joined.
// Keys with options are returned: whether they are welcome is for the caller to
// say. A text without keys gives none, and no error.
func Parse(text string) ([]Key, error) {
	var (
		keys  []Key
		wrong []error
		block string // the end of the block that is passed over
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

// ParseLine reads one key. The line of an error is not set.
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
			Kind: ErrWeak, Why: fmt.Sprintf("RSA of %d bits, fewer than %d, %s", key.Bits, MinRSABits, key.Fingerprint),
			Hint: "create a new key: ssh-keygen -t ed25519",
		}
	}
	return key, nil
}

// otherThanKey knows what people give instead of a public key, and what would
// not be the same key any more on the other side.
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

// Looks tells a key from the name of a file. A private one is taken for a key,
// too: it is refused without being shown.
func Looks(text string) bool {
	if strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "\n") {
		return true
	}
	if keys, err := Parse(text); err == nil && len(keys) > 0 {
		return true
	}
	for _, kind := range []string{"ssh-", "ecdsa-", "sk-"} {
		if strings.HasPrefix(text, kind) && strings.Contains(text, " ") {
			return true
		}
	}
	return false
}
