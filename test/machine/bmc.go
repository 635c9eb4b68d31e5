package machine

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
)

// isoPath is where the BMC's server offers an image for deploy_iso. It stands
// for some web server of the site, so it asks for no password.
const isoPath = "/ramdisk.iso"

const (
	root         = "/redfish/v1"
	sessionsPath = root + "/SessionService/Sessions"
	managerPath  = root + "/Managers/bmc"
	mediaPath    = managerPath + "/VirtualMedia"
	cdPath       = mediaPath + "/Cd"
)

var (
	resetTypes  = []string{"On", "ForceOn", "ForceOff", "GracefulShutdown", "ForceRestart", "GracefulRestart"}
	bootTargets = []string{"None", "Pxe", "Cd", "Hdd"}
)

type object = map[string]any

func link(path string) object { return object{"@odata.id": path} }

func collection(path, name string, members ...string) object {
	links := []object{}
	for _, member := range members {
		links = append(links, link(member))
	}
	return object{"@odata.id": path, "Name": name, "Members": links, "Members@odata.count": len(links)}
}

// bmc is the Redfish service of the machine.
func (m *Machine) bmc() http.Handler {
	system := root + "/Systems/" + m.options.Name
	private := http.NewServeMux()
	static := func(path string, value object) {
		private.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, value) })
	}
	static(root+"/Systems", collection(root+"/Systems", "Systems", system))
	static(root+"/Managers", collection(root+"/Managers", "Managers", managerPath))
	static(root+"/SessionService", object{"@odata.id": root + "/SessionService", "Id": "SessionService", "Name": "Sessions", "ServiceEnabled": true, "Sessions": link(sessionsPath)})
	static(managerPath, object{
		"@odata.id": managerPath, "Id": "bmc", "Name": "BMC", "ManagerType": "BMC", "FirmwareVersion": "1.0",
		"VirtualMedia": link(mediaPath), "Links": object{"ManagerForServers": []object{link(system)}},
	})
	static(mediaPath, collection(mediaPath, "Virtual Media", cdPath))
	static(system+"/EthernetInterfaces", collection(system+"/EthernetInterfaces", "Interfaces", system+"/EthernetInterfaces/1"))
	static(system+"/EthernetInterfaces/1", object{
		"@odata.id": system + "/EthernetInterfaces/1", "Id": "1", "Name": "eth0",
		"MACAddress": m.options.MAC, "PermanentMACAddress": m.options.MAC, "Status": object{"State": "Enabled", "Health": "OK"},
	})
	private.HandleFunc("GET "+system, m.getSystem)
	private.HandleFunc("PATCH "+system, m.patchSystem)
	private.HandleFunc("POST "+system+"/Actions/ComputerSystem.Reset", m.reset)
	private.HandleFunc("GET "+cdPath, m.getCD)
	private.HandleFunc("POST "+cdPath+"/Actions/VirtualMedia.InsertMedia", m.insert)
	private.HandleFunc("POST "+cdPath+"/Actions/VirtualMedia.EjectMedia", m.eject)
	private.HandleFunc("DELETE "+sessionsPath+"/{id}", m.logout)

	public := http.NewServeMux()
	public.HandleFunc("GET "+isoPath, func(w http.ResponseWriter, r *http.Request) { serveISO(w, r) })
	public.HandleFunc("GET "+root+"/{$}", getRoot)
	public.HandleFunc("GET "+root, getRoot)
	public.HandleFunc("POST "+sessionsPath, m.login)
	public.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !m.authorized(r) {
			fail(w, http.StatusUnauthorized, "wrong credentials")
			return
		}
		private.ServeHTTP(w, r)
	})
	return public
}

func getRoot(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, object{
		"@odata.id": root + "/", "Id": "RootService", "Name": "Emulated machine", "RedfishVersion": "1.11.0",
		"Systems": link(root + "/Systems"), "Managers": link(root + "/Managers"),
		"SessionService": link(root + "/SessionService"), "Links": object{"Sessions": link(sessionsPath)},
	})
}

// authorized checks a session or the password.
func (m *Machine) authorized(r *http.Request) bool {
	if token := r.Header.Get("X-Auth-Token"); token != "" {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.sessions[token]
	}
	user, password, ok := r.BasicAuth()
	return ok && m.known(user, password)
}

func (m *Machine) known(user, password string) bool {
	return subtle.ConstantTimeCompare([]byte(user+"\x00"+password), []byte(m.options.Username+"\x00"+m.options.Password)) == 1
}

func (m *Machine) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ UserName, Password string }
	if !read(w, r, &body) {
		return
	}
	if !m.known(body.UserName, body.Password) {
		fail(w, http.StatusUnauthorized, "wrong credentials")
		return
	}
	token := rand.Text()
	m.mu.Lock()
	m.sessions[token] = true
	m.mu.Unlock()
	path := sessionsPath + "/" + token
	w.Header().Set("X-Auth-Token", token)
	w.Header().Set("Location", path)
	answer(w, http.StatusCreated, object{"@odata.id": path, "Id": token, "Name": "Session", "UserName": body.UserName})
}

func (m *Machine) logout(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	delete(m.sessions, r.PathValue("id"))
	m.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (m *Machine) getSystem(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	power := "Off"
	if m.on {
		power = "On"
	}
	answer(w, http.StatusOK, object{
		"@odata.id": r.URL.Path, "Id": m.options.Name, "Name": m.options.Name, "SystemType": "Physical",
		"Manufacturer": "ironworks", "Model": "Emulated", "SerialNumber": "0001", "PowerState": power,
		"Status":             object{"State": "Enabled", "Health": "OK"},
		"ProcessorSummary":   object{"Count": 2},
		"MemorySummary":      object{"TotalSystemMemoryGiB": 8},
		"EthernetInterfaces": link(r.URL.Path + "/EthernetInterfaces"),
		"Boot": object{
			"BootSourceOverrideTarget": m.boot.Target, "BootSourceOverrideEnabled": m.boot.Enabled,
			"BootSourceOverrideMode": m.boot.Mode, "BootSourceOverrideTarget@Redfish.AllowableValues": bootTargets,
		},
		"Actions": object{"#ComputerSystem.Reset": object{
			"target": r.URL.Path + "/Actions/ComputerSystem.Reset", "ResetType@Redfish.AllowableValues": resetTypes,
		}},
		"Links": object{"ManagedBy": []object{link(managerPath)}},
	})
}

func (m *Machine) patchSystem(w http.ResponseWriter, r *http.Request) {
	var body struct{ Boot bootOverride }
	if !read(w, r, &body) {
		return
	}
	if body.Boot.Target != "" && !slices.Contains(bootTargets, body.Boot.Target) {
		fail(w, http.StatusBadRequest, "unknown boot target "+body.Boot.Target)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, change := range []struct{ to, from *string }{
		{&m.boot.Target, &body.Boot.Target},
		{&m.boot.Enabled, &body.Boot.Enabled},
		{&m.boot.Mode, &body.Boot.Mode},
	} {
		if *change.from != "" {
			*change.to = *change.from
		}
	}
	m.logf("boot %+v", m.boot)
	w.WriteHeader(http.StatusNoContent)
}

func (m *Machine) reset(w http.ResponseWriter, r *http.Request) {
	var body struct{ ResetType string }
	if !read(w, r, &body) {
		return
	}
	switch body.ResetType {
	case "On", "ForceOn":
		m.powerOn() //nolint:contextcheck // the machine runs on after the request
	case "ForceOff", "GracefulShutdown":
		m.powerOff()
	case "ForceRestart", "GracefulRestart":
		m.powerOff()
		m.powerOn() //nolint:contextcheck // as above
	default:
		fail(w, http.StatusBadRequest, "unknown reset type "+body.ResetType)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (m *Machine) getCD(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cd := object{
		"@odata.id": cdPath, "Id": "Cd", "Name": "Virtual CD", "MediaTypes": []string{"CD", "DVD"},
		"Inserted": m.image != "", "Image": nil, "WriteProtected": true, "ConnectedVia": "NotConnected",
		"Actions": object{
			"#VirtualMedia.InsertMedia": object{"target": cdPath + "/Actions/VirtualMedia.InsertMedia"},
			"#VirtualMedia.EjectMedia":  object{"target": cdPath + "/Actions/VirtualMedia.EjectMedia"},
		},
	}
	if m.image != "" {
		cd["Image"], cd["ConnectedVia"] = m.image, "URI"
	}
	answer(w, http.StatusOK, cd)
}

func (m *Machine) insert(w http.ResponseWriter, r *http.Request) {
	var body struct{ Image string }
	if !read(w, r, &body) {
		return
	}
	m.setImage(w, body.Image)
}

func (m *Machine) eject(w http.ResponseWriter, _ *http.Request) { m.setImage(w, "") }

func (m *Machine) setImage(w http.ResponseWriter, image string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.image = image
	m.logf("medium %q", image)
	w.WriteHeader(http.StatusNoContent)
}

// read reads the body of a request; it answers 400 if that is not JSON.
func read(w http.ResponseWriter, r *http.Request, body any) bool {
	if err := json.NewDecoder(r.Body).Decode(body); err != nil {
		fail(w, http.StatusBadRequest, "the body is not what was expected: "+err.Error())
		return false
	}
	return true
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// fail answers with an error in the form of Redfish.
func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, object{"error": object{
		"code": "Base.1.0.GeneralError", "message": message,
		"@Message.ExtendedInfo": []object{{"MessageId": "Base.1.0.GeneralError", "Message": message}},
	}})
}
