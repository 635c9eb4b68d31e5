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
// the same one: every line is a single write.
type AuditFile struct {
	mu   sync.Mutex
	file *os.File
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
	return &AuditFile{file: f}, nil
}

// Write appends one record.
func (a *AuditFile) Write(r AuditRecord) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	return nil
}

// Close closes the file.
func (a *AuditFile) Close() error { return a.file.Close() }
