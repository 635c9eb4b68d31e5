package machine

import (
	"net/http"
	"slices"
	"strings"
)

func getRoot(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": root + "/", "@odata.type": "#ServiceRoot.v1_15_0.ServiceRoot",
		"Id": "RootService", "Name": "Lab machines", "RedfishVersion": "1.15.0",
		"UUID": uuidOf("the service"), "Vendor": "ironworks", "Product": "Lab BMC",
		"Systems": link(root + "/Systems"), "Managers": link(root + "/Managers"), "Chassis": link(root + "/Chassis"),
		"SessionService": link(root + "/SessionService"), "UpdateService": link(updatePath), "Tasks": link(tasksPath),
		"Links": object{"Sessions": link(sessionsPath)},
	})
}

func getSessionService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": root + "/SessionService", "@odata.type": "#SessionService.v1_1_8.SessionService",
		"Id": "SessionService", "Name": "Sessions", "ServiceEnabled": true, "Status": healthy(),
		"SessionTimeout": int(sessionTimeout.Seconds()), "Sessions": link(sessionsPath),
	})
}

func (r *Rack) getSessions(w http.ResponseWriter, request *http.Request) {
	var members []string
	for _, id := range r.sessions.list(identityOf(request)) {
		members = append(members, sessionsPath+"/"+id)
	}
	show(w, collection(sessionsPath, "Session", "Sessions", members...))
}

func sessionResource(id, user string) object {
	return object{
		"@odata.id": sessionsPath + "/" + id, "@odata.type": "#Session.v1_5_0.Session",
		"Id": id, "Name": "Session", "UserName": user,
	}
}

func (r *Rack) getSession(w http.ResponseWriter, request *http.Request) {
	who, id := identityOf(request), request.PathValue("session")
	if !slices.Contains(r.sessions.list(who), id) {
		notFound(w, request)
		return
	}
	show(w, sessionResource(id, who.user))
}

func (r *Rack) login(w http.ResponseWriter, request *http.Request) {
	var body struct{ UserName, Password string }
	if !read(w, request, &body) {
		return
	}
	who := identity{user: body.UserName, password: body.Password}
	if !r.accepted(who) {
		unauthorized(w)
		return
	}
	token, id := r.sessions.add(who)
	w.Header().Set("X-Auth-Token", token)
	w.Header().Set("Location", sessionsPath+"/"+id)
	showCreated(w, sessionResource(id, who.user))
}

func (r *Rack) logout(w http.ResponseWriter, request *http.Request) {
	if !r.sessions.remove(request.PathValue("session"), identityOf(request)) {
		notFound(w, request)
		return
	}
	done(w)
}

func getUpdateService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": updatePath, "@odata.type": "#UpdateService.v1_11_3.UpdateService",
		"Id": "UpdateService", "Name": "Firmware", "ServiceEnabled": true, "Status": healthy(),
		"FirmwareInventory": link(firmwarePath), "Actions": object{"Oem": object{}},
	})
}

// Firmware components of a machine: what follows its name and a colon in the ID.
const (
	biosFirmware = "BIOS"
	bmcFirmware  = "BMC"
)

func (m *Machine) firmwarePath(which string) string {
	return firmwarePath + "/" + m.Name() + ":" + which
}

func (r *Rack) getFirmwares(w http.ResponseWriter, request *http.Request) {
	var members []string
	for _, m := range r.visible(request) {
		members = append(members, m.firmwarePath(biosFirmware), m.firmwarePath(bmcFirmware))
	}
	show(w, collection(firmwarePath, "SoftwareInventory", "Firmware inventory", members...))
}

func (r *Rack) getFirmware(w http.ResponseWriter, request *http.Request) {
	name, which, _ := strings.Cut(request.PathValue("firmware"), ":")
	m, ok := r.Machine(name)
	if !ok || !m.accepts(identityOf(request)) || (which != biosFirmware && which != bmcFirmware) {
		notFound(w, request)
		return
	}
	version, related := m.spec.BIOSVersion, m.SystemPath()
	if which == bmcFirmware {
		version, related = m.spec.BMCVersion, m.managerPath()
	}
	show(w, object{
		"@odata.id": m.firmwarePath(which), "@odata.type": "#SoftwareInventory.v1_10_0.SoftwareInventory",
		"Id": request.PathValue("firmware"), "Name": which + " firmware of " + name, "Version": version,
		"Manufacturer": m.spec.Vendor, "Updateable": false, "Status": healthy(), "RelatedItem": links(related),
	})
}

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
