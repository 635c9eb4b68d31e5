package explain

import (
	"time"

	"ironworks/models"
)

// Boot says how far the last boot of a node's ramdisk has come, made of everything that
// is known of it. All screens and commands show the same.
type Boot struct {
	Stage models.RamdiskStage
	// Since is when the stage began; zero where nobody knows.
	Since time.Time
	// Obstacle is the error that keeps the boot in its stage; nil where none is known.
	Obstacle *models.BootError
	// Heartbeat is the last one of this boot; zero where Ironic has heard none.
	Heartbeat time.Time
	// Line is when the last line of the ramdisk's log was written, Source where it came from;
	// zero and empty where no log was read.
	Line   time.Time
	Source models.LogSource
	// Served is the last word of who fetched the medium since the work began, and ServedAt
	// when that was; empty where nobody did, or another program serves it.
	Served   string
	ServedAt time.Time
}

// Freshness of signs of life.
const (
	// freshBeat is how old a heartbeat may be: an agent sends one each 90 to 180 s
	// (ironic_python_agent/agent.py, a heartbeat_timeout of 300 s), and a conductor takes it
	// in a few.
	freshBeat = 200 * time.Second
	// freshLine is how old a line of a followed log may be to show that the ramdisk runs now.
	freshLine = time.Minute
	// clockSlack is how much earlier than Ironic's time of the power change the first line of
	// the boot may be: the time is written when the BMC has confirmed the change.
	clockSlack = 2 * time.Minute
)

// BootOf is what is known of the last boot of the node's ramdisk.
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
		b.Obstacle = nil // Ironic has heard of the ramdisk since
	}
	return b
}

// calledBack says that the ramdisk of the machine's last boot has called back.
func calledBack(r *models.Row) bool {
	i := r.Node.Internal
	switch {
	case i == nil:
		return false
	case i.AgentURL != "": // Ironic forgets it when it switches the machine off
		return i.LastHeartbeat.IsZero() || !i.Heartbeat().IsZero()
	}
	return !r.Since.IsZero() && i.Heartbeat().After(r.Since)
}

// ofThisBoot says that the log is of the boot since the machine's power changed last, or
// since the work began. When work has failed the last boot is what it failed with: Ironic may
// have switched the machine off since.
func ofThisBoot(r *models.Row, l *models.RamdiskLog) bool {
	if r.Node.ProvisionState.Failed() {
		return true
	}
	if i := r.Node.Internal; i != nil && !i.LastPowerState.IsZero() {
		return !l.Begin.Before(i.LastPowerState.Add(-clockSlack))
	}
	return !l.Last.Before(r.Since)
}

// Same reports whether two states of a boot show the same: the stage, and what is in the way.
// Lines that only follow each other change neither.
func (b Boot) Same(o Boot) bool {
	if b.Obstacle == nil || o.Obstacle == nil {
		return b.Stage == o.Stage && b.Obstacle == o.Obstacle
	}
	return b.Stage == o.Stage && b.Obstacle.ID == o.Obstacle.ID
}

// Text says what the machine does at a time, and what is in the way: "pulls the agent's
// image for 40s; 12 times: manifest unknown". Empty where nothing but power is known. It may
// hold what a machine wrote, and has to be made printable.
func (b Boot) Text(now time.Time) string {
	if b.Stage <= models.RamdiskPowerOn {
		if b.Served != "" {
			return "not started; " + models.Age(max(now.Sub(b.ServedAt), 0)) + " ago: " + b.Served
		}
		return ""
	}
	text := b.Stage.Doing()
	if !b.Since.IsZero() {
		text += " for " + models.Age(max(now.Sub(b.Since), 0))
	}
	if e := b.Obstacle; e != nil {
		text += "; " + e.Times() + ": " + e.Text
	}
	return text
}

// Summary is Text until the ramdisk has called back, and then its last signs of life.
func (b Boot) Summary(now time.Time) string {
	if b.Heartbeat.IsZero() {
		return b.Text(now)
	}
	text := "last heartbeat " + models.Age(max(now.Sub(b.Heartbeat), 0)) + " ago"
	if !b.Line.IsZero() {
		text += ", last log line " + models.Age(max(now.Sub(b.Line), 0)) + " ago (" + string(b.Source) + ")"
	}
	return text
}
