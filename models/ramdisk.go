package models

import (
	"fmt"
	"time"
)

// RamdiskStage is a stage in the boot of a ramdisk. The stage that was reached last may still be running.
type RamdiskStage int

// The stages in order.
const (
	RamdiskUnknown   RamdiskStage = iota
	RamdiskPowerOn                // the machine is powered on
	RamdiskMedium                 // fetching the ISO, or the kernel over the network
	RamdiskKernel                 // starting the kernel
	RamdiskIgnition               // Ignition applies the configuration
	RamdiskNetwork                // starting services and the network
	RamdiskImage                  // podman pulls the agent's image
	RamdiskAgent                  // the agent has started
	RamdiskLookup                 // the agent looks up its node in Ironic
	RamdiskHeartbeat              // Ironic received a heartbeat
)

// ramdiskStages holds the names of the stages, and what the machine does in each of them.
var ramdiskStages = [...]struct{ noun, doing string }{
	RamdiskUnknown:   {"unknown", "booting"},
	RamdiskPowerOn:   {"power on", "powered on"},
	RamdiskMedium:    {"boot medium", "reading the boot medium"},
	RamdiskKernel:    {"kernel", "starting the kernel"},
	RamdiskIgnition:  {"Ignition", "running Ignition"},
	RamdiskNetwork:   {"network", "starting services and network"},
	RamdiskImage:     {"agent image", "pulling the agent image"},
	RamdiskAgent:     {"agent start", "starting the agent"},
	RamdiskLookup:    {"lookup", "looking up its node in Ironic"},
	RamdiskHeartbeat: {"heartbeat", "sending heartbeats"},
}

// Noun returns the name of the stage, such as "boot medium".
func (s RamdiskStage) Noun() string { return ramdiskStages[s].noun }

// Doing describes what the machine does in the stage, such as "reading the boot medium".
func (s RamdiskStage) Doing() string { return ramdiskStages[s].doing }

// RamdiskLog is the state of the machine's last boot according to its log. Times are on the console's clock. A
// RamdiskLog is replaced, never modified.
type RamdiskLog struct {
	// Stage is the last stage found in the log, and Reached is the time when it started.
	Stage   RamdiskStage
	Reached time.Time
	// Begin and Last are the times of the first and the last line of the boot. Both are zero if no log was read.
	// Source is the source of the last line.
	Begin, Last time.Time
	Source      LogSource
	// Obstacle is the error that blocks the boot. It is nil if none is known.
	Obstacle *BootError
	// Served describes the last download of the ramdisk's boot medium, and ServedAt is the time of that download.
	// Both are empty if ironworks did not serve the medium.
	Served   string
	ServedAt time.Time
}

// BootError is an error that blocks the boot of a ramdisk.
type BootError struct {
	// ID identifies the known error, as in [LogLine.Known].
	ID string
	// Stage is the stage that the error blocks.
	Stage RamdiskStage
	// Unit, Text and Source describe the last log line that reports the error.
	Unit, Text string
	Source     LogSource
	// Final means that the program that reports the error has given up. The agent retries five times before it gives
	// up.
	Final bool
	// Count is the number of occurrences. First and Last are the times of the first and the last one, on the
	// console's clock.
	Count       int
	First, Last time.Time
}

// Times returns the number of occurrences in a form to which the error's text can be appended, such as "3 errors, the
// latest".
func (e *BootError) Times() string {
	if e.Count == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors, the latest", e.Count)
}
