package hints

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"ironworks/models"
)

// Neighbor is the switch port to which a NIC is connected, as announced by LLDP. Its fields correspond to those of a
// port's local_link_connection.
type Neighbor struct {
	// SwitchID is the chassis ID of the switch in lower case. It is set only if the ID is a MAC address, because
	// Ironic accepts no other chassis ID.
	SwitchID string
	// PortID is the ID of the port on the switch.
	PortID string
	// SwitchInfo is the name of the switch (LLDP's system name).
	SwitchInfo string
}

// The types of the TLVs that describe a neighbor, and the subtypes that hold an address (IEEE 802.1AB, 8.5).
const (
	tlvChassisID = 1
	tlvPortID    = 2
	tlvSysName   = 5

	chassisMAC = 4
	portMAC    = 3

	portAddress = 4
)

// parsedLLDP is the data that Ironic's parse-lldp hook stores for an interface
// (ironic/drivers/modules/inspector/lldp_parsers.py, 39.0.0).
type parsedLLDP struct {
	Chassis string `json:"switch_chassis_id"`
	Port    string `json:"switch_port_id"`
	Name    string `json:"switch_system_name"`
}

func (p parsedLLDP) neighbor() Neighbor {
	n := Neighbor{PortID: p.Port, SwitchInfo: p.Name}
	if mac, valid := models.ParseMAC(p.Chassis); valid && mac == strings.ToLower(p.Chassis) {
		n.SwitchID = mac
	}
	return n
}

// neighborsOf returns the parsed and the raw LLDP data in an inventory's plugin data. Both are keyed by interface
// name. Other plugins may store data of any form, so data that cannot be read is ignored.
func neighborsOf(plugin json.RawMessage) (parsed map[string]parsedLLDP, tlvs map[string]json.RawMessage) {
	var data map[string]json.RawMessage
	_ = json.Unmarshal(plugin, &data)
	var each map[string]json.RawMessage
	parsed = map[string]parsedLLDP{}
	_ = json.Unmarshal(data["parsed_lldp"], &each)
	for name, raw := range each {
		var p parsedLLDP
		if json.Unmarshal(raw, &p) == nil {
			parsed[name] = p
		}
	}
	_ = json.Unmarshal(data["lldp_raw"], &tlvs)
	return parsed, tlvs
}

// decodeTLVs decodes the agent's list of TLVs, each of the form [type, "hex"]. Invalid TLVs are skipped.
func decodeTLVs(raw json.RawMessage) Neighbor {
	var list [][]json.RawMessage
	var n Neighbor
	if json.Unmarshal(raw, &list) != nil {
		return n
	}
	for _, tlv := range list {
		var kind int
		var text string
		if len(tlv) != 2 || json.Unmarshal(tlv[0], &kind) != nil || json.Unmarshal(tlv[1], &text) != nil {
			continue
		}
		value, err := hex.DecodeString(text)
		if err != nil || len(value) == 0 {
			continue
		}
		switch kind {
		case tlvChassisID:
			if value[0] == chassisMAC {
				n.SwitchID = macText(value[1:])
			}
		case tlvPortID:
			switch value[0] {
			case portMAC:
				n.PortID = macText(value[1:])
			case portAddress:
				n.PortID = addressText(value[1:])
			default:
				n.PortID = plainText(value[1:])
			}
		case tlvSysName:
			n.SwitchInfo = plainText(value)
		}
	}
	return n
}

// addressText formats a network address in the form that Ironic's local-link-connection hook stores. The first byte
// of b is the IANA number of the address family: 1 is IPv4, 2 is IPv6, and 6 is a MAC address. For other families, or
// if b is too short, it returns "".
func addressText(b []byte) string {
	switch {
	case len(b) >= 5 && b[0] == 1:
		return netip.AddrFrom4([4]byte(b[1:5])).String()
	case len(b) >= 17 && b[0] == 2:
		return netip.AddrFrom16([16]byte(b[1:17])).String()
	case len(b) >= 7 && b[0] == 6:
		return macText(b[1:7])
	}
	return ""
}

func macText(b []byte) string {
	if len(b) != 6 {
		return ""
	}
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5])
}

func plainText(b []byte) string {
	if !utf8.Valid(b) {
		return ""
	}
	return string(b)
}

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
