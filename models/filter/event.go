package filter

import (
	"ironworks/models"
)

// EventFilter is a parsed filter for events. Its grammar is the same as that of [Filter], but the keys differ:
//
//	text        the node, the kind or the text contains text
//	node:text   the node's name or uuid contains text
//	kind:text   the kind of event contains text
//	!term       the term does not match
type EventFilter struct{ terms }

// ParseEventFilter parses a filter for events. An empty line matches every event.
func ParseEventFilter(line string) (EventFilter, error) {
	f, err := parseTerms(line, eventKey)
	return EventFilter{f}, err
}

// eventKey returns an error if event filters do not support the key.
func eventKey(key string, _ []string) error { return checkKey(key, "kind", "node") }

// Match reports whether the event matches all terms. text is the result of [models.Event.Text], which callers cache.
func (f EventFilter) Match(e *models.Event, text string) bool {
	return f.match(func(t *term) bool {
		switch {
		case t.fuzzy:
			return subsequence(t.values[0], fold(e.Node.Label()))
		case t.key == "node":
			return t.any(e.Node.Name, e.Node.UUID)
		case t.key == "kind":
			return t.any(string(e.Kind))
		}
		return t.any(e.Node.Name, e.Node.UUID, string(e.Kind), text)
	})
}
