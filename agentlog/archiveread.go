package agentlog

import (
	"archive/tar"
	"bufio"
	"bytes"
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

// Limits for reading an archive. Its content comes from a machine and may be of any size. The first three limits are
// in bytes.
const (
	mostPacked      = 256 << 20
	mostMember      = 64 << 20
	mostTotal       = 256 << 20
	mostMembers     = 4096
	maxArchiveLines = 200_000 // number of lines
)

// archiveLines reads the log in an archive or in a plain file. The lines of an archive are sorted by time; lines with
// equal times keep their order. If reading fails, it returns the lines read so far and an error. The notes name
// content that was skipped because of a limit.
func archiveLines(from io.Reader, name string, storedAt time.Time, node models.NodeRef, now func() time.Time) (lines []models.LogLine, notes []string, err error) {
	r := bufio.NewReader(&io.LimitedReader{R: from, N: mostPacked})
	reader := func(name string) *textReader {
		return &textReader{parser: NewParser(node, models.LogArchive, now), name: name, storedAt: storedAt, limit: maxArchiveLines}
	}
	magic, _ := r.Peek(2)
	plain := io.Reader(r)
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", printable.Line(name), err)
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
		t.limit -= len(lines)
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

// isLog reports whether the archive member with the given name is a log. The other members hold the output of
// commands that describe the machine's state.
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
