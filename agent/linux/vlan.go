package linux

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"ironworks/agent"
)

// addVLANs creates VLAN interfaces and returns their names. The option is "all" or a list whose elements are
// interfaces, each with or without a VLAN number, such as eth0.100. Without a number, addVLANs creates the VLANs that
// the switch announces on the interface. See bring_up_vlan_interfaces in ironic_python_agent/netutils.py.
func (h Host) addVLANs(ctx context.Context, option string, present []agent.Interface) []string {
	var added []string
	add := func(name, vlan string) {
		full := name + "." + vlan
		known := slices.ContainsFunc(present, func(i agent.Interface) bool { return i.Name == full }) || slices.Contains(added, full)
		if known {
			return
		}
		h.try(ctx, "ip", "link", "add", "link", name, "name", full, "type", "vlan", "id", vlan)
		if h.try(ctx, "ip", "link", "set", "dev", full, "up") {
			added = append(added, full)
		}
	}
	for word := range strings.SplitSeq(option, ",") {
		word = strings.TrimSpace(word)
		wanted, vlan, given := strings.Cut(word, ".")
		for _, i := range present {
			switch {
			case word == "" || wanted != "all" && wanted != i.Name && !strings.EqualFold(wanted, i.MAC):
			case given:
				add(i.Name, vlan)
			default:
				for _, vlan := range announcedVLANs(i.LLDP) {
					add(i.Name, vlan)
				}
			}
		}
	}
	return added
}

// announcedVLANs returns the VLAN numbers in the "VLAN Name" TLVs of IEEE 802.1Q.
func announcedVLANs(lldp []any) []string {
	const organization, prefix, number = 127, "0080c203", 2
	var vlans []string
	for _, one := range lldp {
		pair, ok := one.([]any)
		if !ok || pair[0] != any(organization) {
			continue
		}
		text, _ := pair[1].(string)
		digits, named := strings.CutPrefix(text, prefix)
		value, err := hex.DecodeString(digits)
		if named && err == nil && len(value) >= number {
			vlans = append(vlans, strconv.Itoa(int(value[0])<<8|int(value[1])))
		}
	}
	return vlans
}
