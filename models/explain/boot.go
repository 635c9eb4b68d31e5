package explain

import (
	"time"

	"ironworks/models"
)

// Boot combines all sources to describe how far the last boot of a node's ramdisk has come. Screens and commands use
// it, so that they show the same progress.
type Boot struct {
	Stage models.RamdiskStage
	// Since is the time when the stage started, or zero if unknown.
	Since time.Time
	// Obstacle is the error that blocks the boot, or nil if none is known.
	Obstacle *models.BootError
	// Heartbeat is the time of the last heartbeat in this boot, or zero if Ironic has received none.
	Heartbeat time.Time
	// Line is the time of the last line in the ramdisk's log, and Source says where that line came from. Both are
	// zero if no log was read.
	Line   time.Time
	Source models.LogSource
	// Served describes the last download of the boot medium since the operation started, and ServedAt is the time of
	// that download. Both are empty if there was no download or if another program serves the medium.
	Served   string
	ServedAt time.Time
}

// Limits for comparing the times of heartbeats, log lines and power changes.
const (
	// freshBeat is the maximum age of a heartbeat that counts as recent. An agent sends one every 90 to 180 s
	// (ironic_python_agent/agent.py, with a heartbeat_timeout of 300 s), and a conductor needs a few seconds to
	// process it.
	freshBeat = 200 * time.Second
	// freshLine is the maximum age of a log line that counts as a sign that the ramdisk is running. It assumes that
	// the log is being followed.
	freshLine = time.Minute
	// clockSlack is the longest time by which the first line of a boot may precede the power change. The line may
	// come first because Ironic records the change only after the BMC has confirmed it.
	clockSlack = 2 * time.Minute
)

// BootOf returns the progress of the last boot of the node's ramdisk.
func BootOf(r *models.Row) Boot {
	n := &r.Node
	var b Boot
	if calledBack(r) {
		b.Heartbeat = n.Internal.Heartbeat()
	}
	if n.PowerState == models.PowerOn {
		b.Stage = models.RamdiskPowerOn
		if n.Internal != nil {
			b.Since = n.Internal.LastPowerState.Time
		}
	}
	if l := r.Log; l != nil && l.Served != "" && !l.ServedAt.Before(r.Since) {
		b.Served, b.ServedAt = l.Served, l.ServedAt
	}
	if l := r.Log; l != nil && !l.Last.IsZero() && ofThisBoot(r, l) {
		b.Line, b.Source = l.Last, l.Source
		if l.Stage > b.Stage {
			b.Stage, b.Since = l.Stage, l.Reached
		}
		b.Obstacle = l.Obstacle
	}
	if !b.Heartbeat.IsZero() && b.Stage < models.RamdiskHeartbeat {
		b.Stage, b.Since = models.RamdiskHeartbeat, time.Time{}
	}
	if b.Obstacle != nil && !b.Heartbeat.Before(b.Obstacle.Last) {
		b.Obstacle = nil // since the error, the ramdisk has contacted Ironic
	}
	return b
}

// calledBack reports whether the ramdisk has contacted Ironic during the machine's last boot.
func calledBack(r *models.Row) bool {
	i := r.Node.Internal
	switch {
	case i == nil:
		return false
	case i.AgentURL != "": // Ironic clears the URL when it powers the machine off
		return i.LastHeartbeat.IsZero() || !i.Heartbeat().IsZero()
	}
	return !r.Since.IsZero() && i.Heartbeat().After(r.Since)
}

// ofThisBoot reports whether the log belongs to the current boot, which began with the last power change or, if that
// is unknown, with the operation. After a failed operation, every log counts, because Ironic may have powered the
// machine off since.
func ofThisBoot(r *models.Row, l *models.RamdiskLog) bool {
	if r.Node.ProvisionState.Failed() {
		return true
	}
	if i := r.Node.Internal; i != nil && !i.LastPowerState.IsZero() {
		return !l.Begin.Before(i.LastPowerState.Add(-clockSlack))
	}
	return !l.Last.Before(r.Since)
}

// Same reports whether b and o look the same on a screen, which is the case if their stages and obstacles are equal.
func (b Boot) Same(o Boot) bool {
	if b.Obstacle == nil || o.Obstacle == nil {
		return b.Stage == o.Stage && b.Obstacle == o.Obstacle
	}
	return b.Stage == o.Stage && b.Obstacle.ID == o.Obstacle.ID
}

// Text describes what the boot is doing now and what blocks it, for example "pulls the agent's image for 40s; 12
// times: manifest unknown". It is empty if nothing but the power state is known. It is not sanitized.
func (b Boot) Text(now time.Time) string {
	if b.Stage <= models.RamdiskPowerOn {
		if b.Served != "" {
			return "not started; " + models.Age(now.Sub(b.ServedAt)) + " ago: " + b.Served
		}
		return ""
	}
	text := b.Stage.Doing()
	if !b.Since.IsZero() {
		text += " for " + models.Age(now.Sub(b.Since))
	}
	if e := b.Obstacle; e != nil {
		text += "; " + e.Times() + ": " + e.Text
	}
	return text
}

// Summary returns the same as Text until the first heartbeat. After that, it returns the ages of the last heartbeat
// and of the last log line.
func (b Boot) Summary(now time.Time) string {
	if b.Heartbeat.IsZero() {
		return b.Text(now)
	}
	text := "last heartbeat " + models.Age(now.Sub(b.Heartbeat)) + " ago"
	if !b.Line.IsZero() {
		text += ", last log line " + models.Age(now.Sub(b.Line)) + " ago (" + string(b.Source) + ")"
	}
	return text
}
