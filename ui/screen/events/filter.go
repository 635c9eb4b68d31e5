package events

import (
	"strings"
	"unicode"

	"ironworks/models"
)

// filter is a parsed filter line; all its terms have to match. The grammar is a part of
// that of lists of nodes: text, node:text, kind:text with a,b for either, !term, and
// quotes that keep blanks together.
type filter struct {
	terms []term
	text  string
}

type term struct {
	key    string // "", "node" or "kind"
	values []string
	not    bool
}

// parse reads a filter line; the empty one matches everything.
func parse(line string) (filter, error) {
	f := filter{text: strings.TrimSpace(line)}
	words, err := split(line)
	if err != nil {
		return filter{}, err
	}
	for _, w := range words {
		t, err := parseTerm(w)
		if err != nil {
			return filter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

func (f filter) isZero() bool { return len(f.terms) == 0 }

func (f filter) matches(r *row) bool {
	for _, t := range f.terms {
		if t.matches(r) == t.not {
			return false
		}
	}
	return true
}

func (t term) matches(r *row) bool {
	for _, want := range t.values {
		inNode := strings.Contains(r.node, want) || strings.Contains(r.event.Node.UUID, want)
		inKind := strings.Contains(string(r.event.Kind), want)
		switch {
		case t.key == "node" && inNode, t.key == "kind" && inKind:
			return true
		case t.key == "" && (inNode || inKind || strings.Contains(r.what, want)):
			return true
		}
	}
	return false
}

// word is one word of the line; what stood in quotes has no colon that means something.
type word struct {
	text   string
	quoted bool
}

func split(line string) ([]word, error) {
	var words []word
	var b strings.Builder
	var cur word
	inQuotes, has := false, false
	flush := func() {
		if has {
			cur.text = b.String()
			words = append(words, cur)
		}
		b.Reset()
		cur, has = word{}, false
	}
	for _, r := range line {
		switch {
		case r == '"':
			// key:"two words" has a key; "a:b" has none.
			cur.quoted = cur.quoted || !strings.Contains(b.String(), ":")
			inQuotes, has = !inQuotes, true
		case unicode.IsSpace(r) && !inQuotes:
			flush()
		default:
			has = true
			b.WriteRune(r)
		}
	}
	if inQuotes {
		return nil, &models.FilterError{Term: line, Why: "a quote is not closed"}
	}
	flush()
	return words, nil
}

func parseTerm(w word) (term, error) {
	var t term
	text := w.text
	if rest, not := strings.CutPrefix(text, "!"); not {
		t.not, text = true, rest
	}
	key, value, has := strings.Cut(text, ":")
	switch {
	case text == "":
		return t, &models.FilterError{Term: w.text, Why: "nothing to look for"}
	case w.quoted || !has:
		t.values = []string{strings.ToLower(text)}
		return t, nil
	}
	t.key = strings.ToLower(key)
	if t.key != "node" && t.key != "kind" {
		return t, &models.FilterError{Term: w.text, Why: "there are node: and kind:; quotes look for a colon"}
	}
	t.values = strings.Split(strings.ToLower(value), ",")
	return t, nil
}
