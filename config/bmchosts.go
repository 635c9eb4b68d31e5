package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"ironworks/printable"
)

// BMCHosts are the hosts that may receive a password for several BMCs: addresses, networks (10.0.0.0/8), names,
// subdomains (*.bmc.example.com), or * for all. They are required because every user who can edit a node's driver_info
// controls the address.
type BMCHosts []string

// hostPattern matches a name with an optional leading *.
var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-])*\.?$`)

// ParseBMCHosts validates entries. The error names the first invalid one.
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

// List reports whether the hosts include the host of an address. Names are not resolved: a name matches only names.
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
