package machine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Device is a boot device. The values are Redfish's.
type Device string

// Boot devices.
const (
	None Device = "None" // no override
	Cd   Device = "Cd"
	Pxe  Device = "Pxe"
	Hdd  Device = "Hdd"
)

// devices returns the possible targets of a boot override.
func devices() []Device { return []Device{None, Pxe, Cd, Hdd} }

// Enabled specifies whether a boot override applies to no boot, one boot or all boots. The values are Redfish's.
type Enabled string

// Values of [Enabled].
const (
	Disabled   Enabled = "Disabled"
	Once       Enabled = "Once"
	Continuous Enabled = "Continuous"
)

// BootMode is the mode in which the firmware boots. The values are Redfish's.
type BootMode string

// Values of [BootMode].
const (
	UEFI BootMode = "UEFI"
	BIOS BootMode = "Legacy"
)

// BootOverride makes the machine try a device before those in the boot order, for one boot or for all boots.
type BootOverride struct {
	Target  Device
	Enabled Enabled
	Mode    BootMode
}

// Progress is the latest stage that a boot has reached. The values are Redfish's (BootProgress).
type Progress string

// Stages of a boot.
const (
	ProgressNone      Progress = "None"
	ProgressHardware  Progress = "PrimaryProcessorInitializationStarted"
	ProgressFirmware  Progress = "SystemHardwareInitializationComplete"
	ProgressOSStarted Progress = "OSBootStarted"
	ProgressOSRunning Progress = "OSRunning"
)

// BootStatus describes the last boot.
type BootStatus struct {
	Progress Progress
	At       time.Time // when the boot reached that stage
	// Device is the device from which the machine has booted. It is empty until then, or if no device boots.
	Device Device
}

var (
	// errBoot is returned for an invalid boot override.
	errBoot = errors.New("this boot override is not possible")

	errNoBoot = errors.New("no bootable device")
)

// Boot returns the status of the last boot.
func (m *Machine) Boot() BootStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.boot
}

// Override returns the boot override.
func (m *Machine) Override() BootOverride {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.override
}

// SetOverride changes the boot override. Empty fields change nothing, and the target None disables the override.
func (m *Machine) SetOverride(change BootOverride) error {
	m.mu.Lock()
	defer m.unlock()
	next := BootOverride{
		Target:  cmp.Or(change.Target, m.override.Target),
		Enabled: cmp.Or(change.Enabled, m.override.Enabled),
		Mode:    cmp.Or(change.Mode, m.override.Mode),
	}
	if change.Target == None {
		next.Enabled = Disabled
	}
	if m.options.Guest != nil && next.Mode != UEFI {
		return fmt.Errorf("%w: this machine boots in mode %s only", errBoot, UEFI)
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

// bootDevices returns the devices that the next boot tries in turn. The first one is the target of the boot override,
// if there is one, which is also returned as override; otherwise, override is None. The firmware's own order is the
// disks first and then the network. An override that applies only once is cleared. Called with mu held.
func (m *Machine) bootDevices() (devices []Device, override Device) {
	order := []Device{Hdd, Pxe}
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

// setProgress records that the boot has just reached the given stage. Called with mu held.
func (m *Machine) setProgress(progress Progress) {
	m.boot.Progress, m.boot.At = progress, m.options.Now()
}
