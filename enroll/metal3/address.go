package metal3

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Access describes how Metal3 configures Ironic to reach a BMC. If an interface is empty, Ironic's default applies.
type Access struct {
	Driver string
	// Info holds the fields of driver_info except for the credentials.
	Info map[string]any
	// Prefix is the prefix of the credentials' field names in driver_info, such as ipmi_.
	Prefix                                                                 string
	BIOS, Boot, Firmware, Inspect, Management, Power, RAID, Vendor, Scheme string
}

// ParseAddress parses a host's bmc.address (baremetal-operator, pkg/hardwareutils/bmc, 2026-08). unverified means
// that the BMC's certificate is not verified.
func ParseAddress(address string, unverified bool) (Access, error) {
	if address == "" {
		return Access{}, errors.New("no BMC address")
	}
	u, err := parseURL(address)
	if err != nil {
		return Access{}, err
	}
	scheme, transport, given := strings.Cut(u.Scheme, "+")
	a, known := schemes()[scheme]
	if !known || given && (a.Driver == "ipmi" || transport != "http" && transport != "https") {
		return Access{}, fmt.Errorf("unknown BMC address scheme %q: use ipmi, redfish, redfish-virtualmedia, idrac-redfish, idrac-virtualmedia, ilo5-redfish, "+
			"ilo5-virtualmedia or redfish-uefihttp, with +http for plain HTTP", u.Scheme)
	}
	a.Scheme = scheme
	if a.Driver == "ipmi" {
		a.ipmi(u, unverified)
	} else {
		a.redfish(u, transport, unverified)
	}
	return a, nil
}

// schemes returns the driver and the interfaces for each scheme of an address.
func schemes() map[string]Access {
	ipmi := Access{Driver: "ipmi", Prefix: "ipmi_", Boot: "ipxe", RAID: "no-raid"}
	redfish := Access{Driver: "redfish", Prefix: "redfish_", Boot: "ipxe", Firmware: "redfish", Inspect: "redfish", RAID: "redfish"}
	media, https := redfish, redfish
	media.Boot = "redfish-virtual-media"
	https.Boot = "redfish-https"
	const dell = "idrac-redfish"
	idrac := Access{
		Driver: "idrac", Prefix: "redfish_", BIOS: dell, Boot: "ipxe", Firmware: "redfish", Inspect: "redfish", Management: dell, Power: dell, RAID: dell, Vendor: dell,
	}
	idracMedia := idrac
	idracMedia.Boot = "idrac-redfish-virtual-media"
	return map[string]Access{
		"ipmi": ipmi, "libvirt": ipmi, "redfish": redfish, "ilo5-redfish": redfish, "idrac-redfish": idrac, "redfish-virtualmedia": media,
		"ilo5-virtualmedia": media, "idrac-virtualmedia": idracMedia, "redfish-uefihttp": https,
	}
}

func (a *Access) ipmi(u *url.URL, unverified bool) {
	port, level := u.Port(), "ADMINISTRATOR"
	if port == "" {
		port = "623"
	}
	if query, err := url.ParseQuery(u.RawQuery); err == nil && query.Has("privilegelevel") {
		level = query.Get("privilegelevel")
	}
	a.Info = map[string]any{"ipmi_address": u.Hostname(), "ipmi_port": port, "ipmi_priv_level": level}
	if unverified {
		a.Info["ipmi_verify_ca"] = false
	}
}

func (a *Access) redfish(u *url.URL, transport string, unverified bool) {
	if transport == "" {
		transport = "https"
	}
	a.Info = map[string]any{"redfish_address": transport + "://" + u.Host}
	path := strings.Trim(u.Path, "/")
	if a.Boot == "redfish-https" || path != "" && path != "redfish/v1" {
		a.Info["redfish_system_id"] = u.Path
	}
	if unverified {
		a.Info["redfish_verify_ca"] = false
	}
}

// parseURL parses an address in the form of a URL, scheme:host, host:port, or host.
func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil && !isHostPort(address):
		return nil, errors.New("not a URL and not host:port")
	case err != nil:
		u, err = &url.URL{Scheme: "ipmi", Host: address}, nil
	case u.Opaque != "":
		u, err = url.Parse(strings.Replace(address, ":", "://", 1))
	case u.Scheme == "" && u.Hostname() == "":
		u, err = url.Parse("ipmi://" + address)
	}
	if err != nil {
		return nil, errors.New("not a URL")
	}
	return u, checkHost(u.Hostname())
}

// isHostPort reports whether an address may be a host or host:port, although it is not a URL.
func isHostPort(address string) bool {
	i := strings.LastIndex(address, ":")
	if i < 0 {
		return true
	}
	host := address[:i]
	if inner, is := strings.CutPrefix(host, "["); is {
		inner, is = strings.CutSuffix(inner, "]")
		return is && !strings.ContainsAny(inner, "[]")
	}
	return !strings.ContainsAny(host, ":[]")
}

var hostName = regexp.MustCompile(`^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]{0,61}[a-zA-Z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\-]{0,61}[A-Za-z0-9])$`)

func checkHost(host string) error {
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.Zone() == "" || hostName.MatchString(host) {
		return nil
	}
	return fmt.Errorf("%q is neither an IP address nor a host name", host)
}
