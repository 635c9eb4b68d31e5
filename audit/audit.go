// Package audit records the requests that this console sends to Ironic and to BMCs, together with their results. It
// writes each request to a file before the request is sent, and again when the result is known.
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

// Result is the state of a request: being sent, accepted, refused or unknown.
type Result string

// Every request is written twice. The first record has the Sending result. It is written before the request is sent,
// so that no request is sent without a record. The second record is written when the result is known.
const (
	Sending  Result = "sending"
	Accepted Result = "accepted"
	Refused  Result = "refused" // Ironic rejected the request
	Unknown  Result = "unknown" // no response was received, but the request may have been executed
)

// Record is one line of the audit file. It does not contain the values that were sent, so it contains no secrets.
type Record struct {
	Time time.Time `json:"time"`
	// ID is the same in both records of a request.
	ID      string         `json:"id"`
	Context string         `json:"context"`
	Node    models.NodeRef `json:"node"`
	// Object names the changed object if it is not a node.
	Object    string `json:"object,omitempty"`
	Verb      string `json:"verb"`
	RequestID string `json:"request_id,omitempty"`
	Result    Result `json:"result"`
	Reason    string `json:"reason,omitempty"`
	// Overrides lists the checks that the user overrode for this request.
	Overrides []string `json:"overrides,omitempty"`
	// Actor and GlobalID are set only on a server with several users. Ironic also logs the GlobalID of a request.
	Actor
	GlobalID string `json:"global_request_id,omitempty"`
}

// Actor identifies the user on whose behalf a request was sent, if a server has several users.
type Actor struct {
	User string `json:"user,omitempty"`
	// Key is the SHA-256 fingerprint of the user's SSH key. Address is the network address of the SSH client.
	Key     string `json:"key,omitempty"`
	Address string `json:"address,omitempty"`
}

// Writer writes records. If Write returns an error, the request must not be sent.
type Writer interface {
	Write(r Record) error
}

// File appends records to a file, as one line of JSON each. Several processes may append to the same file, because
// every record is written by a single write call. If a crash or a full disk has truncated the last line, Write ends
// that line first.
type File struct {
	mu   sync.Mutex
	file *os.File
	// end is used to read the end of the file. It is nil if the file is not a regular file or cannot be read.
	end *os.File
}

// Open opens the file for appending. It creates the file and its folders if they do not exist, and makes the file
// readable by its owner only.
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

// tornAfter is the time that must pass without changes before an incomplete line is considered truncated. Until then,
// another process may still be writing it.
const tornAfter = 10 * time.Millisecond

// truncated reports whether the last line of the file is incomplete although no process is still writing it.
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

// openLine returns the size of the file in bytes, and reports whether its last line is incomplete.
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

// LazyFile is an audit file that is opened when the first record is written. Commands that change nothing therefore
// do not create a file.
type LazyFile struct {
	Path string

	mu   sync.Mutex
	file *File
}

// Write appends one record. It opens the file if necessary.
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

// Text describes the request and its result in one line, without control characters.
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
