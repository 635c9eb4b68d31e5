package machine

import (
	"context"
	"errors"
	"fmt"
)

// boot is one boot of a machine, from the start of the firmware to the end of the booted system.
type boot struct {
	end  context.CancelCauseFunc
	done chan struct{} // closed when all parts of the boot have ended
}

// startBoot starts a boot. Called with mu held.
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

// endBoot ends the firmware or system that runs. If the cause is [ErrShutdown], the system can end cleanly. Called with
// mu held.
func (m *Machine) endBoot(cause error) {
	if m.running != nil {
		m.running.end(cause)
	}
}

// run simulates the firmware: it tries to boot from one device after the other.
func (m *Machine) run(ctx context.Context, devices []Device) {
	if !wait(ctx, m.options.FirmwareTime) {
		return
	}
	m.advance(ctx, func() { m.setProgress(ProgressFirmware) })
	for _, device := range devices {
		// BMCs report OSBootStarted when the firmware is ready to boot (UEFI's ReadyToBoot), whether
		// or not a device boots; Ironic's BIOS steps wait for it.
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

// runSystem runs the booted system.
func (m *Machine) runSystem(ctx context.Context, s system) {
	m.advance(ctx, func() { m.setProgress(ProgressOSRunning) })
	if s.media == nil || m.options.Ramdisk == nil {
		return // an installed system, which does nothing
	}
	err := m.options.Ramdisk.Run(ctx, m, *s.media)
	m.advance(ctx, func() {
		if err != nil {
			m.emit(RamdiskEnded, "%v", err)
			return
		}
		m.emit(RamdiskEnded, "")
	})
	// The power is still on, and the ramdisk's other services continue until it goes off.
	<-ctx.Done()
}

// advance changes the state of a boot, unless the boot is over.
func (m *Machine) advance(ctx context.Context, change func()) {
	m.mu.Lock()
	defer m.unlock()
	if ctx.Err() == nil {
		change()
	}
}

// system is the operating system or ramdisk that a boot device contains.
type system struct {
	name  string
	media *Media // nil for a system on a disk
}

// load returns the system on a device, or the reason why the device does not boot.
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
