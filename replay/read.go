package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ironworks/agentlog"
	"ironworks/models"
)

// limits are what a recording may be: who opens one that was sent must not run out of
// memory.
type limits struct {
	bytes         int64 // unpacked
	line          int
	lines, others int
}

func usual() limits { return limits{bytes: 1 << 30, line: 4 << 20, lines: 1_000_000, others: 200_000} }

// ErrNotRecording says that a file is something else.
var ErrNotRecording = errors.New("it is no recording: ironworks journal export makes one")

// NewerError says that a recording was written by a newer program.
type NewerError struct{ Has int }

// Error names the way out.
func (e *NewerError) Error() string {
	return fmt.Sprintf("the recording is of version %d, and this program knows %d: use the newer ironworks that wrote it", e.Has, version)
}

// SizeError says that there is more in a recording than can be played.
type SizeError struct{ What string }

// Error names the way out.
func (e *SizeError) Error() string {
	return "the recording has more than " + e.What + ": export less of it, with --since"
}

// Read reads a recording. Nothing in it is believed: it was made elsewhere.
func Read(r io.Reader) (*Recording, error) { return read(r, usual()) }

func read(r io.Reader, most limits) (*Recording, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, ErrNotRecording
	}
	limited := &io.LimitedReader{R: unpacked, N: most.bytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, min(64<<10, most.line)), most.line)
	rec, number, same := &Recording{}, 0, words{}
	for lines.Scan() {
		number++
		if limited.N <= 0 {
			return nil, &SizeError{What: fmt.Sprintf("%d bytes", most.bytes)}
		}
		if number == 1 {
			err = rec.begin(lines.Bytes())
		} else {
			err = rec.take(lines.Bytes(), most, same)
		}
		if err != nil && (lines.Scan() || lines.Err() == nil) { // the last line of a file that is cut short is, too
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: %w", number+1, &SizeError{What: fmt.Sprintf("%d bytes in a line", most.line)})
	case number == 0:
		return nil, ErrNotRecording
	case err != nil:
		return nil, fmt.Errorf("it is cut short or broken after line %d: %w", number, err)
	}
	rec.sort()
	return rec, nil
}

// begin takes the first line.
func (r *Recording) begin(line []byte) error {
	var f first
	if err := json.Unmarshal(line, &f); err != nil || f.Format != format {
		return ErrNotRecording
	}
	if f.Version != version {
		return &NewerError{Has: f.Version}
	}
	r.Header = f.Header
	return nil
}

// words keeps each word once: lines repeat who wrote them, and where.
type words map[string]string

func (w words) word(s string) string {
	if known, ok := w[s]; ok {
		return known
	}
	if len(w) < 10_000 {
		w[s] = s
	}
	return s
}

// line is a line that shares its words with others. The journal's name of it is of no use
// any more.
func (w words) line(l models.LogLine) models.LogLine {
	l.Cursor = ""
	for _, s := range []*string{&l.Node.UUID, &l.Node.Name, &l.Unit, &l.Boot, &l.Known, (*string)(&l.Source)} {
		*s = w.word(*s)
	}
	l.Text = strings.Clone(l.Text) // of a longer text that was masked, no more than that
	return l
}

// take takes any other line. What is unknown in it is left out: an older program wrote
// less, and one of the same version no more.
func (r *Recording) take(line []byte, most limits, same words) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var x record
	if err := json.Unmarshal(line, &x); err != nil {
		return fmt.Errorf("it is broken: %w", err)
	}
	switch {
	case len(r.Lines) >= most.lines:
		return &SizeError{What: fmt.Sprintf("%d lines of logs", most.lines)}
	case len(r.Pictures)+len(r.Events)+len(r.Works) >= most.others:
		return &SizeError{What: fmt.Sprintf("%d states, events and pieces of work", most.others)}
	case x.Picture != nil && x.Picture.Node.UUID != "" && !x.Picture.At.IsZero():
		r.Pictures = append(r.Pictures, *x.Picture)
	case x.Event != nil && x.Event.Node.UUID != "" && !x.Event.Time.IsZero():
		r.Events = append(r.Events, *x.Event)
	case x.Work != nil && x.Work.Node.UUID != "" && !x.Work.Begin.IsZero():
		r.Works = append(r.Works, *x.Work)
	case x.Line != nil && x.Line.Node.UUID != "":
		r.Lines = append(r.Lines, same.line(agentlog.Harmless(*x.Line)))
	}
	return nil
}
