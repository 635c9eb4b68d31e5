// Package audit records the requests to Ironic and to BMCs from this console, with their results:
// a file to which every request is written before it is sent and after it was answered.
package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Result is the result of a request.
type Result string

// Results. Every request is written twice: before it is sent, so that nothing is done without a
// record, and when its result is known.
const (
	Sending  Result = "sending"
	Accepted Result = "accepted"
	Refused  Result = "refused" // rejected by Ironic
	Unknown  Result = "unknown" // no answer: it may have arrived
)

// Record is one line of the audit file. It has no values that were sent, so no secrets.
type Record struct {
	Time time.Time `json:"time"`
	// ID joins the two lines of one request.
	ID      string         `json:"id"`
	Context string         `json:"context"`
	Node    models.NodeRef `json:"node"`
	// Object is the changed object, if it was not a node.
	Object    string `json:"object,omitempty"`
	Verb      string `json:"verb"`
	RequestID string `json:"request_id,omitempty"`
	Result    Result `json:"result"`
	Reason    string `json:"reason,omitempty"`
	// Overrides are the checks that were overridden for this request.
	Overrides []string `json:"overrides,omitempty"`
	// Actor and GlobalID are set on a server with several users. Ironic has the GlobalID of a request in its log, too.
	Actor
	GlobalID string `json:"global_request_id,omitempty"`
}

// Actor is the user of a server who caused a request.
type Actor struct {
	User string `json:"user,omitempty"`
	// Key is the SHA-256 fingerprint of the SSH key, Address that of the client.
	Key     string `json:"key,omitempty"`
	Address string `json:"address,omitempty"`
}

// Writer writes records. A request that cannot be recorded is not sent.
type Writer interface {
	Write(r Record) error
}

// File appends records to a file as JSON lines. Several processes may append to the same file:
// every line is a single write. A line that a crash or a full disk truncated is ended before the
// next record.
type File struct {
	mu   sync.Mutex
	file *os.File
	// end reads the end of the file; nil if it is not a regular file, or unreadable.
	end *os.File
}

// Open opens or creates the file, and makes it readable by its owner only.
func Open(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the user's own configured path
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open the audit log: %w", err)
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
		return fmt.Errorf("write the audit log: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line = append(line, '\n')
	if a.truncated() {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := a.file.Write(line); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}

// tornAfter is the time after which an incomplete line counts as truncated: another process may be writing it.
const tornAfter = 10 * time.Millisecond

// truncated reports whether the last line of the file is truncated.
func (a *File) truncated() bool {
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

// openLine returns the size of the file in bytes, and whether its last line is incomplete.
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

// LazyFile opens the audit file when the first record is written, so that commands that only read need no file.
type LazyFile struct {
	Path string

	mu   sync.Mutex
	file *File
}

// Write appends a record.
func (l *LazyFile) Write(r Record) error {
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

// Close closes the file if it was opened.
func (l *LazyFile) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
}

// Text describes the request and its result; it is safe to show.
func (r *Record) Text() string {
	text := r.Verb + ": " + string(r.Result)
	if r.Result == Sending {
		text = r.Verb + ": result unknown"
	}
	for _, more := range []string{r.Reason, r.RequestID} {
		if more != "" {
			text += ", " + more
		}
	}
	if len(r.Overrides) > 0 {
		text += ", overriding " + strings.Join(r.Overrides, " ")
	}
	return printable.Line(text)
}
