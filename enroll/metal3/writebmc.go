package metal3

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
)

// bmc sets the address of the BMC. ok is false if Metal3 cannot use the BMC.
func (h *hostWriter) bmc() (a access, ok bool) {
	u := &url.URL{}
	switch driver := h.node.Driver(); driver {
	case "ipmi":
		h.ipmiAddress(u)
	case "redfish", "idrac":
		if !h.redfishAddress(u, driver) {
			return a, false
		}
	default:
		h.note("left out: Metal3 has no BMC address for driver %q", driver)
		return a, false
	}
	spec := &h.host.Spec.BMC
	a, err := parseAddress(u.String(), false)
	if err != nil || u.Hostname() == "" {
		h.note("left out: Metal3 does not accept the BMC's address %q: use a host name or an IP address", u.Host)
		return a, false
	}
	spec.Address = u.String()
	switch verify := h.field("driver_info", a.prefix+"verify_ca"); verify {
	case nil, true:
	default:
		if spec.DisableCertificateVerification = fmt.Sprint(verify) == "false"; !spec.DisableCertificateVerification {
			h.note("driver_info.%sverify_ca %v: not in the manifest", a.prefix, verify)
		}
	}
	return a, true
}

func (h *hostWriter) ipmiAddress(u *url.URL) {
	u.Scheme, u.Host = "ipmi", models.TextOf(h.field("driver_info", "ipmi_address"))
	if strings.Contains(u.Host, ":") {
		u.Host = "[" + strings.Trim(u.Host, "[]") + "]"
	}
	if port := h.field("driver_info", "ipmi_port"); port != nil && fmt.Sprint(port) != "623" {
		u.Host += ":" + fmt.Sprint(port)
	}
	if level := models.TextOf(h.field("driver_info", "ipmi_priv_level")); level != "" && level != "ADMINISTRATOR" {
		u.RawQuery = url.Values{"privilegelevel": {level}}.Encode()
	}
}

func (h *hostWriter) redfishAddress(u *url.URL, driver string) bool {
	address := models.TextOf(h.field("driver_info", "redfish_address"))
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	given, err := url.Parse(address)
	if err != nil || given.Host == "" {
		h.note("left out: driver_info.redfish_address is not a URL")
		return false
	}
	boot := models.TextOf(h.node.Fields["boot_interface"])
	switch {
	case strings.HasSuffix(boot, "virtual-media"):
		u.Scheme = driver + "-virtualmedia"
	case driver == "idrac":
		u.Scheme = "idrac-redfish"
	case boot == "redfish-https":
		u.Scheme = "redfish-uefihttp"
	default:
		u.Scheme = "redfish"
	}
	if given.Scheme == "http" {
		u.Scheme += "+http"
	}
	u.Host, u.Path = given.Host, models.TextOf(h.field("driver_info", "redfish_system_id"))
	if path := strings.Trim(given.Path, "/"); path != "" && path != "redfish/v1" {
		h.note("driver_info.redfish_address: its path /%s is not in the manifest", path)
	}
	return true
}

// interfaces adds notes on interfaces that differ from the ones that Metal3 derives from the address.
func (h *hostWriter) interfaces(a access) {
	for _, kind := range []string{"bios", "boot", "firmware", "management", "power", "raid", "vendor", "inspect"} {
		given, derived := models.TextOf(h.field(kind+"_interface")), a.interfaces[kind]
		if kind == "inspect" {
			if given != "" && given == derived {
				h.host.Spec.InspectionMode = "fast"
				continue
			}
			derived = "agent"
		}
		if given != "" && given != derived {
			h.note("%s_interface %s: Metal3 uses %s", kind, given, cmp.Or(derived, "the default"))
		}
	}
}
