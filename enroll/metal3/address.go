package metal3

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// access describes how Metal3 configures Ironic to reach a BMC.
type access struct {
	driver string
	// prefix is the prefix of the credentials' field names in driver_info, such as ipmi_.
	prefix string
	// interfaces maps the kinds of interfaces, such as boot, to names. For other kinds, Ironic's default applies.
	interfaces map[string]string
	// info holds the fields of driver_info except for the credentials.
	info map[string]any
}

// parseAddress parses a host's bmc.address (baremetal-operator, pkg/hardwareutils/bmc, 2026-08).
func parseAddress(address string, unverified bool) (access, error) {
	if address == "" {
		return access{}, errors.New("no BMC address")
	}
	u, err := parseURL(address)
	if err != nil {
		return access{}, err
	}
	scheme, transport, given := strings.Cut(u.Scheme, "+")
	a, known := schemes()[scheme]
	if !known || given && (a.driver == "ipmi" || transport != "http" && transport != "https") {
		return access{}, fmt.Errorf("unknown BMC address scheme %q: use ipmi, redfish, redfish-virtualmedia, idrac-redfish, idrac-virtualmedia, ilo5-redfish, "+
			"ilo5-virtualmedia or redfish-uefihttp, with +http for plain HTTP", u.Scheme)
	}
	if a.driver == "ipmi" {
		a.ipmi(u, unverified)
	} else {
		a.redfish(u, transport, unverified)
	}
	return a, nil
}

// schemes returns the driver and the interfaces for each scheme of an address.
func schemes() map[string]access {
	ipmi := access{driver: "ipmi", prefix: "ipmi_", interfaces: map[string]string{"boot": "ipxe", "raid": "no-raid"}}
	redfish := func(boot string) access {
		return access{driver: "redfish", prefix: "redfish_", interfaces: map[string]string{
			"boot": boot, "firmware": "redfish", "inspect": "redfish", "raid": "redfish",
		}}
	}
	idrac := func(boot string) access {
		const dell = "idrac-redfish"
		return access{driver: "idrac", prefix: "redfish_", interfaces: map[string]string{
			"bios": dell, "boot": boot, "firmware": "redfish", "inspect": "redfish", "management": dell, "power": dell, "raid": dell, "vendor": dell,
		}}
	}
	return map[string]access{
		"ipmi": ipmi, "libvirt": ipmi, "redfish": redfish("ipxe"), "ilo5-redfish": redfish("ipxe"), "idrac-redfish": idrac("ipxe"),
		"redfish-virtualmedia": redfish("redfish-virtual-media"), "ilo5-virtualmedia": redfish("redfish-virtual-media"),
		"idrac-virtualmedia": idrac("idrac-redfish-virtual-media"), "redfish-uefihttp": redfish("redfish-https"),
	}
}

func (a *access) ipmi(u *url.URL, unverified bool) {
	level := "ADMINISTRATOR"
	if query, err := url.ParseQuery(u.RawQuery); err == nil && query.Has("privilegelevel") {
		level = query.Get("privilegelevel")
	}
	a.info = map[string]any{"ipmi_address": u.Hostname(), "ipmi_port": cmp.Or(u.Port(), "623"), "ipmi_priv_level": level}
	if unverified {
		a.info["ipmi_verify_ca"] = false
	}
}

func (a *access) redfish(u *url.URL, transport string, unverified bool) {
	a.info = map[string]any{"redfish_address": cmp.Or(transport, "https") + "://" + u.Host}
	path := strings.Trim(u.Path, "/")
	if a.interfaces["boot"] == "redfish-https" || path != "" && path != "redfish/v1" {
		a.info["redfish_system_id"] = u.Path
	}
	if unverified {
		a.info["redfish_verify_ca"] = false
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
