package conductor

import (
	"context"
	"encoding/json"
)

// pcieFunction holds the fields of a Redfish PCIeFunction that inspection uses. The values are null or strings, in
// the format that the BMC uses.
type pcieFunction struct {
	DeviceClass       *string
	DeviceID          any `json:"DeviceId"`
	VendorID          any `json:"VendorId"`
	SubsystemID       any `json:"SubsystemId"`
	SubsystemVendorID any `json:"SubsystemVendorId"`
	RevisionID        any `json:"RevisionId"`
}

// pciDevices returns the PCIe functions of the machine (_get_pcie_devices in
// ironic/drivers/modules/redfish/inspect.py). Devices that cannot be read are omitted. The system resource contains
// either links to the devices or a link to a collection of them (System.pcie_devices in sushy).
func (s *redfishSystem) pciDevices(ctx context.Context) []any {
	var links []link
	if json.Unmarshal(s.PCIeDevices, &links) != nil {
		var at struct{ Members []link }
		var collection link
		if json.Unmarshal(s.PCIeDevices, &collection) != nil || s.bmc.get(ctx, collection.ID, &at) != nil {
			return nil
		}
		links = at.Members
	}
	var list []any
	for _, at := range links {
		var device struct{ PCIeFunctions *link }
		if s.bmc.get(ctx, at.ID, &device) != nil {
			continue
		}
		functions, err := s.members(ctx, device.PCIeFunctions)
		if err != nil {
			continue
		}
		for _, raw := range functions {
			if info := pciInfo(raw); len(info) > 0 {
				list = append(list, info)
			}
		}
	}
	return list
}

// pciInfo returns the class and the IDs of a PCIe function under the names that the agent uses
// (_extract_function_info).
func pciInfo(raw json.RawMessage) map[string]any {
	var f pcieFunction
	if json.Unmarshal(raw, &f) != nil {
		return nil
	}
	info := map[string]any{}
	if f.DeviceClass != nil {
		info["class"] = *f.DeviceClass
	}
	for key, value := range map[string]any{
		"product_id": f.DeviceID, "vendor_id": f.VendorID, "subsystem_id": f.SubsystemID, "subsystem_vendor_id": f.SubsystemVendorID, "revision": f.RevisionID,
	} {
		if value != nil {
			info[key] = value
		}
	}
	return info
}
