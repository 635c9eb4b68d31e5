package machine

import (
	"context"
	"errors"
	"fmt"
)

// Guest is a virtual machine that runs its own firmware. It boots when the machine is powered on.
type Guest interface {
	// Run runs one boot until the guest powers off or resets. When ctx is canceled, Run cuts the power and returns.
	Run(ctx context.Context, boot GuestBoot) (GuestEnd, error)
	// PressPower asks the running guest to shut down, and does not wait. The guest may ignore the request.
	PressPower()
	// Eject ejects the medium from the CD drive of the running guest, if there is one.
	Eject()
}

// GuestBoot holds the parameters for one boot of a guest.
type GuestBoot struct {
	// First is the first device from which the guest tries to boot. None means the firmware's boot order.
	First Device
	// Media is the medium in the CD drive. If nil, the drive is empty.
	Media *Media
	// Started must be called as soon as the guest is running.
	Started func()
}

// GuestEnd is the reason why a guest's boot ended.
type GuestEnd string

// Values of [GuestEnd], which are those of package vm.
const (
	GuestPoweredOff GuestEnd = "powered off"
	GuestReset      GuestEnd = "reset"
	GuestCut        GuestEnd = "power cut"
)

// runGuest runs one boot of the machine's guest, with the target of the boot override as the first device.
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
		m.advance(ctx, func() { m.emit(BootFailed, "%s: %v", Cd, err) })
	}
	end, err := m.options.Guest.Run(ctx, boot)
	m.advance(ctx, func() { m.guestEnded(end, err) }) //nolint:contextcheck // the next boot outlives this one
}

var errNoMedium = errors.New("no medium in the drive")

// guestEnded handles a boot that has ended because the guest powered off, reset or failed. Called with mu held.
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

// requestGuest asks the guest to shut down if the given reset is graceful, and reports whether it is. Called with mu
// held.
func (m *Machine) requestGuest(how ResetType) bool {
	if how != GracefulShutdown && how != PushPowerButton && how != GracefulRestart {
		return false
	}
	m.reboot = how == GracefulRestart
	m.work.Go(m.options.Guest.PressPower)
	return true
}
