package machine

import (
	"net/http"
	"slices"
	"strconv"
)

// adapterID is the ID of the machine's only network adapter, to which all its network interfaces belong.
const adapterID = "NIC1"

func (m *Machine) adapterPath() string { return m.chassisPath() + "/NetworkAdapters/" + adapterID }

// AdapterSerial returns the serial number of the network adapter. Ironic names the adapter's firmware after it:
// nic:SERIAL.
func (m *Machine) AdapterSerial() string { return m.spec.Serial + "-" + adapterID }

// getAdapters returns the collection of network adapters. It is empty for a machine without network interfaces.
func getAdapters(w http.ResponseWriter, request *http.Request, m *Machine) {
	var members []string
	if len(m.spec.NICs) > 0 {
		members = append(members, m.adapterPath())
	}
	show(w, collection(request.URL.Path, "NetworkAdapter", "Network adapters", members...))
}

func getAdapter(w http.ResponseWriter, request *http.Request, m *Machine) {
	if request.PathValue("id") != adapterID || len(m.spec.NICs) == 0 {
		notFound(w, request)
		return
	}
	path := m.adapterPath()
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("NetworkAdapter"),
		"Id": adapterID, "Name": "Network adapter", "Manufacturer": m.spec.Vendor, "Model": "Lab NIC",
		"SerialNumber": m.AdapterSerial(), "PartNumber": "LAB-25G", "Status": healthy(),
		"Controllers": []object{{
			"FirmwarePackageVersion": m.Firmware(NICFirmware),
			"ControllerCapabilities": object{"NetworkPortCount": len(m.spec.NICs)},
			"Links":                  object{"PCIeDevices": links(m.pciePath(adapterID))},
		}},
		"Ports": link(path + "/Ports"), "NetworkPorts": link(path + "/NetworkPorts"), "NetworkDeviceFunctions": link(path + "/NetworkDeviceFunctions"),
	})
}

// adapterPart is a kind of resource that describes a network interface. Its path is below that of the network
// adapter. NetworkPort is the older form of Port. The Redfish libraries gofish and sushy read both forms.
type adapterPart struct {
	schema, folder, name string
	resource             func(m *Machine, number int, nic NIC) object
}

func adapterParts() []adapterPart {
	return []adapterPart{
		{"Port", "Ports", "Port", (*Machine).port},
		{"NetworkPort", "NetworkPorts", "Network port", (*Machine).networkPort},
		{"NetworkDeviceFunction", "NetworkDeviceFunctions", "Network device function", (*Machine).deviceFunction},
	}
}

func (p adapterPart) path(m *Machine, nic NIC) string {
	return m.adapterPath() + "/" + p.folder + "/" + nic.Name
}

func (p adapterPart) list(w http.ResponseWriter, request *http.Request, m *Machine) {
	if request.PathValue("id") != adapterID || len(m.spec.NICs) == 0 {
		notFound(w, request)
		return
	}
	var paths []string
	for _, nic := range m.spec.NICs {
		paths = append(paths, p.path(m, nic))
	}
	show(w, collection(request.URL.Path, p.schema, p.name+"s", paths...))
}

func (p adapterPart) get(w http.ResponseWriter, request *http.Request, m *Machine) {
	at := slices.IndexFunc(m.spec.NICs, func(nic NIC) bool { return nic.Name == request.PathValue("nic") })
	if request.PathValue("id") != adapterID || at < 0 {
		notFound(w, request)
		return
	}
	nic := m.spec.NICs[at]
	resource := p.resource(m, at+1, nic)
	resource["@odata.id"], resource["@odata.type"] = p.path(m, nic), typeOf(p.schema)
	resource["Id"], resource["Name"], resource["Status"] = nic.Name, p.name+" "+nic.Name, healthy()
	show(w, resource)
}

// port returns a network interface as a Port resource. If the interface has no link, the speed is omitted, because
// sushy accepts only numbers.
func (m *Machine) port(number int, nic NIC) object {
	port := object{
		"PortId": strconv.Itoa(number), "PortProtocol": "Ethernet", "PortType": "BidirectionalPort", "LinkStatus": "LinkDown",
		"Ethernet": object{"AssociatedMACAddresses": []string{nic.MAC}},
	}
	if nic.SpeedMbps > 0 {
		port["LinkStatus"], port["CurrentSpeedGbps"] = "LinkUp", float64(nic.SpeedMbps)/1000
	}
	return port
}

func (m *Machine) networkPort(number int, nic NIC) object {
	port := object{
		"PhysicalPortNumber": strconv.Itoa(number), "LinkStatus": "Down", "AssociatedNetworkAddresses": []string{nic.MAC},
		"CurrentLinkSpeedMbps": nic.SpeedMbps, "ActiveLinkTechnology": "Ethernet",
	}
	if nic.SpeedMbps > 0 {
		port["LinkStatus"] = "Up"
	}
	return port
}

func (m *Machine) deviceFunction(_ int, nic NIC) object {
	parts := adapterParts()
	port, older := parts[0].path(m, nic), parts[1].path(m, nic)
	return object{
		"NetDevFuncType": "Ethernet", "NetDevFuncCapabilities": []string{"Ethernet"}, "DeviceEnabled": true,
		"Ethernet":                       object{"MACAddress": nic.MAC, "PermanentMACAddress": nic.MAC, "MTUSize": 1500},
		"AssignablePhysicalPorts":        links(older),
		"AssignablePhysicalNetworkPorts": links(port),
		"Links":                          object{"PhysicalNetworkPortAssignment": link(port)},
	}
}
