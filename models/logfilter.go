package models

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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
type LogFilter struct {
	terms []logTerm
	text  string
}

// logTerm is a term of a log filter. levels holds the parsed values of the level key.
type logTerm struct {
	term
	levels []LogLevel
}

// ParseLogFilter parses a filter for log lines. An empty filter matches every line.
func ParseLogFilter(line string) (LogFilter, error) {
	words, err := splitWords(line, false)
	if err != nil {
		return LogFilter{}, err
	}
	f := LogFilter{text: strings.TrimSpace(line)}
	for _, w := range words {
		t, err := parseTerm(w, logKey)
		if err != nil {
			return LogFilter{}, err
		}
		one := logTerm{term: t}
		if t.key == "level" {
			for _, v := range t.values {
				level, _ := ParseLogLevel(v) // logKey has already checked the level
				one.levels = append(one.levels, level)
			}
		}
		f.terms = append(f.terms, one)
	}
	return f, nil
}

// logKey returns an error if log filters do not support the key, or if its values are invalid.
func logKey(key string, values []string) error {
	keys := []string{"known", "level", "node", "source", "unit"}
	if !slices.Contains(keys, key) {
		return fmt.Errorf("unknown filter key %q; available: %s; quote the text to search for a colon", key, strings.Join(keys, ", "))
	}
	if key != "level" {
		return nil
	}
	for _, v := range values {
		if _, err := ParseLogLevel(v); err != nil {
			return err
		}
	}
	return nil
}

// ParseLogLevel parses the name of a level. A prefix of the name suffices.
func ParseLogLevel(name string) (LogLevel, error) {
	name = fold(name)
	for l := LogCritical; l <= LogDebug; l++ {
		if name != "" && strings.HasPrefix(l.String(), name) {
			return l, nil
		}
	}
	return 0, fmt.Errorf("unknown level %q; available: critical, error, warning, notice, info, debug", name)
}

var logLevelNames = [...]string{
	LogCritical: "critical", LogError: "error", LogWarning: "warning", LogNotice: "notice", LogInfo: "info", LogDebug: "debug",
}

// String returns the level's name. Levels more severe than critical are also called critical.
func (l LogLevel) String() string { return logLevelNames[min(max(l, LogCritical), LogDebug)] }

// String returns the line that was parsed.
func (f LogFilter) String() string { return f.text }

// IsZero reports whether the filter is empty and therefore matches everything.
func (f LogFilter) IsZero() bool { return len(f.terms) == 0 }

// Match reports whether the log line matches all terms.
func (f LogFilter) Match(l *LogLine) bool {
	for i := range f.terms {
		if f.terms[i].matchLog(l) == f.terms[i].not {
			return false
		}
	}
	return true
}

func (t *logTerm) matchLog(l *LogLine) bool {
	switch t.key {
	case "level":
		return slices.ContainsFunc(t.levels, func(want LogLevel) bool { return l.Level == want || !t.exact && l.Level < want })
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
}

// any reports whether any of the strings matches any of the term's values.
func (t *logTerm) any(have ...string) bool {
	for _, want := range t.values {
		for _, h := range have {
			if t.exact && strings.EqualFold(h, want) || !t.exact && containsFold(h, want) {
				return true
			}
		}
	}
	return false
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
		if c := have[i]; (c == low || c == up) && EqualLower(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// EqualLower reports whether have equals want, ignoring the case of have. want must be lower-case ASCII and have the
// same length as have.
func EqualLower(have, want string) bool {
	for i := range len(want) {
		c := have[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
