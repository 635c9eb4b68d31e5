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
)

// An archive comes from a machine: nothing in it says how large it may be.
const (
	mostPacked  = 256 << 20
	mostMember  = 64 << 20
	mostTotal   = 256 << 20
	mostMembers = 4096
	mostKept    = 200_000 // lines
)

// archiveLines reads the log in an archive, or in a plain file: lines by time, those of
// one member in their order. What could not be read is said in notes; what was read
// before is there.
func archiveLines(from io.Reader, name string, kept time.Time, node models.NodeRef, now func() time.Time) (lines []models.LogLine, notes []string, err error) {
	r := bufio.NewReader(&io.LimitedReader{R: from, N: mostPacked})
	reader := func(name string) *textReader {
		return &textReader{parser: NewParser(node, models.LogArchive, now), name: name, kept: kept, most: mostKept}
	}
	magic, _ := r.Peek(2)
	plain := io.Reader(r)
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", models.Printable(name), err)
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
	if !t.over {
		return nil
	}
	return []string{fmt.Sprintf("only the first %d lines of %s were read", t.most, models.Printable(t.name))}
}

func wrapRead(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading %s: %w", models.Printable(name), err)
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
		t.most -= len(lines)
		if header.Size > mostMember {
			notes = append(notes, fmt.Sprintf("only the first %d MiB of %s were read", mostMember>>20, models.Printable(t.name)))
		}
		readErr := t.read(io.LimitReader(archive, mostMember))
		lines, notes = append(lines, t.lines...), append(notes, t.notes()...)
		if readErr != nil {
			err = wrapRead(name, readErr)
			break
		}
	}
	if logs == 0 && err == nil {
		err = fmt.Errorf("reading %s: there is no journal in it", models.Printable(name))
	}
	return byTime(lines), notes, err
}

// byTime sorts lines that tell their time and leaves the others behind the line that
// stands before them.
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

// isLog says whether a member of an archive is a log; the others are what commands
// printed about the machine's state.
func isLog(name string) bool {
	base := path.Base(name)
	switch base {
	case "journal", "messages", "syslog", "ironic-agent", "ironic-python-agent", "agent":
		return true
	}
	return strings.HasSuffix(base, ".log") || strings.HasPrefix(base, "journal.") || strings.HasPrefix(base, "journal-")
}

// memberName is who wrote the lines of a file that do not say it.
func memberName(name string) string {
	base := path.Base(name)
	for _, end := range []string{".gz", ".log", ".txt", ".tar"} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}
