package filter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/models"
)

// LogFilter is a parsed filter for log lines. Its grammar is the same as that of [Filter], but the keys differ:
//
//	text         the text, the unit or the node's name contains text
//	node:text    the node's name or uuid contains text
//	unit:text    the unit contains text
//	source:text  the source contains text: ssh, push, archive, …
//	level:warn   the level is warn or worse; level:=warn exactly warn
//	known:text   the line is a known error whose id contains text; known: matches every known error
//	!term        the term does not match
type LogFilter struct{ terms }

// ParseLogFilter parses a filter for log lines. An empty filter matches every line.
func ParseLogFilter(line string) (LogFilter, error) {
	f, err := parseTerms(line, logKey)
	for i := range f.all {
		if t := &f.all[i]; t.key == "level" {
			for _, v := range t.values {
				level, _ := models.ParseLogLevel(v) // logKey has already checked the level
				t.levels = append(t.levels, level)
			}
		}
	}
	return LogFilter{f}, err
}

func logKey(key string, values []string) error {
	if key != "level" {
		return checkKey(key, "known", "level", "node", "source", "unit")
	}
	for _, v := range values {
		if _, err := models.ParseLogLevel(v); err != nil {
			return err
		}
	}
	return nil
}

// Match reports whether the log line matches all terms.
func (f LogFilter) Match(l *models.LogLine) bool {
	return f.match(func(t *term) bool {
		switch t.key {
		case "level":
			return slices.ContainsFunc(t.levels, func(want models.LogLevel) bool { return l.Level == want || !t.exact && l.Level < want })
		case "node":
			return t.any(l.Node.Name, l.Node.UUID)
		case "unit":
			return t.any(l.Unit)
		case "source":
			return t.any(string(l.Source))
		case "known":
			return l.Known != "" && t.any(l.Known)
		}
		if t.fuzzy {
			return subsequence(t.values[0], fold(l.Text))
		}
		return t.any(l.Text, l.Unit, l.Node.Name)
	})
}

// containsFold reports whether have contains want, ignoring case. want must already be folded. If want is ASCII,
// containsFold avoids allocating memory, because logs have up to 100 000 lines.
func containsFold(have, want string) bool {
	if want == "" {
		return true
	}
	if !ascii(want) {
		return strings.Contains(fold(have), want)
	}
	low, up := want[0], want[0]
	if low >= 'a' && low <= 'z' {
		up = low - ('a' - 'A')
	}
	for i := 0; i+len(want) <= len(have); i++ {
		if c := have[i]; (c == low || c == up) && models.EqualLower(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

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
