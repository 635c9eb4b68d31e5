package userdata

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"ironworks/printable"
)

// Severity says what a [Problem] means for the machine.
type Severity int

// The severities.
const (
	SeverityInfo    Severity = iota // good to know
	SeverityWarning                 // works, and is probably not what is wanted
	SeverityError                   // must not be sent
)

// String is the name in reports and in JSON.
func (s Severity) String() string {
	switch s {
	case SeverityInfo:
		return "info"
	case SeverityWarning:
		return "warning"
	case SeverityError:
		return "error"
	}
	return fmt.Sprintf("severity %d", int(s))
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is one finding of [Check]. Its texts hold no secrets, and nothing
// that a terminal would take for a command.
type Problem struct {
	Severity Severity  `json:"severity"`
	ID       ProblemID `json:"id"`
	// Path is where it is in the file that was given: "$.storage.files.0.path".
	// Inside of a configuration in a data URL it is that URL's path, and the
	// one in there in brackets.
	Path string `json:"path"`
	// Line and Column count from 1, columns in characters. Both are 0 if it has
	// no place. Of what was packed they are those of the unpacked text.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Message says what is wrong, and the way out.
	Message string `json:"message"`
}

// String is one line.
func (p Problem) String() string {
	where := p.Path
	if p.Line > 0 {
		where = fmt.Sprintf("%s (line %d, column %d)", p.Path, p.Line, p.Column)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", p.Severity, where, p.Message, p.ID)
}

// In is one line as compilers write it, so that editors find the place in the file of
// this name.
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

// quoted is a name of the user's for a message: short, and safe to print.
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

// short is a text, safe to show, cut after limit bytes.
func short(s string, limit int) string {
	// A text that is far too long is not looked at as a whole.
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
