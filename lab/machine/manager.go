package machine

import (
	"net/http"
	"slices"
	"strings"
)

// managerResets contains the types of resets that a BMC supports.
var managerResets = []ResetType{GracefulRestart, ForceRestart}

func (m *Machine) cdPath() string { return m.managerPath() + "/VirtualMedia/Cd" }

func getManager(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path := m.managerPath()
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("Manager"),
		"Id": m.Name(), "Name": "BMC of " + m.Name(), "ManagerType": "BMC", "UUID": uuidOf("BMC of " + m.Name()),
		"Manufacturer": m.spec.Vendor, "Model": "Lab BMC", "FirmwareVersion": m.Firmware(BMCFirmware),
		"DateTime": redfishTime(m.options.Now()), "DateTimeLocalOffset": "+00:00", "PowerState": On, "Status": healthy(),
		// A simulated machine has no screen.
		"GraphicalConsole":   object{"ServiceEnabled": false, "MaxConcurrentSessions": 0, "ConnectTypesSupported": []string{"KVMIP"}},
		"SerialConsole":      object{"ServiceEnabled": false, "MaxConcurrentSessions": 0, "ConnectTypesSupported": []string{"SSH", "IPMI"}},
		"CommandShell":       object{"ServiceEnabled": false, "MaxConcurrentSessions": 0, "ConnectTypesSupported": []string{"SSH"}},
		"EthernetInterfaces": link(path + "/EthernetInterfaces"),
		"VirtualMedia":       link(path + "/VirtualMedia"), "LogServices": link(m.SystemPath() + "/LogServices"),
		"Actions": object{"#Manager.Reset": object{
			"target": path + "/Actions/Manager.Reset", "ResetType@Redfish.AllowableValues": managerResets,
		}},
		"Links": object{"ManagerForServers": links(m.SystemPath()), "ManagerForChassis": links(m.chassisPath())},
	})
}

// getManagerInterface returns the BMC's network interface. Its MAC address is locally administered and derived from
// the machine's name.
func getManagerInterface(w http.ResponseWriter, request *http.Request, m *Machine) {
	id := strings.ReplaceAll(uuidOf("BMC of "+m.Name()), "-", "")
	mac := "02"
	for i := 0; i < 10; i += 2 {
		mac += ":" + id[i:i+2]
	}
	show(w, object{
		"@odata.id": request.URL.Path, "@odata.type": typeOf("EthernetInterface"), "Id": "eth0", "Name": "Ethernet interface of the BMC",
		"MACAddress": mac, "PermanentMACAddress": mac, "SpeedMbps": 1000, "LinkStatus": "LinkUp", "InterfaceEnabled": true, "Status": healthy(),
	})
}

func resetManager(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct{ ResetType ResetType }
	if !read(w, request, &body) {
		return
	}
	if body.ResetType != "" && !slices.Contains(managerResets, body.ResetType) {
		fail(w, http.StatusBadRequest, parameterValue, "A BMC knows these resets: "+strings.Join(texts(managerResets), ", "))
		return
	}
	m.restartBMC()
	done(w)
}

func (m *Machine) restartBMC() {
	m.mu.Lock()
	defer m.unlock()
	m.bmcUp = m.options.Now().Add(m.options.BMCRestartTime)
	m.emit(BMCReset, "")
}

func getVirtualMedia(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path, drive := m.cdPath(), m.VirtualMedia()
	cd := object{
		"@odata.id": path, "@odata.type": typeOf("VirtualMedia"),
		"Id": "Cd", "Name": "Virtual CD", "MediaTypes": []string{"CD", "DVD"}, "Status": healthy(),
		"Image": nil, "ImageName": nil, "UserName": nil, "Password": nil,
		"Inserted": drive.Inserted, "WriteProtected": true, "ConnectedVia": "NotConnected",
		"TransferMethod": "Stream", "TransferProtocolType": nil, "VerifyCertificate": false, "Certificates": link(path + "/Certificates"),
		"Actions": object{
			"#VirtualMedia.InsertMedia": object{
				"target": path + "/Actions/VirtualMedia.InsertMedia", "TransferProtocolType@Redfish.AllowableValues": []string{"HTTP", "HTTPS"},
			},
			"#VirtualMedia.EjectMedia": object{"target": path + "/Actions/VirtualMedia.EjectMedia"},
		},
	}
	if drive.URL != "" {
		scheme, _, _ := strings.Cut(drive.URL, ":")
		cd["Image"], cd["ImageName"] = drive.URL, drive.URL[strings.LastIndex(drive.URL, "/")+1:]
		cd["ConnectedVia"], cd["TransferProtocolType"] = "URI", strings.ToUpper(scheme)
	}
	if drive.User != "" {
		cd["UserName"] = drive.User
	}
	show(w, cd)
}

// mediaRequest is the body of the InsertMedia action, and of a PATCH request for the virtual drive.
type mediaRequest struct {
	Image, UserName, Password *string
	Inserted                  *bool
}

func (b mediaRequest) media() VirtualMedia {
	media := VirtualMedia{URL: *b.Image, Inserted: b.Inserted == nil || *b.Inserted}
	if b.UserName != nil {
		media.User = *b.UserName
	}
	if b.Password != nil {
		media.Password = *b.Password
	}
	return media
}

func insertMedia(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body mediaRequest
	if !read(w, request, &body) {
		return
	}
	if body.Image == nil || *body.Image == "" {
		fail(w, http.StatusBadRequest, parameterMissing, "The action VirtualMedia.InsertMedia needs the parameter Image.")
		return
	}
	insert(w, m, body.media())
}

func insert(w http.ResponseWriter, m *Machine, media VirtualMedia) {
	if err := m.Insert(media); err != nil {
		fail(w, http.StatusBadRequest, propertyValue, err.Error())
		return
	}
	done(w)
}

func ejectMedia(w http.ResponseWriter, _ *http.Request, m *Machine) {
	m.Eject()
	done(w)
}

// patchVirtualMedia inserts or ejects an image for clients that do not use the actions.
func patchVirtualMedia(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body mediaRequest
	if !read(w, request, &body) {
		return
	}
	switch {
	case body.Image != nil && *body.Image != "":
		insert(w, m, body.media())
	case body.Inserted != nil && !*body.Inserted:
		m.Eject()
		done(w)
	case body.Inserted != nil:
		media := m.VirtualMedia()
		if media.URL == "" {
			fail(w, http.StatusBadRequest, propertyValue, "There is no image to insert.")
			return
		}
		media.Inserted = true
		insert(w, m, media)
	default:
		fail(w, http.StatusBadRequest, generalError, "Image or Inserted is needed; nothing else can be changed.")
	}
}
