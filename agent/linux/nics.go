package linux

import (
	"context"
	"encoding/hex"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
)

const netFolder = "/sys/class/net/"

// interfaceNames returns physical interfaces, VLANs and bonds, like list_interfaces in the agent's netutils.py.
func (h Host) interfaceNames() ([]string, error) {
	all, err := h.list(netFolder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if isVLAN(name) || h.exists(netFolder+name+"/device") || h.exists(netFolder+name+"/bonding") {
			names = append(names, name)
		}
	}
	return names, nil
}

// isVLAN reports whether name is the name of a VLAN interface. /sys has no other indication of VLAN interfaces.
func isVLAN(name string) bool {
	_, vlan, dotted := strings.Cut(name, ".")
	return dotted && vlan != "" && strings.Trim(vlan, "0123456789") == ""
}

func (h Host) interfaces(ctx context.Context, names []string) []agent.Interface {
	all := make([]agent.Interface, 0, len(names))
	for _, name := range names {
		if described, usable := h.nic(ctx, name); usable {
			all = append(all, described)
		}
	}
	return all
}

// nic describes one network interface. It returns false for one without a usable MAC address, which is not reported.
func (h Host) nic(ctx context.Context, name string) (agent.Interface, bool) {
	mac := h.mac(name)
	if mac == "" {
		return agent.Interface{}, false
	}
	folder := netFolder + name
	carrier, _ := h.read(folder + "/carrier")
	i := agent.Interface{
		Name: name, MAC: mac, HasCarrier: carrier == "1",
		Vendor: h.optional(folder + "/device/vendor"), Product: h.optional(folder + "/device/device"),
		PCIAddress: h.base(folder + "/device"), Driver: h.base(folder + "/device/driver"),
		BIOSDevName: h.biosDevName(ctx, name),
	}
	i.IPv4, i.IPv6 = firstOfEach(h.Links.Addresses(name))
	if speed := h.Links.Speed(name); speed > 0 {
		i.SpeedMbps = &speed
	}
	return i, true
}

// mac implements get_mac_addr from ironic_python_agent/netutils.py. It prefers the permanent address to an address
// that was set later, for example by a bond. It returns "" for addresses that start with fa:, because they belong to
// virtual interfaces, such as those of some BMCs.
func (h Host) mac(name string) string {
	mac := h.Links.PermanentMAC(name)
	if mac == "" {
		mac, _ = h.read(netFolder + name + "/address")
	}
	if strings.HasPrefix(strings.ToLower(mac), "fa:") {
		h.warn("Interface %s is ignored, as its address %s seems to be locally assigned", name, mac)
		return ""
	}
	return mac
}

func (h Host) optional(name string) *string {
	if content, err := h.read(name); err == nil {
		return &content
	}
	return nil
}

func (h Host) base(name string) *string {
	target, err := h.link(name)
	if err != nil {
		return nil
	}
	last := path.Base(target)
	return &last
}

// biosDevName returns the name that the biosdevname program suggests for an interface. It returns nil if the program
// fails or is missing. Most hosts do not have this program.
func (h Host) biosDevName(ctx context.Context, name string) *string {
	if isVLAN(name) {
		return nil
	}
	out, err := h.Run(ctx, Command{Argv: []string{"biosdevname", "-i", name}})
	if err != nil || out.Code != 0 {
		return nil
	}
	found := strings.TrimRight(out.Stdout, "\n")
	return &found
}

// firstOfEach returns the first IPv4 and the first IPv6 address in the list, or nil if there is none.
func firstOfEach(addresses []string) (v4, v6 *string) {
	for _, text := range addresses {
		address, err := netip.ParseAddr(text)
		switch {
		case err != nil:
		case address.Is4() && v4 == nil:
			v4 = &text
		case address.Is6() && v6 == nil:
			v6 = &text
		}
	}
	return v4, v6
}

// parseTLVs returns the TLVs of an LLDP frame. Each consists of the type, which is a number, and the value in
// hexadecimal digits. See _parse_tlv in ironic_python_agent/netutils.py.
func parseTLVs(frame []byte) []any {
	parts := []any{}
	const header = 2 // 7 bits of type, 9 bits of length
	for len(frame) >= header {
		kind, length := int(frame[0]>>1), int(frame[0]&1)<<8|int(frame[1])
		frame = frame[header:]
		length = min(length, len(frame))
		parts = append(parts, []any{kind, hex.EncodeToString(frame[:length])})
		frame = frame[length:]
	}
	return parts
}

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

// AddressWait describes how to wait for addresses before an inspection; see wait_for_dhcp in the agent's inspector.py.
type AddressWait struct {
	Timeout time.Duration
	// All makes the agent wait for the addresses of all interfaces with a carrier, and not only of the boot interface.
	// The real agent also waits for others, which cannot get an address.
	All bool
}

// addressRetry is the time between two checks of the addresses.
const addressRetry = 200 * time.Millisecond

// AwaitAddresses waits until all interfaces selected by wait have an IPv4 address, or until the timeout has passed.
func (m *Machine) AwaitAddresses(ctx context.Context, wait AddressWait) {
	booted := normalMAC(m.options.Parameters["BOOTIF"])
	if wait.Timeout == 0 || booted == "" && !wait.All {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wait.Timeout)
	defer cancel()
	for {
		missing := m.withoutAddress(booted, wait.All)
		if len(missing) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			m.host.warn("Not all network interfaces received IP addresses in %v: %s", wait.Timeout, strings.Join(missing, ", "))
			return
		case <-time.After(addressRetry):
		}
	}
}

// withoutAddress returns the interfaces for which the agent must still wait, because they have no IPv4 address yet.
func (m *Machine) withoutAddress(booted string, all bool) []string {
	h := m.host
	names, err := h.interfaceNames()
	if err != nil {
		return nil
	}
	var missing []string
	for _, name := range names {
		carrier, _ := h.read(netFolder + name + "/carrier")
		if v4, _ := firstOfEach(h.Links.Addresses(name)); v4 != nil {
			continue
		}
		if all && carrier == "1" || strings.EqualFold(h.mac(name), booted) {
			missing = append(missing, name)
		}
	}
	return missing
}

// normalMAC returns the MAC address in the kernel's BOOTIF parameter, where the hardware type precedes it.
func normalMAC(text string) string {
	if _, mac, dashed := strings.Cut(text, "-"); dashed {
		text = strings.ReplaceAll(mac, "-", ":")
	}
	return strings.ToLower(text)
}
