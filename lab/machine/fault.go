package machine

import "time"

// Faults are what is wrong with a machine. They can be changed at any time.
type Faults struct {
	// Stall is how long the BMC takes for every answer.
	Stall time.Duration
	// RefusePassword makes the BMC refuse the right password too, also in
	// sessions that are open.
	RefusePassword bool
	// PowerStuck makes the BMC accept power commands that do nothing.
	PowerStuck bool
	// PowerFails makes the BMC answer power commands with 500.
	PowerFails bool
	// ImageFails, if set, is the reason for which no image can be fetched.
	ImageFails string
	// WantETag makes the BMC refuse changes that do not say which version of a resource
	// they are for (If-Match).
	WantETag bool
}

// SetFaults replaces what is wrong with the machine.
func (m *Machine) SetFaults(faults Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = faults
}

// Faults is what is wrong with the machine.
func (m *Machine) Faults() Faults {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.faults
}
