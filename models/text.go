package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ironworks/printable"
)

// TextOf returns a text value, "" for other types.
func TextOf(v any) string {
	s, _ := v.(string)
	return s
}

// OrNone returns the text, or "none" if it is empty.
func OrNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Texts returns values of a type of strings as strings.
func Texts[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = string(list[i])
	}
	return texts
}

// Counted returns a number with its noun in the singular or plural.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// JSONText returns a value as JSON on one line, for people: unlike with [json.Marshal], "<", ">" and "&" stand for
// themselves.
func JSONText(v any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// HarmlessJSON escapes control and reordering characters in JSON texts. The value is unchanged.
func HarmlessJSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, harmful) {
		return data
	}
	out := make([]byte, 0, len(data)+32)
	for _, r := range string(data) {
		switch {
		case !harmful(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// harmful reports whether a character must be escaped in JSON strings.
func harmful(r rune) bool { return r > '~' && printable.Line(string(r)) != string(r) }

var macAddress = regexp.MustCompile(`^([0-9a-f]{2}[:-]?){5}[0-9a-f]{2}$`)

// ParseMAC returns a MAC address as Ironic writes it: six pairs in lower case with colons.
func ParseMAC(text string) (mac string, valid bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !macAddress.MatchString(text) {
		return "", false
	}
	digits := strings.NewReplacer(":", "", "-", "").Replace(text)
	pairs := make([]string, 0, len(digits)/2)
	for i := 0; i < len(digits); i += 2 {
		pairs = append(pairs, digits[i:i+2])
	}
	return strings.Join(pairs, ":"), true
}

// Unique returns the items without repetitions, in their order.
func Unique[T comparable](items []T) []T {
	seen := map[T]bool{}
	var unique []T
	for _, item := range items {
		if !seen[item] {
			seen[item] = true
			unique = append(unique, item)
		}
	}
	return unique
}
