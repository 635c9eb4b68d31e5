package machine

import (
	"net/http"
	"strings"
)

// Paths of the service's resources.
const (
	root         = "/redfish/v1"
	sessionsPath = root + "/SessionService/Sessions"
	updatePath   = root + "/UpdateService"
	firmwarePath = updatePath + "/FirmwareInventory"
	tasksPath    = root + "/TaskService"
	// registriesPath has the registries of messages and attributes.
	registriesPath = root + "/Registries"
)

// SystemPath returns the machine's Redfish path, Ironic's redfish_system_id.
func (m *Machine) SystemPath() string { return root + "/Systems/" + m.Name() }

func (m *Machine) managerPath() string { return root + "/Managers/" + m.Name() }

func (m *Machine) chassisPath() string { return root + "/Chassis/" + m.Name() }

// forMachine answers for one machine.
type forMachine func(w http.ResponseWriter, request *http.Request, m *Machine)

func (r *Rack) makeRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /redfish", func(w http.ResponseWriter, _ *http.Request) { show(w, object{"v1": root + "/"}) })
	mux.HandleFunc("GET "+root, getRoot)
	mux.HandleFunc("GET "+root+"/SessionService", getSessionService)
	mux.HandleFunc("GET "+sessionsPath, r.getSessions)
	mux.HandleFunc("POST "+sessionsPath, r.login)
	mux.HandleFunc("GET "+sessionsPath+"/{session}", r.getSession)
	mux.HandleFunc("DELETE "+sessionsPath+"/{session}", r.logout)
	mux.HandleFunc("GET "+updatePath, getUpdateService)
	mux.HandleFunc("GET "+firmwarePath, r.getFirmwares)
	mux.HandleFunc("GET "+firmwarePath+"/{firmware}", r.getFirmware)
	mux.HandleFunc("POST "+simpleUpdatePath, r.simpleUpdate)
	mux.HandleFunc("GET "+registriesPath, getRegistries)
	mux.HandleFunc("GET "+biosRegistryPath, getBIOSRegistryFile)
	mux.HandleFunc("GET "+biosRegistryEnPath, getBIOSRegistry)
	mux.HandleFunc("GET "+tasksPath, getTaskService)
	mux.HandleFunc("GET "+tasksPath+"/Tasks", r.getTasks)
	mux.HandleFunc("GET "+tasksPath+"/Tasks/{task}", r.getTask)
	mux.HandleFunc("DELETE "+tasksPath+"/Tasks/{task}", r.deleteTask)
	mux.HandleFunc("GET "+tasksPath+"/TaskMonitors/{task}", r.getTaskMonitor)
	mux.HandleFunc("GET "+root+"/Systems", r.list("ComputerSystem", "Systems", (*Machine).SystemPath))
	mux.HandleFunc("GET "+root+"/Managers", r.list("Manager", "Managers", (*Machine).managerPath))
	mux.HandleFunc("GET "+root+"/Chassis", r.list("Chassis", "Chassis", (*Machine).chassisPath))
	for pattern, handler := range map[string]forMachine{
		"GET /Systems/{machine}":                                                    getSystem,
		"PATCH /Systems/{machine}":                                                  patchSystem,
		"POST /Systems/{machine}/Actions/ComputerSystem.Reset":                      resetSystem,
		"GET /Systems/{machine}/Processors":                                         members("Processor", "Processors", "/CPU1"),
		"GET /Systems/{machine}/Processors/{id}":                                    getProcessor,
		"GET /Systems/{machine}/EthernetInterfaces":                                 getInterfaces,
		"GET /Systems/{machine}/EthernetInterfaces/{id}":                            getInterface,
		"GET /Systems/{machine}/Bios":                                               getBIOS,
		"GET /Systems/{machine}/Bios/Settings":                                      getBIOSSettings,
		"PATCH /Systems/{machine}/Bios/Settings":                                    patchBIOSSettings,
		"POST /Systems/{machine}/Bios/Actions/Bios.ResetBios":                       resetBIOS,
		"GET /Systems/{machine}/Storage":                                            members("Storage", "Storage", "/1"),
		"GET /Systems/{machine}/Storage/1":                                          getStorage,
		"GET /Systems/{machine}/Storage/1/Volumes":                                  getVolumes,
		"POST /Systems/{machine}/Storage/1/Volumes":                                 createVolume,
		"GET /Systems/{machine}/Storage/1/Volumes/{id}":                             getVolume,
		"DELETE /Systems/{machine}/Storage/1/Volumes/{id}":                          deleteVolume,
		"GET /Systems/{machine}/Storage/1/Drives/{id}":                              getDrive,
		"GET /Systems/{machine}/SimpleStorage":                                      members("SimpleStorage", "Simple storage", "/1"),
		"GET /Systems/{machine}/SimpleStorage/1":                                    getSimpleStorage,
		"GET /Systems/{machine}/LogServices":                                        members("LogService", "Logs", "/SEL"),
		"GET /Systems/{machine}/LogServices/SEL":                                    getLogService,
		"GET /Systems/{machine}/LogServices/SEL/Entries":                            getLogEntries,
		"GET /Systems/{machine}/LogServices/SEL/Entries/{id}":                       getLogEntry,
		"POST /Systems/{machine}/LogServices/SEL/Actions/LogService.ClearLog":       clearLog,
		"GET /Managers/{machine}":                                                   getManager,
		"POST /Managers/{machine}/Actions/Manager.Reset":                            resetManager,
		"GET /Managers/{machine}/VirtualMedia":                                      members("VirtualMedia", "Virtual media", "/Cd"),
		"GET /Managers/{machine}/VirtualMedia/Cd":                                   getVirtualMedia,
		"PATCH /Managers/{machine}/VirtualMedia/Cd":                                 patchVirtualMedia,
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia": insertMedia,
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia":  ejectMedia,
		"GET /Chassis/{machine}":                                                    getChassis,
		"GET /Chassis/{machine}/NetworkAdapters":                                    getAdapters,
		"GET /Chassis/{machine}/NetworkAdapters/{id}":                               getAdapter,
		"GET /Chassis/{machine}/Thermal":                                            getThermal,
		"GET /Chassis/{machine}/Power":                                              getPower,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+root+path, r.with(handler))
	}
	return mux
}

// with finds the machine of a request, if it exists and accepts the client.
func (r *Rack) with(handler forMachine) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		m, ok := r.Machine(request.PathValue("machine"))
		if !ok {
			notFound(w, request)
			return
		}
		if !r.readyFor(w, request, m) {
			return
		}
		if !m.accepts(identityOf(request)) {
			unauthorized(w)
			return
		}
		if m.Faults().WantETag && !r.hasVersion(w, request) {
			return
		}
		handler(w, request, m)
	}
}

// readyFor is [Machine.ready] for a machine that shares its service; ServeHTTP has asked a single
// one already.
func (r *Rack) readyFor(w http.ResponseWriter, request *http.Request, m *Machine) bool {
	_, alone := r.onlyMachine()
	return alone || m.ready(w, request)
}

// members answers with the collection of some resources of a machine, which are below it.
func members(schema, name string, below ...string) forMachine {
	return func(w http.ResponseWriter, request *http.Request, _ *Machine) {
		var paths []string
		for _, b := range below {
			paths = append(paths, request.URL.Path+b)
		}
		show(w, collection(request.URL.Path, schema, name, paths...))
	}
}

// list answers with the collection of one resource of every machine.
func (r *Rack) list(schema, name string, path func(*Machine) string) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var members []string
		for _, m := range r.visible(request) {
			members = append(members, path(m))
		}
		show(w, collection(request.URL.Path, schema, name, members...))
	}
}
