package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// BootLog derives the progress of the machine's last boot from the lines of the ramdisk's log. The zero value is an
// empty log. Copies are independent of each other.
type BootLog struct {
	// ID is the machine's boot ID. It is empty if no source reports it.
	ID string
	// Stage is the latest stage that the log shows.
	Stage models.RamdiskStage
	// Source says where the last line came from.
	Source models.LogSource
	// Errors lists the unresolved errors of the boot in order of occurrence.
	Errors []models.BootError
	// Served describes the last download of the boot medium; ServedAt is the time of that download. Both are empty if
	// ironworks did not serve the medium. The download may belong to the next boot.
	Served   string
	ServedAt time.Time

	before               string // the ID of the previous boot
	begin, reached, last bootTime
	upTo                 time.Time     // time of the newest line on the machine's clock
	clockBehind          time.Duration // smallest difference seen between a line's time of arrival and the machine's time
	clockKnown           bool          // whether clockBehind is set
}

// bootTime holds the two times of a log line: machine is the time when it was written, on the machine's clock;
// received is the time when it arrived, on this machine's clock.
type bootTime struct{ machine, received time.Time }

// clockTrust is the longest plausible delay of a line. Beyond it, the clock of the machine is wrong.
const clockTrust = 12 * time.Hour

// burst is the time within which repeated lines count as one failure: a traceback contains a text three times.
const burst = time.Second

// at converts the time of a line to this machine's clock. The first read of a log returns old lines, so the line with
// the shortest delay determines the difference between the clocks.
func (b *BootLog) at(t bootTime) time.Time {
	if t.machine.IsZero() || !b.clockKnown {
		return t.received
	}
	at := t.machine.Add(b.clockBehind)
	if at.After(t.received) || t.received.Sub(at) > clockTrust {
		return t.received
	}
	return at
}

// Begin returns the time of the boot's first known line, or zero if no log was read.
func (b *BootLog) Begin() time.Time { return b.at(b.begin) }

func (b *BootLog) reachedAt() time.Time { return b.at(b.reached) }

// Last returns the time of the last line, or zero if no log was read.
func (b *BootLog) Last() time.Time { return b.at(b.last) }

// AddLine adds a line to the log. Lines from the same source must be added in order. A line that was added before is
// ignored.
func (b *BootLog) AddLine(l *models.LogLine) {
	switch {
	case l.Source == models.LogServe:
		b.Served, b.ServedAt = l.Text, l.Received
		return
	case l.Source == models.LogStatus || l.Source == models.LogArchive || !b.follow(l):
		return
	}
	t := bootTime{machine: l.Time, received: l.Received}
	if l.Source == models.LogSerial { // for a serial line, only the time of arrival is known
		t.machine = time.Time{}
	}
	if !t.machine.IsZero() {
		if t.machine.Before(b.upTo) {
			return
		}
		b.upTo = t.machine
		if behind := t.received.Sub(t.machine); !b.clockKnown || behind < b.clockBehind {
			b.clockBehind, b.clockKnown = behind, true
		}
	}
	if b.begin.received.IsZero() {
		b.begin, b.reached = t, t
	}
	b.last, b.Source = t, l.Source
	b.mark(l, t)
	b.observe(l, t)
}

// follow resets the log at a line of a new boot. It returns false for a line of the previous boot, to be ignored.
func (b *BootLog) follow(l *models.LogLine) bool {
	switch {
	case l.Boot != "" && l.Boot == b.before:
		return false
	case l.Boot != "" && b.ID == "" && !b.begin.received.IsZero() && l.Received.Sub(b.begin.received) < models.BootTakes:
		b.ID = l.Boot // a serial line already started this boot
	case l.Boot != "" && l.Boot != b.ID:
		*b = BootLog{ID: l.Boot, before: b.ID, Served: b.Served, ServedAt: b.ServedAt}
	case l.Boot == "" && b.Stage > models.RamdiskKernel && strings.Contains(l.Text, "Linux version "):
		*b = BootLog{before: b.ID, Served: b.Served, ServedAt: b.ServedAt}
	}
	return true
}

// mark updates the stage and removes resolved errors if the line contains one of bootMarks.
func (b *BootLog) mark(l *models.LogLine, t bootTime) {
	i := slices.IndexFunc(bootMarks, func(m bootMark) bool {
		return (m.unit == "" || m.unit == l.Unit) && strings.Contains(l.Text, m.literal)
	})
	if i < 0 {
		return
	}
	m := &bootMarks[i]
	if m.reached > b.Stage {
		b.Stage, b.reached = m.reached, t
	}
	if slices.ContainsFunc(b.Errors, func(e models.BootError) bool { return e.Stage <= m.done }) {
		b.Errors = slices.DeleteFunc(slices.Clone(b.Errors), func(e models.BootError) bool { return e.Stage <= m.done })
	}
}

func (b *BootLog) observe(l *models.LogLine, t bootTime) {
	stage, _, is := ramdiskStageOf(RuleID(l.Known))
	if !is {
		return
	}
	if stage > b.Stage && RuleID(l.Known) != "agent-restarts" {
		b.Stage, b.reached = stage, t
	}
	e := models.BootError{ID: l.Known, Stage: stage, First: b.at(t)}
	i := slices.IndexFunc(b.Errors, func(have models.BootError) bool { return have.ID == e.ID })
	b.Errors = slices.Clone(b.Errors)
	if i < 0 {
		i, b.Errors = len(b.Errors), append(b.Errors, e)
	}
	had := &b.Errors[i]
	had.Final = had.Final || l.Level == models.LogCritical
	if at := b.at(t); had.Count == 0 || at.Sub(had.Last) >= burst {
		had.Unit, had.Text, had.Source, had.Last = l.Unit, l.Text, l.Source, at
		had.Count++
	}
}

// obstacle returns the most specific unresolved error, or false if there is none.
func (b *BootLog) obstacle() (models.BootError, bool) {
	if len(b.Errors) == 0 {
		return models.BootError{}, false
	}
	rank := func(e models.BootError) int {
		_, rank, _ := ramdiskStageOf(RuleID(e.ID))
		return rank
	}
	return slices.MinFunc(b.Errors, func(a, c models.BootError) int { return cmp.Compare(rank(a), rank(c)) }), true
}

type bootMark struct {
	// literal is text in the line. unit is the program that must have written the line, or "" for any program.
	unit, literal string
	// reached is the stage that the boot must have reached to log this text. done is the last stage that must be
	// complete; errors of that stage and of earlier stages are resolved.
	reached, done models.RamdiskStage
}

// bootMarks lists all boot marks, those of the latest stages first. The literals are from systemd 252 to 257,
// NetworkManager, Ignition 2.x, podman 4 and 5, and ironic-python-agent 9 to 13 (agent.py, inspector.py,
// ironic_api_client.py).
var bootMarks = []bootMark{
	{literal: "heartbeat successful", reached: models.RamdiskHeartbeat, done: models.RamdiskHeartbeat},
	{literal: "Lookup succeeded, node UUID is", reached: models.RamdiskLookup, done: models.RamdiskLookup},
	{literal: "inspection finished successfully", reached: models.RamdiskLookup, done: models.RamdiskLookup},
	{literal: "Looking up node with addresses", reached: models.RamdiskLookup, done: models.RamdiskAgent},
	{literal: "Posting collected data to", reached: models.RamdiskLookup, done: models.RamdiskAgent},
	{literal: "Starting ironic-python-agent version", reached: models.RamdiskAgent, done: models.RamdiskImage},
	{literal: "Trying to pull ", reached: models.RamdiskImage, done: models.RamdiskNetwork},
	{literal: "Getting image source signatures", reached: models.RamdiskImage, done: models.RamdiskNetwork},
	{literal: "Copying blob sha256:", reached: models.RamdiskImage, done: models.RamdiskNetwork},
	{literal: "Reached target network-online.target", reached: models.RamdiskNetwork, done: models.RamdiskNetwork},
	{literal: "Reached target Network is Online", reached: models.RamdiskNetwork, done: models.RamdiskNetwork},
	{literal: "NetworkManager state is now CONNECTED_", reached: models.RamdiskNetwork, done: models.RamdiskNetwork},
	{unit: "NetworkManager", reached: models.RamdiskNetwork, done: models.RamdiskIgnition},
	{literal: "Ignition finished successfully", reached: models.RamdiskIgnition, done: models.RamdiskIgnition},
	{literal: "GET result: OK", reached: models.RamdiskIgnition, done: models.RamdiskIgnition},
	{literal: "Switching root.", reached: models.RamdiskNetwork, done: models.RamdiskIgnition},
	{unit: "ignition", reached: models.RamdiskIgnition, done: models.RamdiskKernel},
	{literal: "ignition[", reached: models.RamdiskIgnition, done: models.RamdiskKernel},
	{unit: "kernel", reached: models.RamdiskKernel, done: models.RamdiskMedium},
	{literal: "Linux version ", reached: models.RamdiskKernel, done: models.RamdiskMedium},
}

// Progress summarizes the progress of the boot. It returns nil if b is nil.
func (b *BootLog) Progress() *models.RamdiskLog {
	if b == nil {
		return nil
	}
	found := &models.RamdiskLog{
		Stage: b.Stage, Reached: b.reachedAt(), Begin: b.Begin(), Last: b.Last(), Source: b.Source,
		Served: b.Served, ServedAt: b.ServedAt,
	}
	if e, there := b.obstacle(); there {
		found.Obstacle = &e
	}
	return found
}
