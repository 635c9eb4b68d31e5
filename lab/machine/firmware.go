package machine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// Component is a part of a machine that has firmware.
type Component string

// Components with firmware.
const (
	BIOSFirmware Component = "BIOS"
	BMCFirmware  Component = "BMC"
	NICFirmware  Component = "NIC"
)

// components returns all components with firmware.
func components() []Component { return []Component{BIOSFirmware, BMCFirmware, NICFirmware} }

// nicVersion is the initial firmware version of the network adapter.
const nicVersion = "22.31.6"

// firmwareState holds the running firmware versions, and the staged versions that take effect at the next boot.
type firmwareState struct {
	running, staged map[Component]string
}

func newFirmware(spec Spec) firmwareState {
	return firmwareState{
		running: map[Component]string{BIOSFirmware: spec.BIOSVersion, BMCFirmware: spec.BMCVersion, NICFirmware: nicVersion},
		staged:  map[Component]string{},
	}
}

// Firmware returns the component's running firmware version.
func (m *Machine) Firmware(c Component) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.firmware.running[c]
}

// errNoFirmware is returned for a file that is not a firmware image.
var errNoFirmware = errors.New("the file is not a firmware image for this machine")

// firmwareImage is the first word in a firmware image. A component and a version follow on the first line.
const firmwareImage = "ironworks-firmware"

// FirmwareImage returns a firmware image that updates the component of any machine to the given version.
func FirmwareImage(c Component, version string) []byte {
	return fmt.Appendf(nil, "%s %s %s\n", firmwareImage, c, version)
}

// UpdateFirmware starts a BMC job that downloads a firmware image and updates the component for which the image was
// made. After an update of BMC firmware, the BMC restarts with the new version. The BIOS and the network adapter run
// their new versions after the next boot. As on most servers, only the job of a BIOS update waits for that boot.
func (m *Machine) UpdateFirmware(image VirtualMedia) (Job, error) {
	if err := checkImageURL(image.URL); err != nil {
		return Job{}, err
	}
	m.mu.Lock()
	defer m.unlock()
	if m.closed {
		return Job{}, fmt.Errorf("updating the firmware of machine %s: %w", m.spec.Name, errClosed)
	}
	j := m.addJob(firmwareJob, JobNew)
	m.work.Go(func() { m.runUpdate(j.ID, image) })
	return j, nil
}

func (m *Machine) runUpdate(id int, image VirtualMedia) {
	path, _, err := m.fetch(m.life, image)
	if reason := m.Faults().ImageFails; err == nil && reason != "" {
		_ = os.Remove(path) //nolint:gosec // a temporary file of fetch
		err = fmt.Errorf("%s: %s", redacted(image.URL), reason)
	}
	if err != nil {
		m.advance(m.life, func() { m.failJob(id, transferFailed, "The image cannot be fetched: "+err.Error()) })
		return
	}
	component, version, err := readFirmware(path)
	_ = os.Remove(path) //nolint:gosec // a temporary file of fetch
	if err != nil {
		m.advance(m.life, func() { m.failJob(id, verificationFailed, err.Error()) })
		return
	}
	if component != BIOSFirmware {
		m.advance(m.life, func() { m.setJob(id, JobRunning) })
	}
	if wait(m.life, m.options.UpdateTime) {
		m.advance(m.life, func() { m.finishUpdate(id, component, version) })
	}
}

// finishUpdate completes an update after its image has been written, unless the job was deleted. Called with mu held.
func (m *Machine) finishUpdate(id int, c Component, version string) {
	if m.jobIndex(id) < 0 {
		return
	}
	m.emit(FirmwareStaged, "%s %s", c, version)
	switch c {
	case BMCFirmware:
		m.firmware.running[c] = version
		m.setJob(id, JobCompleted)
		m.emit(FirmwareUpdated, "%s %s", c, version)
		m.restartBMC()
	case NICFirmware:
		m.firmware.staged[c] = version
		m.setJob(id, JobCompleted)
	case BIOSFirmware:
		m.firmware.staged[c] = version
		m.setJob(id, JobPending)
	}
}

// applyFirmware activates the staged versions when the machine boots. Called with mu held.
func (m *Machine) applyFirmware() {
	for _, c := range components() {
		version, ok := m.firmware.staged[c]
		if !ok {
			continue
		}
		m.firmware.running[c] = version
		delete(m.firmware.staged, c)
		m.emit(FirmwareUpdated, "%s %s", c, version)
	}
	m.endJobs(firmwareJob)
}

// readFirmware returns the component and the version of the firmware image in the file at path.
func readFirmware(path string) (Component, string, error) {
	file, err := os.Open(path) //nolint:gosec // a file that was just fetched
	if err != nil {
		return "", "", fmt.Errorf("reading the image: %w", err)
	}
	defer func() { _ = file.Close() }()
	const maxHeader = 256
	line, _ := bufio.NewReader(io.LimitReader(file, maxHeader)).ReadString('\n')
	words := strings.Fields(line)
	if len(words) != 3 || words[0] != firmwareImage {
		return "", "", errNoFirmware
	}
	if c := Component(words[1]); slices.Contains(components(), c) {
		return c, words[2], nil
	}
	return "", "", fmt.Errorf("%w: the machine has no component %q", errNoFirmware, words[1])
}

const simpleUpdatePath = updatePath + "/Actions/UpdateService.SimpleUpdate"

// transferProtocols contains the protocols that the BMC supports for downloading images.
var transferProtocols = []string{"HTTP", "HTTPS"}

func getUpdateService(*http.Request) object {
	return resource(updatePath, "UpdateService", "Firmware", object{
		"ServiceEnabled": true, "Status": healthy(), "FirmwareInventory": link(firmwarePath), "SoftwareInventory": link(softwarePath),
		"Actions": action(updatePath, "UpdateService.SimpleUpdate", object{"TransferProtocol@Redfish.AllowableValues": transferProtocols}),
	})
}

// getSoftware returns an empty collection, because the BMC manages only firmware.
func getSoftware(*http.Request) object {
	return collection(softwarePath, "SoftwareInventory", "Software inventory")
}

// firmwareID returns the ID of a component's firmware in the inventory.
func (m *Machine) firmwareID(c Component) string { return m.Name() + ":" + string(c) }

func (r *Rack) getFirmwares(request *http.Request) object {
	var ids []string
	for _, m := range r.visible(request) {
		for _, c := range components() {
			ids = append(ids, m.firmwareID(c))
		}
	}
	return collection(firmwarePath, "SoftwareInventory", "Firmware inventory", ids...)
}

func (r *Rack) getFirmware(request *http.Request) object {
	name, which, _ := strings.Cut(request.PathValue("firmware"), ":")
	m := r.byName[name]
	if m == nil || !m.accepts(identityOf(request)) || !slices.Contains(components(), Component(which)) {
		return nil
	}
	related := map[Component]string{BIOSFirmware: m.SystemPath(), BMCFirmware: m.managerPath(), NICFirmware: m.adapterPath()}
	return resource(request.URL.Path, "SoftwareInventory", which+" firmware of "+name, object{
		"Version":      m.Firmware(Component(which)),
		"Manufacturer": m.spec.Vendor, "Updateable": true, "Status": healthy(), "RelatedItem": links(related[Component(which)]),
	})
}

// simpleUpdate starts a firmware update. The Location header of the response contains the address of the task, and
// the body contains the task itself, because sushy may follow either of them (TaskMonitor.from_response in
// sushy/taskmonitor.py).
func (r *Rack) simpleUpdate(w http.ResponseWriter, request *http.Request) error {
	var body struct {
		ImageURI, TransferProtocol string
		Username, Password         string
		Targets                    []string
	}
	if err := read(w, request, &body); err != nil {
		return err
	}
	switch protocol := body.TransferProtocol; {
	case body.ImageURI == "":
		return badRequest(parameterMissing, "The action UpdateService.SimpleUpdate needs the parameter ImageURI.")
	case protocol != "" && !slices.Contains(transferProtocols, protocol):
		return badRequest(parameterValue, "The transfer protocol %s is not supported; allowed are %s.", protocol, joined(transferProtocols))
	}
	m := r.updateTarget(request, body.Targets)
	if m == nil {
		return badRequest(parameterMissing, "The parameter Targets must name one of the systems.")
	}
	job, err := m.UpdateFirmware(VirtualMedia{URL: body.ImageURI, User: body.Username, Password: body.Password})
	if err != nil {
		return badRequest(parameterValue, "%v", err)
	}
	w.Header().Set("Location", m.jobPath(job))
	showAs(w, http.StatusAccepted, m.task(job))
	return nil
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
		mine = append(mine, firmwarePath+"/"+m.firmwareID(c))
	}
	return slices.Contains(mine, strings.TrimRight(path, "/"))
}
