package agent

import (
	"regexp"
	"strconv"
	"strings"

	"ironworks/lab/python"
)

// matches is specs_matcher.match: does a value (string or float64) satisfy a
// specification? The errors are those that Python raises.
func matches(value any, spec string) (bool, error) {
	t := tokens(spec)
	if len(t) <= 1 {
		word := spec
		if len(t) == 1 {
			word = t[0]
		}
		return value == any(word), nil
	}
	op, words := t[0], t[1:]
	switch op {
	case "=", ">=", "<=", "==", "!=", "<", ">":
		return compareNumbers(op, value, words[0])
	case opOr:
		for _, word := range words {
			if value == any(word) {
				return true, nil
			}
		}
		return false, nil
	case opAllIn:
		return false, literalError(value)
	case opRange:
		return false, raise("TypeError", "<range-in> is not for devices")
	}
	text, isText := value.(string)
	switch op {
	case "<in>":
		if !isText {
			return false, raise("TypeError", "argument of type 'float' is not iterable")
		}
		return strings.Contains(text, words[0]), nil
	case "s==":
		return isText && text == words[0], nil
	case "s!=":
		return !isText || text != words[0], nil
	}
	sign := strings.TrimPrefix(op, "s")
	if !isText {
		return false, raise("TypeError", "'%s' not supported between instances of 'float' and 'str'", sign)
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

func compareNumbers(op string, value any, word string) (bool, error) {
	x, ok := value.(float64)
	if !ok {
		var err error
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
	// A single = means at least, for the sake of history.
	return x >= y, nil
}

var floatForm = regexp.MustCompile(`^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity|nan)$`)

func toFloat(s string) (float64, error) {
	trimmed := strings.TrimSpace(s)
	if !floatForm.MatchString(trimmed) {
		return 0, raise("ValueError", "could not convert string to float: %s", python.Quote(s))
	}
	// A number that is too large is infinite, as it is in Python.
	f, _ := strconv.ParseFloat(strings.ReplaceAll(trimmed, "_", ""), 64)
	return f, nil
}

var intForm = regexp.MustCompile(`^[+-]?\d+(_\d+)*$`)

// toInt is Python's int() of a text; the sign is all that is asked of it.
func toInt(s string) (sign int, ok bool) {
	s = strings.TrimSpace(s)
	if !intForm.MatchString(s) {
		return 0, false
	}
	switch {
	case strings.Trim(s, "+-0_") == "":
		return 0, true
	case s[0] == '-':
		return -1, true
	}
	return 1, true
}

var (
	wordForm    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	decimalForm = regexp.MustCompile(`(^|[^A-Za-z0-9_])\d+[A-Za-z_]`)
)

// literalError is what becomes of <all-in>: it wants the device's value to be
// the text of a Python list, which no device has.
func literalError(value any) error {
	text, ok := value.(string)
	if !ok {
		return raise("ValueError", "malformed node or string: %v", value)
	}
	if _, err := toFloat(text); err == nil {
		return raise("TypeError", `<all-in> must compare with a list literal string, EG "['aes', 'mmx']"`)
	}
	if wordForm.MatchString(text) {
		return raise("ValueError", "malformed node or string on line 1: <ast.Name object at 0x7f2b6c1d5a90>")
	}
	if decimalForm.MatchString(text) {
		return raise("SyntaxError", "invalid decimal literal (<unknown>, line 1)")
	}
	return raise("SyntaxError", "invalid syntax (<unknown>, line 1)")
}
