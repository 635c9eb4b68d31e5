package models

import (
	"fmt"
	"time"
)

// RamdiskStage is how far the boot of a ramdisk has come. A stage that has begun may still go
// on.
type RamdiskStage int

// The stages, in the order in which a boot goes through them.
const (
	RamdiskUnknown   RamdiskStage = iota
	RamdiskPowerOn                // the machine is on
	RamdiskMedium                 // it fetches the ISO, or the kernel over the network
	RamdiskKernel                 // the kernel starts
	RamdiskIgnition               // Ignition applies the ramdisk's configuration
	RamdiskNetwork                // the services start, among them the network
	RamdiskImage                  // podman pulls the agent's image
	RamdiskAgent                  // the agent has started
	RamdiskLookup                 // the agent calls Ironic, which tells it who it is
	RamdiskHeartbeat              // Ironic has heard a heartbeat
)

// Noun names the stage.
func (s RamdiskStage) Noun() string {
	switch s {
	case RamdiskUnknown:
		return "unknown"
	case RamdiskPowerOn:
		return "power on"
	case RamdiskMedium:
		return "boot medium"
	case RamdiskKernel:
		return "kernel"
	case RamdiskIgnition:
		return "Ignition"
	case RamdiskNetwork:
		return "network"
	case RamdiskImage:
		return "agent image"
	case RamdiskAgent:
		return "agent start"
	case RamdiskLookup:
		return "lookup"
	case RamdiskHeartbeat:
		return "heartbeat"
	}
	return ""
}

// Doing says what a machine does in the stage.
func (s RamdiskStage) Doing() string {
	switch s {
	case RamdiskUnknown:
		return "boots"
	case RamdiskPowerOn:
		return "is powered on"
	case RamdiskMedium:
		return "reads its boot medium"
	case RamdiskKernel:
		return "starts its kernel"
	case RamdiskIgnition:
		return "runs Ignition"
	case RamdiskNetwork:
		return "starts its services and network"
	case RamdiskImage:
		return "pulls the agent's image"
	case RamdiskAgent:
		return "starts the agent"
	case RamdiskLookup:
		return "looks for its node in Ironic"
	case RamdiskHeartbeat:
		return "sends heartbeats"
	}
	return ""
}

// RamdiskLog is what the log of a ramdisk tells of the machine's last boot, on the console's clock.
// It is never changed, only replaced.
type RamdiskLog struct {
	// Stage is the latest one that the log tells of, Reached when it began.
	Stage   RamdiskStage
	Reached time.Time
	// Begin is when the first line of the boot was written, as far as it was seen, Last when the
	// last one was; zero where no log was read. Source is where the last line came from.
	Begin, Last time.Time
	Source      LogSource
	// Obstacle is the error that keeps the boot where it is; nil where none is known.
	Obstacle *BootError
	// Served is the last word of who fetched the ramdisk's medium, ServedAt when that was;
	// empty where ironworks did not serve it.
	Served   string
	ServedAt time.Time
}

// BootError is one error that keeps a boot from going on.
type BootError struct {
	// ID names the known error, as in [LogLine.Known].
	ID string
	// Stage is the one that does not end.
	Stage RamdiskStage
	// Unit and Text are of the last line with it, Source is that line's.
	Unit, Text string
	Source     LogSource
	// Final says that the program gave up: the agent tries five times before.
	Final bool
	// Count is how often it came; First and Last are when, on the console's clock.
	Count       int
	First, Last time.Time
}

// Times is how often an error came.
func (e *BootError) Times() string {
	if e.Count == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors, the last one", e.Count)
}
