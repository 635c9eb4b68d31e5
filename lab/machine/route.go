package machine

import (
	"maps"
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
	accountsPath = root + "/AccountService"
	rolesPath    = accountsPath + "/Roles"
	// registriesPath is the path of the collection of registries. Its only member is the BIOS attribute registry.
	registriesPath = root + "/Registries"
)

// SystemPath returns the path of the machine's system in Redfish, which is Ironic's redfish_system_id.
func (m *Machine) SystemPath() string { return root + "/Systems/" + m.Name() }

func (m *Machine) managerPath() string { return root + "/Managers/" + m.Name() }

func (m *Machine) chassisPath() string { return root + "/Chassis/" + m.Name() }

// A handler that returns an error has written nothing: refuse writes the response.
type (
	// forService handles requests for a resource that belongs to the service.
	forService func(w http.ResponseWriter, request *http.Request) error
	// forMachine handles requests for a resource that belongs to a machine.
	forMachine func(w http.ResponseWriter, request *http.Request, m *Machine) error
)

// makeRoutes returns the handler for all routes and, for the Allow header, the methods of each path.
func (r *Rack) makeRoutes() (mux *http.ServeMux, allow map[string][]string) {
	mux, allow = http.NewServeMux(), map[string][]string{}
	handle := func(pattern string, handler forService) {
		method, path, _ := strings.Cut(pattern, " ")
		if method == http.MethodGet {
			allow[path] = append(allow[path], http.MethodHead)
		}
		allow[path] = append(allow[path], method)
		slices.Sort(allow[path])
		mux.HandleFunc(pattern, func(w http.ResponseWriter, request *http.Request) {
			if err := handler(w, request); err != nil {
				refuse(w, request, err)
			}
		})
	}
	for path, of := range r.serviceViews() {
		handle("GET "+path, serviceView(of))
	}
	for pattern, handler := range r.serviceRoutes() {
		handle(pattern, handler)
	}
	routes := machineRoutes()
	for path, of := range machineViews() {
		routes["GET "+path] = view(of)
	}
	for folder, part := range adapterParts() {
		path := "GET /Chassis/{machine}/NetworkAdapters/{id}/" + folder
		routes[path], routes[path+"/{nic}"] = view(part.list), view(part.get)
	}
	maps.Copy(routes, secureBootRoutes())
	for pattern, handler := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		handle(method+" "+root+path, r.with(handler))
	}
	return mux, allow
}

// serviceViews maps the paths of the resources that belong to the service as a whole to functions that return these
// resources. The result is nil if there is no such resource.
func (r *Rack) serviceViews() map[string]func(*http.Request) object {
	return map[string]func(*http.Request) object{
		"/redfish":                   func(*http.Request) object { return object{"v1": root + "/"} },
		root:                         getRoot,
		root + "/SessionService":     getSessionService,
		sessionsPath:                 r.getSessions,
		sessionsPath + "/{session}":  r.getSession,
		updatePath:                   getUpdateService,
		firmwarePath:                 r.getFirmwares,
		firmwarePath + "/{firmware}": r.getFirmware,
		softwarePath:                 getSoftware,
		registriesPath:               getRegistries,
		biosRegistryPath:             getBIOSRegistryFile,
		biosRegistryEnPath:           getBIOSRegistry,
		tasksPath:                    getTaskService,
		tasksPath + "/Tasks":         r.getTasks,
		root + "/Systems":            r.list("ComputerSystem", "Systems"),
		root + "/Managers":           r.list("Manager", "Managers"),
		root + "/Chassis":            r.list("Chassis", "Chassis"),
		odataPath:                    getService,
		accountsPath:                 getAccountService,
		rolesPath:                    getRoles,
		rolesPath + "/{role}":        getRole,
	}
}

// serviceRoutes returns the other handlers for the resources that belong to the service as a whole.
func (r *Rack) serviceRoutes() map[string]forService {
	return map[string]forService{
		"GET " + metadataPath:                       getMetadata,
		"POST " + sessionsPath:                      r.login,
		"DELETE " + sessionsPath + "/{session}":     r.logout,
		"POST " + simpleUpdatePath:                  r.simpleUpdate,
		"GET " + tasksPath + "/Tasks/{task}":        r.getTask,
		"DELETE " + tasksPath + "/Tasks/{task}":     r.deleteTask,
		"GET " + tasksPath + "/TaskMonitors/{task}": r.getTaskMonitor,
	}
}

// machineViews is like serviceViews for the resources that belong to a machine.
func machineViews() map[string]func(*Machine, *http.Request) object {
	return map[string]func(*Machine, *http.Request) object{
		"/Systems/{machine}":                                           (*Machine).getSystem,
		"/Systems/{machine}/Processors":                                members("Processor", "Processors", processorID),
		"/Systems/{machine}/Processors/{id}":                           (*Machine).getProcessor,
		"/Systems/{machine}/Processors/CPU1/SubProcessors":             members("Processor", "Cores"),
		"/Systems/{machine}/EthernetInterfaces":                        (*Machine).getInterfaces,
		"/Systems/{machine}/EthernetInterfaces/{id}":                   (*Machine).getInterface,
		"/Systems/{machine}/Bios":                                      (*Machine).getBIOS,
		"/Systems/{machine}/Bios/Settings":                             (*Machine).getBIOSSettings,
		"/Systems/{machine}/Storage":                                   members("Storage", "Storage", "1"),
		"/Systems/{machine}/Storage/1":                                 (*Machine).getStorage,
		"/Systems/{machine}/Storage/1/Volumes":                         (*Machine).getVolumes,
		"/Systems/{machine}/Storage/1/Volumes/{id}":                    (*Machine).getVolume,
		"/Systems/{machine}/Storage/1/Drives/{id}":                     (*Machine).getDrive,
		"/Systems/{machine}/Storage/1/Controllers":                     members("StorageController", "Storage controllers", "0"),
		"/Systems/{machine}/Storage/1/Controllers/0":                   (*Machine).getStorageController,
		"/Systems/{machine}/SimpleStorage":                             members("SimpleStorage", "Simple storage", "1"),
		"/Systems/{machine}/SimpleStorage/1":                           (*Machine).getSimpleStorage,
		"/Systems/{machine}/LogServices":                               members("LogService", "Logs", "SEL"),
		"/Systems/{machine}/LogServices/SEL":                           (*Machine).getLogService,
		"/Systems/{machine}/LogServices/SEL/Entries":                   (*Machine).getLogEntries,
		"/Systems/{machine}/LogServices/SEL/Entries/{id}":              (*Machine).getLogEntry,
		"/Managers/{machine}":                                          (*Machine).getManager,
		"/Managers/{machine}/VirtualMedia":                             members("VirtualMedia", "Virtual media", "Cd"),
		"/Managers/{machine}/VirtualMedia/Cd":                          (*Machine).getVirtualMedia,
		"/Managers/{machine}/VirtualMedia/Cd/Certificates":             members("Certificate", "Certificates of image servers"),
		"/Managers/{machine}/EthernetInterfaces":                       members("EthernetInterface", "Ethernet interfaces", "eth0"),
		"/Managers/{machine}/EthernetInterfaces/eth0":                  (*Machine).getManagerInterface,
		"/Chassis/{machine}":                                           (*Machine).getChassis,
		"/Chassis/{machine}/NetworkAdapters":                           (*Machine).getAdapters,
		"/Chassis/{machine}/NetworkAdapters/{id}":                      (*Machine).getAdapter,
		"/Chassis/{machine}/Thermal":                                   (*Machine).getThermal,
		"/Chassis/{machine}/Power":                                     (*Machine).getPower,
		"/Chassis/{machine}/PCIeDevices":                               (*Machine).getPCIeDevices,
		"/Chassis/{machine}/PCIeDevices/{id}":                          (*Machine).getPCIeDevice,
		"/Chassis/{machine}/PCIeDevices/{id}/PCIeFunctions":            (*Machine).getPCIeFunctions,
		"/Chassis/{machine}/PCIeDevices/{id}/PCIeFunctions/{function}": (*Machine).getPCIeFunction,
	}
}

// machineRoutes returns the handlers that change the resources of a machine.
func machineRoutes() map[string]forMachine {
	return map[string]forMachine{
		"PATCH /Systems/{machine}":                                                  change((*Machine).patchSystem),
		"POST /Systems/{machine}/Actions/ComputerSystem.Reset":                      change((*Machine).resetSystem),
		"PATCH /Systems/{machine}/Bios/Settings":                                    change((*Machine).patchBIOSSettings),
		"POST /Systems/{machine}/Bios/Actions/Bios.ResetBios":                       command((*Machine).ResetBIOS),
		"POST /Systems/{machine}/Storage/1/Volumes":                                 createVolume,
		"DELETE /Systems/{machine}/Storage/1/Volumes/{id}":                          deleteVolume,
		"POST /Systems/{machine}/LogServices/SEL/Actions/LogService.ClearLog":       command((*Machine).ClearLog),
		"POST /Managers/{machine}/Actions/Manager.Reset":                            change((*Machine).resetManager),
		"PATCH /Managers/{machine}/VirtualMedia/Cd":                                 change((*Machine).patchVirtualMedia),
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia": change((*Machine).insertMedia),
		"POST /Managers/{machine}/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia":  command((*Machine).Eject),
		"POST /Chassis/{machine}/Actions/Chassis.Reset":                             change((*Machine).resetSystem),
	}
}

// with returns a handler that calls the given handler with the machine named in the request's path. The status is 404
// if there is no such machine, and 401 if the machine's BMC rejects the client's credentials.
func (r *Rack) with(handler forMachine) forService {
	return func(w http.ResponseWriter, request *http.Request) error {
		m := r.byName[request.PathValue("machine")]
		switch {
		case m == nil:
			return errNotFound
		case !r.readyFor(w, request, m):
			return nil
		case !m.accepts(identityOf(request)):
			unauthorized(w)
			return nil
		case m.Faults().WantETag && !r.hasVersion(w, request):
			return nil
		}
		return handler(w, request, m)
	}
}

// readyFor returns the result of [Machine.ready] for a machine that shares its rack with others. For the only machine
// of a rack, it returns true, because ServeHTTP has already called ready.
func (r *Rack) readyFor(w http.ResponseWriter, request *http.Request, m *Machine) bool {
	return r.onlyMachine() != nil || m.ready(w, request)
}

func serviceView(of func(*http.Request) object) forService {
	return func(w http.ResponseWriter, request *http.Request) error {
		resource := of(request)
		if resource == nil {
			return errNotFound
		}
		show(w, resource)
		return nil
	}
}

func view(of func(*Machine, *http.Request) object) forMachine {
	return func(w http.ResponseWriter, request *http.Request, m *Machine) error {
		return serviceView(func(request *http.Request) object { return of(m, request) })(w, request)
	}
}

// change returns a handler that passes the decoded body of a request to do. The response has no content.
func change[T any](do func(*Machine, T) error) forMachine {
	return func(w http.ResponseWriter, request *http.Request, m *Machine) error {
		var body T
		if err := read(w, request, &body); err != nil {
			return err
		}
		if err := do(m, body); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// command returns a handler that calls do, and ignores the body of the request. The response has no content.
func command(do func(*Machine)) forMachine {
	return func(w http.ResponseWriter, _ *http.Request, m *Machine) error {
		do(m)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// members returns a function that returns a collection of resources with the given IDs.
func members(schema, name string, ids ...string) func(*Machine, *http.Request) object {
	return func(_ *Machine, request *http.Request) object {
		return collection(request.URL.Path, schema, name, ids...)
	}
}

// list returns a function that returns a collection of one resource for each machine that the client can see.
func (r *Rack) list(schema, name string) func(*http.Request) object {
	return func(request *http.Request) object {
		var names []string
		for _, m := range r.visible(request) {
			names = append(names, m.Name())
		}
		return collection(request.URL.Path, schema, name, names...)
	}
}
