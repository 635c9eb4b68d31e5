package machine

import "net/http"

// adapterID is the ID of the only network adapter, which has all network interfaces.
const adapterID = "NIC1"

func (m *Machine) adapterPath() string { return m.chassisPath() + "/NetworkAdapters/" + adapterID }

// AdapterSerial returns the serial number of the network adapter, by which Ironic names its
// firmware: nic:SERIAL.
func (m *Machine) AdapterSerial() string { return m.spec.Serial + "-" + adapterID }

// getAdapters answers with the network adapter, which a machine without interfaces does not have.
func getAdapters(w http.ResponseWriter, request *http.Request, m *Machine) {
	var members []string
	if len(m.spec.NICs) > 0 {
		members = append(members, m.adapterPath())
	}
	show(w, collection(request.URL.Path, "NetworkAdapter", "Network adapters", members...))
}

func getAdapter(w http.ResponseWriter, request *http.Request, m *Machine) {
	if request.PathValue("id") != adapterID {
		notFound(w, request)
		return
	}
	show(w, object{
		"@odata.id": m.adapterPath(), "@odata.type": "#NetworkAdapter.v1_9_0.NetworkAdapter",
		"Id": adapterID, "Name": "Network adapter", "Manufacturer": m.spec.Vendor, "Model": "Lab NIC",
		"SerialNumber": m.AdapterSerial(), "PartNumber": "LAB-25G", "Status": healthy(),
		"Controllers": []object{{
			"FirmwarePackageVersion": m.Firmware(NICFirmware),
			"ControllerCapabilities": object{"NetworkPortCount": len(m.spec.NICs)},
		}},
	})
}
