package models

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Mask is the text shown instead of a secret.
const Mask = "******"

// Secret is a password, token or key. If it is printed with fmt, encoded as JSON or YAML, or logged with slog, [Mask]
// appears instead. Only Reveal returns the secret itself.
type Secret string

var (
	_ fmt.Formatter  = Secret("")
	_ slog.LogValuer = Secret("")
)

// Reveal returns the secret itself. It is for the code that sends the secret.
func (s Secret) Reveal() string { return string(s) }

// IsSet reports whether the secret is not empty.
func (s Secret) IsSet() bool { return s != "" }

// String returns the mask, or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return Mask
}

// Format writes the mask for every verb, including %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText returns the mask, so that JSON and YAML contain it instead of the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue returns the mask, so that slog logs it instead of the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MaskURL removes the password and the query from a URL; the query may contain a signature. If text looks like a URL
// but cannot be parsed, MaskURL returns only [Mask]. Other text is not changed.
func MaskURL(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return Mask
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	masked := u.String()
	if u.RawQuery != "" {
		masked, _, _ = strings.Cut(masked, "?")
		masked += "?" + Mask
	}
	return masked
}
