package machine

import (
	"net/http"
	"strconv"
)

func (m *Machine) logPath() string { return m.SystemPath() + "/LogServices/SEL" }

func getLogServices(w http.ResponseWriter, _ *http.Request, m *Machine) {
	show(w, collection(m.SystemPath()+"/LogServices", "LogService", "Logs", m.logPath()))
}

func getLogService(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path := m.logPath()
	show(w, object{
		"@odata.id": path, "@odata.type": "#LogService.v1_5_0.LogService", "Id": "SEL", "Name": "System event log",
		"LogEntryType": "SEL", "OverWritePolicy": "WrapsWhenFull", "MaxNumberOfRecords": maxLog, "ServiceEnabled": true,
		"DateTime": redfishTime(m.options.Now()), "DateTimeLocalOffset": "+00:00", "Status": healthy(), "Entries": link(path + "/Entries"),
		"Actions": object{"#LogService.ClearLog": object{"target": path + "/Actions/LogService.ClearLog"}},
	})
}

func (m *Machine) logEntry(entry LogEntry) object {
	id := strconv.Itoa(entry.ID)
	return object{
		"@odata.id": m.logPath() + "/Entries/" + id, "@odata.type": "#LogEntry.v1_16_0.LogEntry", "Id": id, "Name": "Log entry " + id,
		"EntryType": "SEL", "Created": redfishTime(entry.At), "Severity": entry.Severity, "Message": entry.Text,
	}
}

// getLogEntries shows the entries themselves, not links to them, as BMCs do:
// nobody wants five hundred requests for a log.
func getLogEntries(w http.ResponseWriter, request *http.Request, m *Machine) {
	entries := []object{}
	for _, entry := range m.Log() {
		entries = append(entries, m.logEntry(entry))
	}
	all := collection(request.URL.Path, "LogEntry", "System event log")
	all["Members"], all["Members@odata.count"] = entries, len(entries)
	show(w, all)
}

func getLogEntry(w http.ResponseWriter, request *http.Request, m *Machine) {
	for _, entry := range m.Log() {
		if strconv.Itoa(entry.ID) == request.PathValue("id") {
			show(w, m.logEntry(entry))
			return
		}
	}
	notFound(w, request)
}

func clearLog(w http.ResponseWriter, _ *http.Request, m *Machine) {
	m.ClearLog()
	done(w)
}
