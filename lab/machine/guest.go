package machine

import (
	"context"
	"errors"
	"fmt"
)

// Guest is a virtual machine with its own firmware, which boots when it is powered on.
type Guest interface {
	// Run runs one boot, until the guest powers off or resets, or until ctx ends, which cuts the
	// power.
	Run(ctx context.Context, boot GuestBoot) (GuestEnd, error)
	// PressPower asks the running guest to shut down, and does not wait. The guest may ignore it.
	PressPower()
	// Eject ejects the medium from the drive of the running guest, if there is one.
	Eject()
}

// GuestBoot has the parameters of one boot of a guest.
type GuestBoot struct {
	// First is the first device to try; None leaves that to the firmware's own boot order.
	First Device
	// Media is the medium in the CD drive; nil for an empty one.
	Media *Media
	// Started must be called once the guest runs.
	Started func()
}

// GuestEnd is the reason for the end of a guest's boot.
type GuestEnd string

// Ends of a guest's boot.
const (
	GuestPoweredOff GuestEnd = "powered off"
	GuestReset      GuestEnd = "reset"
	GuestCut        GuestEnd = "power cut"
)

// runGuest runs one boot of the machine's guest.
func (m *Machine) runGuest(ctx context.Context, override Device) {
	boot := GuestBoot{First: override, Started: func() {
		m.advance(ctx, func() {
			m.setProgress(ProgressFirmware)
			m.emit(GuestStarted, "%s", override)
		})
	}}
	switch media, err := m.loadCD(ctx); {
	case ctx.Err() != nil:
		return
	case err == nil:
		boot.Media = &media
	case override == Cd || !errors.Is(err, errNoMedium):
		m.advance(ctx, func() {
			m.boot.Failures = append(m.boot.Failures, BootFailure{Device: Cd, Reason: err.Error()})
			m.emit(BootFailed, "%s: %v", Cd, err)
		})
	}
	end, err := m.options.Guest.Run(ctx, boot)
	m.advance(ctx, func() { m.guestEnded(end, err) }) //nolint:contextcheck // the next boot outlives this one
}

var errNoMedium = errors.New("no medium in the drive")

// guestEnded handles a guest that has powered off or reset by itself. Called with mu held.
func (m *Machine) guestEnded(end GuestEnd, err error) {
	text := string(end)
	if err != nil {
		text = fmt.Sprintf("error: %v", err)
	}
	m.emit(GuestEnded, "%s", text)
	if err == nil && (end == GuestReset || m.reboot) {
		m.startBoot()
		return
	}
	m.powerOff(m.options.PowerOffTime, errCut)
}

// requestGuest handles a graceful reset of a running guest: it asks the guest to shut down, and the power stays on
// until the guest has ended. It returns false for other resets. Called with mu held.
func (m *Machine) requestGuest(how ResetType) bool {
	switch how {
	case GracefulShutdown, PushPowerButton:
		m.reboot = false
	case GracefulRestart:
		m.reboot = true
	case ResetOn, ForceOn, ForceOff, ForceRestart:
		return false
	default:
		return false
	}
	guest := m.options.Guest
	m.work.Go(guest.PressPower)
	return true
}
