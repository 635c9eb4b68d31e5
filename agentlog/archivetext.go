package agentlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"ironworks/models"
)

// textReader parses a stored journal, which may be in one of journalctl's short formats, in its JSON format, or plain
// text.
type textReader struct {
	parser   *Parser
	name     string    // the file name, used as the writer of lines that name none
	storedAt time.Time // when the file was stored, needed because the short format omits the year
	lines    []models.LogLine
	limit    int
	// The at and unit fields belong to the last entry, whose text may continue on further lines.
	at           time.Time
	unit         string
	indent       int  // the column in which the text of the last entry starts
	limitReached bool // reading stopped at the limit of lines, before the end
}

// read reads all lines up to the limit. It truncates lines that are too long.
func (t *textReader) read(from io.Reader) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for len(t.lines) < t.limit {
		line, err := textLine(r)
		if len(line) > 0 || err == nil {
			t.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	t.limitReached = true
	return nil
}

// textLine reads a line and returns it without its line break, truncated to maxEntry bytes. The result is valid until
// the next call.
func textLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(part, "\r\n"), err // the usual case
		}
		if room := maxEntry - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

func (t *textReader) line(raw []byte) {
	if bytes.HasPrefix(raw, []byte(`{"`)) {
		if lines, err := t.parser.Journal(raw); err == nil {
			t.lines = append(t.lines, lines...)
			return
		}
	}
	text := string(raw)
	if strings.HasPrefix(text, "-- ") && strings.HasSuffix(text, " --") || len(text) == 0 && t.at.IsZero() {
		return // the line is a message from journalctl itself
	}
	at, unit, message, ok := shortLine(text, t.storedAt)
	if !ok {
		// The text is a further line of the last entry. journalctl indents such lines.
		at, unit, message = t.at, t.unit, text
		if i := min(t.indent, len(text)); strings.Trim(text[:i], " ") == "" {
			message = text[i:]
		}
		if unit == "" {
			unit = t.name
		}
	} else {
		t.at, t.unit, t.indent = at, unit, len(text)-len(message)
	}
	t.lines = append(t.lines, t.parser.Text(at, unit, message)...)
}

// shortLine parses a line in the format of journalctl -o short, short-precise, short-iso or short-full. Such a line
// consists of the time, the host, program[pid] and the text.
func shortLine(text string, storedAt time.Time) (at time.Time, unit, message string, ok bool) {
	at, rest, ok := shortTime(text, storedAt)
	if !ok {
		return at, "", "", false
	}
	_, rest, ok = strings.Cut(rest, " ") // skip the host
	if !ok {
		return at, "", "", false
	}
	program, message, ok := strings.Cut(rest, ": ")
	if !ok {
		if program, ok = strings.CutSuffix(rest, ":"); !ok {
			return at, "", "", false
		}
	}
	if i := strings.IndexByte(program, '['); i > 0 && strings.HasSuffix(program, "]") {
		program = program[:i]
	}
	if program == "" || strings.ContainsAny(program, " \t") {
		return at, "", "", false
	}
	return at, program, message, true
}

// shortTime parses the time at the start of a line. A time without a time zone is in UTC.
func shortTime(text string, storedAt time.Time) (at time.Time, rest string, ok bool) {
	for _, layout := range []struct {
		layout string
		words  int
	}{
		{"Jan _2 15:04:05", 3},             // short; a fraction is optional
		{"2006-01-02T15:04:05Z0700", 1},    // short-iso
		{"2006-01-02T15:04:05Z07:00", 1},   // short-iso of newer versions
		{"Mon 2006-01-02 15:04:05 MST", 4}, // short-full
	} {
		head, tail, cut := words(text, layout.words)
		if !cut {
			continue
		}
		at, err := time.Parse(layout.layout, head)
		if err != nil {
			continue
		}
		if at.Year() == 0 {
			at = yearOf(at, storedAt)
		}
		return at.UTC(), tail, true
	}
	return at, text, false
}

// words splits a text after its first n words.
func words(text string, n int) (head, tail string, ok bool) {
	at := 0
	for range n {
		for at < len(text) && text[at] == ' ' {
			at++
		}
		i := strings.IndexByte(text[at:], ' ')
		if i < 0 {
			return "", "", false
		}
		at += i
	}
	return text[:at], text[at+1:], true
}

// yearOf returns at with its missing year added: the latest year in which the time is at most one day after storedAt.
// The day allows for clock differences. If storedAt is zero, it returns at unchanged.
func yearOf(at, storedAt time.Time) time.Time {
	if storedAt.IsZero() {
		return at
	}
	at = time.Date(storedAt.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
	if at.After(storedAt.Add(24 * time.Hour)) {
		at = time.Date(storedAt.Year()-1, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
	}
	return at
}
