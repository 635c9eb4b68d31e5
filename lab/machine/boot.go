package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Device is a boot device, in Redfish's terms.
type Device string

// Boot devices.
const (
	None Device = "None" // no override
	Cd   Device = "Cd"
	Pxe  Device = "Pxe"
	Hdd  Device = "Hdd"
)

// devices returns all devices that a boot override may name.
func devices() []Device { return []Device{None, Pxe, Cd, Hdd} }

// Enabled is the time for which a boot override holds, in Redfish's terms.
type Enabled string

// Durations of a boot override.
const (
	Disabled   Enabled = "Disabled"
	Once       Enabled = "Once"
	Continuous Enabled = "Continuous"
)

// BootOverride is a boot device that takes precedence over the boot order, once or permanently.
type BootOverride struct {
	Target  Device
	Enabled Enabled
	Mode    BootMode
}

// Progress is the last stage that the last boot reached, in Redfish's terms (BootProgress).
type Progress string

// Boot progress.
const (
	ProgressNone      Progress = "None"
	ProgressHardware  Progress = "PrimaryProcessorInitializationStarted"
	ProgressFirmware  Progress = "SystemHardwareInitializationComplete"
	ProgressOSStarted Progress = "OSBootStarted"
	ProgressOSRunning Progress = "OSRunning"
)

// BootFailure is a device from which the machine could not boot, with the reason.
type BootFailure struct {
	Device Device
	Reason string
}

// BootStatus describes the last boot.
type BootStatus struct {
	Progress Progress
	At       time.Time // when the boot reached the stage
	// Device is the device from which the machine booted; empty until then, and if no device boots.
	Device Device
	// Failures are the devices that the machine tried before Device.
	Failures []BootFailure
}

var (
	// errBoot reports an invalid boot override.
	errBoot = errors.New("this boot override is not possible")

	errNoBoot = errors.New("no bootable device")
)

// Ramdisk is the program that runs on a machine that booted from a CD or from the network.
type Ramdisk interface {
	// Run runs as long as the system does: its context ends when the machine is powered off or
	// reset, and the next boot waits until it has returned. A machine whose ramdisk returned by
	// itself stays on and idle.
	Run(ctx context.Context, m *Machine, media Media) error
}

// Boot returns the status of the last boot.
func (m *Machine) Boot() BootStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	status := m.boot
	status.Failures = slices.Clone(status.Failures)
	return status
}

// Override returns the boot override.
func (m *Machine) Override() BootOverride {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.override
}

// SetOverride changes the boot override. Empty fields are unchanged; the target None ends the override.
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

// bootDevices returns the devices that the next boot tries, starting with the target of the override, if there is one.
// It clears a one-time override. Called with mu held.
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

// setProgress records a stage of the boot and its time. Called with mu held.
func (m *Machine) setProgress(progress Progress) {
	m.boot.Progress, m.boot.At = progress, m.options.Now()
}
