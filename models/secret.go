package models

import (
	"fmt"
	"log/slog"
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
