package hints

import (
	"slices"
	"strings"
)

// match reports whether the value, which is a string or a float64, satisfies the specification. It behaves like
// specs_matcher.match of oslo.utils, and its errors have the texts of the corresponding Python exceptions.
func (g grammar) match(value any, spec string) (bool, *Error) {
	t, err := g.tokens(spec)
	if err != nil || len(t) == 1 {
		word := spec // a specification that cannot be parsed is compared literally, as one word
		if err == nil {
			word = t[0]
		}
		return value == any(word), nil
	}
	op, words := t[0], t[1:]
	switch op {
	case "=", ">=", "<=", "==", "!=", "<", ">":
		return compareNumbers(op, value, words[0])
	case opOr:
		return slices.ContainsFunc(words, func(word string) bool { return value == any(word) }), nil
	case opAllIn, opRange:
		// Both operators evaluate the device's value as a Python expression, which fails: no device's value is a
		// list, and no hint with a range reaches this code.
		return false, literalError(value)
	}
	text, isText := value.(string)
	switch op {
	case opIn:
		if !isText {
			return false, raised("TypeError", "argument of type 'float' is not iterable")
		}
		return strings.Contains(text, words[0]), nil
	case "s==":
		return isText && text == words[0], nil
	case "s!=":
		return !isText || text != words[0], nil
	}
	sign := strings.TrimPrefix(op, "s")
	if !isText {
		return false, raised("TypeError", "'%s' not supported between instances of 'float' and 'str'", sign)
	}
	return ordered(sign, strings.Compare(text, words[0])), nil
}

func ordered(sign string, order int) bool {
	switch sign {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func compareNumbers(op string, value any, word string) (bool, *Error) {
	x, ok := value.(float64)
	if !ok {
		var err *Error
		if x, err = toFloat(value.(string)); err != nil {
			return false, err
		}
	}
	y, err := toFloat(word)
	if err != nil {
		return false, err
	}
	switch op {
	case "==":
		return x == y, nil
	case "!=":
		return x != y, nil
	case "<":
		return x < y, nil
	case "<=":
		return x <= y, nil
	case ">":
		return x > y, nil
	}
	// In specs_matcher, a single = means >=, for compatibility.
	return x >= y, nil
}
