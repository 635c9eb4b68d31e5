package userdata

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"ironworks/printable"
)

// Severity describes how serious a [Problem] is.
type Severity int

// These are the possible severities.
const (
	SeverityInfo    Severity = iota // the problem is only information
	SeverityWarning                 // the user data is valid, but probably not intended
	SeverityError                   // the user data is invalid
)

// String returns the name used in reports and JSON.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// MarshalText returns the same as String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is a problem found by [Check]. Its text contains neither secrets nor terminal control sequences.
type Problem struct {
	Severity Severity  `json:"severity"`
	ID       ProblemID `json:"id"`
	// Path is the path in the original file, for example "$.storage.files.0.path". For a configuration in a data URL,
	// it is the path of the URL followed by the inner path in parentheses.
	Path string `json:"path"`
	// Line and Column are counted from 1, and columns are counted in characters. Both are 0 if the position is
	// unknown. If the user data is packed, they refer to the unpacked text.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Message describes the problem and suggests a fix.
	Message string `json:"message"`
}

// String returns the problem as a single line.
func (p Problem) String() string {
	where := p.Path
	if p.Line > 0 {
		where = fmt.Sprintf("%s (line %d, column %d)", p.Path, p.Line, p.Column)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", p.Severity, where, p.Message, p.ID)
}

// In returns the problem as one line in compilers' format, so that editors can jump to it in the file name.
func (p Problem) In(name string) string {
	place := printable.Line(name)
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, p.Line, p.Column)
	}
	where := ""
	if p.Path != "" && p.Path != "$" {
		where = p.Path + ": "
	}
	return fmt.Sprintf("%s: %s: %s%s [%s]", place, p.Severity, where, p.Message, p.ID)
}

const (
	maxQuoted  = 80
	maxMessage = 600
	maxPath    = 300
)

// quoted returns s in quotes for use in a message. It truncates s and escapes control characters.
func quoted(s string) string {
	cut := ""
	if len(s) > maxQuoted {
		s, cut = s[:maxQuoted], "…"
		for s != "" && !utf8.ValidString(s[len(s)-1:]) && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return strconv.Quote(s) + cut
}

// short returns s, sanitized and truncated to about limit bytes.
func short(s string, limit int) string {
	// If the text is very long, sanitize only its beginning.
	shown := printable.Line(s[:min(len(s), limit+utf8.UTFMax)])
	if len(shown) <= limit && len(s) <= limit+utf8.UTFMax {
		return shown
	}
	end := min(limit, len(shown))
	for end < len(shown) && !utf8.RuneStart(shown[end]) {
		end++
	}
	return shown[:end] + "…"
}
