package machine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// errAttribute reports an unknown BIOS attribute or an invalid value.
var errAttribute = errors.New("not a BIOS attribute or not a value of it")

// attributeValues are the BIOS attributes with their possible values; the first is the default.
// All are enumerations, like nearly all real ones.
var attributeValues = map[string][]string{
	"BootMode":           {"Uefi", "Bios"},
	"LogicalProc":        {"Enabled", "Disabled"},
	"NumLock":            {"On", "Off"},
	"ProcTurboMode":      {"Enabled", "Disabled"},
	"ProcVirtualization": {"Enabled", "Disabled"},
	"SriovGlobalEnable":  {"Disabled", "Enabled"},
	"SysProfile":         {"PerfPerWattOptimizedDapc", "PerfOptimized", "Custom"},
}

// biosState has the attributes, and those that the next boot applies.
type biosState struct {
	current, defaults, pending map[string]string
}

func newBIOS(mode BootMode) biosState {
	defaults := map[string]string{}
	for name, values := range attributeValues {
		defaults[name] = values[0]
	}
	if mode == BIOS {
		defaults["BootMode"] = "Bios"
	}
	return biosState{current: maps.Clone(defaults), defaults: defaults, pending: map[string]string{}}
}

// BIOS returns the attributes, and the pending changes for the next boot.
func (m *Machine) BIOS() (current, pending map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.bios.current), maps.Clone(m.bios.pending)
}

// SetBIOS changes attributes at the next boot. Either all are valid or none is changed.
func (m *Machine) SetBIOS(attributes map[string]string) error {
	names := slices.Sorted(maps.Keys(attributes))
	for _, name := range names {
		if !slices.Contains(attributeValues[name], attributes[name]) {
			return fmt.Errorf("%w: %s = %q", errAttribute, name, attributes[name])
		}
	}
	m.mu.Lock()
	defer m.unlock()
	maps.Copy(m.bios.pending, attributes)
	m.queueBIOS()
	m.emit(BIOSPending, "%s", strings.Join(names, ", "))
	return nil
}

// ResetBIOS restores the defaults at the next boot.
func (m *Machine) ResetBIOS() {
	m.mu.Lock()
	defer m.unlock()
	m.bios.pending = maps.Clone(m.bios.defaults)
	m.queueBIOS()
	m.emit(BIOSPending, "defaults")
}

// applyBIOS is called with mu held.
func (m *Machine) applyBIOS() {
	if len(m.bios.pending) == 0 {
		return
	}
	maps.Copy(m.bios.current, m.bios.pending)
	m.emit(BIOSApplied, "%s", strings.Join(slices.Sorted(maps.Keys(m.bios.pending)), ", "))
	m.bios.pending = map[string]string{}
	m.endJobs()
}
