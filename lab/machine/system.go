package machine

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func getSystem(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path, boot, override := m.SystemPath(), m.Boot(), m.Override()
	progress := object{"LastState": boot.Progress}
	if !boot.At.IsZero() {
		progress["LastStateTime"] = redfishTime(boot.At)
	}
	system := object{
		"@odata.id": path, "@odata.type": typeOf("ComputerSystem"),
		"Id": m.Name(), "Name": m.Name(), "SystemType": "Physical", "UUID": m.spec.UUID,
		"Manufacturer": m.spec.Vendor, "Model": m.spec.Product, "SerialNumber": m.spec.Serial,
		"BiosVersion": m.Firmware(BIOSFirmware), "PowerState": m.Power(), "Status": healthy(), "BootProgress": progress,
		"ProcessorSummary": object{"Count": 1, "CoreCount": m.spec.CPUs, "LogicalProcessorCount": m.spec.CPUs, "Model": ProcessorModel, "Status": healthy()},
		"MemorySummary":    object{"TotalSystemMemoryGiB": m.spec.MemoryMiB / 1024, "Status": object{"State": "Enabled", "Health": "OK", "HealthRollup": "OK"}},
		"Boot": object{
			"BootSourceOverrideTarget": override.Target, "BootSourceOverrideEnabled": override.Enabled, "BootSourceOverrideMode": override.Mode,
			"BootSourceOverrideTarget@Redfish.AllowableValues":  devices(),
			"BootSourceOverrideEnabled@Redfish.AllowableValues": []Enabled{Disabled, Once, Continuous},
			"BootSourceOverrideMode@Redfish.AllowableValues":    []BootMode{UEFI, BIOS},
		},
		"Processors": link(path + "/Processors"), "EthernetInterfaces": link(path + "/EthernetInterfaces"), "Bios": link(path + "/Bios"),
		"Storage": link(path + "/Storage"), "SimpleStorage": link(path + "/SimpleStorage"), "LogServices": link(path + "/LogServices"),
		"Actions": object{"#ComputerSystem.Reset": object{
			"target": path + "/Actions/ComputerSystem.Reset", "ResetType@Redfish.AllowableValues": resetTypes(),
		}},
		"PCIeDevices": links(m.pciePaths()...), "PCIeDevices@odata.count": len(m.pcieDevices()),
		"Links": object{"ManagedBy": links(m.managerPath()), "Chassis": links(m.chassisPath())},
	}
	if m.options.Guest == nil {
		system["SecureBoot"] = link(m.secureBootPath())
	}
	show(w, system)
}

type bootBody struct {
	Target  Device   `json:"BootSourceOverrideTarget"`
	Enabled Enabled  `json:"BootSourceOverrideEnabled"`
	Mode    BootMode `json:"BootSourceOverrideMode"`
}

// patchSystem changes the boot override. It accepts requests that contain unknown properties in addition to known
// ones, because gofish sends all properties of Boot.
func patchSystem(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct{ Boot bootBody }
	if !read(w, request, &body) {
		return
	}
	if body.Boot == (bootBody{}) {
		fail(w, http.StatusBadRequest, propertyUnknown, "Of a system only the boot override can be changed.")
		return
	}
	if err := m.SetOverride(BootOverride(body.Boot)); err != nil {
		fail(w, http.StatusBadRequest, propertyValue, err.Error())
		return
	}
	done(w)
}

func resetSystem(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct{ ResetType ResetType }
	if !read(w, request, &body) {
		return
	}
	if body.ResetType == "" {
		fail(w, http.StatusBadRequest, parameterMissing, "The action ComputerSystem.Reset needs the parameter ResetType.")
		return
	}
	faults := m.Faults()
	switch {
	case faults.PowerFails:
		fail(w, http.StatusInternalServerError, internalError, "The power of the system cannot be controlled.")
		return
	case faults.PowerStuck && slices.Contains(resetTypes(), body.ResetType):
		m.ignorePower(body.ResetType)
		done(w)
		return
	}
	err := m.Reset(body.ResetType)
	switch {
	case errors.Is(err, errReset):
		fail(w, http.StatusBadRequest, parameterValue, err.Error()+"; allowed are "+strings.Join(texts(resetTypes()), ", "))
	case err != nil:
		fail(w, http.StatusServiceUnavailable, temporarilyUnavailable, err.Error())
	default:
		done(w)
	}
}

// ignorePower records that a power command has no effect because of the PowerStuck fault.
func (m *Machine) ignorePower(how ResetType) {
	m.mu.Lock()
	defer m.unlock()
	m.emit(PowerIgnored, "%s", how)
}

// ProcessorModel is the model name of a machine's only processor.
const ProcessorModel = "Lab CPU"

func getProcessor(w http.ResponseWriter, request *http.Request, m *Machine) {
	if request.PathValue("id") != "CPU1" {
		notFound(w, request)
		return
	}
	show(w, object{
		"@odata.id": m.SystemPath() + "/Processors/CPU1", "@odata.type": typeOf("Processor"),
		"Id": "CPU1", "Name": "Processor", "Socket": "CPU 1", "ProcessorType": "CPU", "ProcessorArchitecture": "x86", "InstructionSet": "x86-64",
		"Manufacturer": m.spec.Vendor, "Model": ProcessorModel, "MaxSpeedMHz": 2400,
		"TotalCores": m.spec.CPUs, "TotalThreads": m.spec.CPUs, "Status": healthy(),
		"SubProcessors": link(m.SystemPath() + "/Processors/CPU1/SubProcessors"),
	})
}

func getInterfaces(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path := m.SystemPath() + "/EthernetInterfaces"
	var members []string
	for _, nic := range m.spec.NICs {
		members = append(members, path+"/"+nic.Name)
	}
	show(w, collection(path, "EthernetInterface", "Ethernet interfaces", members...))
}

func getInterface(w http.ResponseWriter, request *http.Request, m *Machine) {
	for _, nic := range m.spec.NICs {
		if nic.Name != request.PathValue("id") {
			continue
		}
		status := "LinkUp"
		if nic.SpeedMbps == 0 {
			status = "LinkDown"
		}
		show(w, object{
			"@odata.id": m.SystemPath() + "/EthernetInterfaces/" + nic.Name, "@odata.type": typeOf("EthernetInterface"),
			"Id": nic.Name, "Name": "Ethernet interface " + nic.Name, "MACAddress": nic.MAC, "PermanentMACAddress": nic.MAC,
			"SpeedMbps": nic.SpeedMbps, "LinkStatus": status, "InterfaceEnabled": true, "Status": healthy(),
		})
		return
	}
	notFound(w, request)
}

// redfishTime returns a time in Redfish's format.
func redfishTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// number parses a number from a path. It returns 0 if the number is invalid or not between 1 and limit.
func number(text string, limit int) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > limit {
		return 0
	}
	return value
}
