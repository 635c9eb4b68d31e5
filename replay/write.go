package replay

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"ironworks/models"
)

const (
	format  = "ironworks recording"
	version = 1
)

// first is the first line of a recording.
type first struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Header
}

// record is each other line: one of these.
type record struct {
	Picture *models.Picture `json:"picture,omitempty"`
	Event   *models.Event   `json:"event,omitempty"`
	Work    *models.Work    `json:"work,omitempty"`
	Line    *models.LogLine `json:"line,omitempty"`
}

// Writer writes a recording: one JSON object a line, compressed with gzip. Close has to
// be called.
type Writer struct {
	out  *gzip.Writer
	text *bufio.Writer
	json *json.Encoder
}

// NewWriter begins a recording.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := gzip.NewWriter(w)
	text := bufio.NewWriter(out)
	x := &Writer{out: out, text: text, json: json.NewEncoder(text)}
	x.json.SetEscapeHTML(false)
	return x, x.put(first{Format: format, Version: version, Header: h})
}

func (x *Writer) put(v any) error {
	if err := x.json.Encode(v); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}

// Picture writes a node as it stood.
func (x *Writer) Picture(p *models.Picture) error { return x.put(record{Picture: p}) }

// Event writes what happened.
func (x *Writer) Event(e *models.Event) error { return x.put(record{Event: e}) }

// Work writes a piece of work.
func (x *Writer) Work(w *models.Work) error { return x.put(record{Work: w}) }

// Line writes a line of a log.
func (x *Writer) Line(l *models.LogLine) error { return x.put(record{Line: l}) }

// Close writes what is left; the file stays open.
func (x *Writer) Close() error {
	if err := x.text.Flush(); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	if err := x.out.Close(); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}
