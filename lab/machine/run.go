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
		// BMCs report OSBootStarted when the firmware is ready to boot (UEFI's ReadyToBoot), whether or not a device
		// boots. Ironic's BIOS steps wait for this.
		m.advance(ctx, func() { m.setProgress(ProgressOSStarted) })
		system, err := m.load(ctx, device)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			m.advance(ctx, func() {
				m.boot.Failures = append(m.boot.Failures, BootFailure{Device: device, Reason: err.Error()})
				m.emit(BootFailed, "%s: %v", device, err)
			})
			continue
		}
		m.advance(ctx, func() {
			m.boot.Device = device
			m.emit(Booted, "%s: %s", device, system.name)
		})
		m.runSystem(ctx, system)
		return
	}
	m.advance(ctx, func() { m.emit(NothingBoots, "%v", errNoBoot) })
}

// runSystem runs the booted system until the boot ends.
func (m *Machine) runSystem(ctx context.Context, s system) {
	m.advance(ctx, func() { m.setProgress(ProgressOSRunning) })
	if s.media == nil || m.options.Ramdisk == nil {
		return // an installed system does nothing
	}
	err := m.options.Ramdisk.Run(ctx, m, *s.media)
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

// advance calls change to update the machine's state during a boot, unless the boot has ended, so that ctx is done.
func (m *Machine) advance(ctx context.Context, change func()) {
	m.mu.Lock()
	defer m.unlock()
	if ctx.Err() == nil {
		change()
	}
}

// system is the operating system or the ramdisk on a boot device.
type system struct {
	name  string
	media *Media // nil for a system on a disk
}

// load returns the system on the given device. The error is the reason why the device does not boot.
func (m *Machine) load(ctx context.Context, device Device) (system, error) {
	switch device {
	case Cd:
		media, err := m.loadCD(ctx)
		if err != nil {
			return system{}, err
		}
		return system{name: redacted(media.URL), media: &media}, nil
	case Pxe:
		return system{}, errors.New("no answer from a PXE server")
	case Hdd:
		for _, disk := range m.Disks() {
			if disk.Installed != nil {
				return system{name: disk.Installed.What + " on " + disk.Name}, nil
			}
		}
		for _, a := range m.Arrays() {
			if a.Installed != nil {
				return system{name: a.Installed.What + " on " + a.Name}, nil
			}
		}
		return system{}, errors.New("nothing is installed on any disk")
	default:
		return system{}, fmt.Errorf("%s is no device to boot from", device)
	}
}
