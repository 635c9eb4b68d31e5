package machine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// errAttribute says that a BIOS attribute does not exist or cannot have that
// value.
var errAttribute = errors.New("not a BIOS attribute or not a value of it")

// attributeValues are the BIOS attributes and what each can be; the first is
// the default. All are enumerations, as nearly all of real ones are.
var attributeValues = map[string][]string{
	"BootMode":           {"Uefi", "Bios"},
	"LogicalProc":        {"Enabled", "Disabled"},
	"NumLock":            {"On", "Off"},
	"ProcTurboMode":      {"Enabled", "Disabled"},
	"ProcVirtualization": {"Enabled", "Disabled"},
	"SriovGlobalEnable":  {"Disabled", "Enabled"},
	"SysProfile":         {"PerfPerWattOptimizedDapc", "PerfOptimized", "Custom"},
}

// biosState is the attributes, and those that the next boot applies.
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

// BIOS are the attributes, and the changes that wait for the next boot.
func (m *Machine) BIOS() (current, pending map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.bios.current), maps.Clone(m.bios.pending)
}

// SetBIOS asks for attributes; the next boot applies them. Either all are
// possible or none is taken.
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

// ResetBIOS asks for the defaults; the next boot applies them.
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
