package machine

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// managerResets contains the types of resets that a BMC supports.
var managerResets = []ResetType{GracefulRestart, ForceRestart}

func (m *Machine) getManager(request *http.Request) object {
	path := request.URL.Path
	// A simulated machine has no screen.
	console := func(types ...string) object {
		return object{"ServiceEnabled": false, "MaxConcurrentSessions": 0, "ConnectTypesSupported": types}
	}
	return resource(path, "Manager", "BMC of "+m.Name(), object{
		"ManagerType": "BMC", "UUID": uuidOf("BMC of " + m.Name()),
		"Manufacturer": m.spec.Vendor, "Model": "Lab BMC", "FirmwareVersion": m.Firmware(BMCFirmware),
		"DateTime": redfishTime(m.options.Now()), "DateTimeLocalOffset": "+00:00", "PowerState": On, "Status": healthy(),
		"GraphicalConsole": console("KVMIP"), "SerialConsole": console("SSH", "IPMI"), "CommandShell": console("SSH"),
		"EthernetInterfaces": link(path + "/EthernetInterfaces"),
		"VirtualMedia":       link(path + "/VirtualMedia"), "LogServices": link(m.SystemPath() + "/LogServices"),
		"Actions": action(path, "Manager.Reset", object{"ResetType@Redfish.AllowableValues": managerResets}),
		"Links":   object{"ManagerForServers": links(m.SystemPath()), "ManagerForChassis": links(m.chassisPath())},
	})
}

// getManagerInterface returns the BMC's network interface, whose MAC address is derived from the machine's name.
func (m *Machine) getManagerInterface(request *http.Request) object {
	id := strings.ReplaceAll(uuidOf("BMC of "+m.Name()), "-", "")
	mac := "02"
	for i := 0; i < 10; i += 2 {
		mac += ":" + id[i:i+2]
	}
	return resource(request.URL.Path, "EthernetInterface", "Ethernet interface of the BMC", object{
		"MACAddress": mac, "PermanentMACAddress": mac, "SpeedMbps": 1000, "LinkStatus": "LinkUp", "InterfaceEnabled": true, "Status": healthy(),
	})
}

// resetBody is the body of the actions that reset a system or a manager.
type resetBody struct{ ResetType ResetType }

func (m *Machine) resetManager(body resetBody) error {
	if body.ResetType != "" && !slices.Contains(managerResets, body.ResetType) {
		return badRequest(parameterValue, "A BMC knows these resets: %s", joined(managerResets))
	}
	m.mu.Lock()
	defer m.unlock()
	m.restartBMC()
	return nil
}

// restartBMC makes the BMC unavailable for a while. Called with mu held.
func (m *Machine) restartBMC() {
	m.bmcUp = m.options.Now().Add(m.options.BMCRestartTime)
	m.emit(BMCReset, "")
}

func (m *Machine) getVirtualMedia(request *http.Request) object {
	path, drive := request.URL.Path, m.VirtualMedia()
	actions := action(path, "VirtualMedia.InsertMedia", object{"TransferProtocolType@Redfish.AllowableValues": transferProtocols})
	maps.Copy(actions, action(path, "VirtualMedia.EjectMedia", nil))
	cd := resource(path, "VirtualMedia", "Virtual CD", object{
		"MediaTypes": []string{"CD", "DVD"}, "Status": healthy(),
		"Image": nil, "ImageName": nil, "UserName": nil, "Password": nil,
		"Inserted": drive.Inserted, "WriteProtected": true, "ConnectedVia": "NotConnected",
		"TransferMethod": "Stream", "TransferProtocolType": nil, "VerifyCertificate": false, "Certificates": link(path + "/Certificates"),
		"Actions": actions,
	})
	if drive.URL != "" {
		scheme, _, _ := strings.Cut(drive.URL, ":")
		cd["Image"], cd["ImageName"] = drive.URL, drive.URL[strings.LastIndex(drive.URL, "/")+1:]
		cd["ConnectedVia"], cd["TransferProtocolType"] = "URI", strings.ToUpper(scheme)
	}
	if drive.User != "" {
		cd["UserName"] = drive.User
	}
	return cd
}

// mediaBody is the body of the InsertMedia action, and of a PATCH request for the virtual drive.
type mediaBody struct {
	Image, UserName, Password string
	Inserted                  *bool
}

func (m *Machine) insertMedia(body mediaBody) error {
	if body.Image == "" {
		return badRequest(parameterMissing, "The action VirtualMedia.InsertMedia needs the parameter Image.")
	}
	return m.Insert(VirtualMedia{
		URL: body.Image, User: body.UserName, Password: body.Password, Inserted: body.Inserted == nil || *body.Inserted,
	})
}

// patchVirtualMedia inserts or ejects an image for clients that do not use the actions.
func (m *Machine) patchVirtualMedia(body mediaBody) error {
	media := m.VirtualMedia()
	switch {
	case body.Image != "":
		return m.insertMedia(body)
	case body.Inserted == nil:
		return badRequest(generalError, "Image or Inserted is needed; nothing else can be changed.")
	case !*body.Inserted:
		m.Eject()
		return nil
	case media.URL == "":
		return badRequest(propertyValue, "There is no image to insert.")
	}
	media.Inserted = true
	return m.Insert(media)
}
