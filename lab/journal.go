package lab

import (
	"fmt"
	"sync"
	"time"

	"ironworks/lab/agent"
)

// keptLines bounds the journal of a machine.
const keptLines = 4000

// journal is what a machine's ramdisks wrote, boot after boot.
type journal struct {
	mu      sync.Mutex
	entries []agent.Entry
}

func (j *journal) add(e agent.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == keptLines {
		j.entries = append(j.entries[:0], j.entries[keptLines/4:]...)
	}
	j.entries = append(j.entries, e)
}

func (j *journal) all() []agent.Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]agent.Entry(nil), j.entries...)
}

const (
	kernelUnit  = "kernel"
	systemUnit  = "init.scope"
	networkUnit = "NetworkManager.service"
	agentUnit   = "ironic-agent.service"
)

// bootLine is a line that a live system writes on its way up.
type bootLine struct {
	unit, text string
}

// bootLines are those before the agent starts.
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

// boot writes them over a time, evenly. It reports whether the machine is
// still on at the end.
func (j *journal) boot(lines []bootLine, now func() time.Time, pause func() bool) bool {
	for _, line := range lines {
		if !pause() {
			return false
		}
		j.add(agent.Entry{Time: now(), Unit: line.unit, Priority: agent.PriorityInfo, Text: line.text})
	}
	return true
}
