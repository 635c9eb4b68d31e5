package models

import (
	"fmt"
	"time"
)

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
