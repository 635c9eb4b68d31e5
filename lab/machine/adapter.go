package machine

import (
	"net/http"
	"slices"
	"strconv"
)

// IDs of the machine's only network adapter, to which all its network interfaces belong, and of the PCIe device that
// represents the storage controller.
const (
	adapterID       = "NIC1"
	storageDeviceID = "Storage1"
)

func (m *Machine) adapterPath() string { return m.chassisPath() + "/NetworkAdapters/" + adapterID }

// AdapterSerial returns the serial number of the network adapter. Ironic names the adapter's firmware nic:SERIAL.
func (m *Machine) AdapterSerial() string { return m.spec.Serial + "-" + adapterID }

func (m *Machine) nicNames() []string {
	var names []string
	for _, nic := range m.spec.NICs {
		names = append(names, nic.Name)
	}
	return names
}

// nic returns the network interface with the given name and its number, starting at 1, or 0 if there is none.
func (m *Machine) nic(name string) (NIC, int) {
	i := slices.Index(m.nicNames(), name)
	if i < 0 {
		return NIC{}, 0
	}
	return m.spec.NICs[i], i + 1
}

// getAdapters returns the collection of network adapters. It is empty for a machine without network interfaces.
func (m *Machine) getAdapters(request *http.Request) object {
	var ids []string
	if len(m.spec.NICs) > 0 {
		ids = append(ids, adapterID)
	}
	return collection(request.URL.Path, "NetworkAdapter", "Network adapters", ids...)
}

func (m *Machine) getAdapter(request *http.Request) object {
	if request.PathValue("id") != adapterID || len(m.spec.NICs) == 0 {
		return nil
	}
	path := request.URL.Path
	return resource(path, "NetworkAdapter", "Network adapter", object{
		"Manufacturer": m.spec.Vendor, "Model": "Lab NIC",
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
	schema, name string
	resource     func(m *Machine, number int, nic NIC) object
}

// adapterParts maps the folders of the parts, which are below the adapter's path, to the parts.
func adapterParts() map[string]adapterPart {
	return map[string]adapterPart{
		"Ports":                  {"Port", "Port", (*Machine).port},
		"NetworkPorts":           {"NetworkPort", "Network port", (*Machine).networkPort},
		"NetworkDeviceFunctions": {"NetworkDeviceFunction", "Network device function", (*Machine).deviceFunction},
	}
}

func (p adapterPart) list(m *Machine, request *http.Request) object {
	if request.PathValue("id") != adapterID || len(m.spec.NICs) == 0 {
		return nil
	}
	return collection(request.URL.Path, p.schema, p.name+"s", m.nicNames()...)
}

func (p adapterPart) get(m *Machine, request *http.Request) object {
	nic, number := m.nic(request.PathValue("nic"))
	if request.PathValue("id") != adapterID || number == 0 {
		return nil
	}
	part := resource(request.URL.Path, p.schema, p.name+" "+nic.Name, p.resource(m, number, nic))
	part["Status"] = healthy()
	return part
}

// port returns a network interface as a Port. Without a link, the speed is omitted: sushy accepts only numbers.
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
	port, older := m.adapterPath()+"/Ports/"+nic.Name, m.adapterPath()+"/NetworkPorts/"+nic.Name
	return object{
		"NetDevFuncType": "Ethernet", "NetDevFuncCapabilities": []string{"Ethernet"}, "DeviceEnabled": true,
		"Ethernet":                       object{"MACAddress": nic.MAC, "PermanentMACAddress": nic.MAC, "MTUSize": 1500},
		"AssignablePhysicalPorts":        links(older),
		"AssignablePhysicalNetworkPorts": links(port),
		"Links":                          object{"PhysicalNetworkPortAssignment": link(port)},
	}
}

// pcieDevice is a PCIe device, which is either the network adapter or the storage controller. The class and the IDs
// in the PCI ID repository are those of a ConnectX-6 Dx or a SAS 3.5 controller.
type pcieDevice struct {
	id, name, model, serial                                   string
	class, code, vendor, device, subsystemVendor, subsystemID string
}

func (m *Machine) pciePath(id string) string { return m.chassisPath() + "/PCIeDevices/" + id }

func (m *Machine) pcieDevices() []pcieDevice {
	storage := pcieDevice{
		storageDeviceID, "Storage controller", "Lab HBA", m.spec.Serial + "-HBA1",
		"MassStorageController", "0x010700", "0x1000", "0x00E6", "0x1000", "0x4060",
	}
	if m.spec.RAID != nil {
		storage.model = m.spec.RAID.Model
	}
	if len(m.spec.NICs) == 0 {
		return []pcieDevice{storage}
	}
	return []pcieDevice{{
		adapterID, "Network adapter", "Lab NIC", m.AdapterSerial(),
		"NetworkController", "0x020000", "0x15B3", "0x101D", "0x15B3", "0x0043",
	}, storage}
}

func (m *Machine) pcieIDs() []string {
	var ids []string
	for _, one := range m.pcieDevices() {
		ids = append(ids, one.id)
	}
	return ids
}

func (m *Machine) getPCIeDevices(request *http.Request) object {
	return collection(request.URL.Path, "PCIeDevice", "PCIe devices", m.pcieIDs()...)
}

// pcieDevice returns the device named in a request's path, or nil if there is none.
func (m *Machine) pcieDevice(request *http.Request) *pcieDevice {
	i := slices.Index(m.pcieIDs(), request.PathValue("id"))
	if i < 0 {
		return nil
	}
	return &m.pcieDevices()[i]
}

func (m *Machine) getPCIeDevice(request *http.Request) object {
	one := m.pcieDevice(request)
	if one == nil {
		return nil
	}
	path := request.URL.Path
	return resource(path, "PCIeDevice", one.name, object{
		"Manufacturer": m.spec.Vendor, "Model": one.model, "SerialNumber": one.serial, "DeviceType": "SingleFunction", "Status": healthy(),
		"PCIeInterface": object{"PCIeType": "Gen4", "MaxPCIeType": "Gen4", "LanesInUse": 8, "MaxLanes": 8},
		"PCIeFunctions": link(path + "/PCIeFunctions"), "Links": object{"Chassis": links(m.chassisPath())},
	})
}

const pcieFunctionID = "0"

// getPCIeFunctions returns the only function of a PCIe device. Ironic copies the functions to the inspection
// inventory (_get_pcie_devices in ironic/drivers/modules/redfish/inspect.py).
func (m *Machine) getPCIeFunctions(request *http.Request) object {
	if m.pcieDevice(request) == nil {
		return nil
	}
	return collection(request.URL.Path, "PCIeFunction", "PCIe functions", pcieFunctionID)
}

func (m *Machine) getPCIeFunction(request *http.Request) object {
	one := m.pcieDevice(request)
	if one == nil || request.PathValue("function") != pcieFunctionID {
		return nil
	}
	return resource(request.URL.Path, "PCIeFunction", one.name, object{
		"FunctionId": 0, "FunctionType": "Physical", "DeviceClass": one.class, "ClassCode": one.code, "RevisionId": "0x00",
		"VendorId": one.vendor, "DeviceId": one.device, "SubsystemVendorId": one.subsystemVendor, "SubsystemId": one.subsystemID,
		"Status": healthy(), "Links": object{"PCIeDevice": link(m.pciePath(one.id))},
	})
}
