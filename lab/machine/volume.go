package machine

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
)

// maxDrives is the maximum number of drives that a RAID controller can have.
const maxDrives = 1000

// Times at which changes take effect (DSP0266, OperationApplyTime).
const (
	onReset   = "OnReset"
	immediate = "Immediate"
)

func (m *Machine) volumesPath() string { return m.storagePath() + "/Volumes" }

// applyTimes returns the times at which the controller can apply volume changes. The first one is the default.
func (m *Machine) applyTimes() []string {
	if m.spec.RAID.OnReset {
		return []string{onReset}
	}
	return []string{immediate, onReset}
}

func getVolumes(w http.ResponseWriter, _ *http.Request, m *Machine) {
	var paths []string
	for _, v := range m.Volumes() {
		paths = append(paths, m.volumesPath()+"/"+v.ID)
	}
	all := collection(m.volumesPath(), "Volume", "Volumes", paths...)
	if m.spec.RAID != nil {
		all["@Redfish.OperationApplyTimeSupport"] = object{
			"@odata.type": typeIn("Settings", "OperationApplyTimeSupport"), "SupportedValues": m.applyTimes(),
		}
	}
	show(w, all)
}

// volumeResource returns the Redfish resource that describes the volume.
func (m *Machine) volumeResource(v *Volume) object {
	drives := []string{}
	for _, id := range v.Drives {
		drives = append(drives, m.drivePath(number(id, maxDrives)-1))
	}
	return object{
		"@odata.id": m.volumesPath() + "/" + v.ID, "@odata.type": typeOf("Volume"), "Id": v.ID, "Name": v.Name,
		"RAIDType": v.Type, "CapacityBytes": v.CapacityBytes, "BlockSizeBytes": 512, "Status": healthy(),
		"Identifiers": []object{{"DurableName": strings.ToUpper(v.Serial), "DurableNameFormat": "NAA"}},
		"Links":       object{"Drives": links(drives...), "Drives@odata.count": len(drives)},
	}
}

func getVolume(w http.ResponseWriter, request *http.Request, m *Machine) {
	all := m.Volumes()
	at := slices.IndexFunc(all, func(v Volume) bool { return v.ID == request.PathValue("id") })
	if at < 0 {
		notFound(w, request)
		return
	}
	show(w, m.volumeResource(&all[at]))
}

// applyTime is the part of a request that specifies when the change takes effect.
type applyTime struct {
	At string `json:"@Redfish.OperationApplyTime"`
}

// onReset determines when a change takes effect. later is true if the change waits for the next boot. If the
// controller does not support the requested time, onReset writes an error response, and ok is false.
func (a applyTime) onReset(w http.ResponseWriter, m *Machine) (later, ok bool) {
	if a.At == "" {
		a.At = m.applyTimes()[0]
	}
	if !slices.Contains(m.applyTimes(), a.At) {
		fail(w, http.StatusBadRequest, propertyValue, "Changes of volumes are applied "+strings.Join(m.applyTimes(), " or ")+", not "+a.At+".")
		return false, false
	}
	return a.At == onReset, true
}

func createVolume(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct {
		applyTime
		Name, RAIDType string
		CapacityBytes  int64
		Links          struct {
			Drives []struct {
				ID string `json:"@odata.id"`
			}
		}
	}
	if m.spec.RAID == nil {
		fail(w, http.StatusMethodNotAllowed, operationNotAllowed, "The controller has no RAID.")
		return
	}
	if !read(w, request, &body) {
		return
	}
	later, ok := body.onReset(w, m)
	if !ok {
		return
	}
	v := Volume{Name: body.Name, Type: body.RAIDType, CapacityBytes: body.CapacityBytes}
	for _, drive := range body.Links.Drives {
		folder, id := path.Split(drive.ID)
		if folder != m.storagePath()+"/Drives/" {
			fail(w, http.StatusBadRequest, propertyValue, "There is no drive "+drive.ID+".")
			return
		}
		v.Drives = append(v.Drives, id)
	}
	created, job, err := m.CreateVolume(v, later)
	switch {
	case err != nil:
		failRAID(w, request, err)
	case job != nil:
		m.accepted(w, *job)
	default:
		w.Header().Set("Location", m.volumesPath()+"/"+created.ID)
		showCreated(w, m.volumeResource(&created))
	}
}

func deleteVolume(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body applyTime
	if m.spec.RAID == nil {
		notFound(w, request)
		return
	}
	if !read(w, request, &body) {
		return
	}
	later, ok := body.onReset(w, m)
	if !ok {
		return
	}
	job, err := m.DeleteVolume(request.PathValue("id"), later)
	switch {
	case err != nil:
		failRAID(w, request, err)
	case job != nil:
		m.accepted(w, *job)
	default:
		done(w)
	}
}

func failRAID(w http.ResponseWriter, request *http.Request, err error) {
	switch {
	case errors.Is(err, errNoVolume):
		notFound(w, request)
	case errors.Is(err, errRAIDBusy):
		fail(w, http.StatusConflict, resourceInUse, "The RAID controller has a pending change. Restart the system first.")
	default:
		fail(w, http.StatusBadRequest, propertyValue, err.Error())
	}
}

// accepted responds with the address of the job's task monitor (DSP0266, Asynchronous operations). The response has
// no body. If the body contained the task, sushy would poll the task's address instead of the monitor, but that
// address does not return the status 202 while the task is running.
func (m *Machine) accepted(w http.ResponseWriter, j Job) {
	w.Header().Set("Location", strings.Replace(m.jobPath(j), "/Tasks/", "/TaskMonitors/", 1))
	w.WriteHeader(http.StatusAccepted)
}

// getTaskMonitor responds with the status 202 until the task has ended, and with the status 200 afterwards. The
// response contains the task, from which Ironic reads the result.
func (r *Rack) getTaskMonitor(w http.ResponseWriter, request *http.Request) {
	m, j, ok := r.job(request)
	switch {
	case !ok:
		notFound(w, request)
	case j.State == JobCompleted || j.State == JobException:
		show(w, m.task(j))
	default:
		showAs(w, http.StatusAccepted, m.task(j))
	}
}
