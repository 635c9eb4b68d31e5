package models

import (
	"fmt"
	"strings"
	"time"

	"ironworks/printable"
)

// LogSource is the source from which a log line was read.
type LogSource string

// The sources, the best first.
const (
	LogSSH     LogSource = "ssh"     // journalctl on the machine, run over SSH
	LogPush    LogSource = "push"    // pushed by the machine
	LogSerial  LogSource = "serial"  // the serial console at Ironic's address
	LogArchive LogSource = "archive" // log archives stored by a conductor
	LogStatus  LogSource = "status"  // the status polled from the agent
	LogServe   LogSource = "serve"   // downloads of the ramdisk from ironworks; cannot be followed
)

// LogSources returns the sources that can be followed, the best first.
func LogSources() []LogSource {
	return []LogSource{LogSSH, LogPush, LogSerial, LogArchive, LogStatus}
}

// LogLevel is a syslog severity; lower numbers are more severe.
type LogLevel int

// The levels that have names.
const (
	LogCritical LogLevel = 2
	LogError    LogLevel = 3
	LogWarning  LogLevel = 4
	LogNotice   LogLevel = 5
	LogInfo     LogLevel = 6
	LogDebug    LogLevel = 7
)

// ParseLogLevel parses the name of a level. A prefix of the name suffices.
func ParseLogLevel(name string) (LogLevel, error) {
	name = strings.ToLower(name)
	for l := LogCritical; l <= LogDebug; l++ {
		if name != "" && strings.HasPrefix(l.String(), name) {
			return l, nil
		}
	}
	return 0, fmt.Errorf("unknown level %q; available: critical, error, warning, notice, info, debug", name)
}

var logLevelNames = [...]string{
	LogCritical: "critical", LogError: "error", LogWarning: "warning", LogNotice: "notice", LogInfo: "info", LogDebug: "debug",
}

// String returns the level's name. Levels more severe than critical are also called critical.
func (l LogLevel) String() string { return logLevelNames[min(max(l, LogCritical), LogDebug)] }

// LogLine is a line of a ramdisk's log. Package agentlog creates log lines with secrets masked and text sanitized.
type LogLine struct {
	// Time is on the machine's clock, or zero if the source reports no time. For a serial console it is on the clock
	// of the machine that runs ironworks. It is then calculated from the time since the boot, or is the time of
	// arrival if the line contains no time.
	Time time.Time `json:"time,omitzero"`
	// Received is the time when the line arrived, on the console's clock.
	Received time.Time `json:"received"`
	Node     NodeRef   `json:"node"`
	Source   LogSource `json:"source"`
	// Unit is the program that wrote the line: ironic-agent, kernel, systemd, coreos-installer, …
	Unit  string   `json:"unit,omitempty"`
	Level LogLevel `json:"level"`
	Text  string   `json:"text"`
	// Boot is the machine's boot ID, and Cursor is the journal's ID of the line. Together they identify duplicates.
	// If the source is not a journal, Cursor is empty, and Boot is set only for a serial console, where it is derived
	// from the estimated boot time.
	Boot   string `json:"boot,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// Progress is the installer's progress. It is nil in most lines.
	Progress *InstallProgress `json:"progress,omitempty"`
	// Known is the ID of the known error that the line reports. It is empty in most lines.
	Known string `json:"known,omitempty"`
}

// InstallProgress is the progress of coreos-installer, which reports it about once a second.
type InstallProgress struct {
	// Done and Total are in bytes. The log reports them with only two significant digits.
	Done    int64 `json:"done"`
	Total   int64 `json:"total"`
	Percent int   `json:"percent"`
}

// String returns the line in the form in which it is copied, saved and printed: time, node, unit and text. For
// warnings and more severe levels it also contains the level.
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
