package hints

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The operators in the grammar of oslo.utils' specs_matcher. They are tried in the order listed here. In unaryOps,
// "==" must precede "=" to be recognized.
const (
	opOr    = "<or>"
	opAllIn = "<all-in>"
	opRange = "<range-in>"
	opIn    = "<in>"
)

var unaryOps = []string{"==", "=", "!=", opIn, ">=", "<=", ">", "<", "s==", "s!=", "s<=", "s<", "s>=", "s>"}

// grammar parses the expressions in hints. unary lists its operators with one operand. ranges reports whether it
// supports <range-in>, which old releases of oslo.utils lack.
type grammar struct {
	unary  []string
	ranges bool
}

// tokens splits an expression into an operator and its values. If the expression has no operator, it returns the
// first word. It ignores any text that follows, as the original grammar does.
func (g grammar) tokens(expression string) ([]string, *Error) {
	s := expression
	if t := g.disjunction(s); t != nil {
		return t, nil
	}
	if rest, ok := operator(s, opAllIn); ok {
		if words := g.atoms(rest, -1); len(words) > 0 {
			return append([]string{opAllIn}, words...), nil
		}
	}
	if rest, ok := operator(s, opRange); ok && g.ranges {
		if words := g.atoms(rest, 4); len(words) == 4 {
			return append([]string{opRange}, words...), nil
		}
	}
	for _, op := range g.unary {
		rest, ok := operator(s, op)
		if !ok {
			continue
		}
		if word, _, ok := g.atom(rest); ok {
			return []string{op, word}, nil
		}
		return nil, g.unreadable(expression, len(expression)-len(rest))
	}
	if word, _, ok := g.atom(s); ok {
		return []string{word}, nil
	}
	return nil, g.unreadable(expression, 0)
}

// unreadable returns the error with which the original parser fails at the given byte offset.
func (g grammar) unreadable(expression string, at int) *Error {
	rest := expression[at:]
	where := strings.TrimLeft(rest, grammarSpace)
	wanted := `Expected Re:('\S+')`
	if g.beginsOperator(where) {
		wanted, where = "Found unwanted token, an operator", rest
	}
	before := utf8.RuneCountInString(expression[:len(expression)-len(where)])
	found := "end of text"
	if where != "" {
		_, size := utf8.DecodeRuneInString(where)
		found = pythonQuote(where[:size])
	}
	return raised(parseException, "%s, found %s  (at char %d)", wanted, found, before)
}

// grammarSpace lists the characters that the grammar skips between words. A word ends at any Unicode space.
const grammarSpace = " \n\t\r"

func operator(s, op string) (rest string, found bool) {
	return strings.CutPrefix(strings.TrimLeft(s, grammarSpace), op)
}

// disjunction parses an expression such as "<or> a <or> b". It returns nil if s does not start with one.
func (g grammar) disjunction(s string) []string {
	var words []string
	for {
		rest, found := operator(s, opOr)
		word, after, ok := g.atom(rest)
		if !found || !ok {
			return words
		}
		if words == nil {
			words = []string{opOr}
		}
		words, s = append(words, word), after
	}
}

// atoms parses up to count words, or as many as possible if count is negative.
func (g grammar) atoms(s string, count int) []string {
	var words []string
	for count < 0 || len(words) < count {
		word, rest, ok := g.atom(s)
		if !ok {
			break
		}
		words, s = append(words, word), rest
	}
	return words
}

// atom parses one word. It fails if the word begins with an operator.
func (g grammar) atom(s string) (word, rest string, ok bool) {
	text := strings.TrimLeft(s, grammarSpace)
	if g.beginsOperator(text) {
		return "", "", false
	}
	end := strings.IndexFunc(text, pythonSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], end > 0
}

func (g grammar) beginsOperator(text string) bool {
	if text == "" || strings.IndexByte("=!<>s", text[0]) < 0 {
		return false
	}
	// There is no need to look for <all-in>, <or> and <range-in>: they start with <, which is itself an operator.
	return slices.ContainsFunc(g.unary, func(op string) bool { return strings.HasPrefix(text, op) })
}

// split returns the operator and the values of an expression, in lower case. If the expression has no operator, it is
// returned as the only value.
func (g grammar) split(expression any, empty func() *Error) (op string, values []string, err *Error) {
	text := PythonLower(pythonStrip(PythonStr(expression)))
	if text == "" {
		return "", nil, empty()
	}
	t, err := g.tokens(text)
	if err != nil {
		return "", nil, err
	}
	if len(t) == 1 {
		return "", []string{text}, nil
	}
	for v := range strings.SplitSeq(text, t[0]) {
		if v != "" {
			values = append(values, pythonStrip(v))
		}
	}
	return t[0], values, nil
}

// normalize converts an expression to lower case and quotes its values, so that each value is one word.
func (g grammar) normalize(expression any, empty func() *Error) (string, *Error) {
	op, values, err := g.split(expression, empty)
	if err != nil {
		return "", err
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = " " + URLQuote(v) + " "
	}
	return strings.TrimSpace(op + strings.Join(quoted, op)), nil
}
