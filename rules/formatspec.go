package rules

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"ironworks/models/hints"
)

// formatSpec matches Python's format specification, without the grouping and the alternate forms of numbers.
var formatSpec = regexp.MustCompile(`^(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?(?:\.(\d+))?([a-zA-Z%])?$`)

// maxWidth is the maximum width of a field. A width of billions would exhaust memory, as it does in the conductor.
const maxWidth = 100_000

// formatValue implements Python's format().
func formatValue(v any, spec, name string) (string, *Exception) {
	if o, ok := v.(*object); ok {
		return "", unclear("{%s} is Python's representation of a whole %s", name, o.class)
	}
	if t, ok := v.(pythonTime); ok {
		if spec != "" {
			return "", unclear("{%s:%s} formats a time", name, spec)
		}
		return string(t), nil
	}
	if spec == "" {
		return hints.PythonStr(unwrapped(v)), nil
	}
	switch v.(type) {
	case string, hints.PythonInt, float64, bool:
	default:
		return "", raise("TypeError", "unsupported format string passed to %s.__format__", typeName(v))
	}
	m := formatSpec.FindStringSubmatch(spec)
	if m == nil {
		return "", unclear("the format specification %q is not evaluated here", spec)
	}
	f := specification{fill: m[1], align: m[2], sign: m[3], zero: m[4] != "", kind: m[7], precision: -1}
	var tooWide bool
	f.width, tooWide = small(m[5])
	if m[6] != "" {
		var tooLong bool
		f.precision, tooLong = small(m[6])
		tooWide = tooWide || tooLong
	}
	if tooWide {
		return "", unclear("the format specification %q requests more than %d characters", spec, maxWidth)
	}
	switch v := v.(type) {
	case string:
		return f.text(v)
	case hints.PythonInt:
		return f.whole(string(v), spec)
	}
	return "", unclear("the format specification %q of a %s is not evaluated here", spec, typeName(v))
}

func small(digits string) (n int, tooLarge bool) {
	if digits == "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err != nil || n > maxWidth
}

type specification struct {
	fill, align, sign, kind string
	zero                    bool
	width, precision        int
}

func (f specification) text(s string) (string, *Exception) {
	switch {
	case f.kind != "" && f.kind != "s":
		return "", raise("ValueError", "Unknown format code '%s' for object of type 'str'", f.kind)
	case f.sign != "":
		return "", raise("ValueError", "Sign not allowed in string format specifier")
	case f.align == "=":
		return "", raise("ValueError", "'=' alignment not allowed in string format specifier")
	}
	if text := []rune(s); f.precision >= 0 && f.precision < len(text) {
		s = string(text[:f.precision])
	}
	if f.zero && f.fill == "" {
		f.fill = "0"
	}
	f.align = cmp.Or(f.align, "<")
	return f.pad("", s), nil
}

func (f specification) whole(digits, spec string) (string, *Exception) {
	if f.precision >= 0 && (f.kind == "" || f.kind == "d") {
		return "", raise("ValueError", "Precision not allowed in integer format specifier")
	}
	if f.kind != "" && f.kind != "d" {
		return "", unclear("the format specification %q of a number is not evaluated here", spec)
	}
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	} else if f.sign != "-" {
		sign = f.sign
	}
	if f.zero && f.align == "" {
		f.align = "="
	}
	if f.zero && f.fill == "" {
		f.fill = "0"
	}
	f.align = cmp.Or(f.align, ">")
	return f.pad(sign, digits), nil
}

// pad returns sign followed by body, padded to the width. If the alignment is "=", it inserts the fill characters
// between the sign and the body.
func (f specification) pad(sign, body string) string {
	missing := max(0, f.width-utf8.RuneCountInString(sign)-utf8.RuneCountInString(body))
	many := func(n int) string { return strings.Repeat(cmp.Or(f.fill, " "), n) }
	switch f.align {
	case "<":
		return sign + body + many(missing)
	case "^":
		return many(missing/2) + sign + body + many(missing-missing/2)
	case "=":
		return sign + many(missing) + body
	}
	return many(missing) + sign + body
}
