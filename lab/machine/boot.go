package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Device is something to boot from, in Redfish's words.
type Device string

// The devices.
const (
	None Device = "None" // no override
	Cd   Device = "Cd"
	Pxe  Device = "Pxe"
	Hdd  Device = "Hdd"
)

// devices are all that a boot override may name.
func devices() []Device { return []Device{None, Pxe, Cd, Hdd} }

// Enabled is how long a boot override holds, in Redfish's words.
type Enabled string

// How long a boot override holds.
const (
	Disabled   Enabled = "Disabled"
	Once       Enabled = "Once"
	Continuous Enabled = "Continuous"
)

// BootOverride is what goes before the boot order.
type BootOverride struct {
	Target  Device
	Enabled Enabled
	Mode    BootMode
}

// Progress is how far the last boot got, in Redfish's words (BootProgress).
type Progress string

// How far a boot gets.
const (
	ProgressNone      Progress = "None"
	ProgressHardware  Progress = "PrimaryProcessorInitializationStarted"
	ProgressFirmware  Progress = "SystemHardwareInitializationComplete"
	ProgressOSStarted Progress = "OSBootStarted"
	ProgressOSRunning Progress = "OSRunning"
)

// BootFailure is a device that did not boot.
type BootFailure struct {
	Device Device
	Reason string
}

// BootStatus is the last boot.
type BootStatus struct {
	Progress Progress
	At       time.Time // when it got there
	// Device is what it booted from; empty until then, and when nothing boots.
	Device Device
	// Failures are the devices that came before.
	Failures []BootFailure
}

var (
	// errBoot says that a boot override is not possible.
	errBoot = errors.New("this boot override is not possible")

	errNoBoot = errors.New("no bootable device")
)

// Ramdisk is what runs on a machine that booted from a CD or from the network.
type Ramdisk interface {
	// Run lasts as long as the system does: its context ends with the power or
	// a reset, and the next boot waits until it has returned. A machine whose
	// ramdisk returned by itself stays on and does nothing.
	Run(ctx context.Context, m *Machine, media Media) error
}

// Boot is the last boot.
func (m *Machine) Boot() BootStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	status := m.boot
	status.Failures = slices.Clone(status.Failures)
	return status
}

// Override is what goes before the boot order.
func (m *Machine) Override() BootOverride {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.override
}

// SetOverride chooses what the next boots begin with. Empty fields stay as
// they are; the target None ends the override.
func (m *Machine) SetOverride(change BootOverride) error {
	m.mu.Lock()
	defer m.unlock()
	next := m.override
	if change.Target != "" {
		next.Target = change.Target
	}
	if change.Enabled != "" {
		next.Enabled = change.Enabled
	}
	if change.Mode != "" {
		next.Mode = change.Mode
	}
	if change.Target == None {
		next.Enabled = Disabled
	}
	if m.options.Guest != nil && next.Mode != m.spec.BootMode {
		return fmt.Errorf("%w: this machine boots in mode %s only", errBoot, m.spec.BootMode)
	}
	switch {
	case !slices.Contains(devices(), next.Target):
		return fmt.Errorf("%w: target %q", errBoot, next.Target)
	case !slices.Contains([]Enabled{Disabled, Once, Continuous}, next.Enabled):
		return fmt.Errorf("%w: enabled %q", errBoot, next.Enabled)
	case !slices.Contains([]BootMode{UEFI, BIOS}, next.Mode):
		return fmt.Errorf("%w: mode %q", errBoot, next.Mode)
	}
	m.override = next
	m.emit(BootChosen, "%s %s %s", next.Target, next.Enabled, next.Mode)
	return nil
}

// bootDevices are what the next boot tries, first of all the target of the override, if there
// is one. A one-time override is spent. Called with mu held.
func (m *Machine) bootDevices() (devices []Device, override Device) {
	order := slices.Clone(m.spec.BootOrder)
	if m.override.Enabled == Disabled || m.override.Target == None {
		return order, None
	}
	override = m.override.Target
	if m.override.Enabled == Once {
		m.override.Target, m.override.Enabled = None, Disabled
	}
	order = slices.DeleteFunc(order, func(d Device) bool { return d == override })
	return append([]Device{override}, order...), override
}

// setProgress is called with mu held.
func (m *Machine) setProgress(progress Progress) {
	m.boot.Progress, m.boot.At = progress, m.options.Now()
}
