package machine

import (
	"context"
	"errors"
	"fmt"
)

// boot represents one boot of a machine, from the start of the firmware to the end of the booted system.
type boot struct {
	end  context.CancelCauseFunc
	done chan struct{} // closed when all parts of the boot have ended
}

// startBoot applies pending changes and starts a boot. Called with mu held.
func (m *Machine) startBoot() {
	if m.closed {
		return
	}
	m.applyBIOS()
	m.applyFirmware()
	m.applyRAID()
	m.applySecureBoot()
	m.boot = BootStatus{}
	m.setProgress(ProgressHardware)
	m.reboot = false
	devices, override := m.bootDevices()
	m.emit(BootStarted, "%v", devices)

	previous := m.running
	ctx, cancel := context.WithCancelCause(m.life)
	b := &boot{end: cancel, done: make(chan struct{})}
	m.running = b
	m.work.Go(func() {
		defer close(b.done)
		defer cancel(nil)
		// The previous boot must end first.
		if previous != nil {
			<-previous.done
		}
		if m.options.Guest != nil {
			m.runGuest(ctx, override)
			return
		}
		m.run(ctx, devices)
	})
}

// endBoot ends the running firmware or system. If cause is [ErrShutdown], it can shut down cleanly. Called with mu
// held.
func (m *Machine) endBoot(cause error) {
	if m.running != nil {
		m.running.end(cause)
	}
}

// run simulates the firmware. It tries to boot from the given devices in turn.
func (m *Machine) run(ctx context.Context, devices []Device) {
	if !wait(ctx, m.options.FirmwareTime) {
		return
	}
	m.advance(ctx, func() { m.setProgress(ProgressFirmware) })
	for _, device := range devices {
		// BMCs report OSBootStarted at UEFI's ReadyToBoot, whether or not a device boots. Ironic's BIOS steps wait for
		// this.
		m.advance(ctx, func() { m.setProgress(ProgressOSStarted) })
		system, media, err := m.load(ctx, device)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			m.advance(ctx, func() { m.emit(BootFailed, "%s: %v", device, err) })
			continue
		}
		m.advance(ctx, func() {
			m.boot.Device = device
			m.emit(Booted, "%s: %s", device, system)
		})
		m.runSystem(ctx, media)
		return
	}
	m.advance(ctx, func() { m.emit(NothingBoots, "%v", errNoBoot) })
}

// runSystem runs the booted system until the boot ends. media is nil for a system on a disk.
func (m *Machine) runSystem(ctx context.Context, media *Media) {
	m.advance(ctx, func() { m.setProgress(ProgressOSRunning) })
	if media == nil || m.options.Ramdisk == nil {
		return // an installed system does nothing
	}
	err := m.options.Ramdisk(ctx, m, *media)
	m.advance(ctx, func() {
		if err != nil {
			m.emit(RamdiskEnded, "%v", err)
			return
		}
		m.emit(RamdiskEnded, "")
	})
	// The power is still on, and other services of the ramdisk continue until the machine is powered off.
	<-ctx.Done()
}

// advance calls change to update the machine's state during a boot. If ctx is done, the boot has ended, and advance
// does nothing.
func (m *Machine) advance(ctx context.Context, change func()) {
	m.mu.Lock()
	defer m.unlock()
	if ctx.Err() == nil {
		change()
	}
}

// load returns the name and the medium of the system on the given device, or the reason why it does not boot.
func (m *Machine) load(ctx context.Context, device Device) (system string, _ *Media, err error) {
	switch device {
	case Cd:
		media, err := m.loadCD(ctx)
		return redacted(media.URL), &media, err
	case Pxe:
		return "", nil, errors.New("no answer from a PXE server")
	case Hdd:
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, d := range m.tables() {
			if d.Installed != nil {
				return d.Installed.What + " on " + d.Name, nil, nil
			}
		}
		return "", nil, errors.New("nothing is installed on any disk")
	default:
		return "", nil, fmt.Errorf("%s is no device to boot from", device)
	}
}
