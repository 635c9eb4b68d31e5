package models

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Mask is what stands where a secret was.
const Mask = "******"

// Secret is a password, token or application credential secret. Every way to
// print it (fmt verbs, JSON, YAML, slog) gives [Mask]; only Reveal gives the text,
// so a leak has to be written on purpose.
type Secret string

var (
	_ fmt.Formatter  = Secret("")
	_ slog.LogValuer = Secret("")
)

// Reveal returns the secret's text, for the one place that sends it.
func (s Secret) Reveal() string { return string(s) }

// IsSet says whether there is a secret at all.
func (s Secret) IsSet() bool { return s != "" }

// String returns the mask, or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return Mask
}

// Format prints the mask for every verb, %#v and %x included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText makes JSON and YAML carry the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue makes slog carry the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MaskURL takes a password and the query, which may be a signature, out of an address.
// What is no address stays as it is; one that cannot be read is masked whole.
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
