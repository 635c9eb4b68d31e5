package lab

import (
	"context"
	"time"
)

// What things take on the machines of a lab at speed 1: about what a small
// server with a fast network takes.
const (
	powerOnTime   = 2 * time.Second
	powerOffTime  = 2 * time.Second
	shutdownTime  = 10 * time.Second
	firmwareTime  = 45 * time.Second
	bmcRestart    = 90 * time.Second
	ramdiskTime   = 40 * time.Second // from the kernel to the agent
	installTime   = 80 * time.Second
	assistedTime  = 100 * time.Second
	metadataTime  = 3 * time.Second
	eraseTime     = 60 * time.Second // one disk, whole
	imageTime     = 40 * time.Second
	progressLines = 40

	// leastBoot is for the fastest of labs, too: a conductor must have got to its
	// waiting state before the ramdisk calls.
	leastBoot = 300 * time.Millisecond
)

// pace turns durations of the real thing into those of a lab.
type pace float64

func (p pace) of(d time.Duration) time.Duration { return time.Duration(float64(d) / float64(p)) }

// wait waits and reports whether ctx is still good.
func (p pace) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(p.of(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
