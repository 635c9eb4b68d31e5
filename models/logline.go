package models

import (
	"strings"
	"time"
)

// LogSource says by which way a line of a ramdisk's log came.
type LogSource string

// The sources, the best one first.
const (
	LogSSH     LogSource = "ssh"     // journalctl on the machine
	LogPush    LogSource = "push"    // the machine sends its journal
	LogSerial  LogSource = "serial"  // the serial console, by Ironic's address of it
	LogArchive LogSource = "archive" // what a conductor or somebody else kept
	LogStatus  LogSource = "status"  // a sign of life: the agent answers
	LogServe   LogSource = "serve"   // who fetched the ramdisk from ironworks; cannot be followed
)

// LogSources are all that can be followed, the best one first.
func LogSources() []LogSource {
	return []LogSource{LogSSH, LogPush, LogSerial, LogArchive, LogStatus}
}

// LogLevel is how bad a line is; the numbers are syslog's.
type LogLevel int

// The levels that are told apart.
const (
	LogCritical LogLevel = 2
	LogError    LogLevel = 3
	LogWarning  LogLevel = 4
	LogNotice   LogLevel = 5
	LogInfo     LogLevel = 6
	LogDebug    LogLevel = 7
)

// LogLine is a line of a ramdisk's log. It is made by agentlog, which masks what is
// secret in it and takes out what a terminal would obey: all of it is safe to show, to
// keep and to copy.
type LogLine struct {
	// Time is the machine's clock; zero where the source does not tell it. A serial console
	// has none: of its lines it is when they came, by the console's clock.
	Time time.Time `json:"time,omitzero"`
	// Received is when the console got it, on the console's clock.
	Received time.Time `json:"received"`
	Node     NodeRef   `json:"node"`
	Source   LogSource `json:"source"`
	// Unit is who wrote it: ironic-agent, kernel, systemd, coreos-installer, …
	Unit  string   `json:"unit,omitempty"`
	Level LogLevel `json:"level"`
	Text  string   `json:"text"`
	// Boot is the machine's boot ID, Cursor the journal's name of the line; the two tell
	// a line that comes by two ways, or twice, from another. Empty where there is no journal.
	Boot   string `json:"boot,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// Progress is how far the installer is; nil in most lines.
	Progress *InstallProgress `json:"progress,omitempty"`
	// Known is the id of an error that is known; empty in most lines.
	Known string `json:"known,omitempty"`
}

// InstallProgress is what coreos-installer tells about once a second.
type InstallProgress struct {
	// Done and Total are bytes as far as the text tells them: it has two digits.
	Done    int64 `json:"done"`
	Total   int64 `json:"total"`
	Percent int   `json:"percent"`
}

// String is the line as it is copied, saved and printed: when, whose, who wrote it, what.
// The level is told where it is a warning or worse.
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
	b.WriteString(Printable(l.Node.Label()))
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
