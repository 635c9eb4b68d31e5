package hints

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// pythonSpace emulates str.isspace, which accepts four separators (U+001C to U+001F) that unicode.IsSpace does not.
func pythonSpace(r rune) bool { return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r) }

func pythonStrip(s string) string { return strings.TrimFunc(s, pythonSpace) }

// PythonLower emulates str.lower. It differs from strings.ToLower in that a final sigma has a special form, and a
// dotted capital I becomes two characters.
func PythonLower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	text := []rune(s)
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == 'İ':
			b.WriteString("i̇")
		case r == 'Σ' && endsWord(text, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord reports whether the rune at the given index is the last letter of a word: a letter precedes it, and none
// follows it. It skips case-ignorable runes.
func endsWord(text []rune, at int) bool {
	letter := func(from, step int) bool {
		for i := from; i >= 0 && i < len(text); i += step {
			if caseIgnorable(text[i]) {
				continue
			}
			return unicode.IsUpper(text[i]) || unicode.IsLower(text[i]) || unicode.IsTitle(text[i])
		}
		return false
	}
	return letter(at-1, -1) && !letter(at+1, 1)
}

func caseIgnorable(r rune) bool {
	return strings.ContainsRune("'.:·’", r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// pythonQuote emulates repr for a string. It uses single quotes if possible.
func pythonQuote(s string) string {
	quote := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// URLQuote emulates urllib's quote, which does not escape slashes.
func URLQuote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.-~/", c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// asciiDigits converts digits of any script to ASCII, as int() and float() do.
func asciiDigits(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII || !unicode.Is(unicode.Nd, r) {
			return r
		}
		// Every script has ten consecutive digits, and each range of the table begins with a zero.
		for _, x := range unicode.Nd.R16 {
			if r >= rune(x.Lo) && r <= rune(x.Hi) {
				return '0' + (r-rune(x.Lo))%10
			}
		}
		for _, x := range unicode.Nd.R32 {
			if r >= rune(x.Lo) && r <= rune(x.Hi) { //nolint:gosec // characters are small
				return '0' + (r-rune(x.Lo))%10 //nolint:gosec // as above
			}
		}
		return r
	}, s)
}

// digits returns the length of the digits at the beginning of s, which single underscores may separate.
func digits(s string) int {
	end := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			end = i + 1
		case s[i] != '_' || end != i || i == 0:
			return end
		}
	}
	return end
}

// pythonInt emulates int(s). It returns the sign of the result, or false if s is not an integer. Like int(), it
// rejects numbers with more than 4300 digits.
func pythonInt(s string) (sign int, ok bool) {
	s = asciiDigits(pythonStrip(s))
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" || digits(body) != len(body) || len(strings.ReplaceAll(body, "_", "")) > 4300 {
		return 0, false
	}
	switch {
	case strings.Trim(body, "0_") == "":
		return 0, true
	case s[0] == '-':
		return -1, true
	}
	return 1, true
}

// toFloat emulates float(s).
func toFloat(s string) (float64, *Error) {
	text := asciiDigits(pythonStrip(s))
	body := strings.TrimLeft(text, "+-")
	ok := len(text)-len(body) <= 1
	switch strings.ToLower(body) {
	case "inf", "infinity", "nan":
	default:
		ok = ok && floatForm(body)
	}
	if !ok {
		return 0, raised("ValueError", "could not convert string to float: %s", pythonQuote(s))
	}
	// As in Python, numbers that are too large become infinite.
	f, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return f, nil
}

func floatForm(s string) bool {
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if strings.HasPrefix(s, ".") {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole == 0 && fraction == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}
