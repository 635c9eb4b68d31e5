package hints

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// DecodePython parses one JSON document, in the same way as [ParsePythonJSON]. The document must also be valid for
// Go's encoding/json.
func DecodePython(raw []byte) (any, error) {
	if !json.Valid(raw) {
		var nothing any
		return nil, fmt.Errorf("reading JSON: %w", json.Unmarshal(raw, &nothing))
	}
	return ParsePythonJSON(strings.ToValidUTF8(string(raw), "\ufffd"))
}

// ParsePythonJSON parses JSON in the same way as Python's json.loads. Its errors appear in Ironic's last_error; the
// messages are therefore those of Python 3.9 to 3.12, which the ramdisks of both generations use.
func ParsePythonJSON(s string) (any, error) {
	p := &jsonParser{s: s}
	if strings.HasPrefix(s, "\ufeff") {
		return nil, p.fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(s) {
		return nil, p.fail("Extra data", p.at)
	}
	return v, nil
}

type jsonParser struct {
	s     string
	at    int
	depth int
}

// maxNesting is the nesting depth above which parsing fails. It is close to Python's limit.
const maxNesting = 990

func (p *jsonParser) fail(message string, at int) error {
	before := p.s[:min(at, len(p.s))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	char := utf8.RuneCountInString(before)
	return raised("JSONDecodeError", "%s: line %d column %d (char %d)", message, line, column, char)
}

func (p *jsonParser) space() {
	for p.at < len(p.s) && strings.IndexByte(" \t\n\r", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *jsonParser) next(c byte) bool { return p.at < len(p.s) && p.s[p.at] == c }

func (p *jsonParser) value() (any, error) {
	if p.depth > maxNesting {
		return nil, raised("RecursionError", "maximum recursion depth exceeded while decoding a JSON array from a unicode string")
	}
	if p.at >= len(p.s) {
		return nil, p.fail("Expecting value", p.at)
	}
	switch first := p.s[p.at]; first {
	case '"':
		p.at++
		return p.text()
	case '{', '[':
		p.at++
		p.depth++
		defer func() { p.depth-- }()
		if first == '{' {
			return p.object()
		}
		return p.array()
	}
	for _, w := range words {
		if strings.HasPrefix(p.s[p.at:], w.text) {
			p.at += len(w.text)
			return w.value, nil
		}
	}
	return p.number()
}

// words lists the literals. In addition to JSON's literals, Python accepts NaN, Infinity and -Infinity.
var words = []struct {
	text  string
	value any
}{
	{"null", nil}, {"true", true}, {"false", false}, {"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
}

func (p *jsonParser) number() (any, error) {
	start, at := p.at, p.at
	digits := func() int {
		from := at
		for at < len(p.s) && p.s[at] >= '0' && p.s[at] <= '9' {
			at++
		}
		return at - from
	}
	if p.next('-') {
		at++
	}
	if at < len(p.s) && p.s[at] == '0' {
		at++
	} else if digits() == 0 {
		return nil, p.fail("Expecting value", start)
	}
	p.at = at
	if at < len(p.s) && p.s[at] == '.' {
		at++
		if digits() > 0 {
			p.at = at
		}
	}
	at = p.at
	if at < len(p.s) && (p.s[at] == 'e' || p.s[at] == 'E') {
		at++
		if at < len(p.s) && (p.s[at] == '+' || p.s[at] == '-') {
			at++
		}
		if digits() > 0 {
			p.at = at
		}
	}
	return PythonNumber(p.s[start:p.at]), nil
}

func (p *jsonParser) array() (any, error) {
	items := PythonList{}
	p.space()
	if p.next(']') {
		p.at++
		return items, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		if ended, err := p.separator(']'); ended || err != nil {
			return items, err
		}
	}
}

// separator reads the comma after an item, or the closing bracket after the last item.
func (p *jsonParser) separator(closing byte) (ended bool, err error) {
	p.space()
	ended = p.next(closing)
	if !ended && !p.next(',') {
		return false, p.fail("Expecting ',' delimiter", p.at)
	}
	p.at++
	if !ended {
		p.space()
	}
	return ended, nil
}

func (p *jsonParser) object() (any, error) {
	o := &PythonDict{}
	p.space()
	if p.next('}') {
		p.at++
		return o, nil
	}
	for {
		if !p.next('"') {
			return nil, p.fail("Expecting property name enclosed in double quotes", p.at)
		}
		p.at++
		key, err := p.text()
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.next(':') {
			return nil, p.fail("Expecting ':' delimiter", p.at)
		}
		p.at++
		p.space()
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		o.Set(key, v)
		if ended, err := p.separator('}'); ended || err != nil {
			return o, err
		}
	}
}

func (p *jsonParser) text() (string, error) {
	begin := p.at - 1
	var b strings.Builder
	for p.at < len(p.s) {
		c := p.s[p.at]
		switch {
		case c == '"':
			p.at++
			return b.String(), nil
		case c < ' ':
			return "", p.fail("Invalid control character at", p.at)
		case c != '\\':
			b.WriteByte(c)
			p.at++
		default:
			if err := p.escape(&b, begin); err != nil {
				return "", err
			}
		}
	}
	return "", p.fail("Unterminated string starting at", begin)
}

func (p *jsonParser) escape(b *strings.Builder, begin int) error {
	if p.at+1 >= len(p.s) {
		return p.fail("Unterminated string starting at", begin)
	}
	c := p.s[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		p.at += 2
		return nil
	}
	if c != 'u' {
		return p.fail(`Invalid \escape`, p.at)
	}
	r, ok := p.unit(p.at)
	if !ok {
		return p.fail(`Invalid \uXXXX escape`, p.at+1)
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		if low, ok := p.unit(p.at); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				r = pair
				p.at += 6
			}
		}
	}
	b.WriteRune(r)
	return nil
}

// unit reads the escaped UTF-16 code unit at the given offset. It returns false if there is none.
func (p *jsonParser) unit(at int) (rune, bool) {
	if at+6 > len(p.s) || p.s[at:at+2] != `\u` {
		return 0, false
	}
	v, err := strconv.ParseUint(p.s[at+2:at+6], 16, 16)
	return rune(v), err == nil
}
