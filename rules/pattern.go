package rules

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dlclark/regexp2"
)

// matchLimit limits the time of a search: patterns such as (a+)+$ take exponential time, in Ironic as well.
const matchLimit = 300 * time.Millisecond

// search reports whether text matches pattern, a regular expression in the syntax of Python's re module. The match
// can be anywhere in the text or, if atStart is true, only at its start.
func search(pattern, text string, atStart bool) (bool, *Exception) {
	translated, err := fromPython(pattern)
	if err != nil {
		return false, patternError(err)
	}
	if atStart {
		translated = `\A(?:` + translated + `)`
	}
	re, err := regexp2.Compile(translated, regexp2.None)
	if err != nil {
		return false, patternError(fmt.Errorf("%w: %w", errNotPython, err))
	}
	re.MatchTimeout = matchLimit
	found, err := re.MatchString(text)
	if err != nil {
		return false, unclear("the regular expression %q takes longer than %s on one value", pattern, matchLimit)
	}
	return found, nil
}

// These errors mean that a pattern is invalid in Python, or that it is not supported here.
var (
	errNotPython = errors.New("invalid regular expression")
	errUnknown   = errors.New("is not evaluated here")
)

func patternError(err error) *Exception {
	if errors.Is(err, errUnknown) {
		return unclear("the regular expression: %v", err)
	}
	return about("%v", err)
}

// fromPython translates a pattern from Python's syntax to .NET's syntax, which regexp2 uses.
func fromPython(pattern string) (string, error) {
	t := &translator{in: []rune(pattern)}
	for t.at < len(t.in) {
		if err := t.step(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

type translator struct {
	in  []rune
	at  int
	out strings.Builder
	// set is the offset of the first character in the current character class, after [ or [^, or else 0.
	set int
}

func (t *translator) ahead(text string) bool {
	return strings.HasPrefix(string(t.in[t.at:min(len(t.in), t.at+len(text))]), text)
}

func (t *translator) step() error {
	c := t.in[t.at]
	switch {
	case c == '\\':
		return t.escape()
	case t.set > 0:
		return t.inSet(c)
	case c == '[':
		t.at++
		t.out.WriteByte('[')
		if t.ahead("^") {
			t.at++
			t.out.WriteByte('^')
		}
		t.set = t.at
		return nil
	case c == '(':
		return t.group()
	case c == '{' && t.ahead("{,"):
		return t.upTo()
	case (c == '*' || c == '+' || c == '?' || c == '}') && t.at+1 < len(t.in) && t.in[t.at+1] == '+':
		return fmt.Errorf("%c+ %w", c, errUnknown)
	}
	t.at++
	t.out.WriteRune(c)
	return nil
}

// inSet translates a character in a character class. It escapes [, because .NET would otherwise subtract a class. It
// also escapes a ] at the start, because Python treats this ] as a member of the class.
func (t *translator) inSet(c rune) error {
	switch {
	case c == '[':
		t.out.WriteString(`\[`)
	case c == ']' && t.at > t.set:
		t.out.WriteRune(c)
		t.set = 0
	case c == ']':
		t.out.WriteString(`\]`)
	default:
		t.out.WriteRune(c)
	}
	t.at++
	return nil
}

// escape translates an escape sequence. Like Python, it rejects unknown letters after the backslash.
func (t *translator) escape() error {
	if t.at+1 >= len(t.in) {
		return fmt.Errorf("%w: bad escape at the end", errNotPython)
	}
	c := t.in[t.at+1]
	t.at += 2
	switch {
	case c == 'Z' && t.set == 0:
		t.out.WriteString(`\z`)
		return nil
	case strings.ContainsRune("dDsSwWnrtfvax", c), strings.ContainsRune("AbB", c) && t.set == 0, c == 'b':
	case c == 'u' || c == 'U' || c == 'N':
		return fmt.Errorf("\\%c %w", c, errUnknown)
	case c <= unicode.MaxASCII && unicode.IsLetter(c):
		return fmt.Errorf("%w: bad escape \\%c", errNotPython, c)
	case c >= '0' && c <= '9' && t.set > 0:
		return fmt.Errorf("\\%c in a set %w", c, errUnknown)
	case c == '0':
		return fmt.Errorf("\\0 %w", errUnknown)
	case unicode.IsSpace(c) || c > unicode.MaxASCII:
		t.out.WriteRune(c)
		return nil
	}
	t.out.WriteRune('\\')
	t.out.WriteRune(c)
	return nil
}

// group translates an opening parenthesis, including the characters that determine the kind of group.
func (t *translator) group() error {
	for _, g := range []struct{ python, net string }{
		{"(?P<", "(?<"}, {"(?P=", ""}, {"(?:", "(?:"}, {"(?=", "(?="}, {"(?!", "(?!"}, {"(?#", "(?#"},
	} {
		if !t.ahead(g.python) {
			continue
		}
		t.at += len(g.python)
		t.out.WriteString(g.net)
		if g.net == "" {
			end := strings.IndexRune(string(t.in[t.at:]), ')')
			if end < 0 {
				return fmt.Errorf("%w: missing )", errNotPython)
			}
			name := string(t.in[t.at:])[:end]
			t.out.WriteString(`\k<` + name + `>`)
			t.at += len([]rune(name)) + 1
		}
		return nil
	}
	switch {
	case t.ahead("(?i)") && t.at == 0:
		t.at += len("(?i)")
		t.out.WriteString("(?i)")
		return nil
	case t.ahead("(?<=") || t.ahead("(?<!"):
		return fmt.Errorf("look-behind %w", errUnknown)
	case t.ahead("(?"):
		return fmt.Errorf("%s… %w", string(t.in[t.at:min(len(t.in), t.at+3)]), errUnknown)
	}
	t.at++
	t.out.WriteByte('(')
	return nil
}

// upTo translates Python's {,n} to {0,n}.
func (t *translator) upTo() error {
	rest := string(t.in[t.at:])
	if end := strings.IndexByte(rest, '}'); end > 2 && allDigits(rest[2:end]) {
		t.out.WriteString("{0," + rest[2:end] + "}")
		t.at += end + 1
		return nil
	}
	return fmt.Errorf("{, %w", errUnknown)
}
