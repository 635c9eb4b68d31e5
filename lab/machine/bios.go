package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// biosState holds the current BIOS attributes, their defaults, and the pending values that take effect at the next
// boot.
type biosState struct {
	current, defaults, pending map[string]any
}

func newBIOS(spec Spec) biosState {
	current, defaults := map[string]any{}, map[string]any{}
	for _, a := range attributes {
		current[a.name] = a.byDefault
		if !a.readOnly {
			defaults[a.name] = a.byDefault
		}
	}
	if spec.BootMode == BIOS {
		current["BootMode"], defaults["BootMode"] = "Bios", "Bios"
	}
	current["SerialNumber"], current["SystemMemory"] = spec.Serial, fmt.Sprintf("%d GB", spec.MemoryMiB/1024)
	return biosState{current: current, defaults: defaults, pending: map[string]any{}}
}

// BIOS returns the BIOS attributes and the changes that are pending until the next boot. Values are strings, ints and
// bools. The value of a password is nil.
func (m *Machine) BIOS() (current, pending map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.bios.current), maps.Clone(m.bios.pending)
}

// SetBIOS changes BIOS attributes at the next boot. If one of the changes is invalid, SetBIOS makes none of them.
func (m *Machine) SetBIOS(changes map[string]any) error {
	names := slices.Sorted(maps.Keys(changes))
	checked := map[string]any{}
	for _, name := range names {
		value, err := checkAttribute(name, changes[name])
		if err != nil {
			return fmt.Errorf("changing the BIOS of machine %s: %w", m.Name(), err)
		}
		checked[name] = value
	}
	m.mu.Lock()
	defer m.unlock()
	maps.Copy(m.bios.pending, checked)
	m.queueBIOS()
	m.emit(BIOSPending, "%s", strings.Join(names, ", "))
	return nil
}

// ResetBIOS restores the defaults of all BIOS attributes at the next boot.
func (m *Machine) ResetBIOS() {
	m.mu.Lock()
	defer m.unlock()
	m.bios.pending = maps.Clone(m.bios.defaults)
	m.queueBIOS()
	m.emit(BIOSPending, "defaults")
}

// applyBIOS applies the pending attribute changes when the machine boots. Called with mu held.
func (m *Machine) applyBIOS() {
	if len(m.bios.pending) == 0 {
		return
	}
	delete(m.bios.pending, m.faults.BIOSIgnores)
	maps.Copy(m.bios.current, m.bios.pending)
	m.emit(BIOSApplied, "%s", strings.Join(slices.Sorted(maps.Keys(m.bios.pending)), ", "))
	m.bios.pending = map[string]any{}
	m.endJobs(biosJob)
}
