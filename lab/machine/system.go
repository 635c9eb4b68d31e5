package machine

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
)

func (m *Machine) getSystem(request *http.Request) object {
	path, boot, override := request.URL.Path, m.Boot(), m.Override()
	progress := object{"LastState": boot.Progress}
	if !boot.At.IsZero() {
		progress["LastStateTime"] = redfishTime(boot.At)
	}
	var devicePaths []string
	for _, id := range m.pcieIDs() {
		devicePaths = append(devicePaths, m.pciePath(id))
	}
	system := resource(path, "ComputerSystem", m.Name(), object{
		"SystemType": "Physical", "UUID": m.spec.UUID,
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
		"Actions":     action(path, "ComputerSystem.Reset", object{"ResetType@Redfish.AllowableValues": resetTypes()}),
		"PCIeDevices": links(devicePaths...), "PCIeDevices@odata.count": len(devicePaths),
		"Links": object{"ManagedBy": links(m.managerPath()), "Chassis": links(m.chassisPath())},
	})
	if m.options.Guest == nil {
		system["SecureBoot"] = link(path + "/SecureBoot")
	}
	return system
}

type systemBody struct{ Boot bootBody }

type bootBody struct {
	Target  Device   `json:"BootSourceOverrideTarget"`
	Enabled Enabled  `json:"BootSourceOverrideEnabled"`
	Mode    BootMode `json:"BootSourceOverrideMode"`
}

// patchSystem changes the boot override. It accepts requests that contain unknown properties in addition to known
// ones, because gofish sends all properties of Boot.
func (m *Machine) patchSystem(body systemBody) error {
	if body.Boot == (bootBody{}) {
		return badRequest(propertyUnknown, "Of a system only the boot override can be changed.")
	}
	return m.SetOverride(BootOverride(body.Boot))
}

func (m *Machine) resetSystem(body resetBody) error {
	how, faults := body.ResetType, m.Faults()
	switch {
	case how == "":
		return badRequest(parameterMissing, "The action ComputerSystem.Reset needs the parameter ResetType.")
	case faults.PowerFails:
		return &refusal{http.StatusInternalServerError, internalError, "The power of the system cannot be controlled."}
	case faults.PowerStuck && slices.Contains(resetTypes(), how):
		m.mu.Lock()
		defer m.unlock()
		m.emit(PowerIgnored, "%s", how)
		return nil
	}
	err := m.Reset(how)
	switch {
	case errors.Is(err, errReset):
		return badRequest(parameterValue, "%v; allowed are %s", err, joined(resetTypes()))
	case err != nil:
		return &refusal{http.StatusServiceUnavailable, temporarilyUnavailable, err.Error()}
	}
	return nil
}

// ProcessorModel is the model name of a machine's only processor.
const ProcessorModel = "Lab CPU"

const processorID = "CPU1"

func (m *Machine) getProcessor(request *http.Request) object {
	if request.PathValue("id") != processorID {
		return nil
	}
	path := request.URL.Path
	return resource(path, "Processor", "Processor", object{
		"Socket": "CPU 1", "ProcessorType": "CPU", "ProcessorArchitecture": "x86", "InstructionSet": "x86-64",
		"Manufacturer": m.spec.Vendor, "Model": ProcessorModel, "MaxSpeedMHz": 2400,
		"TotalCores": m.spec.CPUs, "TotalThreads": m.spec.CPUs, "Status": healthy(),
		"SubProcessors": link(path + "/SubProcessors"),
	})
}

func (m *Machine) getInterfaces(request *http.Request) object {
	return collection(request.URL.Path, "EthernetInterface", "Ethernet interfaces", m.nicNames()...)
}

func (m *Machine) getInterface(request *http.Request) object {
	nic, number := m.nic(request.PathValue("id"))
	if number == 0 {
		return nil
	}
	status := "LinkUp"
	if nic.SpeedMbps == 0 {
		status = "LinkDown"
	}
	return resource(request.URL.Path, "EthernetInterface", "Ethernet interface "+nic.Name, object{
		"MACAddress": nic.MAC, "PermanentMACAddress": nic.MAC,
		"SpeedMbps": nic.SpeedMbps, "LinkStatus": status, "InterfaceEnabled": true, "Status": healthy(),
	})
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
