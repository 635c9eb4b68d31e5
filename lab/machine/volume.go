package machine

import (
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

func (m *Machine) volumePath(id string) string { return m.storagePath() + "/Volumes/" + id }

// applyTimes returns the times at which the controller can apply volume changes. The first one is the default.
func (m *Machine) applyTimes() []string {
	if m.spec.RAID.OnReset {
		return []string{onReset}
	}
	return []string{immediate, onReset}
}

func (m *Machine) getVolumes(request *http.Request) object {
	var ids []string
	for _, v := range m.Volumes() {
		ids = append(ids, v.ID)
	}
	all := collection(request.URL.Path, "Volume", "Volumes", ids...)
	if m.spec.RAID != nil {
		all["@Redfish.OperationApplyTimeSupport"] = object{
			"@odata.type": "#" + namespace("Settings") + ".OperationApplyTimeSupport", "SupportedValues": m.applyTimes(),
		}
	}
	return all
}

// volumeResource returns the Redfish resource that describes the volume.
func (m *Machine) volumeResource(v *Volume) object {
	drives := []string{}
	for _, id := range v.Drives {
		drives = append(drives, m.drivePath(number(id, maxDrives)))
	}
	return resource(m.volumePath(v.ID), "Volume", v.Name, object{
		"RAIDType": v.Type, "CapacityBytes": v.CapacityBytes, "BlockSizeBytes": 512, "Status": healthy(),
		"Identifiers": []object{{"DurableName": strings.ToUpper(v.Serial), "DurableNameFormat": "NAA"}},
		"Links":       object{"Drives": links(drives...), "Drives@odata.count": len(drives)},
	})
}

func (m *Machine) getVolume(request *http.Request) object {
	for _, v := range m.Volumes() {
		if v.ID == request.PathValue("id") {
			return m.volumeResource(&v)
		}
	}
	return nil
}

// applyTime is the part of a request that specifies when the change takes effect.
type applyTime struct {
	At string `json:"@Redfish.OperationApplyTime"`
}

// onReset reports whether a change waits for the next boot. It returns an error for an unsupported time.
func (a applyTime) onReset(m *Machine) (bool, error) {
	if a.At == "" {
		a.At = m.applyTimes()[0]
	}
	if !slices.Contains(m.applyTimes(), a.At) {
		return false, badRequest(propertyValue, "Changes of volumes are applied %s, not %s.", strings.Join(m.applyTimes(), " or "), a.At)
	}
	return a.At == onReset, nil
}

func createVolume(w http.ResponseWriter, request *http.Request, m *Machine) error {
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
		return &refusal{http.StatusMethodNotAllowed, operationNotAllowed, "The controller has no RAID."}
	}
	if err := read(w, request, &body); err != nil {
		return err
	}
	later, err := body.onReset(m)
	if err != nil {
		return err
	}
	v := Volume{Name: body.Name, Type: body.RAIDType, CapacityBytes: body.CapacityBytes}
	for _, drive := range body.Links.Drives {
		folder, id := path.Split(drive.ID)
		if folder != m.storagePath()+"/Drives/" {
			return badRequest(propertyValue, "There is no drive %s.", drive.ID)
		}
		v.Drives = append(v.Drives, id)
	}
	created, job, err := m.CreateVolume(v, later)
	switch {
	case err != nil:
		return err
	case job != nil:
		m.accepted(w, *job)
	default:
		w.Header().Set("Location", m.volumePath(created.ID))
		showAs(w, http.StatusCreated, m.volumeResource(&created))
	}
	return nil
}

func deleteVolume(w http.ResponseWriter, request *http.Request, m *Machine) error {
	var body applyTime
	if m.spec.RAID == nil {
		return errNotFound
	}
	if err := read(w, request, &body); err != nil {
		return err
	}
	later, err := body.onReset(m)
	if err != nil {
		return err
	}
	job, err := m.DeleteVolume(request.PathValue("id"), later)
	switch {
	case err != nil:
		return err
	case job != nil:
		m.accepted(w, *job)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// accepted responds with the address of the job's task monitor (DSP0266, Asynchronous operations). The response has
// no body. If the body contained the task, sushy would poll the task's address instead of the monitor, but that
// address does not return the status 202 while the task is running.
func (m *Machine) accepted(w http.ResponseWriter, j Job) {
	w.Header().Set("Location", tasksPath+"/TaskMonitors/"+m.jobID(j))
	w.WriteHeader(http.StatusAccepted)
}
