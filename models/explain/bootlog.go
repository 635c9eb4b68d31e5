package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// BootLog is what the log of a ramdisk tells of the machine's last boot. The zero value is
// one that nothing is known of. A copy does not change with the original.
type BootLog struct {
	// ID is the machine's boot ID; empty where no source tells it.
	ID string
	// Stage is the latest one that the log tells of.
	Stage models.RamdiskStage
	// Source is where the last line came from.
	Source models.LogSource
	// Errors are those that the boot has not overcome, in the order in which they came.
	Errors []models.BootError
	// Served is the last word of who fetched the ramdisk's medium, ServedAt when that was;
	// empty where ironworks did not serve it. It is of whatever boot came next.
	Served   string
	ServedAt time.Time

	before               string // the boot before
	begin, reached, last bootTime
	upTo                 time.Time     // the machine's clock at the newest line
	behind               time.Duration // the machine's clock is behind this one, at most
	clocked              bool          // behind is set
}

// bootTime is when a line was written, on the machine's clock, and when it came, on this
// one.
type bootTime struct{ machine, received time.Time }

// clockTrust is how much earlier than it came a line may have been written: what differs by
// more has a wrong clock.
const clockTrust = 12 * time.Hour

// burst is how long the lines of one failure take: a traceback says the same three times.
const burst = time.Second

// at is the time on this machine's clock. A log that is read for the first time has lines
// of long ago: the one that took least to come tells how the clocks differ.
func (b *BootLog) at(t bootTime) time.Time {
	if t.machine.IsZero() || !b.clocked {
		return t.received
	}
	at := t.machine.Add(b.behind)
	if at.After(t.received) || t.received.Sub(at) > clockTrust {
		return t.received
	}
	return at
}

// Begin is when the first line of the boot was written, as far as it was seen; zero where no
// log was read.
func (b *BootLog) Begin() time.Time { return b.at(b.begin) }

// reachedAt is when the stage began.
func (b *BootLog) reachedAt() time.Time { return b.at(b.reached) }

// Last is when the last line was written.
func (b *BootLog) Last() time.Time { return b.at(b.last) }

// Take notes what a line tells. Lines of one source have to come in their order; those that
// were taken before change nothing.
func (b *BootLog) Take(l *models.LogLine) {
	switch {
	case l.Source == models.LogServe:
		b.Served, b.ServedAt = l.Text, l.Received
		return
	case l.Source == models.LogStatus || l.Source == models.LogArchive || !b.follow(l):
		return
	}
	t := bootTime{machine: l.Time, received: l.Received}
	if l.Source == models.LogSerial { // it is when the line came
		t.machine = time.Time{}
	}
	if !t.machine.IsZero() {
		if t.machine.Before(b.upTo) {
			return
		}
		b.upTo = t.machine
		if behind := t.received.Sub(t.machine); !b.clocked || behind < b.behind {
			b.behind, b.clocked = behind, true
		}
	}
	if b.begin.received.IsZero() {
		b.begin, b.reached = t, t
	}
	b.last, b.Source = t, l.Source
	b.mark(l, t)
	b.observe(l, t)
}

// follow begins anew with a new boot; false is a line of the boot before.
func (b *BootLog) follow(l *models.LogLine) bool {
	switch {
	case l.Boot != "" && l.Boot == b.before:
		return false
	case l.Boot != "" && b.ID == "" && !b.begin.received.IsZero() && l.Received.Sub(b.begin.received) < models.BootTakes:
		b.ID = l.Boot // the serial line began to tell of it
	case l.Boot != "" && l.Boot != b.ID:
		*b = BootLog{ID: l.Boot, before: b.ID, Served: b.Served, ServedAt: b.ServedAt}
	case l.Boot == "" && b.Stage > models.RamdiskKernel && strings.Contains(l.Text, "Linux version "):
		*b = BootLog{before: b.ID, Served: b.Served, ServedAt: b.ServedAt}
	}
	return true
}

// mark notes the stage that a line tells of.
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

// observe keeps an error that a line tells of.
func (b *BootLog) observe(l *models.LogLine, t bootTime) {
	stage, _, is := ramdiskStageOf(ErrorID(l.Known))
	if !is {
		return
	}
	if stage > b.Stage && ErrorID(l.Known) != ErrorAgentRestarts {
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

// obstacle is the error that keeps the boot where it is: of those that are not overcome the
// one that says most. False is none.
func (b *BootLog) obstacle() (models.BootError, bool) {
	if len(b.Errors) == 0 {
		return models.BootError{}, false
	}
	rank := func(e models.BootError) int {
		_, rank, _ := ramdiskStageOf(ErrorID(e.ID))
		return rank
	}
	return slices.MinFunc(b.Errors, func(a, c models.BootError) int { return cmp.Compare(rank(a), rank(c)) }), true
}

// bootMark is how a line of a ramdisk's log tells of a stage.
type bootMark struct {
	// literal is in the line's text; unit, where it is set, is who wrote it.
	unit, literal string
	// reached is the stage that the boot is at least in then, done the last one that is over:
	// errors of that and of those before it are overcome.
	reached, done models.RamdiskStage
}

// bootMarks are those that are known, the latest stages first. The texts are those of
// systemd 252 to 257, NetworkManager, Ignition 2.x, podman 4 and 5, and of
// ironic-python-agent 9 to 13 (agent.py, inspector.py, ironic_api_client.py).
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

// Told is what the log tells so far; nil where none was read.
func (b *BootLog) Told() *models.RamdiskLog {
	if b == nil {
		return nil
	}
	told := &models.RamdiskLog{
		Stage: b.Stage, Reached: b.reachedAt(), Begin: b.Begin(), Last: b.Last(), Source: b.Source,
		Served: b.Served, ServedAt: b.ServedAt,
	}
	if e, there := b.obstacle(); there {
		told.Obstacle = &e
	}
	return told
}
