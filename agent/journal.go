package agent

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Priority is a syslog priority.
type Priority int

// The agent uses only these priorities.
const (
	PriorityWarning Priority = 4
	PriorityNotice  Priority = 5
	PriorityInfo    Priority = 6
)

// Entry is one entry of the journal.
type Entry struct {
	Time     time.Time
	Unit     string
	Priority Priority
	Text     string
}

// Unit is the systemd unit of the entries that the agent itself writes.
const Unit = "ironic-agent.service"

const systemdUnit = "init.scope"

// journal passes entries to sink. It also keeps the latest ones, because the agent sends them to Ironic.
type journal struct {
	now  func() time.Time
	sink func(Entry)
	host string

	mu      sync.Mutex
	entries []Entry
}

func (j *journal) write(unit string, priority Priority, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := Entry{Time: j.now(), Unit: unit, Priority: priority, Text: text}
	if len(j.entries) == inspectionLines {
		j.entries = append(j.entries[:0], j.entries[inspectionLines/10:]...)
	}
	j.entries = append(j.entries, e)
	j.sink(e)
}

func (j *journal) systemd(priority Priority, text string) { j.write(systemdUnit, priority, text) }

// text returns the entries in the format of journalctl.
func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var b strings.Builder
	for _, e := range j.entries {
		program := "ironic-agent[1873]"
		if e.Unit == systemdUnit {
			program = "systemd[1]"
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", e.Time.UTC().Format("Jan 02 15:04:05"), j.host, program, e.Text)
	}
	return b.String()
}

// logger writes to the journal in the format of an oslo.log logger for the given Python module.
type logger struct {
	journal *journal
	module  string
}

// log writes a message, one entry for each line. Like all container output, the entries have info priority.
func (l logger) log(level, format string, args ...any) {
	at := l.journal.now().UTC().Format("2006-01-02 15:04:05.000")
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		l.journal.write(Unit, PriorityInfo, at+" 1 "+level+" "+l.module+" [-] "+line)
	}
}

func (l logger) debug(format string, args ...any)   { l.log("DEBUG", format, args...) }
func (l logger) info(format string, args ...any)    { l.log("INFO", format, args...) }
func (l logger) warning(format string, args ...any) { l.log("WARNING", format, args...) }
func (l logger) error(format string, args ...any)   { l.log("ERROR", format, args...) }

// logs holds one logger for each Python module whose name appears in the log.
type logs struct {
	agent, base, client, inspector, hardware, requests, app, standby, deploy, coreos, tls, image, disks, raid, inject logger
}

func newLogs(j *journal) logs {
	module := func(name string) logger { return logger{journal: j, module: name} }
	return logs{
		agent:     module("ironic_python_agent.agent"),
		base:      module("ironic_python_agent.extensions.base"),
		client:    module("ironic_python_agent.ironic_api_client"),
		inspector: module("ironic_python_agent.inspector"),
		hardware:  module("ironic_python_agent.hardware"),
		requests:  module("ironic_python_agent.api"),
		app:       module("ironic_python_agent.api.app"),
		standby:   module("ironic_python_agent.extensions.standby"),
		deploy:    module("ironic_python_agent.extensions.deploy"),
		coreos:    module("ironic_coreos_install"),
		tls:       module("ironic_python_agent.tls_utils"),
		image:     module("ironic_python_agent.extensions.image"),
		disks:     module("ironic_python_agent.disk_utils"),
		raid:      module("ironic_python_agent.raid_utils"),
		inject:    module("ironic_python_agent.inject_files"),
	}
}

// Recorder is implemented by a [Hardware] that keeps log files. The agent sends them together with its journal.
type Recorder interface {
	// SystemLogs returns the contents of log files, keyed by name, with the given number of lines from the end of the
	// system's journal, or all if lines is 0. A file named journal replaces the agent's own journal.
	SystemLogs(ctx context.Context, lines int) map[string][]byte
}

const (
	allLines        = 0
	inspectionLines = 10000
)

// collectLogs returns the logs in the form in which the agent sends them: a tar.gz archive, encoded in base64.
func (a *agent) collectLogs(ctx context.Context, lines int) string {
	files := map[string][]byte{}
	if recorder, ok := a.hardware.(Recorder); ok {
		files = recorder.SystemLogs(ctx, lines)
	}
	if _, known := files["journal"]; !known {
		files["journal"] = []byte(a.journal.text())
	}
	return archive(files, a.now())
}

func archive(files map[string][]byte, at time.Time) string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	all := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		// Writing to memory does not fail.
		_ = all.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: at})
		_, _ = all.Write(files[name])
	}
	_ = all.Close()
	_ = zip.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
