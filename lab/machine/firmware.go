package machine

import "net/http"

func (m *Machine) biosPath() string { return m.SystemPath() + "/Bios" }

func getBIOS(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path := m.biosPath()
	current, _ := m.BIOS()
	show(w, object{
		"@odata.id": path, "@odata.type": "#Bios.v1_2_1.Bios", "Id": "Bios", "Name": "BIOS", "Attributes": current,
		"@Redfish.Settings": object{
			"@odata.type": "#Settings.v1_3_5.Settings", "SettingsObject": link(path + "/Settings"), "SupportedApplyTimes": []string{"OnReset"},
		},
		"Actions": object{"#Bios.ResetBios": object{"target": path + "/Actions/Bios.ResetBios"}},
	})
}

func getBIOSSettings(w http.ResponseWriter, _ *http.Request, m *Machine) {
	_, pending := m.BIOS()
	show(w, object{
		"@odata.id": m.biosPath() + "/Settings", "@odata.type": "#Bios.v1_2_1.Bios",
		"Id": "Settings", "Name": "BIOS settings of the next boot", "Attributes": pending,
	})
}

func patchBIOSSettings(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct {
		Attributes map[string]string
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
	if err := m.SetBIOS(body.Attributes); err != nil {
		fail(w, http.StatusBadRequest, propertyValue, err.Error())
		return
	}
	done(w)
}

func resetBIOS(w http.ResponseWriter, _ *http.Request, m *Machine) {
	m.ResetBIOS()
	done(w)
}
