package machine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (m *Machine) storagePath() string { return m.SystemPath() + "/Storage/1" }

func (m *Machine) drivePath(index int) string {
	return m.storagePath() + "/Drives/" + strconv.Itoa(index+1)
}

func getStorage(w http.ResponseWriter, _ *http.Request, m *Machine) {
	drives := []string{}
	for i := range m.Drives() {
		drives = append(drives, m.drivePath(i))
	}
	path := m.storagePath()
	controller := object{
		"@odata.id": path + "#/StorageControllers/0", "MemberId": "0", "Name": "HBA", "Status": healthy(),
		"SupportedDeviceProtocols": []string{"SATA", "SAS", "NVMe"},
	}
	if raid := m.spec.RAID; raid != nil {
		controller["Name"], controller["Model"], controller["SupportedRAIDTypes"] = "RAID controller", raid.Model, raid.Types
	}
	show(w, object{
		"@odata.id": path, "@odata.type": "#Storage.v1_15_0.Storage", "Id": "1", "Name": "Storage controller", "Status": healthy(),
		"Drives": links(drives...), "Drives@odata.count": len(drives), "Volumes": link(path + "/Volumes"),
		"StorageControllers": []object{controller},
	})
}

func getDrive(w http.ResponseWriter, request *http.Request, m *Machine) {
	disks := m.Drives()
	n := number(request.PathValue("id"), len(disks))
	if n == 0 {
		notFound(w, request)
		return
	}
	disk := disks[n-1]
	media, protocol := "SSD", "SATA"
	if disk.Rotational {
		media = "HDD"
	}
	if strings.HasPrefix(disk.Name, "/dev/nvme") {
		protocol = "NVMe"
	}
	drive := object{
		"@odata.id": m.drivePath(n - 1), "@odata.type": "#Drive.v1_17_0.Drive",
		"Id": strconv.Itoa(n), "Name": disk.Name, "Manufacturer": disk.Vendor, "Model": disk.Model, "SerialNumber": disk.Serial,
		"CapacityBytes": disk.SizeBytes, "BlockSizeBytes": 512, "MediaType": media, "Protocol": protocol, "Status": healthy(),
	}
	if disk.WWN != "" && !strings.HasPrefix(disk.WWN, "nvme.") { // a name that Linux makes up
		drive["Identifiers"] = []object{{"DurableName": strings.TrimPrefix(disk.WWN, "0x"), "DurableNameFormat": "NAA"}}
	}
	if m.spec.RAID != nil {
		drive["Name"] = "Drive " + drive["Id"].(string) //nolint:forcetypeassert // set above
		in := []string{}
		for _, v := range m.Volumes() {
			if slices.Contains(v.Drives, strconv.Itoa(n)) {
				in = append(in, m.volumesPath()+"/"+v.ID)
			}
		}
		drive["Links"] = object{"Volumes": links(in...)}
	}
	show(w, drive)
}

func getSimpleStorage(w http.ResponseWriter, _ *http.Request, m *Machine) {
	devices := []object{}
	for _, disk := range m.Disks() {
		devices = append(devices, object{
			"Name": disk.Name, "Manufacturer": disk.Vendor, "Model": disk.Model, "CapacityBytes": disk.SizeBytes, "Status": healthy(),
		})
	}
	show(w, object{
		"@odata.id": m.SystemPath() + "/SimpleStorage/1", "@odata.type": "#SimpleStorage.v1_3_1.SimpleStorage",
		"Id": "1", "Name": "Simple storage", "Status": healthy(), "Devices": devices,
	})
}
