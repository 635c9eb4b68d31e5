package models

import (
	"fmt"
	"strings"
)

// EventFilter is a parsed filter for events. Its grammar is the same as that of [Filter], but the keys differ:
//
//	text        the node, the kind or the text contains text
//	node:text   the node's name or uuid contains text
//	kind:text   the kind of event contains text
//	!term       the term does not match
type EventFilter struct {
	terms []term
	text  string
}

// ParseEventFilter parses a filter for events. An empty line matches every event.
func ParseEventFilter(line string) (EventFilter, error) {
	words, err := splitWords(line, false)
	if err != nil {
		return EventFilter{}, err
	}
	f := EventFilter{text: strings.TrimSpace(line)}
	for _, w := range words {
		t, err := parseTerm(w, eventKey)
		if err != nil {
			return EventFilter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// eventKey returns an error if event filters do not support the key.
func eventKey(key string, _ []string) error {
	if key != "node" && key != "kind" {
		return fmt.Errorf("unknown filter key %q; available: kind, node; quote the text to search for a colon", key)
	}
	return nil
}

// String returns the line that was parsed.
func (f EventFilter) String() string { return f.text }

// IsZero reports whether the filter is empty and therefore matches everything.
func (f EventFilter) IsZero() bool { return len(f.terms) == 0 }

// Match reports whether the event matches all terms. text is the result of [Event.Text], which callers cache.
func (f EventFilter) Match(e *Event, text string) bool {
	for _, t := range f.terms {
		if t.matchEvent(e, text) == t.not {
			return false
		}
	}
	return true
}

func (t term) matchEvent(e *Event, text string) bool {
	node, kind := []string{e.Node.Name, e.Node.UUID}, []string{string(e.Kind)}
	have := append(append(node, kind...), text)
	switch {
	case t.fuzzy:
		return subsequence(t.values[0], fold(e.Node.Label()))
	case t.key == "node":
		have = node
	case t.key == "kind":
		have = kind
	}
	for _, want := range t.values {
		for _, h := range have {
			if h = fold(h); h == want || (!t.exact && strings.Contains(h, want)) {
				return true
			}
		}
	}
	return false
}
