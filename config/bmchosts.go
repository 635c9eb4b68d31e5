package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"ironworks/printable"
)

// BMCHosts lists the hosts that may receive a password shared by several BMCs. An entry is an address, a network
// (10.0.0.0/8), a name, all subdomains of a name (*.bmc.example.com), or * for all hosts. The list is necessary
// because every user who can edit a node's driver_info controls the BMC's address.
type BMCHosts []string

// hostPattern matches a host name, optionally with a leading "*.".
var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-])*\.?$`)

// ParseBMCHosts validates entries and returns them as BMCHosts. The error names the first invalid entry.
func ParseBMCHosts(entries []string) (BMCHosts, error) {
	for _, e := range entries {
		if _, err := netip.ParsePrefix(e); err == nil || e == "*" {
			continue
		}
		if _, err := netip.ParseAddr(e); err == nil {
			continue
		}
		if !hostPattern.MatchString(e) || strings.Trim(e, "0123456789.") == "" {
			return nil, fmt.Errorf("%q is not a host: use an address, a network such as 10.0.0.0/8, a name, or *.NAME", printable.Line(e))
		}
	}
	return entries, nil
}

// List reports whether h includes host, which is a name or an address. Names are not resolved, so a name matches only
// entries that are names.
func (h BMCHosts) List(host string) bool {
	address, err := netip.ParseAddr(host)
	isAddress := err == nil
	address = address.Unmap().WithZone("")
	name := foldedName(host)
	for _, e := range h {
		if e == "*" {
			return true
		}
		if network, err := netip.ParsePrefix(e); err == nil {
			if isAddress && network.Contains(address) {
				return true
			}
			continue
		}
		if other, err := netip.ParseAddr(e); err == nil {
			if isAddress && other.Unmap() == address {
				return true
			}
			continue
		}
		if parent, below := strings.CutPrefix(foldedName(e), "*"); below && !isAddress {
			if strings.HasSuffix(name, parent) && len(name) > len(parent) {
				return true
			}
		} else if !isAddress && name == parent {
			return true
		}
	}
	return false
}

func foldedName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
