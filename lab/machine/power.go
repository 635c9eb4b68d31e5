package machine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Power is a machine's power state. The values are Redfish's.
type Power string

// Values of [Power].
const (
	Off         Power = "Off"
	PoweringOn  Power = "PoweringOn"
	On          Power = "On"
	PoweringOff Power = "PoweringOff"
)

// ResetType is a power command. The values are Redfish's.
type ResetType string

// Power commands (Redfish, Resource.ResetType).
const (
	ResetOn          ResetType = "On"
	ForceOn          ResetType = "ForceOn"
	ForceOff         ResetType = "ForceOff"
	GracefulShutdown ResetType = "GracefulShutdown"
	GracefulRestart  ResetType = "GracefulRestart"
	ForceRestart     ResetType = "ForceRestart"
	PushPowerButton  ResetType = "PushPowerButton"
)

// resetTypes returns all supported power commands.
func resetTypes() []ResetType {
	return []ResetType{ResetOn, ForceOn, ForceOff, GracefulShutdown, GracefulRestart, ForceRestart, PushPowerButton}
}

var (
	// errReset is returned for an unknown power command.
	errReset = errors.New("unknown reset type")
	// errClosed is returned if the machine was closed.
	errClosed = errors.New("the machine is closed")
	// ErrShutdown is the cancellation cause of a ramdisk's context if the system is shut down gracefully. Any other
	// cause means that the power was cut.
	ErrShutdown = errors.New("the system shuts down")

	errCut = errors.New("the power is cut")
)

// Power returns the machine's power state.
func (m *Machine) Power() Power {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.power
}

// Reset starts a power change as if it were made at the machine itself, so the BMC's faults do not apply. The system
// on the machine also calls it to power off.
func (m *Machine) Reset(how ResetType) error {
	m.mu.Lock()
	defer m.unlock()
	if m.closed {
		return fmt.Errorf("%s of machine %s: %w", how, m.spec.Name, errClosed)
	}
	if m.options.Guest != nil && m.power == On && m.requestGuest(how) {
		return nil
	}
	switch how {
	case ResetOn, ForceOn:
		m.powerOn()
	case ForceOff:
		m.powerOff(m.options.PowerOffTime, errCut)
	case GracefulShutdown:
		m.powerOff(m.options.ShutdownTime, ErrShutdown)
	case ForceRestart:
		m.restart(m.options.PowerOffTime, errCut)
	case GracefulRestart:
		m.restart(m.options.ShutdownTime, ErrShutdown)
	case PushPowerButton:
		if m.power == Off || m.power == PoweringOff {
			m.powerOn()
		} else {
			m.powerOff(m.options.ShutdownTime, ErrShutdown)
		}
	default:
		return fmt.Errorf("%w: %q", errReset, how)
	}
	return nil
}

// powerOn starts powering the machine on. Called with mu held, like all functions below.
func (m *Machine) powerOn() {
	switch m.power {
	case On, PoweringOn:
	case PoweringOff:
		m.powerOnAfterOff = true
	case Off:
		m.setPower(PoweringOn)
		m.after(m.options.PowerOnTime, func() {
			m.setPower(On)
			m.startBoot()
		})
	}
}

// powerOff starts powering the machine off. It replaces a shutdown in progress, which may never end.
func (m *Machine) powerOff(duration time.Duration, cause error) {
	m.powerOnAfterOff = false
	if m.power == Off {
		return
	}
	m.endBoot(cause)
	if m.power != PoweringOff {
		m.setPower(PoweringOff)
	}
	m.after(duration, func() {
		m.setPower(Off)
		m.dropImage()
		m.setProgress(ProgressNone)
		if m.powerOnAfterOff {
			m.powerOnAfterOff = false
			m.powerOn()
		}
	})
}

// restart restarts the system without powering the machine off. If the machine is off, it powers the machine on.
func (m *Machine) restart(duration time.Duration, cause error) {
	if m.power != On {
		m.powerOn()
		return
	}
	m.endBoot(cause)
	m.after(duration, m.startBoot)
}

func (m *Machine) setPower(power Power) {
	m.power = power
	m.emit(PowerChanged, "%s", power)
}

// after calls change after the given duration, with mu held. It cancels a previous change that is still waiting.
func (m *Machine) after(duration time.Duration, change func()) {
	m.changing()
	if duration <= 0 {
		m.changing = func() {}
		change()
		return
	}
	ctx, cancel := context.WithCancel(m.life)
	m.changing = cancel
	m.work.Go(func() {
		defer cancel()
		if !wait(ctx, duration) {
			return
		}
		m.mu.Lock()
		defer m.unlock()
		// Another change may have started while this one waited for the lock.
		if ctx.Err() == nil {
			change()
		}
	})
}

// wait waits for the given duration. It reports whether the wait ended before ctx was done.
func wait(ctx context.Context, duration time.Duration) bool {
	if duration <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(duration):
		return true
	}
}
