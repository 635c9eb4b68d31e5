package nodefile

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// DefaultDriver is the hardware type for rows of a spreadsheet that have a BMC but no driver.
const DefaultDriver = "redfish"

// prefixes maps each hardware type to the prefix of its BMC fields in driver_info.
func prefixes() map[string]string {
	return map[string]string{"redfish": "redfish", "idrac": "redfish", "ipmi": "ipmi", "ilo": "ilo", "ilo5": "ilo", "irmc": "irmc", "xclarity": "xclarity"}
}

// Drivers returns the hardware types whose BMCs can be described by the bmc, user and password columns.
func Drivers() []string { return slices.Sorted(maps.Keys(prefixes())) }

// setBMC writes the address and the credentials of the BMC to the fields that the driver uses.
func (s *sheetRow) setBMC(driver string) {
	address := s.bmc["bmc"]
	if s.node.Driver() == "" {
		switch {
		case driver != "":
		case strings.HasPrefix(strings.ToLower(address), "ipmi:") || s.ipmi && !strings.Contains(address, "://"):
			driver = "ipmi"
		default:
			driver = DefaultDriver
		}
		s.node.Fields["driver"] = driver
	}
	if len(s.bmc) == 0 {
		return
	}
	prefix := prefixes()[s.node.Driver()]
	if prefix == "" {
		s.problem(s.line, "driver %q: use columns such as driver_info.…_address for its BMC", s.node.Driver())
		return
	}
	if address != "" {
		s.address(prefix, address)
	}
	if user := s.bmc["bmc.username"]; user != "" {
		s.node.Set(user, "driver_info", prefix+"_username")
	}
	if password := s.bmc["bmc.password"]; password != "" {
		s.node.SetSecret(prefix+"_password", models.Secret(password))
	}
	if system := s.bmc["bmc.system"]; system != "" {
		if prefix != "redfish" {
			s.problem(s.line, "system %q: only Redfish BMCs have systems, but the driver is %s", system, s.node.Driver())
			return
		}
		if !strings.HasPrefix(system, "/") {
			system = "/redfish/v1/Systems/" + system
		}
		s.node.Set(system, "driver_info", "redfish_system_id")
	}
}

// address writes the BMC's address. text is a host, host:port or a URL with the path of the Redfish system.
func (s *sheetRow) address(prefix, text string) {
	u, err := parseAddress(text)
	if err != nil || !isHost(u.Hostname()) {
		s.problem(s.line, "BMC address %q: must be a host, an IP address or a URL", withoutUser(text))
		return
	}
	if u.User != nil {
		s.note(s.line, "BMC address: credentials in a URL are not used; use the user and password columns")
	}
	port := cmp.Or(s.bmc["bmc.port"], u.Port())
	if prefix != "redfish" {
		s.node.Set(u.Hostname(), "driver_info", prefix+"_address")
		if port != "" {
			s.node.Set(port, "driver_info", prefix+"_port")
		}
		return
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	scheme := "https"
	if u.Scheme == "http" || strings.HasSuffix(u.Scheme, "+http") {
		scheme = "http"
	}
	s.node.Set(scheme+"://"+host, "driver_info", "redfish_address")
	if system := strings.TrimRight(u.EscapedPath(), "/"); system != "" && system != "/redfish/v1" && system != "/redfish" {
		s.node.Set(system, "driver_info", "redfish_system_id")
	}
}

// isHost reports whether host can be a host name or an IP address.
func isHost(host string) bool {
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("-._:%", r)
	})
}

// parseAddress parses a URL, or a host with an optional port.
func parseAddress(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
			text = "[" + text + "]"
		}
		text = "https://" + text
	}
	return url.Parse(text)
}

// withoutUser replaces everything before the last "@" in a URL, which may be malformed, to hide credentials.
func withoutUser(text string) string {
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return "…" + text[i:]
	}
	return text
}
