package lab

import (
	"context"
	"time"
)

// Durations of operations on the lab's machines at speed 1. They resemble those of a small server with a fast network.
const (
	powerOnTime   = 2 * time.Second
	powerOffTime  = 2 * time.Second
	shutdownTime  = 10 * time.Second
	firmwareTime  = 45 * time.Second
	bmcRestart    = 90 * time.Second
	updateTime    = 60 * time.Second // writing new firmware
	ramdiskTime   = 40 * time.Second // from the start of the kernel to the start of the agent
	installTime   = 80 * time.Second
	assistedTime  = 100 * time.Second
	metadataTime  = 3 * time.Second
	eraseTime     = 60 * time.Second // erasing one whole disk
	imageTime     = 40 * time.Second
	progressLines = 40

	// minBoot is the minimum time that the firmware takes to boot, at any speed. It is needed because a conductor
	// must have reached its wait state before the ramdisk's first call.
	minBoot = 300 * time.Millisecond
)

// pace is the speed of a lab: it divides the durations of real machines.
type pace float64

func (p pace) of(d time.Duration) time.Duration { return time.Duration(float64(d) / float64(p)) }

// wait waits for d divided by the pace, or until ctx is done. It reports whether the wait ended before ctx was done.
func (p pace) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(p.of(d)):
		return ctx.Err() == nil
	}
}
