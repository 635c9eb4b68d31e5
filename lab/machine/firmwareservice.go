package machine

import (
	"net/http"
	"slices"
	"strings"
)

const simpleUpdatePath = updatePath + "/Actions/UpdateService.SimpleUpdate"

// transferProtocols contains the protocols that the BMC supports for downloading images.
var transferProtocols = []string{"HTTP", "HTTPS"}

func getUpdateService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": updatePath, "@odata.type": typeOf("UpdateService"),
		"Id": "UpdateService", "Name": "Firmware", "ServiceEnabled": true, "Status": healthy(),
		"FirmwareInventory": link(firmwarePath), "SoftwareInventory": link(softwarePath), "Actions": object{"#UpdateService.SimpleUpdate": object{
			"target": simpleUpdatePath, "TransferProtocol@Redfish.AllowableValues": transferProtocols,
		}},
	})
}

// getSoftware returns an empty collection, because the BMC manages only firmware.
func getSoftware(w http.ResponseWriter, request *http.Request) {
	show(w, collection(request.URL.Path, "SoftwareInventory", "Software inventory"))
}

func (m *Machine) firmwarePath(c Component) string {
	return firmwarePath + "/" + m.Name() + ":" + string(c)
}

func (r *Rack) getFirmwares(w http.ResponseWriter, request *http.Request) {
	var members []string
	for _, m := range r.visible(request) {
		for _, c := range components() {
			members = append(members, m.firmwarePath(c))
		}
	}
	show(w, collection(firmwarePath, "SoftwareInventory", "Firmware inventory", members...))
}

func (r *Rack) getFirmware(w http.ResponseWriter, request *http.Request) {
	name, which, _ := strings.Cut(request.PathValue("firmware"), ":")
	m, ok := r.Machine(name)
	if !ok || !m.accepts(identityOf(request)) || !slices.Contains(components(), Component(which)) {
		notFound(w, request)
		return
	}
	related := map[Component]string{BIOSFirmware: m.SystemPath(), BMCFirmware: m.managerPath(), NICFirmware: m.adapterPath()}
	show(w, object{
		"@odata.id": m.firmwarePath(Component(which)), "@odata.type": typeOf("SoftwareInventory"),
		"Id": request.PathValue("firmware"), "Name": which + " firmware of " + name, "Version": m.Firmware(Component(which)),
		"Manufacturer": m.spec.Vendor, "Updateable": true, "Status": healthy(), "RelatedItem": links(related[Component(which)]),
	})
}

// simpleUpdate starts a firmware update. The Location header of the response contains the address of the task, and
// the body contains the task itself, because sushy may follow either of them (TaskMonitor.from_response in
// sushy/taskmonitor.py).
func (r *Rack) simpleUpdate(w http.ResponseWriter, request *http.Request) {
	var body struct {
		ImageURI, TransferProtocol string
		Username, Password         string
		Targets                    []string
	}
	if !read(w, request, &body) {
		return
	}
	switch protocol := body.TransferProtocol; {
	case body.ImageURI == "":
		fail(w, http.StatusBadRequest, parameterMissing, "The action UpdateService.SimpleUpdate needs the parameter ImageURI.")
		return
	case protocol != "" && !slices.Contains(transferProtocols, protocol):
		fail(w, http.StatusBadRequest, parameterValue, "The transfer protocol "+protocol+" is not supported; allowed are "+strings.Join(transferProtocols, ", ")+".")
		return
	}
	m := r.updateTarget(request, body.Targets)
	if m == nil {
		fail(w, http.StatusBadRequest, parameterMissing, "The parameter Targets must name one of the systems.")
		return
	}
	job, err := m.UpdateFirmware(VirtualMedia{URL: body.ImageURI, User: body.Username, Password: body.Password})
	if err != nil {
		fail(w, http.StatusBadRequest, parameterValue, err.Error())
		return
	}
	w.Header().Set("Location", m.jobPath(job))
	showAs(w, http.StatusAccepted, m.task(job))
}

// updateTarget returns the machine to update: the machine that the targets name or, if there are no targets, the only
// machine that the client can see. If there is no such machine, it returns nil.
func (r *Rack) updateTarget(request *http.Request, targets []string) *Machine {
	visible := r.visible(request)
	if len(targets) == 0 && len(visible) == 1 {
		return visible[0]
	}
	for _, m := range visible {
		if slices.ContainsFunc(targets, m.owns) {
			return m
		}
	}
	return nil
}

// owns reports whether path is the path of the machine's system, manager, network adapter or firmware.
func (m *Machine) owns(path string) bool {
	mine := []string{m.SystemPath(), m.managerPath(), m.adapterPath()}
	for _, c := range components() {
		mine = append(mine, m.firmwarePath(c))
	}
	return slices.Contains(mine, strings.TrimRight(path, "/"))
}
