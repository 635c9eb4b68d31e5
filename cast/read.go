package cast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxLine is the maximum length of a line of a recording, in bytes.
const maxLine = 8 << 20

// maxWidth and maxHeight are the maximum size of a terminal in a recording, in cells.
const maxWidth, maxHeight = 1000, 500

// Reader reads a recording event by event.
type Reader struct {
	Header Header
	// Width and Height are the largest width and height of the terminal up to the current event.
	Width, Height int

	lines  *bufio.Scanner
	number int
	at     time.Duration
}

// ErrNoCast is returned for a file that is not a recording in a known version of the format.
var ErrNoCast = errors.New("not an asciicast of version 2 or 3")

// IsRecording reports whether start is the beginning of a recording.
func IsRecording(start []byte) bool {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	var h struct {
		Version int `json:"version"`
	}
	return json.Unmarshal(line, &h) == nil && (h.Version == 2 || h.Version == 3)
}

// NewReader reads the header of a recording and returns a reader for its events.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{lines: bufio.NewScanner(in)}
	r.lines.Buffer(nil, maxLine)
	if !r.next() {
		if err := r.lines.Err(); err != nil {
			return nil, fmt.Errorf("line 1: %w", err)
		}
		return nil, ErrNoCast
	}
	var h struct {
		headerV2
		Term termV3 `json:"term"`
	}
	if err := json.Unmarshal(r.lines.Bytes(), &h); err != nil || h.Version != 2 && h.Version != 3 {
		return nil, ErrNoCast
	}
	r.Header = Header{Version: h.Version, Width: h.Width, Height: h.Height, Began: time.Unix(h.Timestamp, 0), Title: h.Title, Term: h.Env["TERM"]}
	if h.Version == 3 {
		r.Header.Width, r.Header.Height, r.Header.Term = h.Term.Cols, h.Term.Rows, h.Term.Type
	}
	if r.Header.Width < 1 || r.Header.Height < 1 || r.Header.Width > maxWidth || r.Header.Height > maxHeight {
		return nil, fmt.Errorf("line 1: a terminal of %d×%d cells; want 1 to %d × 1 to %d", r.Header.Width, r.Header.Height, maxWidth, maxHeight)
	}
	r.Width, r.Height = r.Header.Width, r.Header.Height
	return r, nil
}

// resized updates the largest size from data, which has the form COLSxROWS. It ignores invalid data.
func (r *Reader) resized(data string) {
	cols, rows, _ := strings.Cut(data, "x")
	width, err := strconv.Atoi(cols)
	height, failed := strconv.Atoi(rows)
	if err == nil && failed == nil {
		r.Width, r.Height = max(r.Width, min(width, maxWidth)), max(r.Height, min(height, maxHeight))
	}
}

func (r *Reader) next() bool {
	r.number++
	return r.lines.Scan()
}

// Next returns the next event, or io.EOF at the end. A recording ends before a truncated last line.
func (r *Reader) Next() (Event, error) {
	for r.next() {
		line := bytes.TrimSpace(r.lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue // format 3 has comments
		}
		var parts []json.RawMessage
		var seconds float64
		var e Event
		err := json.Unmarshal(line, &parts)
		if err == nil && len(parts) < 3 {
			err = errors.New("want [TIME, TYPE, DATA]")
		}
		if err == nil {
			err = errors.Join(json.Unmarshal(parts[0], &seconds), json.Unmarshal(parts[1], &e.Kind), json.Unmarshal(parts[2], &e.Data))
		}
		if err == nil && (seconds < 0 || seconds > float64(math.MaxInt32)) {
			err = fmt.Errorf("time %g", seconds)
		}
		if err != nil {
			if r.last() {
				return Event{}, io.EOF
			}
			return Event{}, fmt.Errorf("line %d: %w", r.number, err)
		}
		at := time.Duration(seconds * float64(time.Second))
		if r.Header.Version == 3 {
			at += r.at
		}
		r.at = max(at, r.at)
		if e.At = r.at; e.Kind == Resize {
			r.resized(e.Data)
		}
		return e, nil
	}
	if err := r.lines.Err(); err != nil {
		return Event{}, fmt.Errorf("line %d: %w", r.number, err)
	}
	return Event{}, io.EOF
}

// last reports whether the current line is the last one. If it is not, last skips the next line.
func (r *Reader) last() bool { return !r.lines.Scan() && r.lines.Err() == nil }
