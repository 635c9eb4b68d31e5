package machine

import (
	"net/http"
	"slices"
)

// storageDeviceID is the ID of the PCIe device that represents the storage controller.
const storageDeviceID = "Storage1"

// pcieDevice is a PCIe device, which is either the network adapter or the storage controller.
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

// pcieIDs holds the class of a device and its IDs in the PCI ID repository.
type pcieIDs struct{ class, code, vendor, device, subsystemVendor, subsystem string }

// ids returns the IDs of the device, which are those of a ConnectX-6 Dx or a SAS 3.5 controller.
func (d pcieDevice) ids() pcieIDs {
	if d.id == storageDeviceID {
		return pcieIDs{"MassStorageController", "0x010700", "0x1000", "0x00E6", "0x1000", "0x4060"}
	}
	return pcieIDs{"NetworkController", "0x020000", "0x15B3", "0x101D", "0x15B3", "0x0043"}
}

const pcieFunctionID = "0"

// getPCIeFunctions returns the only function of a PCIe device. Ironic copies the functions to the inspection
// inventory (_get_pcie_devices in ironic/drivers/modules/redfish/inspect.py).
func getPCIeFunctions(w http.ResponseWriter, request *http.Request, m *Machine) {
	if _, ok := m.pcieDevice(request); !ok {
		notFound(w, request)
		return
	}
	show(w, collection(request.URL.Path, "PCIeFunction", "PCIe functions", request.URL.Path+"/"+pcieFunctionID))
}

func getPCIeFunction(w http.ResponseWriter, request *http.Request, m *Machine) {
	one, ok := m.pcieDevice(request)
	if !ok || request.PathValue("function") != pcieFunctionID {
		notFound(w, request)
		return
	}
	ids := one.ids()
	show(w, object{
		"@odata.id": m.pciePath(one.id) + "/PCIeFunctions/" + pcieFunctionID, "@odata.type": typeOf("PCIeFunction"), "Id": pcieFunctionID, "Name": one.name,
		"FunctionId": 0, "FunctionType": "Physical", "DeviceClass": ids.class, "ClassCode": ids.code, "RevisionId": "0x00",
		"VendorId": ids.vendor, "DeviceId": ids.device, "SubsystemVendorId": ids.subsystemVendor, "SubsystemId": ids.subsystem,
		"Status": healthy(), "Links": object{"PCIeDevice": link(m.pciePath(one.id))},
	})
}
