package machine

import (
	"net/http"
	"slices"
	"strings"
)

// Paths of the resources that belong to the service.
const (
	root         = "/redfish/v1"
	sessionsPath = root + "/SessionService/Sessions"
	updatePath   = root + "/UpdateService"
	firmwarePath = updatePath + "/FirmwareInventory"
	softwarePath = updatePath + "/SoftwareInventory"
	tasksPath    = root + "/TaskService"
	// registriesPath is the path of the collection of registries. Its only member is the BIOS attribute registry.
	registriesPath = root + "/Registries"
)

// SystemPath returns the path of the machine's system in Redfish, which is Ironic's redfish_system_id.
func (m *Machine) SystemPath() string { return root + "/Systems/" + m.Name() }

func (m *Machine) managerPath() string { return root + "/Managers/" + m.Name() }

func (m *Machine) chassisPath() string { return root + "/Chassis/" + m.Name() }

// forMachine handles requests for a resource that belongs to a machine.
type forMachine func(w http.ResponseWriter, request *http.Request, m *Machine)

// makeRoutes returns the handler for all routes and, for the Allow header, the methods of each path.
func (r *Rack) makeRoutes() (mux *http.ServeMux, allow map[string][]string) {
	mux, allow = http.NewServeMux(), map[string][]string{}
	handle := func(pattern string, handler http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		if method == http.MethodGet {
			allow[path] = append(allow[path], http.MethodHead)
		}
		allow[path] = append(allow[path], method)
		slices.Sort(allow[path])
		mux.HandleFunc(pattern, handler)
	}
	for pattern, handler := range r.serviceRoutes() {
		handle(pattern, handler)
	}
	machine := machineRoutes()
	for _, part := range adapterParts() {
		folder := "GET /Chassis/{machine}/NetworkAdapters/{id}/" + part.folder
		machine[folder], machine[folder+"/{nic}"] = part.list, part.get
	}
	for pattern, handler := range secureBootRoutes() {
		machine[pattern] = withSecureBoot(handler)
	}
	for pattern, handler := range machine {
		method, path, _ := strings.Cut(pattern, " ")
		handle(method+" "+root+path, r.with(handler))
	}
	return mux, allow
}

// serviceRoutes returns the handlers for the resources that belong to the service as a whole.
func (r *Rack) serviceRoutes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /redfish":                              func(w http.ResponseWriter, _ *http.Request) { show(w, object{"v1": root + "/"}) },
		"GET " + root:                               getRoot,
		"GET " + root + "/SessionService":           getSessionService,
		"GET " + sessionsPath:                       r.getSessions,
		"POST " + sessionsPath:                      r.login,
		"GET " + sessionsPath + "/{session}":        r.getSession,
		"DELETE " + sessionsPath + "/{session}":     r.logout,
		"GET " + updatePath:                         getUpdateService,
		"GET " + firmwarePath:                       r.getFirmwares,
		"GET " + firmwarePath + "/{firmware}":       r.getFirmware,
		"POST " + simpleUpdatePath:                  r.simpleUpdate,
		"GET " + registriesPath:                     getRegistries,
		"GET " + biosRegistryPath:                   getBIOSRegistryFile,
		"GET " + biosRegistryEnPath:                 getBIOSRegistry,
		"GET " + tasksPath:                          getTaskService,
		"GET " + tasksPath + "/Tasks":               r.getTasks,
		"GET " + tasksPath + "/Tasks/{task}":        r.getTask,
		"DELETE " + tasksPath + "/Tasks/{task}":     r.deleteTask,
		"GET " + tasksPath + "/TaskMonitors/{task}": r.getTaskMonitor,
		"GET " + root + "/Systems":                  r.list("ComputerSystem", "Systems", (*Machine).SystemPath),
		"GET " + root + "/Managers":                 r.list("Manager", "Managers", (*Machine).managerPath),
		"GET " + root + "/Chassis":                  r.list("Chassis", "Chassis", (*Machine).chassisPath),
		"GET " + odataPath:                          getService,
		"GET " + metadataPath:                       getMetadata,
		"GET " + accountsPath:                       getAccountService,
		"GET " + rolesPath:                          getRoles,
		"GET " + rolesPath + "/{role}":              getRole,
		"GET " + softwarePath:                       getSoftware,
	}
}

// machineRoutes returns the handlers for the resources that belong to a machine.
func machineRoutes() map[string]forMachine {
	return map[string]forMachine{
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
		"GET /Systems/{machine}/Processors/CPU1/SubProcessors":                      members("Processor", "Cores"),
		"GET /Systems/{machine}/Storage/1/Controllers":                              members("StorageController", "Storage controllers", "/0"),
		"GET /Systems/{machine}/Storage/1/Controllers/0":                            getStorageController,
		"GET /Managers/{machine}":                                                   getManager,
		"POST /Managers/{machine}/Actions/Manager.Reset":                            resetManager,
		"GET /Managers/{machine}/VirtualMedia":                                      members("VirtualMedia", "Virtual media", "/Cd"),
		"GET /Managers/{machine}/VirtualMedia/Cd":                                   getVirtualMedia,
		"PATCH /Managers/{machine}/VirtualMedia/Cd":                                 patchVirtualMedia,
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia": insertMedia,
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia":  ejectMedia,
		"GET /Managers/{machine}/EthernetInterfaces":                                members("EthernetInterface", "Ethernet interfaces", "/eth0"),
		"GET /Managers/{machine}/EthernetInterfaces/eth0":                           getManagerInterface,
		"GET /Managers/{machine}/VirtualMedia/Cd/Certificates":                      members("Certificate", "Certificates of image servers"),
		"GET /Chassis/{machine}":                                                    getChassis,
		"GET /Chassis/{machine}/NetworkAdapters":                                    getAdapters,
		"GET /Chassis/{machine}/NetworkAdapters/{id}":                               getAdapter,
		"GET /Chassis/{machine}/Thermal":                                            getThermal,
		"GET /Chassis/{machine}/Power":                                              getPower,
		"POST /Chassis/{machine}/Actions/Chassis.Reset":                             resetSystem,
		"GET /Chassis/{machine}/PCIeDevices":                                        getPCIeDevices,
		"GET /Chassis/{machine}/PCIeDevices/{id}":                                   getPCIeDevice,
		"GET /Chassis/{machine}/PCIeDevices/{id}/PCIeFunctions":                     getPCIeFunctions,
		"GET /Chassis/{machine}/PCIeDevices/{id}/PCIeFunctions/{function}":          getPCIeFunction,
	}
}

// with returns a handler that calls the given handler with the machine named in the request's path. The status is 404
// if there is no such machine, and 401 if the machine's BMC rejects the client's credentials.
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

// readyFor returns the result of [Machine.ready] for a machine that shares its rack with others. For the only machine
// of a rack, it returns true, because ServeHTTP has already called ready.
func (r *Rack) readyFor(w http.ResponseWriter, request *http.Request, m *Machine) bool {
	_, alone := r.onlyMachine()
	return alone || m.ready(w, request)
}

// members returns a handler for a collection of resources that belong to a machine. The members' paths are given
// relative to the collection.
func members(schema, name string, below ...string) forMachine {
	return func(w http.ResponseWriter, request *http.Request, _ *Machine) {
		var paths []string
		for _, b := range below {
			paths = append(paths, request.URL.Path+b)
		}
		show(w, collection(request.URL.Path, schema, name, paths...))
	}
}

// list returns a handler for a collection that contains one resource of each machine that the client can see.
func (r *Rack) list(schema, name string, path func(*Machine) string) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var members []string
		for _, m := range r.visible(request) {
			members = append(members, path(m))
		}
		show(w, collection(request.URL.Path, schema, name, members...))
	}
}
