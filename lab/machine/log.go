package machine

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Severity is the severity of a log entry. The values are Redfish's.
type Severity string

// Values of [Severity].
const (
	SeverityOK       Severity = "OK"
	SeverityWarning  Severity = "Warning"
	SeverityCritical Severity = "Critical"
)

// maxLog is the maximum number of entries in the BMC's log. The BMC drops the oldest ones.
const maxLog = 512

// LogEntry is an entry of the BMC's system event log.
type LogEntry struct {
	ID       int
	At       time.Time
	Severity Severity
	Text     string
}

// Log returns the system event log, starting with the oldest entry.
func (m *Machine) Log() []LogEntry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sel)
}

// ClearLog deletes all entries of the system event log.
func (m *Machine) ClearLog() {
	m.mu.Lock()
	defer m.unlock()
	m.sel = nil
	m.emit(LogCleared, "")
}

// addLog adds an entry for the event to the system event log. Called with mu held.
func (m *Machine) addLog(event Event, severity Severity) {
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

func (m *Machine) logPath() string { return m.SystemPath() + "/LogServices/SEL" }

func (m *Machine) getLogService(request *http.Request) object {
	path := request.URL.Path
	return resource(path, "LogService", "System event log", object{
		"LogEntryType": "SEL", "OverWritePolicy": "WrapsWhenFull", "MaxNumberOfRecords": maxLog, "ServiceEnabled": true,
		"DateTime": redfishTime(m.options.Now()), "DateTimeLocalOffset": "+00:00", "Status": healthy(), "Entries": link(path + "/Entries"),
		"Actions": action(path, "LogService.ClearLog", nil),
	})
}

func (m *Machine) logEntry(entry LogEntry) object {
	id := strconv.Itoa(entry.ID)
	return resource(m.logPath()+"/Entries/"+id, "LogEntry", "Log entry "+id, object{
		"EntryType": "SEL", "Created": redfishTime(entry.At), "Severity": entry.Severity, "Message": entry.Text,
	})
}

// getLogEntries returns the log entries. Like real BMCs, it returns the entries themselves instead of links to them,
// so that reading the log does not take five hundred requests.
func (m *Machine) getLogEntries(request *http.Request) object {
	entries := []object{}
	for _, entry := range m.Log() {
		entries = append(entries, m.logEntry(entry))
	}
	all := collection(request.URL.Path, "LogEntry", "System event log")
	all["Members"], all["Members@odata.count"] = entries, len(entries)
	return all
}

func (m *Machine) getLogEntry(request *http.Request) object {
	for _, entry := range m.Log() {
		if strconv.Itoa(entry.ID) == request.PathValue("id") {
			return m.logEntry(entry)
		}
	}
	return nil
}
