package plugin

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"ironworks/models"
)

// field is a node field that plugins can use. No field contains a secret: credentials are removed from addresses.
type field struct {
	name, meaning string
	get           func(n *models.Node) string
}

var fields = []field{
	{"node", "name, or UUID of a node without a name", func(n *models.Node) string { return n.Label() }},
	{"name", "name", func(n *models.Node) string { return n.Name }},
	{"uuid", "UUID", func(n *models.Node) string { return n.UUID }},
	{"bmc", "host of the BMC", func(n *models.Node) string { return host(n.BMC()) }},
	{"bmc_url", "address of the BMC's Redfish service", bmcURL},
	{"address", "address of the ramdisk, while it is running", ramdiskHost},
	{"driver", "driver", func(n *models.Node) string { return n.Driver }},
	{"state", "provision state", func(n *models.Node) string { return string(n.ProvisionState) }},
	{"power", "power state", func(n *models.Node) string { return string(n.PowerState) }},
	{"maintenance", "true or false", func(n *models.Node) string { return strconv.FormatBool(n.Maintenance) }},
	{"class", "resource class", func(n *models.Node) string { return n.ResourceClass }},
	{"instance", "UUID of the instance", func(n *models.Node) string { return n.InstanceUUID }},
	{"owner", "owner", func(n *models.Node) string { return n.Owner }},
	{"lessee", "lessee", func(n *models.Node) string { return n.Lessee }},
	{"conductor", "conductor", func(n *models.Node) string { return n.Conductor }},
	{"conductor_group", "conductor group", func(n *models.Node) string { return n.ConductorGroup }},
	{"shard", "shard", func(n *models.Node) string { return n.Shard }},
}

func valueOf(n *models.Node, name string) string {
	for _, f := range fields {
		if f.name == name {
			return f.get(n)
		}
	}
	return ""
}

// Variable returns the name of the environment variable that contains the given field.
func Variable(field string) string { return "IRONWORKS_NODE_" + strings.ToUpper(field) }

// bmcURL returns the address of the BMC's Redfish service without credentials, query and fragment, or "" if the node
// has no valid address.
func bmcURL(n *models.Node) string {
	address, err := models.BMCAddress(n)
	if err != nil {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// ramdiskHost returns the host in the URL of the node's agent, or "" if the URL is unknown. Ironic hides agent_url
// from some users.
func ramdiskHost(n *models.Node) string {
	if n.Internal == nil {
		return ""
	}
	return host(n.Internal.AgentURL)
}

// host returns the host of an address or URL, or "" if it has none.
func host(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		return ip.String()
	}
	if !strings.Contains(address, "://") {
		address = "x://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
