// Package line edits one line of text. It does not use the text input of bubbles, whose cursor blinks (a frame
// every half second on an idle screen), and which is copied at each key and measures the whole value at each draw.
package line

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/ui/cell"
)

// Default limits of a line.
const (
	defaultRunes = 4096
	defaultBytes = 16 << 10
	histories    = 100
)

// Line is a line of text with a cursor. The zero value is empty and focused.
type Line struct {
	// MaxRunes and MaxBytes limit the text, which is cut; 0 is the default.
	MaxRunes, MaxBytes int
	// Secret shows • for every character, and disables the history.
	Secret bool
	// Secrets returns the parts shown as •, from and to in bytes.
	Secrets func(text string) [][2]int
	// Placeholder is shown while the line is empty.
	Placeholder string
	// Blurred hides the cursor.
	Blurred bool

	value  string
	cursor int // byte offset, between characters
	scroll int // hidden cells at the left

	suggestions []string

	history     []string // oldest first
	historyBack int      // steps back in history; 0 is the current text
	draft       string   // the current text while going back
}

// New returns an empty line.
func New() *Line { return &Line{} }

// Value returns the text.
func (l *Line) Value() string { return l.value }

// SetValue replaces the text, sanitized and cut as a paste is; the cursor goes to the end.
func (l *Line) SetValue(s string) {
	l.value, l.cursor, l.historyBack = "", 0, 0
	l.insert(s)
}

// CursorEnd moves the cursor to the end.
func (l *Line) CursorEnd() { l.cursor = len(l.value) }

// SetSuggestions sets the completions. The first that starts with the text is shown after the cursor.
func (l *Line) SetSuggestions(suggestions []string) { l.suggestions = suggestions }

// suggestedRest returns the part of the suggestion that the operator has not typed.
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

// Complete applies the suggestion, and reports whether there was one.
func (l *Line) Complete() bool {
	ghost := l.suggestedRest()
	l.insert(ghost)
	return ghost != ""
}

// Remember adds a text to the history of up and down.
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

// recall goes back in history, or forward to the current text.
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

// insert inserts text at the cursor, up to the limit. It reads at most that much of a large paste.
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

// oneCell replaces characters that would move or reorder terminal text by a space.
func oneCell(r rune) rune {
	switch {
	case unicode.IsControl(r),
		r == 0x2028, r == 0x2029, // the separators of lines and paragraphs
		r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // directions
		return ' '
	}
	return r
}

// align moves the cursor to the end of its character: text inserted before a combining mark joins it.
func (l *Line) align() {
	at := 0
	for at < l.cursor {
		char, _ := cell.First(l.value[at:])
		at += len(char)
	}
	l.cursor = at
}
