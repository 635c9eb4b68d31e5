package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Filter is a parsed filter. All terms must match. Commands and screens share the grammar:
//
//	text              name, uuid, state, class, driver, instance or owner contains text
//	key:value         the field contains value, whatever the case
//	key:=value        the field is exactly value
//	key:a,b           the field contains a or b
//	key:              the field is empty
//	~text             the name has text's letters in this order
//	!term             the term does not match
//	"two words"       quotes keep blanks (and colons) together
//
// state: knows the classes too (failed, busy, stable, wait, hold), and - and _ stand
// for a blank: state:deploy-failed.
type Filter struct {
	terms []term
	text  string
}

type term struct {
	key    string // "" for plain text
	values []string
	exact  bool
	fuzzy  bool
	not    bool
}

// FilterError is a syntax error of a filter.
type FilterError struct {
	Term string
	Why  string
}

// Error returns the term and the remedy.
func (e *FilterError) Error() string {
	return fmt.Sprintf("filter %q: %s", e.Term, e.Why)
}

// ParseFilter parses a filter; an empty line matches every node.
func ParseFilter(line string) (Filter, error) {
	words, err := splitWords(line)
	if err != nil {
		return Filter{}, err
	}
	f := Filter{text: strings.TrimSpace(line)}
	for _, w := range words {
		t, err := parseTerm(w, nodeKey)
		if err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// String returns the parsed line.
func (f Filter) String() string { return f.text }

// IsZero reports whether the filter matches everything.
func (f Filter) IsZero() bool { return len(f.terms) == 0 }

// Fields returns the API fields that the filter needs beyond [ListFields].
func (f Filter) Fields() []string {
	var fields []string
	for _, t := range f.terms {
		if k, ok := filterKeys()[t.key]; ok && k.field != "" && !slices.Contains(fields, k.field) {
			fields = append(fields, k.field)
		}
	}
	return fields
}

// Match reports whether the node matches all terms.
func (f Filter) Match(n *Node) bool {
	for _, t := range f.terms {
		if t.match(n) == t.not {
			return false
		}
	}
	return true
}

// word is one word of a filter; from byte `quoted` on it was quoted, and colons and operators are literal there
// (-1: not quoted).
type word struct {
	text   string
	quoted int
}

func splitWords(line string) ([]word, error) {
	var words []word
	cur, inQuotes, has := word{quoted: -1}, false, false
	var b strings.Builder
	flush := func() {
		if has {
			cur.text = b.String()
			words = append(words, cur)
		}
		b.Reset()
		cur, has = word{quoted: -1}, false
	}
	for _, r := range line {
		switch {
		case r == '"':
			inQuotes = !inQuotes
			has = true
			if cur.quoted < 0 {
				cur.quoted = b.Len()
			}
		case unicode.IsSpace(r) && !inQuotes:
			flush()
		default:
			has = true
			b.WriteRune(r)
		}
	}
	if inQuotes {
		return nil, &FilterError{Term: line, Why: "unclosed quote"}
	}
	flush()
	return words, nil
}

// nodeKey checks a key of a node filter and its values.
func nodeKey(key string, values []string) error {
	k, known := filterKeys()[key]
	switch {
	case !known:
		return fmt.Errorf("unknown filter key %q; available: %s; quote the text to search for a colon", key, strings.Join(FilterKeys(), ", "))
	case k.kind == filterBool && slices.ContainsFunc(values, notBool):
		return errors.New("want yes or no")
	}
	return nil
}

// parseTerm parses a word; check validates the key and its values.
func parseTerm(w word, check func(key string, values []string) error) (term, error) {
	var t term
	text, quoted := w.text, w.quoted
	cut := func(prefix string) bool {
		rest, ok := strings.CutPrefix(text, prefix)
		if !ok || quoted == 0 {
			return false
		}
		text, quoted = rest, max(quoted-len(prefix), -1)
		return true
	}
	if cut("!") {
		t.not = true
	}
	if cut("~") {
		t.fuzzy = true
	}
	key, value, ok := strings.Cut(text, ":")
	if !ok || t.fuzzy || (quoted >= 0 && quoted <= len(key)) {
		if text == "" && w.quoted < 0 {
			return t, &FilterError{Term: w.text, Why: "empty search text"}
		}
		t.values = []string{fold(text)}
		return t, nil
	}
	t.key = strings.ToLower(key)
	if quoted != len(key)+1 {
		value, t.exact = strings.CutPrefix(value, "=")
	}
	t.values = []string{fold(value)}
	if quoted < 0 {
		t.values = strings.Split(fold(value), ",")
	}
	if err := check(t.key, t.values); err != nil {
		return t, &FilterError{Term: w.text, Why: err.Error()}
	}
	return t, nil
}

func notBool(s string) bool { return boolWord(s) != "true" && boolWord(s) != "false" }

func fold(s string) string { return strings.ToLower(s) }

func (t term) match(n *Node) bool {
	switch {
	case t.fuzzy:
		return subsequence(t.values[0], fold(n.Label()))
	case t.key == "":
		return matchText(t.values[0], n)
	}
	k := filterKeys()[t.key]
	got := k.values(n)
	for _, want := range t.values {
		if k.matches(want, got, t.exact) {
			return true
		}
	}
	return false
}

func matchText(want string, n *Node) bool {
	for _, have := range [...]string{
		n.Name, n.UUID, string(n.ProvisionState), n.ResourceClass, n.Driver, n.InstanceUUID, n.InstanceName, n.Owner,
	} {
		if strings.Contains(fold(have), want) {
			return true
		}
	}
	return false
}

// subsequence reports whether have contains the letters of want in order.
func subsequence(want, have string) bool {
	rest := []rune(want)
	for _, r := range have {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
