// Package line implements the editing of one line of text. It does not use the text input of bubbles, whose blinking
// cursor causes a frame every half second on an idle screen. That input is also copied at each key press, and
// measures its whole value each time it is drawn.
package line

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The default maximum length of a line, in characters and in bytes, and the maximum number of entries in its history.
const (
	defaultRunes = 4096
	defaultBytes = 16 << 10
	histories    = 100
)

// Line is an editable line of text with a cursor. The zero value is empty and shows the cursor.
type Line struct {
	// MaxRunes and MaxBytes limit the length of the text. Text beyond the limit is cut off. If 0, a default applies.
	MaxRunes, MaxBytes int
	// Secret displays • for every character, and turns off the history.
	Secret bool
	// Secrets returns the byte offsets of the starts and ends of the parts of a text that are displayed as •.
	Secrets func(text string) [][2]int
	// Placeholder is displayed while the line is empty.
	Placeholder string
	// Blurred hides the cursor.
	Blurred bool

	value  string
	cursor int // byte offset between two characters
	scroll int // number of cells hidden at the left

	suggestions []string

	history     []string // oldest first
	historyBack int      // number of steps back in the history; 0 is the current text
	draft       string   // the current text while an older one is displayed
}

// New returns an empty line.
func New() *Line { return &Line{} }

// Value returns the text.
func (l *Line) Value() string { return l.value }

// SetValue replaces the text and moves the cursor to the end. As in a paste, characters that would disturb the
// terminal are replaced, and text beyond the limits is cut off.
func (l *Line) SetValue(s string) {
	l.value, l.cursor, l.historyBack = "", 0, 0
	l.insert(s)
}

// CursorEnd moves the cursor to the end.
func (l *Line) CursorEnd() { l.cursor = len(l.value) }

// SetSuggestions sets the possible completions. If a suggestion starts with the text of the line, the rest of the
// first such suggestion is displayed after the cursor.
func (l *Line) SetSuggestions(suggestions []string) { l.suggestions = suggestions }

// suggestedRest returns the part of the suggestion that has not been typed yet, or "" if there is no suggestion.
func (l *Line) suggestedRest() string {
	if l.value == "" || l.Secret || l.Blurred || l.cursor < len(l.value) {
		return ""
	}
	for _, s := range l.suggestions {
		if len(s) > len(l.value) && strings.HasPrefix(s, l.value) {
			return s[len(l.value):]
		}
	}
	return ""
}

// Complete inserts the rest of the suggestion, and reports whether there was one.
func (l *Line) Complete() bool {
	ghost := l.suggestedRest()
	l.insert(ghost)
	return ghost != ""
}

// Remember adds s to the history, which the up and down keys recall. It ignores an empty text, a repetition of the
// last text, and any text of a Secret line.
func (l *Line) Remember(s string) {
	l.historyBack = 0
	if s == "" || l.Secret || len(l.history) > 0 && l.history[len(l.history)-1] == s {
		return
	}
	l.history = append(l.history, s)
	if len(l.history) > histories {
		l.history = l.history[1:]
	}
}

// recall moves back in the history by the given number of steps, or forward if the number is negative, and displays
// the text found there. It returns false if the history is empty.
func (l *Line) recall(back int) bool {
	to := min(max(l.historyBack+back, 0), len(l.history))
	if to == l.historyBack {
		return len(l.history) > 0
	}
	if l.historyBack == 0 {
		l.draft = l.value
	}
	if to == 0 {
		l.SetValue(l.draft)
	} else {
		l.SetValue(l.history[len(l.history)-to])
	}
	l.historyBack = to
	return true
}

// insert inserts text at the cursor. At a limit of the line, it stops reading, because a paste may be large.
func (l *Line) insert(s string) {
	runes := cmp.Or(l.MaxRunes, defaultRunes) - utf8.RuneCountInString(l.value)
	bytes := cmp.Or(l.MaxBytes, defaultBytes) - len(l.value)
	var b strings.Builder
	after := rune(0)
	for _, r := range s {
		if after == '\r' && r == '\n' {
			after = r
			continue
		}
		after = r
		if r = oneCell(r); runes < 1 || bytes < utf8.RuneLen(r) {
			break
		}
		b.WriteRune(r)
		runes--
		bytes -= utf8.RuneLen(r)
	}
	l.value = l.value[:l.cursor] + b.String() + l.value[l.cursor:]
	l.cursor += b.Len()
	l.align()
}

// oneCell returns a space in place of a character that would move the terminal's cursor or change the direction of
// the text, and other characters unchanged.
func oneCell(r rune) rune {
	switch {
	case unicode.IsControl(r),
		r == 0x2028, r == 0x2029, // line and paragraph separators
		r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // control of the text direction
		return ' '
	}
	return r
}

// align moves the cursor to the end of the character that it is in. That is necessary because text that was inserted
// before a combining mark forms one character with it.
func (l *Line) align() {
	at := 0
	for at < l.cursor {
		at = l.after(at)
	}
	l.cursor = at
}
