package machine

import (
	"slices"
	"time"
)

// Severity is Redfish's, of an entry of the log.
type Severity string

// The severities.
const (
	SeverityOK       Severity = "OK"
	SeverityWarning  Severity = "Warning"
	SeverityCritical Severity = "Critical"
)

// maxLog is how many entries the BMC keeps: the oldest go, as in a BMC whose
// log wraps.
const maxLog = 512

// LogEntry is an entry of the BMC's system event log.
type LogEntry struct {
	ID       int
	At       time.Time
	Severity Severity
	Text     string
}

// Log is the system event log, oldest first.
func (m *Machine) Log() []LogEntry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sel)
}

// ClearLog empties the system event log.
func (m *Machine) ClearLog() {
	m.mu.Lock()
	defer m.unlock()
	m.sel = nil
	m.emit(LogCleared, "")
}

// log adds an entry. Called with mu held.
func (m *Machine) log(event Event, severity Severity) {
	m.lastEntry++
	if len(m.sel) == maxLog {
		m.sel = slices.Delete(m.sel, 0, 1)
	}
	text := string(event.Kind)
	if event.Text != "" {
		text += ": " + event.Text
	}
	m.sel = append(m.sel, LogEntry{ID: m.lastEntry, At: event.At, Severity: severity, Text: text})
}
