package agentlog

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// These limits apply to archives, which come from machines and may be of any size. The first three are in bytes.
const (
	mostPacked      = 256 << 20
	mostMember      = 64 << 20
	mostTotal       = 256 << 20
	mostMembers     = 4096
	maxArchiveLines = 200_000 // number of lines
)

// archiveLines reads the log in an archive or in a plain file. The lines of an archive are sorted by time; lines with
// equal times keep their order. If reading fails, it returns the lines read so far and an error. The notes name
// content that was skipped because of a limit. The year of times without one follows from storedAt, or from now if
// storedAt is zero.
func archiveLines(from io.Reader, name string, storedAt time.Time, node models.NodeRef, now func() time.Time) (lines []models.LogLine, notes []string, err error) {
	if storedAt.IsZero() {
		storedAt = now()
	}
	r := bufio.NewReader(&io.LimitedReader{R: from, N: mostPacked})
	reader := func(name string) *textReader {
		return &textReader{parser: NewParser(node, models.LogArchive, now), name: name, storedAt: storedAt, limit: maxArchiveLines}
	}
	magic, _ := r.Peek(2)
	plain := io.Reader(r)
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, wrapRead(name, err)
		}
		plain = z
	}
	inside := bufio.NewReader(io.LimitReader(plain, mostTotal))
	head, _ := inside.Peek(262)
	if len(head) < 262 || string(head[257:262]) != "ustar" {
		t := reader(memberName(name))
		err := t.read(inside)
		return t.lines, t.notes(), wrapRead(name, err)
	}
	return tarLines(inside, name, reader)
}

func (t *textReader) notes() []string {
	if !t.limitReached {
		return nil
	}
	return []string{fmt.Sprintf("only the first %d lines of %s were read", t.limit, printable.Line(t.name))}
}

func wrapRead(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading %s: %w", printable.Line(name), err)
}

func tarLines(from io.Reader, name string, reader func(string) *textReader) (lines []models.LogLine, notes []string, err error) {
	archive := tar.NewReader(from)
	logs := 0
	for range mostMembers {
		header, nextErr := archive.Next()
		if errors.Is(nextErr, io.EOF) {
			break
		}
		if nextErr != nil {
			err = wrapRead(name, nextErr)
			break
		}
		if header.Typeflag != tar.TypeReg || !isLog(header.Name) {
			continue
		}
		logs++
		t := reader(memberName(header.Name))
		t.limit = max(t.limit-len(lines), 0) // an entry of several lines may exceed the limit
		if header.Size > mostMember {
			notes = append(notes, fmt.Sprintf("only the first %d MiB of %s were read", mostMember>>20, printable.Line(t.name)))
		}
		readErr := t.read(io.LimitReader(archive, mostMember))
		lines, notes = append(lines, t.lines...), append(notes, t.notes()...)
		if readErr != nil {
			err = wrapRead(name, readErr)
			break
		}
	}
	if logs == 0 && err == nil {
		err = fmt.Errorf("reading %s: no journal found", printable.Line(name))
	}
	return byTime(lines), notes, err
}

// byTime sorts lines by time. A line without a time stays directly after the line that precedes it.
func byTime(lines []models.LogLine) []models.LogLine {
	type placed struct {
		at   time.Time
		line models.LogLine
	}
	all := make([]placed, len(lines))
	var at time.Time
	for i := range lines {
		if !lines[i].Time.IsZero() {
			at = lines[i].Time
		}
		all[i] = placed{at, lines[i]}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.at.Compare(b.at) })
	for i := range all {
		lines[i] = all[i].line
	}
	return lines
}

// isLog reports whether an archive member is a log. Others hold the output of commands about the machine.
func isLog(name string) bool {
	base := path.Base(name)
	switch base {
	case "journal", "messages", "syslog", "ironic-agent", "ironic-python-agent", "agent":
		return true
	}
	return strings.HasSuffix(base, ".log") || strings.HasPrefix(base, "journal.") || strings.HasPrefix(base, "journal-")
}

// memberName derives the name of a writer from a file name, for lines that do not name their writer.
func memberName(name string) string {
	base := path.Base(name)
	for _, end := range []string{".gz", ".log", ".txt", ".tar"} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// textReader parses a stored journal in one of journalctl's short formats, in its JSON format, or plain text.
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
		line, _, err := textLine(r)
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

// textLine reads a line without its line break, cut to maxEntry bytes. The line is valid until the next call.
func textLine(r *bufio.Reader) (line []byte, cut bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		if line == nil && whole {
			return bytes.TrimRight(part, "\r\n"), false, err // the usual case
		}
		room := min(maxEntry-len(line), len(part))
		line, cut = append(line, part[:room]...), room < len(part)
		if whole {
			return bytes.TrimRight(line, "\r\n"), cut, err
		}
	}
}

func (t *textReader) line(raw []byte) {
	if bytes.HasPrefix(raw, []byte(`{"`)) {
		if lines, _, err := t.parser.Journal(raw); err == nil {
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
		unit = cmp.Or(unit, t.name)
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
// The day allows for clock differences.
func yearOf(at, storedAt time.Time) time.Time {
	latest := storedAt.Add(24 * time.Hour).UTC()
	dated := at.AddDate(latest.Year(), 0, 0)
	if dated.After(latest) {
		dated = at.AddDate(latest.Year()-1, 0, 0)
	}
	return dated
}
