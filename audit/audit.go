// Package audit keeps what was asked of Ironic and of BMCs from here, and what became of it:
// a file to which every request is written before it is sent and after it was answered.
package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ironworks/models"
)

// Result is what became of a request.
type Result string

// The results. Every request is written twice: before it is sent, so that nothing is
// ever done without a trace, and when its fate is known.
const (
	Sending  Result = "sending"
	Accepted Result = "accepted"
	Refused  Result = "refused" // Ironic turned it down
	Unknown  Result = "unknown" // no answer: it may have arrived
)

// Record is one line of the audit. It holds no values that were sent, so no
// secrets.
type Record struct {
	Time time.Time `json:"time"`
	// ID joins the two lines of one request.
	ID        string         `json:"id"`
	Context   string         `json:"context"`
	Node      models.NodeRef `json:"node"`
	Verb      string         `json:"verb"`
	RequestID string         `json:"request_id,omitempty"`
	Result    Result         `json:"result"`
	Reason    string         `json:"reason,omitempty"`
	// Overrides are the checks that were overridden for this request.
	Overrides []string `json:"overrides,omitempty"`
}

// Writer keeps records. What cannot be recorded is not done.
type Writer interface {
	Write(r Record) error
}

// File appends records to a file as JSON lines. Several processes may append to
// the same one: every line is a single write. A line that a crash, or a full disk, cut off
// is ended before the next record.
type File struct {
	mu   sync.Mutex
	file *os.File
	// end reads the end of the file; nil where that is no regular one, or cannot be read.
	end *os.File
}

// Open opens or makes the file, readable by its owner alone, also where it was not
// so before.
func Open(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the user's own configured path
	if err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	a := &File{file: f}
	if info.Mode().IsRegular() {
		a.end, _ = os.Open(path) //nolint:gosec // as above
	}
	return a, nil
}

// Write appends one record.
func (a *File) Write(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line = append(line, '\n')
	if a.torn() {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := a.file.Write(line); err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	return nil
}

// tornAfter is how long a line without an end stays as it is before it counts as cut off:
// another process may be in the middle of writing it.
const tornAfter = 10 * time.Millisecond

// torn says whether the last line of the file was cut off.
func (a *File) torn() bool {
	size, open := a.openLine()
	for open {
		<-time.After(tornAfter)
		before := size
		if size, open = a.openLine(); open && size == before {
			return true
		}
	}
	return false
}

// openLine gives the size of the file in bytes, and whether its last line has no end.
func (a *File) openLine() (size int64, open bool) {
	if a.end == nil {
		return 0, false
	}
	info, err := a.end.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false
	}
	var last [1]byte
	_, err = a.end.ReadAt(last[:], info.Size()-1)
	return info.Size(), err == nil && last[0] != '\n'
}

// Close closes the file.
func (a *File) Close() error {
	if a.end != nil {
		_ = a.end.Close()
	}
	return a.file.Close()
}

// Late opens the audit when the first line is written: who only looks needs none.
type Late struct {
	Path string

	mu   sync.Mutex
	file *File
}

// Write appends a record.
func (l *Late) Write(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		file, err := Open(l.Path)
		if err != nil {
			return err
		}
		l.file = file
	}
	return l.file.Write(r)
}

// Close closes what was opened.
func (l *Late) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
}
