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
		var collection link
		if json.Unmarshal(s.PCIeDevices, &collection) != nil {
			return nil
		}
		links, _ = s.bmc.links(ctx, collection.ID)
	}
	var list []any
	for _, at := range links {
		var device struct{ PCIeFunctions *link }
		if s.bmc.get(ctx, at.ID, &device) != nil {
			continue
		}
		functions, _ := members[pcieFunction](ctx, s.bmc, device.PCIeFunctions)
		for _, f := range functions {
			if info := f.info(); len(info) > 0 {
				list = append(list, info)
			}
		}
	}
	return list
}

// info returns the class and the IDs of a PCIe function under the names that the agent uses (_extract_function_info).
func (f pcieFunction) info() map[string]any {
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
