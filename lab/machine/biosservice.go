package machine

import (
	"errors"
	"net/http"
)

// ID and paths of the BIOS attribute registry. Sushy finds the registry by its ID in the collection of registries.
const (
	biosRegistry       = "LabBiosAttributeRegistry.v1_0_0"
	biosRegistryPath   = registriesPath + "/" + biosRegistry
	biosRegistryEnPath = biosRegistryPath + "/en"
)

func (m *Machine) biosPath() string { return m.SystemPath() + "/Bios" }

func getBIOS(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path := m.biosPath()
	current, _ := m.BIOS()
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("Bios"), "Id": "Bios", "Name": "BIOS", "Attributes": current,
		"AttributeRegistry": biosRegistry,
		"@Redfish.Settings": object{
			"@odata.type": typeOf("Settings"), "SettingsObject": link(path + "/Settings"), "SupportedApplyTimes": []string{"OnReset"},
		},
		"Actions": object{"#Bios.ResetBios": object{"target": path + "/Actions/Bios.ResetBios"}},
	})
}

func getBIOSSettings(w http.ResponseWriter, _ *http.Request, m *Machine) {
	_, pending := m.BIOS()
	show(w, object{
		"@odata.id": m.biosPath() + "/Settings", "@odata.type": typeOf("Bios"),
		"Id": "Settings", "Name": "BIOS settings of the next boot", "AttributeRegistry": biosRegistry, "Attributes": pending,
	})
}

func patchBIOSSettings(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct {
		Attributes map[string]any
		ApplyTime  struct{ ApplyTime string } `json:"@Redfish.SettingsApplyTime"`
	}
	if !read(w, request, &body) {
		return
	}
	if body.Attributes == nil {
		fail(w, http.StatusBadRequest, propertyUnknown, "Of the BIOS only the Attributes can be changed.")
		return
	}
	if at := body.ApplyTime.ApplyTime; at != "" && at != "OnReset" {
		fail(w, http.StatusBadRequest, propertyValue, "BIOS attributes are applied OnReset, not "+at+".")
		return
	}
	err := m.SetBIOS(body.Attributes)
	var refused *attributeError
	switch {
	case errors.As(err, &refused):
		fail(w, http.StatusBadRequest, refused.id, refused.text)
	case err != nil:
		fail(w, http.StatusInternalServerError, internalError, err.Error())
	default:
		done(w)
	}
}

func resetBIOS(w http.ResponseWriter, _ *http.Request, m *Machine) {
	m.ResetBIOS()
	done(w)
}

func getRegistries(w http.ResponseWriter, _ *http.Request) {
	show(w, collection(registriesPath, "MessageRegistryFile", "Registries", biosRegistryPath))
}

func getBIOSRegistryFile(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": biosRegistryPath, "@odata.type": typeOf("MessageRegistryFile"),
		"Id": biosRegistry, "Name": "BIOS attribute registry file", "Registry": biosRegistry, "Languages": []string{"en"},
		"Location": []object{{"Language": "en", "Uri": biosRegistryEnPath}},
	})
}

func getBIOSRegistry(w http.ResponseWriter, _ *http.Request) {
	entries := make([]object, len(attributes))
	for i, a := range attributes {
		entries[i] = a.entry()
	}
	show(w, object{
		"@odata.id": biosRegistryEnPath, "@odata.type": typeOf("AttributeRegistry"),
		"Id": biosRegistry, "Name": "BIOS attribute registry", "Language": "en", "OwningEntity": "ironworks", "RegistryVersion": "1.0.0",
		"RegistryEntries": object{"Attributes": entries},
	})
}
