package replay

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"ironworks/agentlog"
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

// record is any other line of a recording. Exactly one field is set.
type record struct {
	Picture *models.Picture `json:"picture,omitempty"`
	Event   *models.Event   `json:"event,omitempty"`
	Work    *models.Work    `json:"work,omitempty"`
	Line    *models.LogLine `json:"line,omitempty"`
}

// Writer writes a recording: one JSON object per line, compressed with gzip. It masks secrets, except in log lines.
// The caller must call Close.
type Writer struct {
	out  *gzip.Writer
	text *bufio.Writer
	json *json.Encoder
}

// NewWriter starts a recording. It writes h to w, and returns a writer for the records.
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

// Picture writes a snapshot of a node after masking its secrets.
func (x *Writer) Picture(p *models.Picture) error {
	masked := models.Picture{At: p.At, Node: p.Node.WithoutSecrets()}
	for _, text := range []*string{&masked.Node.LastError, &masked.Node.MaintenanceReason, &masked.Node.Description} {
		*text = agentlog.Masked(*text)
	}
	return x.put(record{Picture: &masked})
}

// Event writes an event after masking its secrets.
func (x *Writer) Event(e *models.Event) error {
	masked := *e
	masked.Reason = agentlog.Masked(e.Reason)
	if e.Kind == models.EventError {
		masked.To = agentlog.Masked(e.To)
	}
	return x.put(record{Event: &masked})
}

// Work writes an operation after masking its secrets.
func (x *Writer) Work(w *models.Work) error {
	masked := agentlog.MaskedWork(w)
	masked.Evidence = masked.Evidence.WithoutSecrets()
	return x.put(record{Work: &masked})
}

// Line writes a log line, in which secrets must already be masked.
func (x *Writer) Line(l *models.LogLine) error { return x.put(record{Line: l}) }

// Close flushes the recording; it does not close the file.
func (x *Writer) Close() error {
	if err := x.text.Flush(); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	if err := x.out.Close(); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}
