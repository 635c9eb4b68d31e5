package rules

import (
	"regexp"
	"strings"

	"ironworks/models/hints"
)

// literal parses a JSON value in the notation of Python's repr. ok is false for other input, even if ast.literal_eval
// would accept it.
func literal(s string) (v any, ok bool) {
	p := &literals{rest: strings.TrimSpace(s)}
	v, ok = p.value(0)
	p.space()
	return v, ok && p.rest == ""
}

type literals struct{ rest string }

func (p *literals) space() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *literals) accept(text string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
	}
	return ok
}

// maxLiteral is the maximum nesting depth of values that literal accepts.
const maxLiteral = 60

var literalNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]\d+)?`)

func (p *literals) value(depth int) (any, bool) {
	if depth > maxLiteral {
		return nil, false
	}
	switch {
	case p.accept("None"):
		return nil, true
	case p.accept("True"):
		return true, true
	case p.accept("False"):
		return false, true
	case p.accept("["):
		list := hints.PythonList{}
		for !p.accept("]") {
			if len(list) > 0 && !p.accept(",") {
				return nil, false
			}
			item, ok := p.value(depth + 1)
			if !ok {
				return nil, false
			}
			list = append(list, item)
		}
		return list, true
	case p.accept("{"):
		return p.object(depth)
	}
	if digits := literalNumber.FindString(p.rest); digits != "" {
		p.rest = p.rest[len(digits):]
		return hints.PythonNumber(digits), true
	}
	return p.text()
}

func (p *literals) object(depth int) (any, bool) {
	d := &hints.PythonDict{}
	for !p.accept("}") {
		if len(d.Keys()) > 0 && !p.accept(",") {
			return nil, false
		}
		p.space()
		key, ok := p.text()
		if !ok || !p.accept(":") {
			return nil, false
		}
		value, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		d.Set(key.(string), value) //nolint:forcetypeassert // text returns strings
	}
	return d, true
}

// text reads a string; the only accepted escapes are \\, \' and \".
func (p *literals) text() (any, bool) {
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return nil, false
	}
	quote := p.rest[0]
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case quote:
			p.rest = p.rest[i+1:]
			return b.String(), true
		case '\\':
			i++
			if i >= len(p.rest) || !strings.ContainsRune(`\'"`, rune(p.rest[i])) {
				return nil, false
			}
			b.WriteByte(p.rest[i])
		case '\n':
			return nil, false
		default:
			b.WriteByte(c)
		}
	}
	return nil, false
}
