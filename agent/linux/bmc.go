package linux

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// bmcAddresses holds the addresses of the BMC. An IP address is nil if the host has no interface to a BMC. It is the
// unspecified address, such as 0.0.0.0, if there is a BMC but none of its channels has an address.
type bmcAddresses struct {
	v4, v6 *string
	mac    string
}

// channels is the number of IPMI channels, counted from 1, that ironic-python-agent searches for network addresses.
const channels = 11

// bmc implements get_bmc_address, get_bmc_v6address and get_bmc_mac from ironic_python_agent/hardware.py.
func (h Host) bmc(ctx context.Context) bmcAddresses {
	if !h.hasIPMI() {
		return bmcAddresses{}
	}
	if _, err := h.program(ctx, "ipmitool", "-V"); err != nil {
		h.warn("Cannot get BMC address: %v", err)
		return bmcAddresses{}
	}
	none4, none6 := "0.0.0.0", "::/0"
	found := bmcAddresses{v4: &none4, v6: &none6}
	for channel := 1; channel <= channels; channel++ {
		h.addChannel(ctx, strconv.Itoa(channel), &found)
	}
	return found
}

func (h Host) hasIPMI() bool {
	for _, pattern := range []string{"/dev/ipmi*", "/dev/ipmi/*", "/dev/ipmidev/*"} {
		names, _ := filepath.Glob(h.path(pattern))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				return true
			}
		}
	}
	return false
}

var macAddress = regexp.MustCompile(`(?i)^[0-9a-f]{2}(:[0-9a-f]{2}){5}$`)

// addChannel adds the addresses of a channel to found, and keeps the addresses of earlier channels.
func (h Host) addChannel(ctx context.Context, channel string, found *bmcAddresses) {
	const noMAC = "00:00:00:00:00:00"
	lan := h.ipmi(ctx, "lan", "print", channel)
	address, err := netip.ParseAddr(lan["ip address"])
	configured := err == nil && !address.IsUnspecified()
	if text := address.String(); configured && *found.v4 == "0.0.0.0" {
		found.v4 = &text
	}
	v6, hasV6 := h.channelV6(ctx, channel)
	if hasV6 && *found.v6 == "::/0" {
		found.v6 = &v6
	}
	if mac := lan["mac address"]; found.mac == "" && (configured || hasV6) && macAddress.MatchString(mac) && mac != noMAC {
		found.mac = mac
	}
}

// channelV6 returns the active IPv6 address of a channel. It prefers a dynamic address to a static one.
func (h Host) channelV6(ctx context.Context, channel string) (string, bool) {
	enables := h.ipmi(ctx, "lan6", "print", channel, "enables")["ipv6/ipv4 addressing enables"]
	if enables != "ipv6" && enables != "both" {
		return "", false
	}
	for _, kind := range []string{"dynamic_addr", "static_addr"} {
		out, err := h.program(ctx, "ipmitool", "lan6", "print", channel, kind)
		if err != nil {
			continue
		}
		for section := range strings.SplitSeq("\n"+out, "\nIPv6 ") {
			address := colonPairs(section)
			usable := address["enabled"] == "yes"
			if kind == "dynamic_addr" {
				usable = address["source/type"] == "DHCPv6" || address["source/type"] == "SLAAC"
			}
			text, _, _ := strings.Cut(address["address"], "/")
			ip, err := netip.ParseAddr(text)
			if err == nil && usable && address["status"] == "active" && !ip.IsUnspecified() {
				return ip.String(), true
			}
		}
	}
	return "", false
}

// ipmi runs ipmitool and returns the fields that it prints, or nil if it fails, as for an invalid channel.
func (h Host) ipmi(ctx context.Context, argv ...string) map[string]string {
	out, err := h.program(ctx, append([]string{"ipmitool"}, argv...)...)
	if err != nil {
		return nil
	}
	return colonPairs(out)
}
