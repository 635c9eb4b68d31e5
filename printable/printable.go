// Package printable sanitizes remote text for a terminal. Text is sanitized once, where it enters a widget or a
// writer.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line sanitizes text that is shown on one line. Control characters (including escape sequences), bidirectional
// overrides, zero-width characters and invalid UTF-8 become visible escapes such as \x1b; line breaks and tabs become
// spaces. Harmless text is returned unchanged.
func Line(s string) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			b.WriteString(`\x`)
			const hex = "0123456789abcdef"
			b.WriteByte(hex[s[i]>>4])
			b.WriteByte(hex[s[i]&15])
		case r == '\n' || r == '\t' || r == '\r' || r == '\v' || r == '\f' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case dangerous(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Lines is like [Line] but keeps line breaks.
func Lines(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(l)
	}
	return strings.Join(lines, "\n")
}

// FileName makes text safe for a file name. It keeps ASCII letters, digits and the characters in kept. The instead
// rune replaces every other character.
func FileName(text, kept string, instead rune) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(kept, r) {
			return r
		}
		return instead
	}, text)
}

func harmless(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == 0x7f {
			return false
		} else if c >= utf8.RuneSelf {
			return harmlessRunes(s[i:])
		}
	}
	return true
}

func harmlessRunes(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size <= 1 {
				return false
			}
		}
		if dangerous(r) {
			return false
		}
	}
	return true
}

// dangerous reports whether r moves the cursor, or hides or reorders text: control characters, format characters
// (bidirectional overrides, zero-width characters, soft hyphens, tags), private-use characters, and line and
// paragraph separators.
func dangerous(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}
