package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ironworks/models"
)

// word is one word of a filter. quoted is the offset of the first quoted byte, or -1 if there are no quotes. From
// this offset on, colons and operators are literal.
type word struct {
	text   string
	quoted int
	// column is the position of the word's first character, counted in characters from 1.
	column int
	// or means that the word is the operator |.
	or bool
}

// literal reports whether w.text[at] is quoted or follows a quoted byte.
func (w word) literal(at int) bool { return w.quoted >= 0 && w.quoted <= at }

// cut removes prefix from the word and reports whether it did. It does not remove a quoted prefix.
func (w *word) cut(prefix string) bool {
	rest, ok := strings.CutPrefix(w.text, prefix)
	if !ok || w.literal(len(prefix)-1) {
		return false
	}
	w.text = rest
	if w.quoted >= 0 {
		w.quoted -= len(prefix)
	}
	return true
}

func splitWords(line string, alternatives bool) ([]word, error) {
	var words []word
	var b strings.Builder
	cur, column, opened := word{quoted: -1}, 0, 0
	flush := func() {
		if cur.column > 0 {
			cur.text = b.String()
			words = append(words, cur)
		}
		b.Reset()
		cur = word{quoted: -1}
	}
	for _, r := range line {
		column++
		switch {
		case unicode.IsSpace(r) && opened == 0:
			flush()
			continue
		case r == '|' && opened == 0 && alternatives:
			flush()
			words = append(words, word{text: "|", quoted: -1, column: column, or: true})
			continue
		case cur.column == 0:
			cur.column = column
		}
		switch {
		case r != '"':
			b.WriteRune(r)
		case opened > 0:
			opened = 0
		default:
			opened = column
			if cur.quoted < 0 {
				cur.quoted = b.Len()
			}
		}
	}
	if opened > 0 {
		return nil, &Error{Term: line, Why: "unclosed quote", Column: opened}
	}
	flush()
	return words, nil
}

func parseNodeTerm(w word, saved func(name string) (Filter, error)) (term, error) {
	rest := w
	not := rest.cut("!")
	var t term
	var err error
	switch key, at := rest.key(); {
	case rest.cut("@"):
		t, err = savedTerm(rest.text, saved)
	case key == "field":
		t, err = pathTerm(rest, at)
	case key == "is":
		t, err = isTerm(rest, at)
	case quantities[key].of != nil:
		t, err = quantityTerm(rest, key, at)
	default:
		return parseTerm(w, nodeKey)
	}
	if t.not = not; err != nil {
		return t, &Error{Term: w.text, Why: err.Error(), Column: w.column}
	}
	return t, nil
}

// key returns the word's key and the offset of the value that follows it. For plain text, it returns "" and 0.
func (w word) key() (key string, value int) {
	key, _, ok := strings.Cut(w.text, ":")
	if !ok || w.literal(len(key)) || strings.HasPrefix(key, "~") {
		return "", 0
	}
	return fold(key), len(key) + 1
}

func nodeKey(key string, values []string) error {
	k, known := keys[key]
	switch {
	case !known:
		return checkKey(key, Keys()...)
	case k.kind == filterBool && slices.ContainsFunc(values, notBool):
		return errors.New("must be yes or no")
	}
	return nil
}

func notBool(text string) bool {
	_, ok := models.ParseBool(text)
	return !ok
}

func parseTerms(line string, check func(key string, values []string) error) (terms, error) {
	words, err := splitWords(line, false)
	if err != nil {
		return terms{}, err
	}
	f := terms{text: strings.TrimSpace(line)}
	for _, w := range words {
		t, err := parseTerm(w, check)
		if err != nil {
			return terms{}, err
		}
		f.all = append(f.all, t)
	}
	return f, nil
}

func parseTerm(w word, check func(key string, values []string) error) (term, error) {
	var t term
	rest := w
	t.not = rest.cut("!")
	t.fuzzy = rest.cut("~")
	key, at := rest.key()
	if at == 0 || t.fuzzy {
		if rest.text == "" && w.quoted < 0 {
			return t, &Error{Term: w.text, Why: "empty search text", Column: w.column}
		}
		t.values = []string{fold(rest.text)}
		return t, nil
	}
	t.key = key
	value := rest.text[at:]
	if !rest.literal(at) {
		value, t.exact = strings.CutPrefix(value, "=")
	}
	t.values = []string{fold(value)}
	if rest.quoted < 0 {
		t.values = strings.Split(fold(value), ",")
	}
	err := check(t.key, t.values)
	if err == nil && !rest.literal(at) && strings.ContainsAny(value[:min(len(value), 1)], "<>") {
		err = fmt.Errorf("%s cannot be compared with < or >: use %s or field:PATH, or quote the text", t.key, strings.Join(quantityKeys(), ", "))
	}
	if err != nil {
		return t, &Error{Term: w.text, Why: err.Error(), Column: w.column}
	}
	return t, nil
}
