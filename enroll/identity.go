package enroll

import (
	"cmp"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"ironworks/models"
)

// BMC identifies a machine by the address of its management controller.
type BMC struct {
	// Host is a host name or IP address in lower case, with the port unless it is the default port.
	Host string
	// System is the path of the Redfish system. It is "" if the controller has only one system.
	System string
}

// String returns the host, followed by the path of the system. It returns "" for the zero value.
func (b BMC) String() string { return b.Host + b.System }

// addressFields returns the fields of driver_info for addresses, each with the default port of its protocol.
func addressFields() [][2]string {
	return [][2]string{
		{"redfish_address", "443"}, {"ipmi_address", "623"}, {"ilo_address", "443"}, {"irmc_address", "443"}, {"drac_address", "443"}, {"snmp_address", "161"},
	}
}

// BMCOf returns the BMC in driver_info. One host is one BMC, whether it is reached by IPMI or Redfish.
func BMCOf(info map[string]any) (b BMC, found bool) {
	for _, field := range addressFields() {
		address := models.TextOf(info[field[0]])
		if address == "" {
			continue
		}
		port := field[1]
		if own := models.TextOf(info[strings.TrimSuffix(field[0], "address")+"port"]); own != "" && own != port {
			address = hostPort(strings.Trim(address, "[]"), own)
		}
		b.Host = hostOf(address, port)
		if field[0] == "redfish_address" {
			b.System = strings.TrimRight(models.TextOf(info["redfish_system_id"]), "/")
		}
		return b, true
	}
	return BMC{}, false
}

// hostOf returns the host of an address or URL in lower case. It appends the port unless this is the default port.
// The default port is 80 for http URLs, and the value of usual for all other addresses.
func hostOf(address, usual string) string {
	if !strings.Contains(address, "://") {
		if strings.Count(address, ":") > 1 && !strings.HasPrefix(address, "[") {
			address = "[" + address + "]" // an IPv6 address
		}
		address = "//" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return strings.ToLower(strings.TrimPrefix(address, "//"))
	}
	if u.Scheme == "http" {
		usual = "80"
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.String()
	}
	if port := u.Port(); port != "" && port != usual {
		return hostPort(host, port)
	}
	return host
}

func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// same reports whether two BMCs may belong to the same machine. A BMC that names no system matches every system.
func (b BMC) same(other BMC) bool {
	return b.Host == other.Host && (b.System == "" || other.System == "" || strings.EqualFold(b.System, other.System))
}

// namespace is the namespace for the UUIDs that [Node.Identity] and [PartUUID] derive.
var namespace = uuid.MustParse("6f1a3f0e-9d0c-5a57-8f5e-3b8c2f6c1d11")

// Identity returns the UUID of the node. If the input sets none, it is derived from the BMC, the first MAC address or
// the name, so that Ironic detects the conflict if a node is created twice.
func (n *Node) Identity() string {
	if id := n.UUID(); id != "" {
		return id
	}
	key := "name " + n.Name()
	if b, found := BMCOf(n.DriverInfo()); found {
		key = "bmc " + strings.ToLower(b.String())
	} else if ports := n.AllPorts(); len(ports) > 0 {
		key = "mac " + ports[0].Address()
	}
	return uuid.NewSHA1(namespace, []byte(key)).String()
}

// Serial returns the serial number, which inputs and Ironic store in extra or properties, or "" if there is none.
func Serial(fields map[string]any) string {
	for _, place := range []string{"extra", "properties"} {
		object, _ := fields[place].(map[string]any)
		if text := cmp.Or(models.TextOf(object["serial_number"]), models.TextOf(object["serial"])); text != "" {
			return text
		}
	}
	return ""
}

// PartUUID returns the UUID for a new port or port group. If fields does not contain a UUID, PartUUID derives it from
// the node's UUID and the part's address or name, so that it is always the same. See also [Node.Identity].
func PartUUID(node string, fields map[string]any) string {
	if id := models.TextOf(fields["uuid"]); id != "" {
		return strings.ToLower(id)
	}
	key := cmp.Or(models.TextOf(fields["address"]), models.TextOf(fields["name"]))
	return uuid.NewSHA1(namespace, []byte(node+" "+strings.ToLower(key))).String()
}
