package agentlog

import (
	"bytes"
	"unicode/utf8"
)

// serialText splits the bytes from a serial port into lines of text. It removes escape sequences, even if they arrive
// in pieces. A line also ends if the cursor moves to another row. Lines that are too long are truncated.
type serialText struct {
	line     []byte
	state    escapeState
	size     int  // length of the current escape sequence
	overlong bool // the line is full: the rest is dropped
	// shown is the part of the line that was returned before it was complete.
	shown string
}

type escapeState int

const (
	escapeNone    escapeState = iota
	escapeBegun               // after ESC
	escapeCSI                 // after ESC [
	escapeText                // a title or similar, until BEL or ST
	escapeTextEnd             // after ESC within a title or similar
	escapeOne                 // one more byte belongs to the sequence
)

// maxEscape is the maximum length of an escape sequence. Longer ones are noise that looks like an escape sequence.
const maxEscape = 512

// feed adds data, and calls line for every complete line. shown means that partial has already returned it.
func (t *serialText) feed(data []byte, line func(text string, shown bool)) {
	for _, c := range data {
		if t.state != escapeNone {
			t.escape(c, line)
			continue
		}
		switch c {
		case '\n':
			t.finish(line)
		case 0x1b:
			t.state, t.size = escapeBegun, 0
		case '\b':
			if n := len(t.line); n > 0 && t.line[n-1] != '\r' {
				t.line = t.line[:n-1]
			}
		case 0, 0x07:
		default:
			t.addByte(c, line)
		}
	}
}

// addByte adds c to the current line. If the line is full, the part that the program has overwritten becomes a line,
// because the program may never end it. If nothing has been overwritten, the rest of the line is dropped.
func (t *serialText) addByte(c byte, line func(text string, shown bool)) {
	switch {
	case len(t.line) < maxText:
		t.line = append(t.line, c)
	case t.overlong && c == '\r':
		t.finish(line)
	case t.overlong:
	default:
		i := bytes.LastIndexByte(t.line, '\r')
		if i < 0 {
			t.overlong = true
			return
		}
		rest := append(bytes.Clone(t.line[i+1:]), c)
		t.line = t.line[:i]
		t.finish(line)
		t.line = append(t.line, rest...)
	}
}

func (t *serialText) finish(line func(text string, shown bool)) {
	text := t.text()
	line(text, text == t.shown)
	t.line, t.overlong, t.shown = t.line[:0], false, ""
}

func (t *serialText) text() string {
	text := string(bytes.TrimRight(t.line, "\r \t"))
	if t.overlong {
		text += " … (cut)"
	}
	return text
}

// partial returns the incomplete line, or "" if it has already been returned.
func (t *serialText) partial() string {
	text := t.text()
	if text == t.shown {
		return ""
	}
	t.shown = text
	return text
}

func (t *serialText) escape(c byte, line func(text string, shown bool)) {
	if t.size++; t.size > maxEscape || c == '\n' && t.state != escapeText {
		t.state = escapeNone
		if c == '\n' {
			t.finish(line)
		}
		return
	}
	switch t.state {
	case escapeBegun:
		t.afterEscape(c, line)
	case escapeCSI:
		if c >= 0x40 && c <= 0x7e {
			t.state = escapeNone
			t.moveCursor(c, line)
		}
	case escapeText:
		switch c {
		case 0x07:
			t.state = escapeNone
		case 0x1b:
			t.state = escapeTextEnd
		}
	case escapeTextEnd, escapeOne, escapeNone:
		t.state = escapeNone
	}
}

func (t *serialText) afterEscape(c byte, line func(text string, shown bool)) {
	t.state = escapeNone
	switch c {
	case '[':
		t.state = escapeCSI
	case ']', 'P', '_', '^', 'X':
		t.state = escapeText
	case '(', ')', '*', '+', '#', '%', ' ':
		t.state = escapeOne
	case 'c', 'D', 'E', 'M':
		t.moveCursor('H', line)
	}
}

// moveCursor ends the line if the cursor moves to another row, as in boot menus. Other moves become a space.
func (t *serialText) moveCursor(final byte, line func(text string, shown bool)) {
	switch final {
	case 'H', 'f', 'A', 'B', 'E', 'F', 'J', 'd':
		if len(bytes.TrimSpace(t.line)) > 0 {
			t.finish(line)
		}
		t.line = t.line[:0]
	case 'C', 'G':
		t.addByte(' ', line)
	}
}

// isNoise reports whether text is noise, such as that caused by a wrong baud rate.
func isNoise(text string) bool {
	bad, all := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size <= 1 || r < ' ' && r != '\t' && r != '\r' || r == 0x7f {
			bad++
		}
		all++
		text = text[size:]
	}
	return bad >= 3 && bad*4 > all
}
