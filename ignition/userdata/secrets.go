package userdata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// maxSearched limits how many bytes of a file are searched for secrets.
const maxSearched = 4 << 20

// secret warns that a value is probably a secret. The warning does not quote the value.
func (c *checker) secret(s *scope, path elementPath, what string) {
	c.add(s, IDSecret, path, what+" in clear text: Ironic stores user data in its database, the agent logs it, and it stays readable on the machine; let the machine fetch it after the boot, or restrict access to all three")
}

// secretName reports whether the name of a setting suggests that its value is a secret.
func secretName(name string) bool {
	words := []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "private-key", "private_key", "psk"}
	return containsAny(strings.ToLower(name), words...)
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

func (c *checker) fileSecrets(s *scope, name string, content []byte, mode int, path elementPath) {
	what := secretIn(content)
	switch {
	case what != "" || len(content) == 0:
	case strings.HasSuffix(name, "/.docker/config.json"), strings.HasSuffix(name, "auth.json"), strings.HasSuffix(name, "authfile.json"), strings.HasSuffix(name, "pull-secret"):
		what = "a registry pull secret"
	case strings.HasSuffix(name, "/kubeconfig"), strings.HasSuffix(name, "/.kube/config"):
		what = "a kubeconfig"
	}
	if what == "" {
		return
	}
	if mode&0o044 != 0 {
		what += fmt.Sprintf(" (and mode %04o lets every user of the machine read it: 384 is 0600)", mode)
	}
	c.secret(s, path, what)
}

func (c *checker) textSecrets(s *scope, text string, path elementPath) {
	if what := secretIn([]byte(text)); what != "" {
		c.secret(s, path, what)
	}
}

func secretIn(content []byte) string {
	content = content[:min(len(content), maxSearched)]
	if begin := bytes.Index(content, []byte("-----BEGIN ")); begin >= 0 {
		for rest := content[begin:]; len(rest) > 0; {
			line, after, _ := bytes.Cut(rest, []byte("\n"))
			if bytes.HasPrefix(bytes.TrimSpace(line), []byte("-----BEGIN ")) && bytes.Contains(line, []byte("PRIVATE KEY-----")) {
				return "a private key"
			}
			rest = after
		}
	}
	if bytes.Contains(content, []byte(`"auths"`)) && bytes.Contains(content, []byte(`"auth"`)) {
		return "a registry pull secret"
	}
	if bytes.IndexByte(content[:min(len(content), 1024)], 0) >= 0 {
		return "" // the content is binary
	}
	lower := asciiLower(content)
	for _, word := range []string{"password", "passwd", "passphrase", "secret", "token", "psk", "client-key-data", "api_key", "apikey", "private_key"} {
		if assigned(lower, word) {
			return "a possible password or token (" + word + ")"
		}
	}
	return ""
}

// asciiLower converts ASCII letters to lower case. It is faster than bytes.ToLower, which decodes every character.
func asciiLower(content []byte) []byte {
	lower := bytes.Clone(content)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// assigned reports whether text in lower case contains a setting whose name ends in the given word. The name must be
// followed by = or : and by a value that is not a variable.
func assigned(lower []byte, word string) bool {
	for at := 0; ; {
		found := bytes.Index(lower[at:], []byte(word))
		if found < 0 {
			return false
		}
		at += found + len(word)
		rest := bytes.TrimLeft(lower[at:min(len(lower), at+64)], "\"' \t")
		if len(rest) == 0 || rest[0] != '=' && rest[0] != ':' || bytes.HasPrefix(rest, []byte("://")) {
			continue
		}
		value := bytes.TrimLeft(rest[1:], "\"' \t")
		if len(value) > 3 && strings.IndexByte("\r\n$%/{[<=&|;,#*", value[0]) < 0 && !bytes.ContainsAny(value[:4], "\r\n") {
			return true
		}
	}
}
