package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
)

// limits protect the reader of a recording from running out of memory. bytes and line are sizes in bytes; lines and
// others are numbers of records.
type limits struct {
	bytes         int64 // unpacked
	line          int
	lines, others int
}

func defaultLimits() limits {
	return limits{bytes: 1 << 30, line: 4 << 20, lines: 1_000_000, others: 200_000}
}

// ErrNotRecording reports that a file is not a recording.
var ErrNotRecording = errors.New("not a recording made by ironworks journal export")

// tooLarge returns the error for a recording that is too large to be played.
func tooLarge(format string, limit any) error {
	return fmt.Errorf("the recording has more than "+format+"; export less with --since", limit)
}

// Read reads a recording. Its content is not trusted.
func Read(r io.Reader) (*Recording, error) { return read(r, defaultLimits()) }

func read(r io.Reader, limit limits) (*Recording, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, ErrNotRecording
	}
	limited := &io.LimitedReader{R: unpacked, N: limit.bytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, min(64<<10, limit.line)), limit.line)
	rec, number, strs := &Recording{}, 0, interner{}
	for lines.Scan() {
		number++
		if limited.N <= 0 {
			return nil, tooLarge("%d bytes", limit.bytes)
		}
		if number == 1 {
			err = rec.readHeader(lines.Bytes())
		} else {
			err = rec.add(lines.Bytes(), limit, strs)
		}
		if err != nil && (lines.Scan() || lines.Err() == nil) { // in a truncated file, the last line is incomplete; the truncation is reported below
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: %w", number+1, tooLarge("%d bytes in a line", limit.line))
	case number == 0:
		return nil, ErrNotRecording
	case err != nil:
		return nil, fmt.Errorf("truncated or damaged after line %d: %w", number, err)
	}
	rec.sort()
	return rec, nil
}

// readHeader reads the first line.
func (r *Recording) readHeader(line []byte) error {
	var f first
	if err := json.Unmarshal(line, &f); err != nil || f.Format != format {
		return ErrNotRecording
	}
	if f.Version != version {
		return fmt.Errorf("the recording has version %d, but this ironworks supports %d; use a newer ironworks", f.Version, version)
	}
	r.Header = f.Header
	return nil
}

// interner keeps one copy of equal strings, because log lines repeat their writers and sources.
type interner map[string]string

func (w interner) intern(s string) string {
	if known, ok := w[s]; ok {
		return known
	}
	if len(w) < 10_000 {
		w[s] = s
	}
	return s
}

// line returns l with interned strings. It omits the journal's cursor, which a recording does not need.
func (w interner) line(l models.LogLine) models.LogLine {
	l.Cursor = ""
	for _, s := range []*string{&l.Node.UUID, &l.Node.Name, &l.Unit, &l.Boot, &l.Known, (*string)(&l.Source)} {
		*s = w.intern(*s)
	}
	l.Text = strings.Clone(l.Text) // the masked text may share the memory of a longer one
	return l
}

// add reads any line after the first. Unknown fields are ignored.
func (r *Recording) add(line []byte, limit limits, strs interner) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var x record
	if err := json.Unmarshal(line, &x); err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	switch {
	case len(r.Lines) >= limit.lines:
		return tooLarge("%d lines of logs", limit.lines)
	case len(r.Pictures)+len(r.Events)+len(r.Works) >= limit.others:
		return tooLarge("%d states, events and operations", limit.others)
	case x.Picture != nil && x.Picture.Node.UUID != "" && !x.Picture.At.IsZero():
		r.Pictures = append(r.Pictures, *x.Picture)
	case x.Event != nil && x.Event.Node.UUID != "" && !x.Event.Time.IsZero():
		r.Events = append(r.Events, *x.Event)
	case x.Work != nil && x.Work.Node.UUID != "" && !x.Work.Begin.IsZero():
		r.Works = append(r.Works, *x.Work)
	case x.Line != nil && x.Line.Node.UUID != "":
		r.Lines = append(r.Lines, strs.line(agentlog.Sanitize(*x.Line)))
	}
	return nil
}

// Open reads the recording in the file at path and returns a player for it.
func Open(path string, speed float64) (*Player, *Recording, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, nil, fmt.Errorf("replay: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	rec, err := Read(bufio.NewReader(f))
	var player *Player
	if err == nil {
		player, err = New(rec, speed)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("replay %s: %w", printable.Line(path), err)
	}
	return player, rec, nil
}
