package provision

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ironworks/models"
)

// AuditResult is what became of a request.
type AuditResult string

// The results. Every request is written twice: before it is sent, so that nothing is
// ever done without a trace, and when its fate is known.
const (
	AuditSending  AuditResult = "sending"
	AuditAccepted AuditResult = "accepted"
	AuditRefused  AuditResult = "refused" // Ironic turned it down
	AuditUnknown  AuditResult = "unknown" // no answer: it may have arrived
)

// AuditRecord is one line of the audit. It holds no values that were sent, so no
// secrets.
type AuditRecord struct {
	Time time.Time `json:"time"`
	// ID joins the two lines of one request.
	ID        string         `json:"id"`
	Context   string         `json:"context"`
	Node      models.NodeRef `json:"node"`
	Verb      string         `json:"verb"`
	RequestID string         `json:"request_id,omitempty"`
	Result    AuditResult    `json:"result"`
	Reason    string         `json:"reason,omitempty"`
	// Overrides are the checks that were overridden for this request.
	Overrides []string `json:"overrides,omitempty"`
}

// Audit keeps records. What cannot be recorded is not done.
type Audit interface {
	Write(r AuditRecord) error
}

// AuditFile appends records to a file as JSON lines. Several processes may append to
// the same one: every line is a single write. A line that a crash, or a full disk, cut off
// is ended before the next record.
type AuditFile struct {
	mu   sync.Mutex
	file *os.File
	// end reads the end of the file; nil where that is no regular one, or cannot be read.
	end *os.File
}

// OpenAudit opens or makes the file, readable by its owner alone, also where it was not
// so before.
func OpenAudit(path string) (*AuditFile, error) {
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
	a := &AuditFile{file: f}
	if info.Mode().IsRegular() {
		a.end, _ = os.Open(path) //nolint:gosec // as above
	}
	return a, nil
}

// Write appends one record.
func (a *AuditFile) Write(r AuditRecord) error {
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
func (a *AuditFile) torn() bool {
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
func (a *AuditFile) openLine() (size int64, open bool) {
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
func (a *AuditFile) Close() error {
	if a.end != nil {
		_ = a.end.Close()
	}
	return a.file.Close()
}
