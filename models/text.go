package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ironworks/printable"
)

// TextOf returns v if it is a string, and "" otherwise.
func TextOf(v any) string {
	s, _ := v.(string)
	return s
}

// OrNone returns text, or "none" if text is empty.
func OrNone(text string) string {
	return cmp.Or(text, "none")
}

// YesNo returns "yes" or "no".
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Labeled returns text after a label and a space, or "" if text is empty.
func Labeled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + " " + text
}

// Texts converts a list whose element type is based on string to a list of strings.
func Texts[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = string(list[i])
	}
	return texts
}

// Counted returns n followed by a noun, such as "1 node" or "2 nodes". The what argument is the singular of the noun.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Tally joins the counts of words, such as "3 create, 1 conflict", in the given order. Words with no count are left out.
func Tally[T ~string](counts map[T]int, order []T) string {
	var parts []string
	for _, word := range order {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// JSONText returns v as JSON on one line. The result is meant for people: unlike [json.Marshal], JSONText does not
// escape "<", ">" and "&".
func JSONText(v any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// HarmlessJSON escapes control characters and characters that change the text direction in JSON data. The decoded
// value stays the same.
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

// harmful reports whether r must be escaped in JSON strings.
func harmful(r rune) bool { return r > '~' && printable.Line(string(r)) != string(r) }

var macAddress = regexp.MustCompile(`^([0-9a-f]{2}[:-]?){5}[0-9a-f]{2}$`)

// ParseMAC returns a MAC address in the form that Ironic uses: six pairs of lower-case hexadecimal digits, separated
// by colons. valid is false if text is not a MAC address.
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

// Capital returns the text with its first letter in upper case, if that is an ASCII letter.
func Capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// Unique returns the items in their original order, without repetitions.
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

// Number converts v to a number. v may also be a string that contains a number, which is common in properties.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

// EqualLower reports whether have equals want, ignoring the case of have. want must be lower-case ASCII and have the
// same length as have.
func EqualLower(have, want string) bool {
	for i := range len(want) {
		c := have[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// ParseBool parses a boolean as users write it: true, yes, on, 1, y, t or the opposite, regardless of case.
func ParseBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1", "y", "t":
		return true, true
	case "false", "no", "off", "0", "n", "f":
		return false, true
	}
	return false, false
}
