package lab

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ironworks/agent"
)

// keptLines is the maximum number of lines in a machine's journal.
const keptLines = 4000

// journal stores the output of a machine's ramdisks, as journald does on a real host.
type journal struct {
	mu      sync.Mutex
	entries []record
	number  int64 // number of the last line
	// id identifies the journal file; boot, machine and began describe the current boot.
	id, boot, machine string
	began             time.Time
	changed           chan struct{} // closed and replaced when a line is added
}

// record is a line of the journal with its fields.
type record struct {
	agent.Entry
	cursor, boot, machine string
	monotonic             time.Duration
}

func hexID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// begin starts a new boot. A live system does not keep the lines of earlier boots.
func (j *journal) begin(at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.id, j.boot, j.machine, j.began = hexID(), hexID(), hexID(), at
}

func (j *journal) add(e agent.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == keptLines {
		j.entries = append(j.entries[:0], j.entries[keptLines/4:]...)
	}
	j.number++
	r := record{Entry: e, boot: j.boot, machine: j.machine, monotonic: max(e.Time.Sub(j.began), 0)}
	text := fnv.New64a()
	_, _ = text.Write([]byte(e.Text))
	r.cursor = fmt.Sprintf("s=%s;i=%x;b=%s;m=%x;t=%x;x=%x", j.id, j.number, j.boot, r.monotonic.Microseconds(), e.Time.UnixMicro(), text.Sum64())
	j.entries = append(j.entries, r)
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

func (j *journal) all() []agent.Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := make([]agent.Entry, len(j.entries))
	for i, r := range j.entries {
		entries[i] = r.Entry
	}
	return entries
}

// bootID returns the ID of the current boot.
func (j *journal) bootID() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.boot
}

// since returns the lines that were added after cursor during the given boot, and a channel that is closed when
// another line is added. If cursor is not from this boot, it returns all lines of the boot.
func (j *journal) since(boot, cursor string) (lines []record, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	after := cursorNumber(boot, cursor)
	first := j.number - int64(len(j.entries)) + 1
	for _, r := range j.entries[min(max(after+1-first, 0), int64(len(j.entries))):] {
		if r.boot == boot {
			lines = append(lines, r)
		}
	}
	return lines, j.changed
}

// cursorNumber returns the number of the line that the cursor identifies, or 0 if the cursor is from another boot.
func cursorNumber(boot, cursor string) int64 {
	fields := map[string]string{}
	for part := range strings.SplitSeq(cursor, ";") {
		key, value, _ := strings.Cut(part, "=")
		fields[key] = value
	}
	number, err := strconv.ParseInt(fields["i"], 16, 64)
	if err != nil || fields["b"] != boot {
		return 0
	}
	return number
}

// fields returns the line's fields, keyed by the names that journald uses.
func (r *record) fields() map[string]string {
	f := map[string]string{
		"MESSAGE": r.Text, "PRIORITY": strconv.Itoa(int(r.Priority)), "_BOOT_ID": r.boot, "_MACHINE_ID": r.machine,
		"_TRANSPORT": "stdout", "_SYSTEMD_UNIT": r.Unit, "SYSLOG_IDENTIFIER": strings.TrimSuffix(r.Unit, ".service"),
	}
	switch r.Unit {
	case kernelUnit:
		f["_TRANSPORT"] = "kernel"
		delete(f, "_SYSTEMD_UNIT")
	case systemUnit:
		f["_TRANSPORT"], f["SYSLOG_IDENTIFIER"], f["_PID"] = "journal", "systemd", "1"
		if strings.Contains(r.Text, agentUnit) {
			f["UNIT"] = agentUnit
		}
	case agentUnit:
		f["_TRANSPORT"], f["CONTAINER_NAME"] = "journal", "ironic-agent"
	}
	return f
}

// export returns a line in the format of journalctl -o json, with a line break. It contains the fields in only, or
// all fields if only is nil. It also contains the fields that journalctl always includes.
func (r *record) export(only []string) []byte {
	fields := r.fields()
	if only != nil {
		maps.DeleteFunc(fields, func(name, _ string) bool { return !slices.Contains(only, name) })
	}
	fields["_BOOT_ID"], fields["__CURSOR"] = r.boot, r.cursor
	fields["__REALTIME_TIMESTAMP"] = strconv.FormatInt(r.Time.UnixMicro(), 10)
	fields["__MONOTONIC_TIMESTAMP"] = strconv.FormatInt(r.monotonic.Microseconds(), 10)
	text, _ := json.Marshal(fields) // encoding strings does not fail
	return append(text, '\n')
}

const (
	kernelUnit  = "kernel"
	systemUnit  = "init.scope"
	networkUnit = "NetworkManager.service"
	agentUnit   = "ironic-agent.service"
)

// bootLine is a line that a live system writes to its journal while it boots.
type bootLine struct {
	unit, text string
}

// bootLines returns the lines that a live system writes before its agent starts.
func bootLines(name, mac, address, image string) []bootLine {
	return []bootLine{
		{kernelUnit, "Linux version 6.12.0-lab (ironworks) #1 SMP PREEMPT_DYNAMIC"},
		{kernelUnit, "Command line: mitigations=auto,nosmt coreos.liveiso=ironworks-lab ignition.firstboot ignition.platform.id=metal"},
		{systemUnit, "Detected architecture x86-64."},
		{systemUnit, "Running in initrd."},
		{"ignition-fetch.service", "reading system config file \"/usr/lib/ignition/user.ign\""},
		{"ignition-files.service", "files: createFilesystemsFiles: createFiles: op(3): [finished] writing file \"/sysroot/etc/ironic-python-agent.conf\""},
		{systemUnit, "Switching root."},
		{networkUnit, fmt.Sprintf("<info>  dhcp4 (eno1): state changed new lease, address=%s (%s)", address, mac)},
		{systemUnit, "Reached target network-online.target - Network is Online."},
		{systemUnit, "Starting ironic-agent.service - Ironic Agent..."},
		{agentUnit, "Trying to pull " + image + "..."},
		{agentUnit, "Writing manifest to image destination"},
		{systemUnit, "Hostname set to <" + name + ">."},
	}
}
