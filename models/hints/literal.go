package hints

import (
	"slices"
	"strings"
)

// literalError returns the error that <all-in> raises for a device's value. The operator evaluates the value as a
// Python literal and requires a list, but no device has one. The value determines which error occurs; the agent
// expects only a ValueError.
func literalError(value any) *Error {
	text, ok := value.(string)
	if !ok {
		return raised("ValueError", "malformed node or string: %s", PythonRepr(value))
	}
	p := &expressionParser{rest: strings.TrimLeft(text, " \t")}
	tree := p.test()
	p.space()
	switch {
	case p.bad || p.rest != "":
		message := "invalid syntax"
		if p.number {
			message = "invalid decimal literal"
		}
		return raised("SyntaxError", "%s (<unknown>, line 1)", message)
	case tree.literal():
		return raised("TypeError", `<all-in> must compare with a list literal string, EG "['aes', 'mmx']"`)
	}
	return raised("ValueError", "malformed node or string on line 1")
}

// node is the kind of a node in the syntax tree of a Python expression. It distinguishes the kinds that are needed to
// recognize a literal.
type node int

const (
	nodeOther   node = iota // an expression that is not a literal
	nodeReal                // such as 1 or 1.5
	nodeComplex             // such as 1j
	nodeSigned              // such as -1
	nodeSignedComplex
	nodeSum // such as 1-2j
	nodeEllipsis
)

func (n node) literal() bool { return n != nodeOther }

// expressionParser parses a Python expression that consists of the characters in a quoted value: names, numbers, and
// the characters . - ~ / % < > = ! between them.
type expressionParser struct {
	rest   string
	bad    bool
	number bool // the error is in a numeral
	depth  int
}

func (p *expressionParser) fail() node {
	p.bad, p.rest = true, ""
	return nodeOther
}

func (p *expressionParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\f") }

// sign consumes text if the input continues with it, and reports whether it did.
func (p *expressionParser) sign(text string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
	}
	return ok
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (p *expressionParser) word() string {
	p.space()
	end := 0
	for end < len(p.rest) && isWordByte(p.rest[end]) {
		end++
	}
	return p.rest[:end]
}

func (p *expressionParser) keyword(text string) bool {
	if p.word() != text {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

// test parses a whole expression, which may have the form "a if b else c".
func (p *expressionParser) test() node {
	n := p.or()
	if !p.keyword("if") {
		return n
	}
	p.or()
	if !p.keyword("else") {
		return p.fail()
	}
	p.test()
	return nodeOther
}

func (p *expressionParser) or() node  { return p.chain("or", p.and) }
func (p *expressionParser) and() node { return p.chain("and", p.not) }

func (p *expressionParser) chain(word string, operand func() node) node {
	n := operand()
	for p.keyword(word) {
		operand()
		n = nodeOther
	}
	return n
}

func (p *expressionParser) not() node {
	if p.keyword("not") {
		p.not()
		return nodeOther
	}
	return p.comparison()
}

func (p *expressionParser) comparison() node {
	n := p.sum()
	for p.comparator() {
		p.sum()
		n = nodeOther
	}
	return n
}

func (p *expressionParser) comparator() bool {
	if p.keyword("in") {
		return true
	}
	if p.keyword("is") {
		p.keyword("not")
		return true
	}
	if p.word() == "not" {
		p.keyword("not")
		if !p.keyword("in") {
			p.fail()
		}
		return true
	}
	return slices.ContainsFunc([]string{"==", "!=", "<=", ">=", "<", ">"}, p.sign)
}

func (p *expressionParser) sum() node {
	n := p.term()
	for p.sign("-") {
		right := p.term()
		if (n == nodeReal || n == nodeSigned) && right == nodeComplex {
			n = nodeSum
		} else {
			n = nodeOther
		}
	}
	return n
}

func (p *expressionParser) term() node {
	n := p.factor()
	for slices.ContainsFunc([]string{"//", "/", "%"}, p.sign) {
		p.factor()
		n = nodeOther
	}
	return n
}

func (p *expressionParser) factor() node {
	// Python also limits the depth of nesting.
	if p.depth++; p.depth > 90 {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if p.sign("-") {
		switch p.factor() {
		case nodeReal:
			return nodeSigned
		case nodeComplex:
			return nodeSignedComplex
		case nodeOther, nodeSigned, nodeSignedComplex, nodeSum, nodeEllipsis:
		}
		return nodeOther
	}
	if p.sign("~") {
		p.factor()
		return nodeOther
	}
	return p.primary()
}

func (p *expressionParser) primary() node {
	waits := p.keyword("await")
	n := p.atom()
	for {
		p.space()
		if strings.HasPrefix(p.rest, "...") || !strings.HasPrefix(p.rest, ".") {
			break
		}
		p.rest = p.rest[1:]
		name := p.word()
		if !isName(name) {
			return p.fail()
		}
		p.rest = p.rest[len(name):]
		n = nodeOther
	}
	if waits {
		return nodeOther
	}
	return n
}

func (p *expressionParser) atom() node {
	p.space()
	if p.rest == "" {
		return p.fail()
	}
	if c := p.rest[0]; c >= '0' && c <= '9' || c == '.' && len(p.rest) > 1 && p.rest[1] >= '0' && p.rest[1] <= '9' {
		return p.numeral()
	}
	if p.sign("...") {
		return nodeEllipsis
	}
	name := p.word()
	if !isName(name) {
		return p.fail()
	}
	p.rest = p.rest[len(name):]
	return nodeOther
}

// isName reports whether word is a Python name and not a keyword. Keywords with an upper-case letter, such as None,
// are not listed, because word is in lower case.
func isName(word string) bool {
	return word != "" && (word[0] < '0' || word[0] > '9') && !slices.Contains([]string{
		"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise", "return", "try", "while", "with", "yield",
	}, word)
}

func (p *expressionParser) numeral() node {
	kind, size := scanNumeral(p.rest)
	rest := p.rest[size:]
	if kind == nodeOther || rest != "" && isWordByte(rest[0]) && !numberMayEnd(rest) {
		p.number = true
		return p.fail()
	}
	p.rest = rest
	return kind
}

// numberMayEnd reports whether rest begins with a keyword that may follow a number without a space.
func numberMayEnd(rest string) bool {
	return slices.ContainsFunc([]string{"and", "else", "for", "if", "in", "is", "not", "or"}, func(word string) bool {
		return strings.HasPrefix(rest, word)
	})
}

// scanNumeral returns the kind and length of the number at the beginning of s, or nodeOther if it is invalid.
func scanNumeral(s string) (kind node, size int) {
	if len(s) > 1 && s[0] == '0' && strings.IndexByte("xobB", s[1]) >= 0 {
		return scanBased(s)
	}
	whole := digits(s)
	at, kind := whole, nodeReal
	isFloat := false
	if at < len(s) && s[at] == '.' {
		isFloat = true
		at++
		at += digits(s[at:])
	}
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') { // an upper-case E comes from an escape such as %5E5, which encodes ^5
		e := at + 1
		if e < len(s) && s[e] == '-' {
			e++
		}
		if n := digits(s[min(e, len(s)):]); n > 0 {
			isFloat = true
			at = e + n
		}
	}
	if at < len(s) && s[at] == 'j' {
		at++
		isFloat, kind = true, nodeComplex
	}
	zeros := strings.Trim(s[:whole], "0_") == ""
	if !isFloat && whole > 0 && (s[0] == '0' && !zeros || whole > 4300) {
		return nodeOther, 0
	}
	return kind, at
}

func scanBased(s string) (kind node, size int) {
	allowed := "01"
	switch s[1] {
	case 'x':
		allowed = "0123456789abcdefABCDEF"
	case 'o':
		allowed = "01234567"
	}
	at, lastDigit := 2, false
	for at < len(s) {
		switch {
		case strings.IndexByte(allowed, s[at]) >= 0:
			lastDigit = true
		case s[at] == '_' && at+1 < len(s) && s[at+1] != '_':
			lastDigit = false
		default:
			if !lastDigit || s[at] >= '0' && s[at] <= '9' {
				return nodeOther, 0
			}
			return nodeReal, at
		}
		at++
	}
	if !lastDigit {
		return nodeOther, 0
	}
	return nodeReal, at
}
