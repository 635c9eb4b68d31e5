package hints

import (
	"encoding/json"
	"fmt"
	"strings"
)

// NIC is a network interface found by inspection.
type NIC struct {
	Name string
	// MAC is the MAC address in lower case.
	MAC string
	// HasCarrier reports whether the NIC has a link. CarrierUnknown means that the inventory does not contain this
	// information. Redfish inspection, for example, does not collect it.
	HasCarrier     bool
	CarrierUnknown bool
	// Boot means that the ramdisk booted over this NIC.
	Boot bool
	// Neighbor is the switch port at the other end of the link, as announced by LLDP.
	Neighbor Neighbor
}

// DecodeNICs reads the network interfaces from the response of GET /v1/nodes/{id}/inventory. The neighbors come from
// the agent's raw TLVs (plugin_data.lldp_raw, or the lldp field of an interface) or, if there are none, from the
// parse-lldp hook (plugin_data.parsed_lldp).
func DecodeNICs(data []byte) ([]NIC, error) {
	var found struct {
		Inventory struct {
			Interfaces []struct {
				Name    string          `json:"name"`
				MAC     string          `json:"mac_address"`
				Carrier *bool           `json:"has_carrier"`
				LLDP    json.RawMessage `json:"lldp"`
			} `json:"interfaces"`
			Boot struct {
				PXE string `json:"pxe_interface"`
			} `json:"boot"`
		} `json:"inventory"`
		Plugin json.RawMessage `json:"plugin_data"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, fmt.Errorf("inventory: %w", err)
	}
	// The agent reads the boot interface from the BOOTIF kernel parameter, for example BOOTIF=01-52-54-00-12-34-56
	// (ironic_python_agent/hardware.py, get_boot_info). The hardware type, 01, precedes the address.
	boot := strings.ToLower(strings.ReplaceAll(found.Inventory.Boot.PXE, "-", ":"))
	if strings.Count(boot, ":") == 6 {
		_, boot, _ = strings.Cut(boot, ":")
	}
	parsed, tlvs := neighborsOf(found.Plugin)
	var nics []NIC
	for _, i := range found.Inventory.Interfaces {
		nic := NIC{Name: i.Name, MAC: strings.ToLower(i.MAC), CarrierUnknown: i.Carrier == nil}
		nic.HasCarrier = i.Carrier != nil && *i.Carrier
		nic.Boot = nic.MAC != "" && nic.MAC == boot
		for _, raw := range []json.RawMessage{tlvs[i.Name], i.LLDP} {
			if nic.Neighbor = decodeTLVs(raw); nic.Neighbor != (Neighbor{}) {
				break
			}
		}
		if nic.Neighbor == (Neighbor{}) {
			nic.Neighbor = parsed[i.Name].neighbor()
		}
		nics = append(nics, nic)
	}
	return nics, nil
}
