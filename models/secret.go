package models

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Mask replaces secrets.
const Mask = "******"

// Secret is a password, token or key. Every way to print it (fmt verbs, JSON, YAML, slog) prints [Mask]; only Reveal
// returns the text.
type Secret string

var (
	_ fmt.Formatter  = Secret("")
	_ slog.LogValuer = Secret("")
)

// Reveal returns the text, for the code that sends it.
func (s Secret) Reveal() string { return string(s) }

// IsSet reports whether the secret is not empty.
func (s Secret) IsSet() bool { return s != "" }

// String returns the mask, "" for an empty secret.
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

// MaskURL removes the password and the query, which may be a signature, from a URL. Other text is unchanged; an
// unreadable URL is masked whole.
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
