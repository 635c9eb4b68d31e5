package machine

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// biosState holds the current BIOS attributes, their defaults, and the values for the next boot.
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
	current["SerialNumber"], current["SystemMemory"] = spec.Serial, fmt.Sprintf("%d GB", spec.MemoryMiB/1024)
	return biosState{current: current, defaults: defaults, pending: map[string]any{}}
}

// BIOS returns the BIOS attributes and the pending changes: strings, ints and bools. A password is nil.
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
		var err error
		if checked[name], err = checkAttribute(name, changes[name]); err != nil {
			return err
		}
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

// ID and paths of the BIOS attribute registry. Sushy finds the registry by its ID in the collection of registries.
const (
	biosRegistry       = "LabBiosAttributeRegistry.v1_0_0"
	biosRegistryPath   = registriesPath + "/" + biosRegistry
	biosRegistryEnPath = biosRegistryPath + "/en"
)

func (m *Machine) getBIOS(request *http.Request) object {
	path := request.URL.Path
	current, _ := m.BIOS()
	return resource(path, "Bios", "BIOS", object{
		"Attributes": current, "AttributeRegistry": biosRegistry,
		"@Redfish.Settings": object{
			"@odata.type": typeOf("Settings"), "SettingsObject": link(path + "/Settings"), "SupportedApplyTimes": []string{onReset},
		},
		"Actions": action(path, "Bios.ResetBios", nil),
	})
}

func (m *Machine) getBIOSSettings(request *http.Request) object {
	_, pending := m.BIOS()
	return resource(request.URL.Path, "Bios", "BIOS settings of the next boot", object{
		"AttributeRegistry": biosRegistry, "Attributes": pending,
	})
}

type biosChange struct {
	Attributes map[string]any
	ApplyTime  struct{ ApplyTime string } `json:"@Redfish.SettingsApplyTime"`
}

func (m *Machine) patchBIOSSettings(body biosChange) error {
	if body.Attributes == nil {
		return badRequest(propertyUnknown, "Of the BIOS only the Attributes can be changed.")
	}
	if at := body.ApplyTime.ApplyTime; at != "" && at != onReset {
		return badRequest(propertyValue, "BIOS attributes are applied OnReset, not %s.", at)
	}
	return m.SetBIOS(body.Attributes)
}

func getRegistries(*http.Request) object {
	return collection(registriesPath, "MessageRegistryFile", "Registries", biosRegistry)
}

func getBIOSRegistryFile(*http.Request) object {
	return resource(biosRegistryPath, "MessageRegistryFile", "BIOS attribute registry file", object{
		"Registry": biosRegistry, "Languages": []string{"en"}, "Location": []object{{"Language": "en", "Uri": biosRegistryEnPath}},
	})
}

func getBIOSRegistry(*http.Request) object {
	entries := make([]object, len(attributes))
	for i, a := range attributes {
		entries[i] = a.entry()
	}
	return resource(biosRegistryEnPath, "AttributeRegistry", "BIOS attribute registry", object{
		"Id": biosRegistry, "Language": "en", "OwningEntity": "ironworks", "RegistryVersion": "1.0.0",
		"RegistryEntries": object{"Attributes": entries},
	})
}
