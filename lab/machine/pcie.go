package machine

import (
	"net/http"
	"slices"
)

// storageDeviceID is the ID of the storage controller as a PCIe device.
const storageDeviceID = "Storage1"

// pcieDevice is a PCIe device: the network adapter or the storage controller.
type pcieDevice struct {
	id, name, model, serial string
}

func (m *Machine) pciePath(id string) string { return m.chassisPath() + "/PCIeDevices/" + id }

func (m *Machine) pcieDevices() []pcieDevice {
	storage := pcieDevice{storageDeviceID, "Storage controller", "Lab HBA", m.spec.Serial + "-HBA1"}
	if m.spec.RAID != nil {
		storage.model = m.spec.RAID.Model
	}
	if len(m.spec.NICs) == 0 {
		return []pcieDevice{storage}
	}
	return []pcieDevice{{adapterID, "Network adapter", "Lab NIC", m.AdapterSerial()}, storage}
}

// pciePaths returns the paths of all PCIe devices.
func (m *Machine) pciePaths() []string {
	var paths []string
	for _, one := range m.pcieDevices() {
		paths = append(paths, m.pciePath(one.id))
	}
	return paths
}

func getPCIeDevices(w http.ResponseWriter, request *http.Request, m *Machine) {
	show(w, collection(request.URL.Path, "PCIeDevice", "PCIe devices", m.pciePaths()...))
}

func getPCIeDevice(w http.ResponseWriter, request *http.Request, m *Machine) {
	one, ok := m.pcieDevice(request)
	if !ok {
		notFound(w, request)
		return
	}
	path := m.pciePath(one.id)
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("PCIeDevice"), "Id": one.id, "Name": one.name, "Manufacturer": m.spec.Vendor,
		"Model": one.model, "SerialNumber": one.serial, "DeviceType": "SingleFunction", "Status": healthy(),
		"PCIeInterface": object{"PCIeType": "Gen4", "MaxPCIeType": "Gen4", "LanesInUse": 8, "MaxLanes": 8},
		"PCIeFunctions": link(path + "/PCIeFunctions"), "Links": object{"Chassis": links(m.chassisPath())},
	})
}

func (m *Machine) pcieDevice(request *http.Request) (pcieDevice, bool) {
	all := m.pcieDevices()
	at := slices.IndexFunc(all, func(one pcieDevice) bool { return one.id == request.PathValue("id") })
	if at < 0 {
		return pcieDevice{}, false
	}
	return all[at], true
}

// getPCIeFunctions answers with no function, as some BMCs do: Ironic copies functions into the
// inventory of an inspection (_get_pcie_devices in ironic/drivers/modules/redfish/inspect.py),
// which the embedded Ironic does not.
func getPCIeFunctions(w http.ResponseWriter, request *http.Request, m *Machine) {
	if _, ok := m.pcieDevice(request); !ok {
		notFound(w, request)
		return
	}
	show(w, collection(request.URL.Path, "PCIeFunction", "PCIe functions"))
}
