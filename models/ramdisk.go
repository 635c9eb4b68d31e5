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

// Noun returns the name of the stage.
func (s RamdiskStage) Noun() string { return ramdiskStages[s].noun }

// Doing describes the machine's activity in the stage.
func (s RamdiskStage) Doing() string { return ramdiskStages[s].doing }

// RamdiskLog is the state of the machine's last boot by its log, on the console's clock. It is replaced, never
// modified.
type RamdiskLog struct {
	// Stage is the last stage in the log, Reached the time when it started.
	Stage   RamdiskStage
	Reached time.Time
	// Begin is the time of the first line of the boot, Last the time of its last line; both are zero if no log was
	// read. Source is the source of the last line.
	Begin, Last time.Time
	Source      LogSource
	// Obstacle is the error that blocks the boot; nil if none is known.
	Obstacle *BootError
	// Served is the last download of the ramdisk's medium, ServedAt the time of that download. They are empty if
	// ironworks did not serve the medium.
	Served   string
	ServedAt time.Time
}

// BootError is an error that blocks a boot.
type BootError struct {
	// ID is the known error, as in [LogLine.Known].
	ID string
	// Stage is the blocked stage.
	Stage RamdiskStage
	// Unit, Text and Source describe the last line with the error.
	Unit, Text string
	Source     LogSource
	// Final means that the program gave up. Before that, the agent retries five times.
	Final bool
	// Count is the number of occurrences; First and Last are on the console's clock.
	Count       int
	First, Last time.Time
}

// Times returns the number of occurrences as text.
func (e *BootError) Times() string {
	if e.Count == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors, the latest", e.Count)
}
