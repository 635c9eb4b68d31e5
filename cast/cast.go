// Package cast writes, reads and plays asciicasts. These are recordings of terminal output in versions 2 and 3 of
// asciinema's format (docs.asciinema.org/manual/asciicast).
package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// Header describes a recording. It is stored in the first line of the file.
type Header struct {
	// Version is the version of the format, 2 or 3.
	Version int
	// Width and Height are the size of the terminal at the start, in cells.
	Width, Height int
	Began         time.Time
	// Term is the type of the terminal, such as xterm-256color. It may be empty.
	Term, Title string
}

// Kind is the kind of an event. In a recording, it is a single letter.
type Kind string

// Only the following kinds of events are used. Events of other kinds, such as markers, are ignored.
const (
	Output Kind = "o"
	Resize Kind = "r" // the data is COLSxROWS
)

// Event is an event in a recording. At is the time since the start.
type Event struct {
	At   time.Duration
	Kind Kind
	Data string
}

// headerV2 and headerV3 are the JSON forms of the header in the two versions of the format.
type (
	headerV2 struct {
		Version   int               `json:"version"`
		Width     int               `json:"width"`
		Height    int               `json:"height"`
		Timestamp int64             `json:"timestamp,omitempty"`
		Title     string            `json:"title,omitempty"`
		Env       map[string]string `json:"env,omitempty"`
	}
	termV3 struct {
		Cols int    `json:"cols"`
		Rows int    `json:"rows"`
		Type string `json:"type,omitempty"`
	}
	headerV3 struct {
		Version   int    `json:"version"`
		Term      termV3 `json:"term"`
		Timestamp int64  `json:"timestamp,omitempty"`
		Title     string `json:"title,omitempty"`
	}
)

// Writer writes a recording. It is safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	out    io.Writer
	header Header
	last   time.Duration
	// rest holds the first bytes of an incomplete character.
	rest    []byte
	written int64
	err     error
}

// NewWriter returns a writer that writes a recording to out. It writes the header at once.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	if h.Began.IsZero() {
		h.Began = time.Now()
	}
	w := &Writer{out: out, header: h}
	switch h.Version {
	case 2:
		v2 := headerV2{Version: 2, Width: h.Width, Height: h.Height, Timestamp: h.Began.Unix(), Title: h.Title}
		if h.Term != "" {
			v2.Env = map[string]string{"TERM": h.Term}
		}
		w.line(v2)
	case 3:
		w.line(headerV3{Version: 3, Term: termV3{h.Width, h.Height, h.Term}, Timestamp: h.Began.Unix(), Title: h.Title})
	default:
		return nil, fmt.Errorf("asciicast version %d is not supported; use 2 or 3", h.Version)
	}
	return w, w.err
}

// line writes v as a line of JSON, unless an earlier write has failed.
func (w *Writer) line(v any) {
	if w.err != nil {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if w.err = enc.Encode(v); w.err != nil {
		return
	}
	n, err := w.out.Write(b.Bytes())
	w.written += int64(n)
	w.err = err
}

// event writes an event. It adjusts the time so that times never decrease.
func (w *Writer) event(now time.Time, kind Kind, data string) {
	at := max(now.Sub(w.header.Began).Round(time.Microsecond), w.last)
	seconds := at.Seconds()
	if w.header.Version == 3 {
		seconds = (at - w.last).Seconds()
	}
	w.last = at
	w.line([]any{json.Number(fmt.Sprintf("%.6f", seconds)), kind, data})
}

// Write records p as output at the current time. It always returns len(p), even with an error.
func (w *Writer) Write(p []byte) (int, error) { return len(p), w.Output(time.Now(), p) }

// Output records p as output that was shown at the given time.
func (w *Writer) Output(at time.Time, p []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := append(w.rest, p...)
	end := completeUTF8(data)
	w.rest = bytes.Clone(data[end:])
	if end > 0 {
		w.event(at, Output, string(bytes.ToValidUTF8(data[:end], []byte("\uFFFD"))))
	}
	return w.err
}

// completeUTF8 returns the length of data without an incomplete character at its end.
func completeUTF8(data []byte) int {
	for back := 1; back <= min(utf8.UTFMax-1, len(data)); back++ {
		b := data[len(data)-back]
		if utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-back:]) {
				return len(data) - back
			}
			break
		}
	}
	return len(data)
}

// Resize records that the terminal has a new size. It does nothing if the size is unchanged.
func (w *Writer) Resize(width, height int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if width == w.header.Width && height == w.header.Height {
		return w.err
	}
	w.header.Width, w.header.Height = width, height
	w.event(time.Now(), Resize, fmt.Sprintf("%dx%d", width, height))
	return w.err
}

// Size returns the number of bytes written so far.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written
}

// Err returns the first error that occurred while writing, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
