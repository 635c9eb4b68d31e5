// Package line edits one line of text.
//
// It is not made on the text input of bubbles: that one's cursor blinks, which is a
// message and a frame every half second on a screen that is otherwise still, it is copied
// whole at each key, and it measures and styles all of a value at each drawing.
package line

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/ui/cell"
)

// What a line holds at most, where it was not told otherwise.
const (
	defaultRunes = 4096
	defaultBytes = 16 << 10
	histories    = 100
)

// Line is a line of text with a cursor in it. The zero value is empty and in focus.
type Line struct {
	// MaxRunes and MaxBytes are the most that the line takes; 0 is some thousands. What is
	// more is cut off.
	MaxRunes, MaxBytes int
	// Secret shows • for every character, and remembers nothing.
	Secret bool
	// Secrets are the parts of a text that are shown as • alone, from and to in bytes; nil
	// is none.
	Secrets func(text string) [][2]int
	// Placeholder is shown while the line is empty.
	Placeholder string
	// Blurred draws no cursor.
	Blurred bool

	value  string
	cursor int // in bytes, between characters
	scroll int // cells out of sight at the left

	suggestions []string

	history []string // oldest first
	past    int      // steps back in history; 0 is what is being written
	draft   string   // what was being written before going back
}

// New makes an empty line.
func New() *Line { return &Line{} }

// Value is the text.
func (l *Line) Value() string { return l.value }

// SetValue replaces the text, cleaned and cut as a paste is; the cursor goes to its end.
func (l *Line) SetValue(s string) {
	l.value, l.cursor, l.past = "", 0, 0
	l.insert(s)
}

// CursorEnd moves the cursor to the end.
func (l *Line) CursorEnd() { l.cursor = len(l.value) }

// SetSuggestions sets what the text may be completed to. The first that begins with it
// is shown behind the cursor.
func (l *Line) SetSuggestions(suggestions []string) { l.suggestions = suggestions }

// ghost is what the suggestion adds to the text.
func (l *Line) ghost() string {
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

// Complete takes the suggestion, and says whether there was one.
func (l *Line) Complete() bool {
	ghost := l.ghost()
	l.insert(ghost)
	return ghost != ""
}

// Remember adds a text to the history that up and down go through.
func (l *Line) Remember(s string) {
	l.past = 0
	if s == "" || l.Secret || len(l.history) > 0 && l.history[len(l.history)-1] == s {
		return
	}
	l.history = append(l.history, s)
	if len(l.history) > histories {
		l.history = l.history[1:]
	}
}

// recall goes back in history, or forth to what was being written.
func (l *Line) recall(back int) bool {
	to := min(max(l.past+back, 0), len(l.history))
	if to == l.past {
		return len(l.history) > 0
	}
	if l.past == 0 {
		l.draft = l.value
	}
	if to == 0 {
		l.SetValue(l.draft)
	} else {
		l.SetValue(l.history[len(l.history)-to])
	}
	l.past = to
	return true
}

// insert puts text at the cursor, as much as there is room for. It looks at no more of
// the text than that: what is pasted may be large.
func (l *Line) insert(s string) {
	runes, bytes := l.MaxRunes, l.MaxBytes
	if runes <= 0 {
		runes = defaultRunes
	}
	if bytes <= 0 {
		bytes = defaultBytes
	}
	runes -= utf8.RuneCountInString(l.value)
	bytes -= len(l.value)
	var b strings.Builder
	after := rune(0)
	for _, r := range s {
		if after == '\r' && r == '\n' {
			after = r
			continue
		}
		after = r
		if r = printable(r); runes < 1 || bytes < utf8.RuneLen(r) {
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

// printable is the character, or a blank for what would move or turn the terminal's text.
func printable(r rune) rune {
	switch {
	case unicode.IsControl(r),
		r == 0x2028, r == 0x2029, // breaks of lines and paragraphs
		r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // directions
		return ' '
	}
	return r
}

// align moves the cursor on where it stands within a character: what is inserted before
// a combining mark becomes one character with it.
func (l *Line) align() {
	at := 0
	for at < l.cursor {
		char, _ := cell.First(l.value[at:])
		at += len(char)
	}
	l.cursor = at
}
