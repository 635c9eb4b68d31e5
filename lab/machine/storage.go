package machine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (m *Machine) storagePath() string { return m.SystemPath() + "/Storage/1" }

func (m *Machine) drivePath(n int) string { return m.storagePath() + "/Drives/" + strconv.Itoa(n) }

func (m *Machine) getStorage(request *http.Request) object {
	drives := []string{}
	for i := range m.Drives() {
		drives = append(drives, m.drivePath(i+1))
	}
	path, controller := request.URL.Path, m.storageController()
	controller["@odata.id"], controller["MemberId"] = path+"#/StorageControllers/0", "0"
	return resource(path, "Storage", "Storage controller", object{
		"Status": healthy(), "Drives": links(drives...), "Drives@odata.count": len(drives), "Volumes": link(path + "/Volumes"),
		"StorageControllers": []object{controller}, "Controllers": link(path + "/Controllers"),
	})
}

// storageController returns the properties that both forms of the storage controller contain: the older form, an object
// in the storage resource, and the newer form, a separate resource, which Ironic prefers (get_first_controller in
// ironic/drivers/modules/redfish/utils.py).
func (m *Machine) storageController() object {
	controller := object{"Name": "HBA", "Status": healthy(), "SupportedDeviceProtocols": []string{"SATA", "SAS", "NVMe"}}
	if raid := m.spec.RAID; raid != nil {
		controller["Name"], controller["Model"], controller["SupportedRAIDTypes"] = "RAID controller", raid.Model, raid.Types
	}
	return controller
}

func (m *Machine) getStorageController(request *http.Request) object {
	return resource(request.URL.Path, "StorageController", "", m.storageController())
}

func (m *Machine) getDrive(request *http.Request) object {
	disks := m.Drives()
	n := number(request.PathValue("id"), len(disks))
	if n == 0 {
		return nil
	}
	disk := disks[n-1]
	media, protocol := "SSD", "SATA"
	if disk.Rotational {
		media = "HDD"
	}
	if strings.HasPrefix(disk.Name, "/dev/nvme") {
		protocol = "NVMe"
	}
	drive := resource(m.drivePath(n), "Drive", disk.Name, object{
		"Links":         object{"Volumes": links(m.volumesOf(n)...)},
		"CapacityBytes": disk.SizeBytes, "BlockSizeBytes": 512, "MediaType": media, "Protocol": protocol, "Status": healthy(),
	})
	setTexts(drive, map[string]string{"Manufacturer": disk.Vendor, "Model": disk.Model, "SerialNumber": disk.Serial})
	if name := durableName(disk.WWN); name != nil {
		drive["Identifiers"] = []object{name}
	}
	if m.spec.RAID != nil {
		drive["Name"] = "Drive " + strconv.Itoa(n)
	}
	return drive
}

// volumesOf returns the paths of the volumes that use the given drive.
func (m *Machine) volumesOf(drive int) []string {
	var in []string
	for _, v := range m.Volumes() {
		if slices.Contains(v.Drives, strconv.Itoa(drive)) {
			in = append(in, m.volumePath(v.ID))
		}
	}
	return in
}

// setTexts sets the properties whose values are not empty. A Redfish service omits the others.
func setTexts(resource object, values map[string]string) {
	for name, value := range values {
		if value != "" {
			resource[name] = value
		}
	}
}

// durableName converts a disk's WWN from Linux's form to a durable name and its format in Redfish (Resource,
// DurableNameFormat). It returns nil for WWNs that Linux makes up (nvme.…), because they are not durable.
func durableName(wwn string) object {
	name := func(format, value string) object { return object{"DurableName": value, "DurableNameFormat": format} }
	if eui, ok := strings.CutPrefix(wwn, "eui."); ok {
		if len(eui) != 16 {
			return name("NGUID", eui)
		}
		var pairs []string
		for i := 0; i < len(eui); i += 2 {
			pairs = append(pairs, eui[i:i+2])
		}
		return name("EUI", strings.Join(pairs, ":"))
	}
	if id, ok := strings.CutPrefix(wwn, "uuid."); ok {
		return name("UUID", id)
	}
	if wwn == "" || strings.HasPrefix(wwn, "nvme.") {
		return nil
	}
	return name("NAA", strings.TrimPrefix(wwn, "0x"))
}

func (m *Machine) getSimpleStorage(request *http.Request) object {
	devices := []object{}
	for _, disk := range m.Disks() {
		device := object{"Name": disk.Name, "CapacityBytes": disk.SizeBytes, "Status": healthy()}
		setTexts(device, map[string]string{"Manufacturer": disk.Vendor, "Model": disk.Model})
		devices = append(devices, device)
	}
	return resource(request.URL.Path, "SimpleStorage", "Simple storage", object{"Status": healthy(), "Devices": devices})
}
