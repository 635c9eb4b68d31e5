package models

import (
	"strings"
	"time"

	"ironworks/printable"
)

// LogSource is the source of a log line.
type LogSource string

// The sources, best first.
const (
	LogSSH     LogSource = "ssh"     // journalctl on the machine, over SSH
	LogPush    LogSource = "push"    // pushed by the machine
	LogSerial  LogSource = "serial"  // the serial console at Ironic's address
	LogArchive LogSource = "archive" // stored by a conductor
	LogStatus  LogSource = "status"  // the agent's status, read by requests to it
	LogServe   LogSource = "serve"   // downloads of the ramdisk from ironworks; cannot be followed
)

// LogSources returns the sources that can be followed, best first.
func LogSources() []LogSource {
	return []LogSource{LogSSH, LogPush, LogSerial, LogArchive, LogStatus}
}

// LogLevel is the severity, as in syslog.
type LogLevel int

// The levels with names.
const (
	LogCritical LogLevel = 2
	LogError    LogLevel = 3
	LogWarning  LogLevel = 4
	LogNotice   LogLevel = 5
	LogInfo     LogLevel = 6
	LogDebug    LogLevel = 7
)

// LogLine is a line of a ramdisk's log. Package agentlog makes it, masks secrets and sanitizes it.
type LogLine struct {
	// Time is on the machine's clock; zero if the source has none. For a serial console it is the time of arrival, on
	// the console's clock.
	Time time.Time `json:"time,omitzero"`
	// Received is the time of arrival, on the console's clock.
	Received time.Time `json:"received"`
	Node     NodeRef   `json:"node"`
	Source   LogSource `json:"source"`
	// Unit is the program: ironic-agent, kernel, systemd, coreos-installer, …
	Unit  string   `json:"unit,omitempty"`
	Level LogLevel `json:"level"`
	Text  string   `json:"text"`
	// Boot is the machine's boot ID, Cursor the journal's ID of the line. Both together identify duplicates. They are
	// empty if the source has no journal.
	Boot   string `json:"boot,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// Progress is the progress of the installer; nil in most lines.
	Progress *InstallProgress `json:"progress,omitempty"`
	// Known is the ID of a known error; empty in most lines.
	Known string `json:"known,omitempty"`
}

// InstallProgress is the progress of coreos-installer, about once a second.
type InstallProgress struct {
	// Done and Total are numbers of bytes, with the precision of the log's text: two digits.
	Done    int64 `json:"done"`
	Total   int64 `json:"total"`
	Percent int   `json:"percent"`
}

// String returns the line as it is copied, saved and printed: time, node, unit and text. From warning on, it also has
// the level.
func (l *LogLine) String() string {
	var b strings.Builder
	b.Grow(64 + len(l.Text))
	at := l.Time
	if at.IsZero() {
		at = l.Received
	}
	if !at.IsZero() {
		b.WriteString(at.UTC().Format("2006-01-02T15:04:05.000Z "))
	}
	b.WriteString(printable.Line(l.Node.Label()))
	b.WriteByte(' ')
	if l.Level <= LogWarning {
		b.WriteString(strings.ToUpper(l.Level.String()) + " ")
	}
	if l.Unit != "" {
		b.WriteString(l.Unit + ": ")
	}
	b.WriteString(l.Text)
	return b.String()
}
